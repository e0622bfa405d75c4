//! A compiled pattern and what it finds.

use std::ops::Range;

use ::regex::Regex;

use super::translate::Translated;

/// Steps back after which a match is given up.
const BACKTRACK_LIMIT: usize = 1_000_000;

/// A compiled pattern: in linear time, unless it needs look-around or back-references.
pub(in crate::functions) enum Pattern {
    Linear(Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// The work of finding a match got out of hand.
#[derive(Debug)]
pub(in crate::functions) struct GaveUp;

type Found<T> = std::result::Result<T, GaveUp>;

impl Pattern {
    /// `None` where the pattern is not valid.
    pub(super) fn new(pattern: &Translated, insensitive: bool) -> Option<Self> {
        if pattern.backtracking {
            let mut builder = fancy_regex::RegexBuilder::new(&pattern.text);
            builder.case_insensitive(insensitive).backtrack_limit(BACKTRACK_LIMIT);
            return builder.build().ok().map(|regex| Self::Backtracking(Box::new(regex)));
        }
        let mut builder = ::regex::RegexBuilder::new(&pattern.text);
        builder.case_insensitive(insensitive).build().ok().map(Self::Linear)
    }

    /// Does it match somewhere?
    pub(in crate::functions) fn is_match(&self, text: &str) -> Found<bool> {
        match self {
            Self::Linear(regex) => Ok(regex.is_match(text)),
            Self::Backtracking(regex) => regex.is_match(text).map_err(|_| GaveUp),
        }
    }

    /// The first match from a position on.
    pub(super) fn find_at(&self, text: &str, at: usize) -> Found<Option<Groups>> {
        let ranges = match self {
            Self::Linear(regex) => {
                regex.captures_at(text, at).map(|found| found.iter().map(|group| group.map(|m| m.range())).collect())
            }
            Self::Backtracking(regex) => regex
                .captures_from_pos(text, at)
                .map_err(|_| GaveUp)?
                .map(|found| found.iter().map(|group| group.map(|m| m.range())).collect()),
        };
        Ok(ranges.map(Groups))
    }

    /// The number of the group of that name.
    pub(super) fn group_named(&self, name: &str) -> Option<usize> {
        match self {
            Self::Linear(regex) => regex.capture_names().position(|known| known == Some(name)),
            Self::Backtracking(regex) => regex.capture_names().position(|known| known == Some(name)),
        }
    }

    /// The matches one after the other, as ICU finds them: an empty one may follow the previous one directly.
    pub(super) fn matches<'a>(&'a self, text: &'a str) -> Matches<'a> {
        Matches { pattern: self, text, at: Some(0) }
    }
}

/// Where the groups of a match lie, the whole match first.
pub(super) struct Groups(Vec<Option<Range<usize>>>);

impl Groups {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The whole match.
    pub fn whole(&self) -> Range<usize> {
        self.0.first().cloned().flatten().unwrap_or_default()
    }

    /// The text of a group; empty where it took no part.
    pub fn text<'a>(&self, group: usize, text: &'a str) -> &'a str {
        self.0.get(group).cloned().flatten().and_then(|range| text.get(range)).unwrap_or_default()
    }
}

/// See [`Pattern::matches`].
pub(super) struct Matches<'a> {
    pattern: &'a Pattern,
    text: &'a str,
    /// Where to look next; `None`: behind the end.
    at: Option<usize>,
}

impl Iterator for Matches<'_> {
    type Item = Found<Groups>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = match self.pattern.find_at(self.text, self.at?) {
            Ok(found) => found?,
            Err(gave_up) => {
                self.at = None;
                return Some(Err(gave_up));
            }
        };
        let whole = found.whole();
        self.at = if whole.is_empty() {
            self.text[whole.end..].chars().next().map(|c| whole.end + c.len_utf8())
        } else {
            Some(whole.end)
        };
        Some(Ok(found))
    }
}
