//! `OFFSET_INFO()`: where in a document of a view what was searched for stands.
//!
//! Texts are taken apart again: places in texts are not kept in the index, since few ask for them and only for a few
//! documents.

use std::ops::Range;

use super::Host;
use crate::Result;
use crate::analysis::Token;
use crate::error::{Error, code};
use crate::value::{SmolStr, Value};

/// Places of an attribute that are told where no number is given.
const PLACES: usize = 10;

/// What was found at a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Term,
    Phrase,
    Gram,
}

/// An attribute that is asked about.
struct Asked {
    path: SmolStr,
    /// How many places of it are told,
    most: usize,
    /// and how many of each kind.
    limits: [usize; 3],
}

impl Asked {
    /// Its path, or an object with its `name` and `options`.
    fn read(value: &Value) -> Option<Self> {
        let (name, options) =
            if value.is_object() { (value.get("name"), value.get("options")) } else { (value.clone(), Value::Null) };
        let number = |value: Value| value.as_f64().map(|number| number.max(0.0) as usize);
        let limits = options.get("limits");
        Some(Self {
            path: name.as_str()?.into(),
            most: number(options.get("maxOffsets")).unwrap_or(PLACES),
            limits: ["term", "phrase", "ngram"].map(|kind| number(limits.get(kind)).unwrap_or(usize::MAX)),
        })
    }

    /// The places that are told, the first ones in the text.
    fn choose(&self, mut places: Vec<(Range<usize>, Kind)>) -> Vec<Range<usize>> {
        places.sort_unstable_by_key(|(at, kind)| (at.start, at.end, *kind));
        places.dedup();
        let mut left = self.limits;
        let allowed = places.into_iter().filter(|(_, kind)| {
            let left = &mut left[*kind as usize];
            let allowed = *left > 0;
            *left = left.saturating_sub(1);
            allowed
        });
        let mut chosen: Vec<_> = allowed.map(|(at, _)| at).collect();
        chosen.dedup();
        chosen.truncate(self.most);
        chosen
    }
}

/// The document, the attributes, and the terms that were searched for: attribute, analyzer, and either `terms`, a
/// `prefix`, the `places` of a phrase, or `grams`.
pub(super) fn offset_info(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let [document, paths, searched] = args else {
        return Err(Error::new(code::INTERNAL, "OFFSET_INFO without what was searched for"));
    };
    let paths = if paths.is_string() { Value::array(vec![paths.clone()]) } else { paths.clone() };
    if !paths.is_array() {
        return host.wrong_type("OFFSET_INFO");
    }
    let mut found = Vec::new();
    for asked in paths.iter_array() {
        let Some(asked) = Asked::read(&asked) else { return host.wrong_type("OFFSET_INFO") };
        let Some(names) = names(&asked.path) else { return host.wrong_type("OFFSET_INFO") };
        let value = names.iter().fold(document.clone(), |value, name| match name {
            Value::Int(at) => value.at(*at),
            name => value.get(name.as_str().unwrap_or_default()),
        });
        let places = match &value {
            Value::Str(text) => places(host, text, &asked.path, searched)?,
            _ => Vec::new(),
        };
        let pair = |at: Range<usize>| Value::array(vec![Value::from(at.start), Value::from(at.len())]);
        let offsets = asked.choose(places).into_iter().map(pair).collect();
        found.push(Value::from_pairs([("name", Value::array(names)), ("offsets", Value::array(offsets))]));
    }
    Ok(Value::array(found))
}

/// `a.b[0].c` as the names and numbers that lead there.
fn names(path: &str) -> Option<Vec<Value>> {
    let mut names = Vec::new();
    for part in path.split('.') {
        let mut pieces = part.split('[');
        names.push(Value::from(pieces.next().filter(|name| !name.is_empty())?));
        for piece in pieces {
            names.push(Value::Int(piece.strip_suffix(']')?.parse().ok()?));
        }
    }
    Some(names)
}

/// The same attribute as it is found where positions in arrays are not kept.
fn without_positions(path: &str) -> String {
    let mut inside = false;
    path.chars()
        .filter(|c| {
            inside |= *c == '[';
            let kept = !inside;
            inside &= *c != ']';
            kept
        })
        .collect()
}

fn places(host: &mut dyn Host, text: &str, path: &str, searched: &Value) -> Result<Vec<(Range<usize>, Kind)>> {
    let plain = without_positions(path);
    let mut found = Vec::new();
    for about in searched.iter_array() {
        let of = about.get("path").to_text();
        if of != path && of != plain {
            continue;
        }
        let Some((_, analyzer)) = host.analyzer(&about.get("analyzer").to_text())? else { continue };
        let tokens = analyzer.tokens(text);
        host.check()?;
        let (prefix, phrase, grams) = (about.get("prefix"), about.get("places"), about.get("grams"));
        if phrase.is_array() {
            found.extend(phrases(&tokens, &phrase).into_iter().map(|at| (at, Kind::Phrase)));
        } else if let Some(prefix) = prefix.as_str() {
            let begins = tokens.into_iter().filter(|token| token.text.starts_with(prefix));
            found.extend(begins.map(|token| (token.at, Kind::Term)));
        } else {
            let kind = if grams.is_array() { Kind::Gram } else { Kind::Term };
            let terms = if kind == Kind::Gram { grams } else { about.get("terms") };
            let terms: Vec<SmolStr> = terms.iter_array().map(|term| term.to_text()).collect();
            found.extend(tokens.into_iter().filter(|token| terms.contains(&token.text)).map(|token| (token.at, kind)));
        }
    }
    Ok(found)
}

/// From the first to the last term of a phrase, wherever all of its places are taken.
fn phrases(tokens: &[Token], places: &Value) -> Vec<Range<usize>> {
    let places: Vec<(u32, Vec<SmolStr>)> = places
        .iter_array()
        .map(|place| {
            let behind = place.at(0).as_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
            (behind, place.at(1).iter_array().map(|term| term.to_text()).collect())
        })
        .collect();
    let taken = |position: u32, terms: &[SmolStr]| {
        tokens.iter().find(|token| token.position == position && terms.contains(&token.text))
    };
    let Some((_, first)) = places.first() else { return Vec::new() };
    let begins = tokens.iter().filter(|token| first.contains(&token.text));
    let whole = |begin: &Token| {
        let ends: Option<Vec<usize>> =
            places.iter().map(|(behind, terms)| taken(begin.position + behind, terms).map(|t| t.at.end)).collect();
        Some(begin.at.start..ends?.into_iter().max()?)
    };
    begins.filter_map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_through_objects_and_arrays() {
        let shown = |path: &str| names(path).map(|names| Value::array(names).to_json());
        assert_eq!(shown("a.b[0][12].c").as_deref(), Some(r#"["a","b",0,12,"c"]"#));
        assert_eq!((shown("a..b"), shown("[0]"), shown("a[x]")), (None, None, None));
        assert_eq!(without_positions("a.b[0][12].c"), "a.b.c");
    }
}
