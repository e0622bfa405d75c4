//! The loops of a query: what each `FOR` goes through.

use std::ops::Range;

use super::model::{COLLECTIONS, VIEWS};
use super::tokens::{Kind, Token};

/// Words that begin a clause, or what belongs to a loop behind its source.
const CLAUSES: [&str; 16] = [
    "FOR", "FILTER", "LET", "SORT", "LIMIT", "RETURN", "COLLECT", "INSERT", "UPDATE", "REPLACE", "REMOVE", "UPSERT",
    "OPTIONS", "PRUNE", "SEARCH", "WINDOW",
];
/// The directions of a traversal.
pub const DIRECTIONS: [&str; 3] = ["OUTBOUND", "INBOUND", "ANY"];

/// A loop: the place of its `FOR` among the tokens, and what stands behind its `IN`.
pub struct Loop {
    /// The place of `FOR`.
    pub at: usize,
    /// The places of what it goes through.
    pub source: Range<usize>,
}

/// Whether a word begins a clause.
pub fn is_clause(token: Token) -> bool {
    token.word().is_some_and(|word| CLAUSES.contains(&word))
}

/// The depth behind a token: brackets of any kind open and close one.
pub fn depth_behind(depth: isize, token: Token) -> isize {
    match token.kind {
        Kind::Sign('(' | '[' | '{') => depth + 1,
        Kind::Sign(')' | ']' | '}') => depth - 1,
        _ => depth,
    }
}

/// The loops in the order of their beginnings.
pub fn loops(tokens: &[Token]) -> Vec<Loop> {
    let begins = (0..tokens.len()).filter(|place| tokens[*place].is("FOR"));
    begins
        .filter_map(|at| {
            let start = at + tokens[at..].iter().position(|token| token.is("IN"))? + 1;
            Some(Loop { at, source: start..end_of(tokens, start) })
        })
        .collect()
}

/// Where a source that begins at `start` ends.
fn end_of(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(start) {
        let behind = depth_behind(depth, *token);
        if behind < 0 || (depth == 0 && is_clause(*token)) {
            return place;
        }
        depth = behind;
    }
    tokens.len()
}

impl Loop {
    /// The place of the direction, when it is a traversal.
    pub fn direction(&self, tokens: &[Token]) -> Option<usize> {
        let mut depth = 0;
        self.source.clone().find(|place| {
            let is_outside = depth == 0;
            depth = depth_behind(depth, tokens[*place]);
            is_outside && tokens[*place].word().is_some_and(|word| DIRECTIONS.contains(&word))
        })
    }

    /// Whether it reads documents: a collection's, a view's, a bound collection's or those of a traversal.
    pub fn reads(&self, tokens: &[Token]) -> bool {
        let is_collection = match &tokens[self.source.clone()] {
            [one] => match one.kind {
                Kind::Word(word) => COLLECTIONS.contains(&word) || VIEWS.iter().any(|view| view.name == word),
                Kind::Param(name) => name.starts_with('@'),
                _ => false,
            },
            _ => false,
        };
        is_collection || self.direction(tokens).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn read(text: &str) -> Vec<bool> {
        let tokens = tokens(text);
        loops(&tokens).iter().map(|found| found.reads(&tokens)).collect()
    }

    #[test]
    fn loops_over_collections_and_traversals_read_documents() {
        assert_eq!(read("FOR a IN Serial FOR b IN @@c FOR c IN 1..2 OUTBOUND a contains RETURN c"), [true; 3]);
        assert_eq!(read("FOR a IN TaskTexts SEARCH a.b == 1 RETURN a"), [true]);
        assert_eq!(read("FOR a IN @list FOR b IN a.list FOR c IN 0..9 FOR d IN found RETURN d"), [false; 4]);
    }

    #[test]
    fn a_source_ends_with_its_bracket_or_the_next_clause() {
        assert_eq!(
            read("FOR a IN (FOR b IN Serial RETURN b) RETURN LENGTH(FOR c IN Serial RETURN 1)"),
            [false, true, true]
        );
    }
}
