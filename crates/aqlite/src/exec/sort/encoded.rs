//! Sort keys as bytes: made once, compared often.
//!
//! Every key of a sort is a column. Where all its values are numbers, or texts of printable ASCII, or such mixed with nulls
//! and booleans, its bytes are in the order of the values; a column with anything else is compared value by value.

use std::cmp::Ordering;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use crate::txn::Helper;
use crate::value::{EXACT, Value, collate};

const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;
const NUMBER: u8 = 4;
const TEXT: u8 = 5;

/// How the values of a column become bytes.
enum Coder {
    /// Whole numbers that do not lie far apart: by how much one is more than the least.
    Near(i64),
    Number,
    /// Texts, which all begin with so many equal bytes.
    Text(usize),
    /// With a byte for the type of each.
    Mixed,
}

impl Coder {
    /// That of a column; `None` where its values have to be compared.
    fn of<'v>(column: impl Iterator<Item = &'v Value>) -> Option<Self> {
        let (mut numbers, mut texts, mut others) = (false, false, false);
        let (mut least, mut most, mut whole) = (i64::MAX, i64::MIN, true);
        let mut common: Option<(&[u8], usize)> = None;
        for value in column {
            match value {
                Value::Null | Value::Bool(_) => others = true,
                Value::Int(_) | Value::Float(_) => {
                    let x = value.as_f64().filter(|x| x.abs() < EXACT)?;
                    numbers = true;
                    whole &= x.fract() == 0.0;
                    (least, most) = (least.min(x as i64), most.max(x as i64));
                }
                Value::Str(text) => {
                    let bytes = text.as_bytes();
                    if !collate::is_printable(bytes) {
                        return None;
                    }
                    texts = true;
                    let same =
                        |first: &[u8], most: usize| first[..most].iter().zip(bytes).take_while(|(a, b)| a == b).count();
                    common = Some(common.map_or((bytes, bytes.len()), |(first, most)| (first, same(first, most))));
                }
                _ => return None,
            }
        }
        Some(match (numbers, texts, others) {
            (true, false, false) if whole && most - least <= i64::from(u32::MAX) => Self::Near(least),
            (true, false, false) => Self::Number,
            (false, true, false) => Self::Text(common.map_or(0, |(_, most)| most)),
            _ => Self::Mixed,
        })
    }

    fn write(&self, value: &Value, out: &mut Vec<u8>) {
        match self {
            Self::Near(least) => {
                let above = value.as_i64().unwrap_or_default() - least;
                out.extend_from_slice(&(above as u32).to_be_bytes());
            }
            Self::Number => write_number(value, out),
            Self::Text(common) => write_text(value, *common, out),
            Self::Mixed => match value {
                Value::Bool(false) => out.push(FALSE),
                Value::Bool(true) => out.push(TRUE),
                Value::Int(_) | Value::Float(_) => {
                    out.push(NUMBER);
                    write_number(value, out);
                }
                Value::Str(_) => {
                    out.push(TEXT);
                    write_text(value, 0, out);
                }
                _ => out.push(NULL),
            },
        }
    }
}

fn write_number(value: &Value, out: &mut Vec<u8>) {
    // without the sign of zero
    let bits = (value.as_f64().unwrap_or_default() + 0.0).to_bits();
    let ordered = if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits };
    out.extend_from_slice(&ordered.to_be_bytes());
}

fn write_text(value: &Value, common: usize, out: &mut Vec<u8>) {
    let text = value.as_str().and_then(|text| text.as_bytes().get(common..)).unwrap_or_default();
    collate::ascii_key(text, out);
}

/// The keys of rows, each of so many values.
pub(super) struct Keys<'k> {
    /// How many rows there are.
    pub rows: usize,
    pub values: &'k [Value],
    /// Which of the values of a row are in ascending order.
    pub ascending: &'k [bool],
}

