//! What the parts of a workbook may hold, looked at before they are read: readers compare every attribute of an element with
//! those before it, so that a file of a few kilobytes could take minutes.

use std::io::{self, Write};

/// Attributes of an element: those of workbooks have some twenty.
const MOST_ATTRIBUTES: u32 = 100;
/// Bytes of the beginning of an element, with its attributes.
const LONGEST_TAG: u32 = 64 * 1024;
/// Elements of all parts: twenty cells in each of the most rows that an import takes, with all that belongs to them.
const MOST_ELEMENTS: u64 = 10_000_000;

/// Where in a part the bytes are that come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Tag,
    /// In a value, up to this quote.
    Value(u8),
}

/// Takes the bytes of a workbook's parts, and refuses what would take too long to read.
pub(super) struct Markup<'a> {
    place: Place,
    tag: u32,
    attributes: u32,
    elements: u64,
    is_wanted: &'a dyn Fn() -> bool,
}

impl<'a> Markup<'a> {
    /// Nothing yet. Once nobody wants the file any more, it takes nothing more.
    pub fn new(is_wanted: &'a dyn Fn() -> bool) -> Self {
        Self { place: Place::Text, tag: 0, attributes: 0, elements: 0, is_wanted }
    }

    /// The next part begins.
    pub fn begin(&mut self) {
        self.place = Place::Text;
    }

    fn byte(&mut self, byte: u8) -> Result<(), &'static str> {
        match (self.place, byte) {
            (Place::Text, b'<') => {
                (self.place, self.tag, self.attributes) = (Place::Tag, 0, 0);
                self.elements += 1;
                if self.elements > MOST_ELEMENTS {
                    return Err("the workbook has too many elements");
                }
                return Ok(());
            }
            (Place::Text, _) => return Ok(()),
            (Place::Tag, b'>') => self.place = Place::Text,
            (Place::Tag, b'"' | b'\'') => self.place = Place::Value(byte),
            (Place::Tag, b'=') => self.attributes += 1,
            (Place::Value(quote), _) if byte == quote => self.place = Place::Tag,
            _ => {}
        }
        self.tag += 1;
        if self.attributes > MOST_ATTRIBUTES {
            return Err("an element of the workbook has too many attributes");
        }
        if self.tag > LONGEST_TAG {
            return Err("an element of the workbook is too long");
        }
        Ok(())
    }
}

impl Write for Markup<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !(self.is_wanted)() {
            return Err(io::Error::other("nobody waits for the file any more"));
        }
        bytes.iter().try_for_each(|byte| self.byte(*byte)).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Result<(), String> {
        Markup::new(&|| true).write_all(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_workbooks_hold_is_taken() {
        let element = format!("<c{}>a = b</c>", " a=\"x=1>\" b='\"'".repeat(40));
        assert_eq!(taken(&format!("<?xml version=\"1.0\"?><sheet>{}</sheet>", element.repeat(100))), Ok(()));
        assert_eq!(taken(&"=".repeat(1_000)), Ok(()), "text is not looked at");
    }

    #[test]
    fn an_element_with_very_many_attributes_is_refused() {
        let attributes = |count: usize| (0..count).map(|n| format!(" a{n}=''")).collect::<Vec<_>>().concat();
        assert_eq!(taken(&format!("<c{}/>", attributes(100))), Ok(()));
        assert!(taken(&format!("<c{}/>", attributes(101))).is_err());
        assert!(taken(&format!("<c {}/>", "a".repeat(70_000))).is_err());
    }

    #[test]
    fn a_workbook_of_very_many_elements_is_refused() {
        let mut markup = Markup::new(&|| true);
        let thousand = "<c/>".repeat(1_000);
        let refused = (0..=MOST_ELEMENTS / 1_000).find(|_| markup.write_all(thousand.as_bytes()).is_err());
        assert_eq!(refused, Some(MOST_ELEMENTS / 1_000));
    }

    #[test]
    fn nothing_more_is_read_when_nobody_waits_for_it() {
        assert!(Markup::new(&|| false).write_all(b"<c/>").is_err());
    }
}
