//! Values looked at where they lie: nothing is copied, and it makes no difference in which of its forms a value is.

use super::Value;
use super::stored::{Items, Kind, Raw};

/// A value in one of its two forms.
#[derive(Clone, Copy)]
pub enum Look<'a> {
    /// Built in memory.
    Memory(&'a Value),
    /// As documents are stored.
    Stored(Raw<'a>),
}

impl<'a> From<&'a Value> for Look<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Stored(stored) => Self::Stored(stored.raw()),
            other => Self::Memory(other),
        }
    }
}

impl<'a> Look<'a> {
    /// Is it `null`?
    #[inline]
    pub fn is_null(self) -> bool {
        match self {
            Self::Memory(value) => value.is_null(),
            Self::Stored(raw) => raw.kind() == Kind::Null,
        }
    }

    /// Is it an array?
    pub fn is_array(self) -> bool {
        match self {
            Self::Memory(value) => value.is_array(),
            Self::Stored(raw) => raw.kind() == Kind::Array,
        }
    }

    /// The text, if it is one.
    #[inline]
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Memory(Value::Str(text)) => Some(text),
            Self::Memory(_) => None,
            Self::Stored(raw) => raw.as_str(),
        }
    }

    /// The bytes of the text, if it is one, for those who take in many: what is stored is not looked through.
    #[inline]
    pub fn text_bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Memory(Value::Str(text)) => Some(text.as_bytes()),
            Self::Memory(_) => None,
            Self::Stored(raw) => raw.str_bytes(),
        }
    }

    /// `true` or `false`, if it is one of them.
    #[inline]
    pub fn truth(self) -> Option<bool> {
        match self {
            Self::Memory(value) => value.as_bool(),
            Self::Stored(raw) => raw.as_bool(),
        }
    }

    /// The elements of an array; none of anything else.
    #[inline]
    pub fn elements(self) -> Elements<'a> {
        match self {
            Self::Memory(Value::Array(elements)) => Elements::Memory(elements.iter()),
            Self::Memory(_) => Elements::Memory([].iter()),
            Self::Stored(raw) => Elements::Stored(raw.items()),
        }
    }
}

/// The elements of an array that were not looked at yet.
pub enum Elements<'a> {
    /// Of one that was built in memory.
    Memory(std::slice::Iter<'a, Value>),
    /// Of one as it is stored.
    Stored(Items<'a>),
}

impl<'a> Iterator for Elements<'a> {
    type Item = Look<'a>;

    #[inline]
    fn next(&mut self) -> Option<Look<'a>> {
        match self {
            Self::Memory(elements) => elements.next().map(Look::from),
            Self::Stored(items) => items.next().map(Look::Stored),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match self {
            Self::Memory(elements) => elements.len(),
            Self::Stored(items) => items.remaining(),
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Elements<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    #[test]
    fn values_look_alike_in_both_forms() {
        let memory = parse_json(r#"[["a",null,true,3],[],"x",{"b":false}]"#).expect("JSON");
        let stored = Value::from_stored(memory.to_stored());
        for value in [&memory, &stored] {
            let look = Look::from(value);
            assert!(look.is_array() && look.text().is_none() && look.truth().is_none() && !look.is_null());
            let rows: Vec<Look<'_>> = look.elements().collect();
            assert_eq!(rows.len(), 4);
            let cells: Vec<Look<'_>> = rows[0].elements().collect();
            assert_eq!((cells[0].text(), cells[1].is_null(), cells[2].truth()), (Some("a"), true, Some(true)));
            assert_eq!((cells[3].text(), cells[3].truth()), (None, None));
            assert_eq!((cells[0].text_bytes(), cells[1].text_bytes()), (Some(b"a".as_slice()), None));
            assert_eq!((rows[1].elements().len(), rows[2].elements().len()), (0, 0));
            assert!(rows[1].is_array() && !rows[2].is_array() && !rows[3].is_array());
        }
    }
}
