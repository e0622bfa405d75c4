//! The postings of a document.

use std::collections::BTreeMap;

use super::{Arrays, Link, NESTED, SearchDefinition, keys};
use crate::storage::prefixed;
use crate::value::Value;

/// Longer tokens are left out, as in ArangoDB.
pub(crate) const LONGEST: usize = 32_766;

/// Values that take more bytes together are not kept.
const LARGEST: usize = 8 << 10;

/// Every posting of a document under an index that is stored under `object`, without the id that ends each entry of an
/// index.
pub(crate) fn postings(definition: &SearchDefinition, object: u64, id: u64, document: &Value) -> Vec<Vec<u8>> {
    let mut found = Found { definition, fields: BTreeMap::new() };
    for (name, value) in document.iter_object().filter(|(name, _)| *name != "_id") {
        if let Some(link) = definition.link.of(name) {
            found.value(&value, name, link, false);
        }
    }
    let mut postings = Vec::new();
    let mut add = |field: &[u8], term: &[u8], about: &[u8]| {
        let key = [field, term, &id.to_be_bytes(), about].concat();
        postings.push(prefixed(object, &key));
    };
    if !found.fields.is_empty() && !definition.stored.is_empty() {
        let values = definition.stored.iter().map(|path| document.path(path)).collect();
        let mut about = Vec::new();
        Value::array(values).encode(&mut about);
        // what is too large is read from the document
        add(&keys::field("", keys::VALUES), &[], if about.len() > LARGEST { &[] } else { &about });
    }
    if !found.fields.is_empty() {
        add(&keys::field("", keys::PRESENT), &[keys::present::DOCUMENT], &[]);
    }
    for (field, terms) in &found.fields {
        for (term, positions) in &terms.places {
            let mut about = Vec::new();
            if terms.counts {
                keys::push_number(&mut about, positions.len() as u32);
                keys::push_number(&mut about, terms.length);
            }
            if terms.positions {
                let mut before = 0;
                for position in positions {
                    keys::push_number(&mut about, position - before);
                    before = *position;
                }
            }
            add(field, term, &about);
        }
    }
    postings
}

/// What was found in a document so far, by the beginnings of the keys.
struct Found<'a> {
    definition: &'a SearchDefinition,
    fields: BTreeMap<Vec<u8>, Terms>,
}

/// The terms of an attribute.
#[derive(Default)]
struct Terms {
    /// How often they occur and how many there are is kept.
    counts: bool,
    /// So are their positions.
    positions: bool,
    /// How many there are.
    length: u32,
    /// The position of the next value's first.
    next: u32,
    places: BTreeMap<Vec<u8>, Vec<u32>>,
}

impl Found<'_> {
    /// Notes a value of an attribute; `inside` an array that is expanded it is one of its members.
    fn value(&mut self, value: &Value, path: &str, link: &Link, inside: bool) {
        let expands = link.arrays == Arrays::Expanded && !inside;
        if value.is_array() {
            self.array(value, path, link, inside);
        } else if value.is_object() && !expands {
            for (name, member) in value.iter_object() {
                if let Some(link) = link.of(name) {
                    self.value(&member, &format!("{path}.{name}"), link, false);
                }
            }
        }
        if link.only_below || expands {
            return;
        }
        link.analyzers.iter().for_each(|name| self.place(value, path, name));
        let what = match value {
            Value::Null => self.plain(path, keys::NULL, &[], keys::present::NULL),
            Value::Bool(flag) => self.plain(path, keys::BOOL, &[u8::from(*flag)], keys::present::BOOL),
            Value::Int(_) | Value::Float(_) => {
                self.plain(path, keys::NUMBER, &keys::number(value.to_f64()), keys::present::NUMBER)
            }
            Value::Str(text) => {
                link.analyzers.iter().for_each(|name| self.text(text, path, name, link));
                keys::present::STRING
            }
            _ => keys::present::NESTED,
        };
        if link.store_values {
            self.plain(path, keys::PRESENT, &[what], what);
            if value.as_str().is_some_and(|text| text.len() > LONGEST) {
                self.plain(path, keys::PRESENT, &[keys::present::LONG], what);
            }
        }
    }

    fn array(&mut self, array: &Value, path: &str, link: &Link, inside: bool) {
        for (name, nested) in &link.nested {
            let path = format!("{path}{NESTED}.{name}");
            array.iter_array().filter(|member| member.has(name)).for_each(|member| {
                self.value(&member.get(name), &path, nested, false);
            });
        }
        match link.arrays {
            Arrays::Members => {
                for (at, member) in array.iter_array().enumerate() {
                    if link.track_positions {
                        self.value(&member, &format!("{path}[{at}]"), link, false);
                    } else {
                        self.value(&member, path, link, false);
                    }
                }
            }
            Arrays::Expanded if !inside => array.iter_array().for_each(|member| self.value(&member, path, link, true)),
            Arrays::Expanded | Arrays::Whole => {}
        }
    }

    fn plain(&mut self, path: &str, kind: u8, term: &[u8], what: u8) -> u8 {
        self.fields.entry(keys::field(path, kind)).or_default().places.entry(term.to_vec()).or_default();
        what
    }

    /// Notes the cells of a place.
    fn place(&mut self, value: &Value, path: &str, analyzer: &str) {
        let Some(number) = self.definition.analyzer(analyzer) else { return };
        let Some(form) = self.definition.analyzers[number].1.geo() else { return };
        for cell in form.cells(value) {
            self.plain(path, keys::TOKENS + number as u8, &cell, keys::present::NESTED);
        }
    }

    fn text(&mut self, text: &str, path: &str, analyzer: &str, link: &Link) {
        let Some(number) = self.definition.analyzer(analyzer) else { return };
        let analyzer = &self.definition.analyzers[number].1;
        let terms = self.fields.entry(keys::field(path, keys::TOKENS + number as u8)).or_default();
        let features = link.features.unwrap_or(analyzer.features);
        terms.counts = features.frequency;
        terms.positions = features.position;
        let begin = terms.next;
        for token in analyzer.tokens(text).into_iter().filter(|token| token.text.len() <= LONGEST) {
            let position = begin + token.position;
            terms.places.entry(keys::token(&token.text)).or_default().push(position);
            terms.length += 1;
            terms.next = terms.next.max(position + 1);
        }
    }
}
