//! Two stored objects in one.

use std::cmp::Ordering;

use super::write::finish;
use super::{OBJECT, Raw, WINDOW};

/// Marks the number of an attribute that only the right side has, until it has its place behind the others.
const NEW: u32 = 1 << 31;

/// An attribute where it lies: its name, and behind it its value.
#[derive(Clone, Copy)]
struct Part<'a> {
    name: Raw<'a>,
    /// The beginning of the name, by which most are told apart.
    begins: u64,
    /// How many bytes the value has,
    value: usize,
    /// and both.
    len: usize,
}

impl<'a> Part<'a> {
    fn new(name: Raw<'a>) -> Option<Self> {
        let before = name.byte_len();
        let value = name.behind(before).byte_len();
        Some(Self { name, begins: name.beginning()?, value, len: before + value })
    }

    fn by_name(&self, other: &Self) -> Ordering {
        self.begins.cmp(&other.begins).then_with(|| self.name.str_bytes().cmp(&other.name.str_bytes()))
    }

    /// Writes it unless its value is longer than `most` bytes; tells where.
    fn write(&self, most: usize, out: &mut Vec<u8>) -> Option<u32> {
        if self.value > most {
            return None;
        }
        let place = out.len() as u32;
        self.name.append_to(self.len, out);
        Some(place)
    }
}

/// The attributes of both, those of the right side instead of those of the left with the same name: first the names of the
/// left, then those that only the right has, each in their order. `None` where a value is longer than `most` bytes.
pub(crate) fn merged(left: Raw<'_>, right: Raw<'_>, most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(left.byte_len() + right.byte_len() + WINDOW);
    let (left, right) = (left.table()?, right.table()?);
    let mut order: Vec<u32> = Vec::with_capacity(left.count + right.count);
    let right = (0..right.count).map(|at| Part::new(right.entry(at)?)).collect::<Option<Vec<_>>>()?;
    let mut next = 0;
    for at in 0..left.count {
        let mut part = Part::new(left.entry(at)?)?;
        while let Some(other) = right.get(next) {
            let side = other.by_name(&part);
            if side.is_gt() {
                break;
            }
            next += 1;
            if side.is_eq() {
                part = *other;
                break;
            }
            order.push(NEW | (next - 1) as u32);
        }
        order.push(part.write(most, &mut out)?);
    }
    order.extend((next..right.len()).map(|number| NEW | number as u32));
    for place in order.iter_mut().filter(|place| **place & NEW != 0) {
        *place = right[(*place & !NEW) as usize].write(most, &mut out)?;
    }
    finish(OBJECT, 0, (order.len(), order.iter().copied()), &mut out);
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::encode_object;
    use super::*;
    use crate::value::Value;

    fn stored(attributes: &[(String, i64)]) -> Vec<u8> {
        let values: Vec<(&str, Value)> = attributes.iter().map(|(name, n)| (name.as_str(), Value::Int(*n))).collect();
        let mut out = Vec::new();
        encode_object(values.iter().map(|(name, value)| (*name, value)), &mut out);
        out
    }

    fn object() -> impl Strategy<Value = Vec<(String, i64)>> {
        proptest::collection::btree_map("[ab]{0,10}", any::<i64>(), 0..40)
            .prop_map(|attributes| attributes.into_iter().rev().collect())
    }

    proptest! {
        #[test]
        fn two_objects_are_merged_as_written_anew(left in object(), right in object()) {
            let (mut names, mut others) = (left.clone(), right.clone());
            names.sort();
            others.sort();
            for (name, n) in others {
                match names.iter_mut().find(|(known, _)| *known == name) {
                    Some(known) => known.1 = n,
                    None => names.push((name, n)),
                }
            }
            let (left, right) = (stored(&left), stored(&right));
            prop_assert_eq!(merged(Raw::new(&left), Raw::new(&right), 256), Some(stored(&names)));
        }
    }

    #[test]
    fn long_values_are_left_to_others() {
        let long = [(String::from("a"), i64::MAX)];
        let (long, short) = (stored(&long), stored(&[(String::from("a"), 1)]));
        assert!(merged(Raw::new(&short), Raw::new(&long), 4).is_none());
        assert_eq!(merged(Raw::new(&long), Raw::new(&short), 4), Some(short.clone()));
    }
}
