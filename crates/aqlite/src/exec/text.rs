//! Rows of a result as the text they are sent as, written as soon as they are known. A row that is nothing but sent is
//! never a value.

use super::context::Ctx;
use crate::Result;
use crate::plan::expr::{Ex, ObjectEntry};
use crate::value::Value;
use crate::value::stored::Hint;

/// Rows as JSON text, one behind the other.
#[derive(Debug)]
pub struct TextRows {
    /// What stands before the first row, then the rows with commas between them.
    text: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// So many were taken.
    taken: usize,
}

/// What an answer has before its rows.
const BEGIN: &[u8] = b"{\"result\":[";
/// Most rows have less than this.
const ROW: usize = 4 << 10;
/// Room for what most answers have, with what comes behind the rows.
const ROOM: usize = 4 << 10;

impl Default for TextRows {
    fn default() -> Self {
        let mut text = Vec::with_capacity(ROOM);
        text.extend_from_slice(BEGIN);
        Self { text, ends: Vec::new(), taken: 0 }
    }
}

impl TextRows {
    /// How many are left.
    pub fn len(&self) -> usize {
        self.ends.len() - self.taken
    }

    /// Are none left?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends rows that others have written.
    pub(super) fn append(&mut self, others: &Self, ctx: &Ctx<'_>) -> Result<()> {
        ctx.make_room(&mut self.text, others.text.len() + 1)?;
        if !self.ends.is_empty() && !others.ends.is_empty() {
            self.text.push(b',');
        }
        let begin = self.text.len();
        self.text.extend_from_slice(&others.text[BEGIN.len()..]);
        self.ends.extend(others.ends.iter().map(|end| begin + end - BEGIN.len()));
        Ok(())
    }

    /// The beginning of an answer with the next rows, at most so many.
    pub fn take(&mut self, most: usize) -> Vec<u8> {
        // all of them stay where they are
        if self.taken == 0 && self.ends.len() <= most {
            self.taken = self.ends.len();
            return std::mem::take(&mut self.text);
        }
        let from = match self.taken.checked_sub(1) {
            // behind the comma
            Some(before) => self.ends[before] + 1,
            None => BEGIN.len(),
        };
        self.taken += self.len().min(most);
        let end = self.taken.checked_sub(1).map_or(from, |last| self.ends[last]);
        let rows = self.text.get(from..end).unwrap_or_default();
        [BEGIN, rows].concat()
    }
}

/// Writes rows of one expression.
pub(super) struct TextWriter<'e> {
    output: &'e Ex,
    /// The values of an object, each with what stands before it and where it was found in the document of the row before.
    object: Option<Vec<Field<'e>>>,
    hint: Hint,
    rows: TextRows,
}

struct Field<'e> {
    before: Vec<u8>,
    value: &'e Ex,
    hint: Hint,
}

impl<'e> TextWriter<'e> {
    pub(super) fn new(output: &'e Ex) -> Self {
        Self { output, object: fields(output), hint: Hint::default(), rows: TextRows::default() }
    }

    /// Writes the present row and tells how many bytes it takes.
    pub(super) fn write(&mut self, ctx: &mut Ctx<'_>) -> Result<usize> {
        let before = ctx.memory();
        ctx.make_room(&mut self.rows.text, ROW)?;
        let out = &mut self.rows.text;
        if !self.rows.ends.is_empty() {
            out.push(b',');
        }
        let begin = out.len();
        match &mut self.object {
            Some(fields) => {
                for Field { before, value, hint } in fields {
                    out.extend_from_slice(before);
                    ctx.write_value(value, hint, out)?;
                }
                out.push(b'}');
            }
            None => ctx.write_value(self.output, &mut self.hint, out)?,
        }
        ctx.reset_memory(before);
        self.rows.ends.push(self.rows.text.len());
        // with a comma, whoever comes first
        Ok(1 + self.rows.text.len() - begin + size_of::<usize>())
    }

    pub(super) fn finish(self) -> TextRows {
        self.rows
    }
}

/// The values of an object whose names are known; `None` where they are not, or one stands there twice.
fn fields(output: &Ex) -> Option<Vec<Field<'_>>> {
    let Ex::Object(entries) = output else { return None };
    let mut fields = Vec::with_capacity(entries.len());
    let mut names = Vec::with_capacity(entries.len());
    for entry in entries {
        let ObjectEntry::Named(name, value) = entry else { return None };
        let mut before = vec![if fields.is_empty() { b'{' } else { b',' }];
        Value::Str(name.clone()).write_json(&mut before);
        before.push(b':');
        names.push(name);
        fields.push(Field { before, value, hint: Hint::default() });
    }
    names.sort_unstable();
    (!names.is_empty() && names.windows(2).all(|pair| pair[0] != pair[1])).then_some(fields)
}

impl Ctx<'_> {
    /// Writes the value of an expression as JSON. What stands in a variable is written from there.
    fn write_value(&mut self, ex: &Ex, hint: &mut Hint, out: &mut Vec<u8>) -> Result<()> {
        if let Ex::Path(slot, names) = ex
            && let Value::Stored(stored) = &self.frame[*slot]
        {
            match stored.raw().path_near(names, hint) {
                Some(raw) => raw.write_json(out),
                None => out.extend_from_slice(b"null"),
            }
            return Ok(());
        }
        match ex {
            Ex::Const(value) => value.write_json(out),
            Ex::Bound(bound) => self.bound[bound.at].write_json(out),
            Ex::Slot(slot) => match &self.frame[*slot] {
                Value::Stored(document) => match self.scanned.text(document) {
                    Some(text) => out.extend_from_slice(text),
                    None => document.raw().write_json(out),
                },
                value => {
                    let value = value.result()?;
                    self.make_room(out, value.width())?;
                    value.write_json(out);
                }
            },
            _ => {
                let value = self.value(ex)?;
                let value = value.result()?;
                self.make_room(out, value.width())?;
                value.write_json(out);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize) -> TextRows {
        let mut rows = TextRows::default();
        for n in 0..count {
            if n > 0 {
                rows.text.push(b',');
            }
            rows.text.extend_from_slice(n.to_string().as_bytes());
            rows.ends.push(rows.text.len());
        }
        rows
    }

    fn taken(count: usize, most: usize) -> Vec<String> {
        let mut rows = rows(count);
        let mut taken = vec![String::from_utf8(rows.take(most)).expect("text")];
        while !rows.is_empty() {
            taken.push(String::from_utf8(rows.take(most)).expect("text"));
        }
        taken
    }

    #[test]
    fn batches_have_all_rows_and_no_comma_too_much() {
        assert_eq!(taken(0, 2), [r#"{"result":["#]);
        assert_eq!(taken(2, 2), [r#"{"result":[0,1"#]);
        assert_eq!(taken(5, 2), [r#"{"result":[0,1"#, r#"{"result":[2,3"#, r#"{"result":[4"#]);
        assert_eq!(taken(4, 2), [r#"{"result":[0,1"#, r#"{"result":[2,3"#]);
    }
}
