//! How the parser words its complaints.

use super::Parser;
use crate::error::{Error, code};
use crate::lang::token::{Kind, Payload};

/// How much of the text a message quotes.
const QUOTED_BYTES: usize = 32;
/// A longer list of what could have stood there helps nobody.
const MAX_EXPECTED: usize = 4;

impl Parser<'_> {
    /// The current token cannot stand here; `expecting` could.
    #[cold]
    pub(super) fn unexpected(&self, expecting: &[Kind]) -> Error {
        let (kind, report) = self.tokens.get(self.at).map_or((Kind::End, 0), |token| (token.kind, token.report));
        if let Some(Payload::Message(message)) = self.tokens.get(self.at).map(|token| &token.value) {
            return self.complaint(code::QUERY_PARSE, message, report);
        }
        let mut message = format!("syntax error, unexpected {}", kind.name());
        if expecting.len() <= MAX_EXPECTED {
            for (index, expected) in expecting.iter().enumerate() {
                message.push_str(if index == 0 { ", expecting " } else { " or " });
                message.push_str(expected.name());
            }
        }
        self.complaint(code::QUERY_PARSE, &message, report)
    }

    /// The query breaks a rule, as is seen at the current token.
    #[cold]
    pub(super) fn refuse(&self, num: u16, message: &str) -> Error {
        self.complaint(num, message, self.tokens.get(self.at).map_or(0, |token| token.report))
    }

    /// The query breaks a rule, as is seen at the token before the current one.
    #[cold]
    pub(super) fn refuse_previous(&self, num: u16, message: &str) -> Error {
        let previous = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        self.complaint(num, message, previous.map_or(0, |token| token.report))
    }

    fn complaint(&self, num: u16, message: &str, offset: usize) -> Error {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        let rest = self.text.get(offset..).unwrap_or_default();
        let (quoted, dots) = if rest.len() < QUOTED_BYTES {
            (rest, "")
        } else {
            // The last character is left out where it would be cut in two.
            let end = (0..=QUOTED_BYTES).rev().find(|&end| rest.is_char_boundary(end)).unwrap_or(0);
            (&rest[..end], "...")
        };
        Error::new(num, format!("{message} near '{quoted}{dots}' at position {line}:{column}"))
    }
}
