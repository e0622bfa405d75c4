//! Two stored objects in one.

use std::cmp::Ordering;

use super::write::finish;
use super::{Attribute, OBJECT, Raw, beginning};

/// Marks the place of an attribute among those that only the right side has.
const NEW: u32 = 1 << 31;

/// An attribute with the beginning of its name, by which most are told apart.
type Begun<'a> = (u64, Attribute<'a>);

fn begun(attribute: Attribute<'_>) -> Begun<'_> {
    (beginning(attribute.name), attribute)
}

fn by_name(one: &Begun<'_>, other: &Begun<'_>) -> Ordering {
    one.0.cmp(&other.0).then_with(|| one.1.name.cmp(other.1.name))
}

/// The attributes of both, those of the right side instead of those of the left with the same name: first the names of the
/// left, then those that only the right has, each in their order. `None` where a value is longer than `most` bytes.
pub(crate) fn merged(left: Raw<'_>, right: Raw<'_>, most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(left.byte_len() + right.byte_len());
    let mut order = Vec::with_capacity(left.len() + right.len());
    let mut new: Vec<&[u8]> = Vec::with_capacity(right.len());
    let mut left = left.sorted_attributes().map(begun).peekable();
    let mut right = right.sorted_attributes().map(begun).peekable();
    loop {
        let side = match (left.peek(), right.peek()) {
            (Some(left), Some(right)) => by_name(left, right),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let replaced = if side.is_le() { left.next() } else { None };
        let (_, attribute) = if side.is_ge() { right.next() } else { replaced }?;
        if attribute.value.byte_len() > most {
            return None;
        }
        if side.is_gt() {
            order.push(NEW | new.len() as u32);
            new.push(attribute.stored);
        } else {
            order.push(out.len() as u32);
            out.extend_from_slice(attribute.stored);
        }
    }
    let places: Vec<u32> = new
        .into_iter()
        .map(|attribute| {
            let place = out.len() as u32;
            out.extend_from_slice(attribute);
            place
        })
        .collect();
    let place = |at: u32| if at & NEW == 0 { at } else { places[(at & !NEW) as usize] };
    finish(OBJECT, 0, (order.len(), order.iter().map(|at| place(*at))), &mut out);
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
