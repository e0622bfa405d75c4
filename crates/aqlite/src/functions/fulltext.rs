//! `FULLTEXT()`: documents by the words of an attribute that has a fulltext index.
//!
//! The index names the attribute and the shortest word; the documents are read one by one.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::{Function, Host, collection_name, impure};
use crate::Result;
use crate::catalog::IndexKind;
use crate::error::{Error, code};
use crate::value::{SmolStr, Value};

/// The functions of this family.
pub(super) const FUNCTIONS: &[Function] = &[impure("FULLTEXT", 3, 4, fulltext)];

/// Longer words are cut, as ArangoDB's index does.
const MAX_WORD: usize = 40;

/// How a term joins those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    And,
    Or,
    Not,
}

/// A word to look for.
#[derive(Debug, PartialEq, Eq)]
struct Term {
    join: Join,
    prefix: bool,
    word: String,
}

impl Term {
    fn is_in(&self, words: &[String]) -> bool {
        if self.prefix { words.iter().any(|w| w.starts_with(&self.word)) } else { words.contains(&self.word) }
    }
}

fn normalized(word: &str) -> String {
    word.to_lowercase().nfc().take(MAX_WORD).collect()
}

/// The terms of a query: words separated by commas, each perhaps with `+`, `|` or `-` and with `prefix:` or `complete:`.
/// An operator without a word is an error, an empty query has no terms.
fn terms(query: &str) -> Result<Vec<Term>> {
    let mut terms = Vec::new();
    if query.trim().is_empty() {
        return Ok(terms);
    }
    for part in query.split(',').map(str::trim) {
        let (join, part) = match part.chars().next() {
            Some('|') => (Join::Or, &part[1..]),
            Some('-') => (Join::Not, &part[1..]),
            Some('+') => (Join::And, &part[1..]),
            _ => (Join::And, part),
        };
        let (prefix, word) = match part.split_once(':') {
            Some((mode, word)) if mode.eq_ignore_ascii_case("prefix") => (true, word),
            Some((mode, word)) if mode.eq_ignore_ascii_case("complete") => (false, word),
            _ => (false, part),
        };
        let word = normalized(word.trim());
        if word.is_empty() {
            let message = format!("invalid fulltext query '{query}': a word is missing");
            return Err(Error::new(code::BAD_PARAMETER, message));
        }
        terms.push(Term { join, prefix, word });
    }
    Ok(terms)
}

/// Does a text with these words fit? Terms join from left to right.
fn fits(terms: &[Term], words: &[String]) -> bool {
    let mut fits = None;
    for term in terms {
        let here = term.is_in(words);
        fits = Some(match (term.join, fits) {
            (Join::And | Join::Or, None) => here,
            (Join::Not, None) => false,
            (Join::And, Some(before)) => before && here,
            (Join::Or, Some(before)) => before || here,
            (Join::Not, Some(before)) => before && !here,
        });
    }
    fits.unwrap_or(false)
}

/// The words of a text, or of the texts directly inside an array or an object.
fn words(value: &Value, min_length: usize) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(text) = value.as_str() {
        texts.push(text.to_owned());
    } else if value.is_array() {
        texts.extend(value.iter_array().filter_map(|v| v.as_str().map(str::to_owned)));
    } else if let Some(object) = value.to_object() {
        texts.extend(object.values().filter_map(|v| v.as_str().map(str::to_owned)));
    }
    let words = texts.iter().flat_map(|t| t.unicode_words().map(normalized));
    words.filter(|w| w.chars().count() >= min_length).collect()
}

fn fulltext(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let name = collection_name("FULLTEXT", &args[0])?;
    let collection = host.collection(name)?;
    let (Some(attribute), Some(query)) = (args[1].as_str(), args[2].as_str()) else {
        return host.wrong_type("FULLTEXT");
    };
    let limit = match args.get(3).filter(|v| !v.is_null()) {
        None => usize::MAX,
        Some(limit) => match limit.as_f64() {
            Some(limit) => limit.max(0.0) as usize,
            None => return host.wrong_type("FULLTEXT"),
        },
    };
    let index = collection.indexes.iter().find_map(|index| match index.kind {
        IndexKind::Fulltext { min_length } if index.field_list() == attribute => Some((index, min_length as usize)),
        _ => None,
    });
    let Some((index, min_length)) = index else {
        let message = code::message(code::QUERY_FULLTEXT_INDEX_MISSING).replace("%s", name);
        return Err(Error::new(code::QUERY_FULLTEXT_INDEX_MISSING, message));
    };
    let path: Vec<SmolStr> = index.fields.first().map(|f| f.names.clone()).unwrap_or_default();
    let terms = terms(query)?;
    let mut found = Vec::new();
    host.each_document(&collection, &mut |document| {
        if found.len() < limit && fits(&terms, &words(&document.path(&path), min_length)) {
            found.push(document);
        }
        Ok(())
    })?;
    Ok(Value::array(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, text: &str) -> bool {
        fits(&terms(query).expect("terms"), &words(&Value::str(text), 2))
    }

    #[test]
    fn words_are_found_whole_or_by_their_beginning() {
        assert!(found("quick", "The Quick brown fox"));
        assert!(!found("qui", "The Quick brown fox"));
        assert!(found("prefix:QUI", "The Quick brown fox"));
        assert!(found("complete:fox", "The Quick brown fox"));
    }

    #[test]
    fn terms_join_from_left_to_right() {
        assert!(found("quick,brown", "quick brown"));
        assert!(!found("quick,red", "quick brown"));
        assert!(found("red,|quick", "quick brown"));
        assert!(!found("quick,-brown", "quick brown"));
        assert!(!found("", "quick brown"));
    }

    #[test]
    fn an_operator_needs_a_word() {
        for query in ["+", "|", "a,", "prefix:"] {
            assert_eq!(terms(query).map_err(|e| e.num), Err(code::BAD_PARAMETER), "{query}");
        }
    }

    #[test]
    fn short_words_are_left_out() {
        assert!(words(&Value::str("a bc def"), 3) == ["def"]);
    }
}
