//! Attributes found where they stood in the document before: documents of a collection are mostly of one shape, so that it is
//! mostly seen at once where an attribute stands, or that it is missing.

use super::alike::are_alike;
use super::{LONG_STRING, OBJECT, Raw, SHORT_STRING, beginning};

/// Where the first name of a path stood the last time, or would have stood. Each is for one path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hint {
    at: usize,
    /// How the entry begins: its tag and as much of the name as there is room for.
    begin: u64,
    /// Which bytes of it count.
    counts: u64,
    /// The last bytes of a longer name.
    end: u64,
    /// Bytes of the tag and the name.
    len: usize,
}

impl Default for Hint {
    fn default() -> Self {
        // no entry begins so, as none of its bytes count
        Self { at: 0, begin: u64::MAX, counts: 0, end: 0, len: 0 }
    }
}

impl Hint {
    /// Learns the name, unless it is too long to be compared by its two ends.
    fn learn(&mut self, name: &str) {
        const HALF: usize = size_of::<u64>();
        let mut entry = [0; 2 * HALF];
        let len = 1 + name.len();
        if let Some(own) = entry.get_mut(1..len) {
            own.copy_from_slice(name.as_bytes());
            entry[0] = SHORT_STRING + name.len() as u8;
            let half = |from: usize| u64::from_le_bytes(std::array::from_fn(|at| entry[from + at]));
            let counts = u64::MAX >> (u64::BITS as usize - 8 * len.min(HALF));
            *self = Self { begin: half(0), counts, end: half(len.saturating_sub(HALF)), len, ..*self };
        }
    }
}

impl<'a> Raw<'a> {
    /// Follows attribute names inwards.
    #[inline]
    pub(crate) fn path_near<S: AsRef<str>>(self, path: &[S], hint: &mut Hint) -> Option<Raw<'a>> {
        // a longer path is followed by its names
        let found = if path.len() == 1 { self.attribute_at(hint) } else { None };
        found.or_else(|| self.path_beside(path, hint))
    }

    /// What the hint names, if it is where the hint says.
    #[inline]
    fn attribute_at(self, hint: &Hint) -> Option<Raw<'a>> {
        let entry = self.entry_at(hint.at)?;
        if u64::from_le_bytes(*entry.bytes.first_chunk()?) & hint.counts != hint.begin {
            return None;
        }
        let (name, value) = entry.bytes.split_at_checked(hint.len)?;
        let is_same = hint.len <= size_of::<u64>() || u64::from_le_bytes(*name.last_chunk()?) == hint.end;
        is_same.then_some(Raw { bytes: value })
    }

    #[inline(never)]
    fn path_beside<S: AsRef<str>>(self, path: &[S], hint: &mut Hint) -> Option<Raw<'a>> {
        if hint.len == 0 {
            hint.learn(path.first()?.as_ref());
        }
        self.path_at(path, &mut hint.at)
    }

    /// Follows attribute names inwards, the first of which stood at a position of its table the last time, or would have stood.
    #[inline]
    pub(crate) fn path_at<S: AsRef<str>>(self, path: &[S], at: &mut usize) -> Option<Raw<'a>> {
        let (first, rest) = path.split_first()?;
        let found = match self.entry_named(*at, first.as_ref()) {
            None => self.find_far(first.as_ref(), at)?,
            Some(found) => found,
        };
        if rest.is_empty() { Some(found) } else { found.path(rest) }
    }

    /// An attribute that is not where it was before.
    #[inline(never)]
    fn find_far(self, name: &str, at: &mut usize) -> Option<Raw<'a>> {
        if self.is_missing_at(*at, name) {
            return None;
        }
        let found = self.find(name);
        *at = match found {
            Ok((_, at)) | Err(at) => at,
        };
        found.ok().map(|(value, _)| value)
    }

    /// Whether the names around a position of the table show that there is no such attribute.
    fn is_missing_at(self, at: usize, name: &str) -> bool {
        let Some(table) = self.table().filter(|table| at <= table.count) else { return false };
        let begins = beginning(name.as_bytes());
        let begins_at = |at: usize| table.entry(at).and_then(Raw::beginning);
        let is_behind = at.checked_sub(1).is_none_or(|before| begins_at(before).is_some_and(|before| before < begins));
        is_behind && (at == table.count || begins_at(at).is_some_and(|next| begins < next))
    }

    /// The attribute at a position of the table, if it has the name.
    #[inline]
    fn entry_named(self, at: usize, name: &str) -> Option<Raw<'a>> {
        let entry = self.entry_at(at)?;
        let (tag, rest) = entry.bytes.split_first()?;
        if *tag == LONG_STRING {
            return (entry.str_bytes()? == name.as_bytes()).then(|| entry.after());
        }
        // the tag has the length: what stands behind a name is found without another look at it
        if tag.checked_sub(SHORT_STRING).map(usize::from) != Some(name.len()) {
            return None;
        }
        let (own, value) = rest.split_at_checked(name.len())?;
        are_alike(own, name.as_bytes()).then_some(Raw { bytes: value })
    }

    /// The name at a position of the table, behind which its value stands.
    #[inline]
    fn entry_at(self, at: usize) -> Option<Raw<'a>> {
        // every attribute is found this way: the width of the numbers is known where they are read
        match self.tag() {
            OBJECT => self.entry_of::<1>(at),
            0x39 => self.entry_of::<2>(at),
            0x3a => self.entry_of::<4>(at),
            _ => None,
        }
    }

    /// The same of an object whose numbers have so many bytes.
    #[inline]
    fn entry_of<const WIDTH: usize>(self, at: usize) -> Option<Raw<'a>> {
        let (numbers, _) = self.bytes.get(1..)?.as_chunks::<WIDTH>();
        let number =
            |at: usize| Some(numbers.get(at)?.iter().rev().fold(0, |number, byte| number << 8 | *byte as usize));
        if at >= number(1)? {
            return None;
        }
        self.bytes.get(number(2 + at)?.max(1)..).map(Raw::new)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Hint;
    use crate::value::stored::Raw;
    use crate::value::{Value, parse_json};

    /// Names of all lengths that are compared in another way, many of which begin or end alike.
    fn names() -> impl Strategy<Value = String> {
        prop_oneof!["[ab]{0,2}", "a{0,20}", "a{0,17}b", "ba{0,17}", "[ab]{14,17}"]
    }

    fn object() -> impl Strategy<Value = Value> {
        let value = prop_oneof![
            Just("1".to_owned()),
            "[a-z]{0,300}".prop_map(|text| format!("{text:?}")),
            Just("{\"a\":2}".to_owned())
        ];
        proptest::collection::btree_map(names(), value, 0..6).prop_map(|entries| {
            let entries: Vec<String> = entries.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
            parse_json(&format!("{{{}}}", entries.join(","))).unwrap()
        })
    }

    proptest! {
        #[test]
        fn an_attribute_is_found_wherever_it_stood_before(
            documents in proptest::collection::vec(object(), 1..6),
            first in names(),
            second in proptest::option::of(names()),
        ) {
            let path: Vec<String> = [Some(first), second].into_iter().flatten().collect();
            let (mut hint, mut at) = (Hint::default(), 0);
            for document in &documents {
                let stored = document.to_stored();
                let wanted = Raw::new(&stored).path(&path).map(Raw::to_value);
                prop_assert_eq!(Raw::new(&stored).path_near(&path, &mut hint).map(Raw::to_value), wanted.clone());
                prop_assert_eq!(Raw::new(&stored).path_at(&path, &mut at).map(Raw::to_value), wanted);
            }
        }
    }
}
