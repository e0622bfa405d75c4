//! The texts of a tree, one behind the other in one piece of memory: there are thousands, and all of them are short.

use std::ops::Range;

use aqlite::value::{Look, needs_escape};

/// Texts, each known by its place.
#[derive(Debug, Default)]
pub(super) struct Texts(String);

/// The place of a text among others. Thousands of serials have some, so it is small; what lies beyond four gigabytes is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    begin: u32,
    end: u32,
}

impl Text {
    fn new(begin: usize, end: usize) -> Self {
        let [begin, end] = [begin, end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Self { begin, end }
    }

    fn range(self) -> Range<usize> {
        self.begin as usize..self.end as usize
    }
}

impl Texts {
    pub fn get(&self, text: Text) -> &str {
        self.0.get(text.range()).unwrap_or_default()
    }

    /// Does JSON have all of them as they are?
    pub fn are_plain(&self) -> bool {
        !needs_escape(self.0.as_bytes())
    }

    pub fn add(&mut self, text: &str) -> Text {
        let begin = self.0.len();
        self.0.push_str(text);
        Text::new(begin, self.0.len())
    }
}

/// Gathers the texts of a row. That they are texts is seen of all of them at once.
pub(super) struct Reader(Vec<u8>);

impl Reader {
    /// With room for the texts of so many serials.
    pub fn of(serials: usize) -> Self {
        /// Bytes of an id and a code; what is said of several is read once.
        const BYTES: usize = 48;
        Self(Vec::with_capacity(serials * BYTES))
    }

    /// What is no text is none: existing databases hold all kinds of values.
    #[inline]
    pub fn read(&mut self, cell: Look<'_>) -> Option<Text> {
        let bytes = cell.text_bytes()?;
        let begin = self.0.len();
        self.0.extend_from_slice(bytes);
        Some(Text::new(begin, self.0.len()))
    }

    /// The same, of a text that is mostly the one that was read here before.
    #[inline]
    pub fn read_again(&mut self, cell: Look<'_>, last: &mut Option<Text>) -> Option<Text> {
        match *last {
            Some(last) if cell.text_bytes() == self.0.get(last.range()) => Some(last),
            _ => {
                let read = self.read(cell)?;
                *last = Some(read);
                Some(read)
            }
        }
    }

    /// All of them; `None` where one is no text.
    pub fn finish(self) -> Option<Texts> {
        String::from_utf8(self.0).ok().map(Texts)
    }
}

#[cfg(test)]
mod tests {
    use aqlite::value::Value;

    use super::*;

    #[test]
    fn texts_are_found_again_at_their_places_and_repeated_ones_are_kept_once() {
        let cells = [Value::str("Größe"), Value::str(""), Value::str("Größe"), Value::Null, Value::str("b")];
        let (mut reader, mut last) = (Reader::of(1), None);
        let read: Vec<Option<Text>> = cells.iter().map(|cell| reader.read_again(cell.into(), &mut last)).collect();
        let again = [reader.read_again((&cells[4]).into(), &mut last), reader.read((&cells[4]).into())];
        let mut texts = reader.finish().expect("texts");
        let added = texts.add("c");
        let found: Vec<Option<&str>> = read.iter().map(|text| text.map(|text| texts.get(text))).collect();
        assert_eq!(found, [Some("Größe"), Some(""), Some("Größe"), None, Some("b")]);
        assert_eq!(again[0], read[4]);
        assert_ne!(again[1], read[4]);
        assert_eq!((texts.get(again[1].expect("a text")), texts.get(added)), ("b", "c"));
    }
}
