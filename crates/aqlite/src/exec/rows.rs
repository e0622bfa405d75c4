//! The rows of a query's result. Small objects and arrays stand one behind the other in larger pieces of memory, which all of them
//! share: they are made, written out and dropped together.

use std::sync::Arc;

use super::context::Ctx;
use crate::Result;
use crate::value::Value;
use crate::value::stored::Stored;

/// Bytes of a piece.
const PIECE: usize = 32 << 10;
/// Where there are so many rows that they have these bytes, there is room for a whole piece.
const MANY: usize = 2 << 10;
/// Bytes of the last row of a piece, or of most of them.
const LAST: usize = 1 << 10;

/// Rows in the making.
#[derive(Default)]
pub(super) struct ResultRows {
    rows: Vec<Value>,
    /// The present piece, and where the rows in it begin.
    piece: Vec<u8>,
    starts: Vec<u32>,
}

impl ResultRows {
    /// Asks for what one more row may need of the list of them.
    pub(super) fn make_room(&mut self, ctx: &Ctx<'_>) -> Result<()> {
        ctx.make_room(&mut self.rows, self.starts.len() + 2)
    }

    /// A row that stands for itself. Tells the bytes it takes.
    pub(super) fn push(&mut self, row: Value) -> usize {
        self.close_piece();
        let bytes = row.row_memory();
        self.rows.push(row);
        bytes
    }

    /// One in its stored form, which `write` appends to a piece, or the value that it gives back instead. Tells the bytes it
    /// takes.
    pub(super) fn write(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<Option<Value>>) -> Result<usize> {
        if self.piece.len() >= PIECE {
            self.close_piece();
        }
        let start = self.piece.len();
        if start >= MANY && self.piece.capacity() < PIECE {
            self.piece.reserve_exact(PIECE + LAST - start);
        }
        let given_back = write(&mut self.piece);
        if let Ok(None) = given_back {
            self.starts.push(start as u32);
            return Ok(Value::stored_row_memory(self.piece.len() - start));
        }
        self.piece.truncate(start);
        given_back.map(|row| row.map_or(0, |row| self.push(row)))
    }

    fn close_piece(&mut self) {
        if self.starts.is_empty() {
            return;
        }
        let piece: Arc<[u8]> = self.piece.as_slice().into();
        self.rows.extend(self.starts.drain(..).map(|start| Value::Stored(Stored::within(&piece, start))));
        self.piece.clear();
    }

    /// All of them, in the order in which they came.
    pub(super) fn finish(mut self) -> Vec<Value> {
        self.close_piece();
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    #[test]
    fn rows_come_in_their_order_whatever_they_are() {
        let mut rows = ResultRows::default();
        let mut expected = Vec::new();
        for n in 0..3000 {
            let row = match n % 7 {
                0 => Value::Int(n),
                _ => parse_json(&format!(r#"{{"n":{n},"text":"{}"}}"#, "x".repeat(n as usize % 90))).expect("JSON"),
            };
            if row.is_object() {
                let stored = |out: &mut Vec<u8>| {
                    out.extend_from_slice(&row.to_stored());
                    // now and then it is given back, and what was written goes
                    Ok((n % 700 == 1).then(|| row.clone()))
                };
                assert!(rows.write(stored).expect("a row") > 24);
            } else {
                rows.push(row.clone());
            }
            expected.push(row);
        }
        assert_eq!(rows.finish(), expected);
    }
}