impl Keys<'_> {
    fn row(&self, at: usize) -> &[Value] {
        &self.values[at * self.ascending.len()..][..self.ascending.len()]
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let pairs = self.row(a).iter().zip(self.row(b)).zip(self.ascending);
        let mut orders = pairs.map(|((x, y), up)| if *up { x.compare(y) } else { y.compare(x) });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// What texts take while they are sorted, beyond what [`ROW_BYTES`] has for short ones.
    pub fn long_texts(&self) -> usize {
        let bytes = |value: &Value| value.as_str().map_or(0, |text| (2 * text.len()).saturating_sub(KEY_BYTES));
        self.values.iter().map(bytes).sum()
    }

    /// The rows in their order; those that compare equal stay in the order in which they came. With helpers each of them
    /// sorts a part.
    pub fn order(&self, helpers: Vec<Helper>) -> Vec<u32> {
        let (rows, width) = (self.rows, self.ascending.len());
        let coders: Option<Vec<Coder>> =
            (0..width).map(|column| Coder::of(self.values.iter().skip(column).step_by(width))).collect();
        let Some(coders) = coders else {
            let mut order: Vec<u32> = (0..rows as u32).collect();
            order.sort_by(|a, b| self.compare(*a as usize, *b as usize));
            return order;
        };
        let part = rows.div_ceil(helpers.len() + 1).max(1);
        let parts: Vec<Encoded> = thread::scope(|scope| {
            let coders = &coders;
            let begun: Vec<_> = helpers
                .into_iter()
                .enumerate()
                .map(|(n, helper)| {
                    let rows = part * (n + 1)..(part * (n + 2)).min(rows);
                    let of_helper = rows.clone();
                    let sort = move || {
                        let _helper = helper;
                        self.sorted(coders, of_helper)
                    };
                    (rows, thread::Builder::new().spawn_scoped(scope, sort))
                })
                .collect();
            let own = self.sorted(coders, 0..part.min(rows));
            let others = begun.into_iter().map(|(rows, begun)| match begun {
                Ok(part) => part.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // there was no thread
                Err(_) => self.sorted(coders, rows),
            });
            std::iter::once(own).chain(others).collect()
        });
        merge(&parts)
    }

    /// A run of rows in their order.
    fn sorted(&self, coders: &[Coder], rows: Range<usize>) -> Encoded {
        let values = &self.values[rows.start * coders.len()..rows.end * coders.len()];
        let texts: usize = values.iter().filter_map(Value::as_str).map(|text| 2 * text.len()).sum();
        let mut bytes = Vec::with_capacity(rows.len() * coders.len() * 16 + texts);
        let mut entries = Vec::with_capacity(rows.len());
        for at in rows {
            let begin = bytes.len();
            for ((value, coder), ascending) in self.row(at).iter().zip(coders).zip(self.ascending) {
                let from = bytes.len();
                coder.write(value, &mut bytes);
                if !ascending {
                    bytes[from..].iter_mut().for_each(|byte| *byte = !*byte);
                }
            }
            entries.push(Entry { prefix: prefix(&bytes[begin..]), begin, end: bytes.len(), at: at as u32 });
        }
        let rest = |entry: &Entry| bytes.get(entry.begin + PREFIX..entry.end).unwrap_or_default();
        entries.sort_unstable_by(|a, b| {
            a.prefix.cmp(&b.prefix).then_with(|| rest(a).cmp(rest(b))).then_with(|| a.at.cmp(&b.at))
        });
        Encoded { bytes, entries }
    }
}

/// Rows in their order, with the bytes of their keys.
struct Encoded {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Encoded {
    /// The prefix of a row, and the rest of its key.
    fn key(&self, at: usize) -> Option<(u128, &[u8])> {
        let entry = self.entries.get(at)?;
        Some((entry.prefix, self.bytes.get(entry.begin + PREFIX..entry.end).unwrap_or_default()))
    }
}

/// The rows of several parts in one order; of those that compare equal the earlier part comes first.
fn merge(parts: &[Encoded]) -> Vec<u32> {
    if let [only] = parts {
        return only.entries.iter().map(|entry| entry.at).collect();
    }
    let mut order = Vec::with_capacity(parts.iter().map(|part| part.entries.len()).sum());
    let mut next = vec![0; parts.len()];
    loop {
        let heads = parts.iter().zip(&next).enumerate();
        let least = heads.filter_map(|(n, (part, at))| part.key(*at).map(|key| (key, n))).min();
        let Some((_, least)) = least else { return order };
        order.push(parts[least].entries[next[least]].at);
        next[least] += 1;
    }
}

/// Bytes of a key that are compared at once.
const PREFIX: usize = size_of::<u128>();

struct Entry {
    prefix: u128,
    begin: usize,
    end: usize,
    at: u32,
}

/// What each row takes while it is sorted, besides its values.
pub(super) const ROW_BYTES: usize = size_of::<Entry>() + KEY_BYTES;
/// What short keys take of that.
const KEY_BYTES: usize = 32;

fn prefix(key: &[u8]) -> u128 {
    let mut first = [0; PREFIX];
    let len = key.len().min(PREFIX);
    first[..len].copy_from_slice(&key[..len]);
    u128::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::txn::Cores;
    use crate::value::parse_json;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            (-3i64..4).prop_map(Value::Int),
            Just(Value::Int(i64::from(u32::MAX) * 3)),
            (-3.0f64..3.0).prop_map(Value::Float),
            Just(Value::Float(-0.0)),
            "[aAbB1 ~]{0,4}".prop_map(|text| Value::str(text.as_str())),
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
        ]
    }

    /// Values of one kind, of several, or with some that are no scalars.
    fn column() -> impl Strategy<Value = Vec<Value>> {
        let odd = prop_oneof![Just("[1]"), Just("{\"a\":1}"), Just("\"ä\""), Just("9007199254740993")];
        let odd = odd.prop_map(|text| parse_json(text).expect("valid JSON"));
        prop_oneof![
            prop::collection::vec((-300i64..300).prop_map(Value::Int), 24),
            prop::collection::vec("(Same )?[aAbB]{0,3}".prop_map(|text| Value::str(text.as_str())), 24),
            prop::collection::vec(value(), 24),
            prop::collection::vec(prop_oneof![value(), odd], 24),
        ]
    }

    proptest! {
        #[test]
        fn bytes_order_as_the_values_do(a in column(), b in column(), up in any::<bool>(), down in any::<bool>()) {
            let values: Vec<Value> = a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect();
            let keys = Keys { rows: 24, values: &values, ascending: &[up, down] };
            let mut expected: Vec<u32> = (0..24).collect();
            expected.sort_by(|a, b| keys.compare(*a as usize, *b as usize));
            prop_assert_eq!(keys.order(Vec::new()), expected.clone());
            let helpers = Arc::new(Cores::new(3, 0)).spare(24);
            prop_assert_eq!(helpers.len(), 2);
            prop_assert_eq!(keys.order(helpers), expected);
        }
    }
}
