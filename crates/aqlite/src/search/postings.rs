//! The postings of a document.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Arrays, Link, NESTED, SearchDefinition, keys};
use crate::value::Value;
use crate::value::stored::Raw;

/// Longer tokens are left out, as in ArangoDB.
pub(crate) const LONGEST: usize = 32_766;

/// Values that take more bytes together are not kept.
const LARGEST: usize = 8 << 10;

/// A version of a document, with its id.
#[derive(Clone, Copy)]
pub(crate) struct Version<'d> {
    pub id: u64,
    pub document: &'d Value,
}

/// A posting: its key, with the number of the document at its end, and what it tells about the document there.
pub(crate) type Posting = (Arc<[u8]>, Arc<[u8]>);

/// What becomes of the postings of a document when another version takes the place of one.
#[derive(Default)]
pub(crate) struct Change {
    /// The keys of those that go.
    pub gone: Vec<Arc<[u8]>>,
    /// Those that come or tell something else.
    pub new: Vec<Posting>,
}

/// Every posting of a document under an index that is stored under `object`. The document is known there by the number
/// `origin`.
pub(crate) fn postings(definition: &SearchDefinition, object: u64, origin: u64, version: Version<'_>) -> Vec<Posting> {
    change(definition, object, origin, (None, Some(version))).new
}

/// What changes between two versions of a document, of which one may not be. Attributes that are the same in both are not
/// looked at.
pub(crate) fn change(
    definition: &SearchDefinition,
    object: u64,
    origin: u64,
    (before, after): (Option<Version<'_>>, Option<Version<'_>>),
) -> Change {
    let differing = match (before, after) {
        (Some(before), Some(after)) => differing(definition, before.document, after.document),
        _ => None,
    };
    let differing = differing.as_deref();
    let found = |version: Option<Version<'_>>| {
        version.map_or_else(|| Found::new(definition), |v| Found::of(definition, v.document, differing))
    };
    let (old, new) = (found(before), found(after));
    // what did not change is the same in both
    let in_rest = match (differing, before) {
        (Some(names), Some(before)) if old.fields.is_empty() || new.fields.is_empty() => {
            Found::of_rest(definition, before.document, names)
        }
        (Some(_), _) => true,
        (None, _) => false,
    };
    let mut writer = Writer::new(object, origin);
    let mut change = Change::default();
    let before = before.filter(|_| in_rest || !old.fields.is_empty());
    let after = after.filter(|_| in_rest || !new.fields.is_empty());
    let old = old.postings(&mut writer, before);
    let mut old = old.into_iter().peekable();
    for posting in new.postings(&mut writer, after) {
        while let Some((key, _)) = old.next_if(|(key, _)| *key < posting.0) {
            change.gone.push(key);
        }
        if old.next_if(|(key, _)| *key == posting.0).is_none_or(|(_, about)| about != posting.1) {
            change.new.push(posting);
        }
    }
    change.gone.extend(old.map(|(key, _)| key));
    change
}

/// The attributes of an index in which two versions of a document differ; `None` where postings of one may be mixed with
/// those of another.
fn differing(definition: &SearchDefinition, before: &Value, after: &Value) -> Option<Vec<SmolStr>> {
    let (Value::Stored(before), Value::Stored(after)) = (before, after) else { return None };
    let (before, after) = (before.raw(), after.raw());
    let mut names = Vec::new();
    let mut compare = |name: &str| {
        // a name like the path of an attribute of another one
        if name.contains(['.', '[']) {
            return false;
        }
        if name != "_id" && before.get(name).map(Raw::bytes) != after.get(name).map(Raw::bytes) {
            names.push(SmolStr::new(name));
        }
        true
    };
    let plain = if definition.link.include_all {
        let new = after.attributes().map(|attribute| attribute.name);
        let old = before.attributes().map(|attribute| attribute.name);
        let gone = old.filter(|name| std::str::from_utf8(name).is_ok_and(|name| after.get(name).is_none()));
        new.chain(gone).all(|name| std::str::from_utf8(name).is_ok_and(&mut compare))
    } else {
        definition.link.fields.keys().all(|name| compare(name))
    };
    plain.then_some(names)
}

/// Puts postings together.
struct Writer {
    /// The key in the making: it begins with the number of the index.
    key: Vec<u8>,
    origin: [u8; 8],
    about: Vec<u8>,
    /// What the last posting told.
    last: Arc<[u8]>,
}

impl Writer {
    fn new(object: u64, origin: u64) -> Self {
        let key = object.to_be_bytes().to_vec();
        Self { key, origin: origin.to_be_bytes(), about: Vec::new(), last: Arc::from([].as_slice()) }
    }

    /// A posting that tells what stands in `about`, which is empty afterwards.
    fn posting(&mut self, field: &[u8], term: &[u8]) -> Posting {
        self.key.truncate(size_of::<u64>());
        for part in [field, term, &self.origin] {
            self.key.extend_from_slice(part);
        }
        // mostly they tell the same
        if *self.last != *self.about {
            self.last = self.about.as_slice().into();
        }
        self.about.clear();
        (self.key.as_slice().into(), Arc::clone(&self.last))
    }
}

/// What was found in a document so far, by the beginnings of the keys.
struct Found<'a> {
    definition: &'a SearchDefinition,
    fields: BTreeMap<Vec<u8>, Terms>,
    /// The bytes of all terms.
    bytes: Vec<u8>,
    /// Terms are wanted, not only whether there are any.
    takes_terms: bool,
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
    /// Where in the bytes each is, and its position.
    places: Vec<(Range<usize>, u32)>,
}

impl<'a> Found<'a> {
    fn new(definition: &'a SearchDefinition) -> Self {
        Self { definition, fields: BTreeMap::new(), bytes: Vec::new(), takes_terms: true }
    }

    /// What is in some attributes of a document, or in all of them.
    fn of(definition: &'a SearchDefinition, document: &Value, only: Option<&[SmolStr]>) -> Self {
        let mut found = Self::new(definition);
        match only {
            Some(names) => names.iter().for_each(|name| {
                if let Some(value) = document.get_opt(name) {
                    found.attribute(name, &value);
                }
            }),
            None => document.iter_object().for_each(|(name, value)| found.attribute(name, &value)),
        }
        found
    }

    /// Is there anything to be found in the other attributes of a document?
    fn of_rest(definition: &'a SearchDefinition, document: &Value, without: &[SmolStr]) -> bool {
        let mut found = Self { takes_terms: false, ..Self::new(definition) };
        document.iter_object().filter(|(name, _)| !without.iter().any(|other| other == name)).any(|(name, value)| {
            found.attribute(name, &value);
            !found.fields.is_empty()
        })
    }

    fn attribute(&mut self, name: &str, value: &Value) {
        if let Some(link) = self.definition.link.of(name).filter(|_| name != "_id") {
            self.value(value, name, link, false);
        }
    }

    /// The postings of what was found, in the order of their keys, with those of the document as a whole, if it is in the
    /// index at all.
    fn postings(self, writer: &mut Writer, version: Option<Version<'_>>) -> Vec<Posting> {
        let Self { definition, fields, bytes, .. } = self;
        let terms: usize = fields.values().map(|terms| terms.places.len()).sum();
        let mut postings = Vec::with_capacity(terms + 2);
        if let Some(Version { id, document }) = version {
            if id.to_be_bytes() != writer.origin {
                writer.about.extend_from_slice(&id.to_be_bytes());
            }
            postings.push(writer.posting(&keys::DOCUMENT, &[]));
            if !definition.stored.is_empty() {
                let values = definition.stored.iter().map(|path| document.path(path)).collect();
                Value::array(values).encode(&mut writer.about);
                if writer.about.len() > LARGEST {
                    // what is too large is read from the document
                    writer.about.clear();
                }
                postings.push(writer.posting(&keys::field("", keys::VALUES), &[]));
            }
        }
        for (field, terms) in fields {
            let Terms { counts, positions, length, mut places, .. } = terms;
            let term = |place: &(Range<usize>, u32)| &bytes[place.0.clone()];
            places.sort_unstable_by(|a, b| term(a).cmp(term(b)).then(a.1.cmp(&b.1)));
            for same in places.chunk_by(|a, b| term(a) == term(b)) {
                if counts {
                    keys::push_number(&mut writer.about, same.len() as u32);
                    keys::push_number(&mut writer.about, length);
                }
                if positions {
                    let mut before = 0;
                    for (_, position) in same {
                        keys::push_number(&mut writer.about, position - before);
                        before = *position;
                    }
                }
                postings.push(writer.posting(&field, term(&same[0])));
            }
        }
        // attributes without a name come before all
        if !postings.is_sorted_by(|a, b| a.0 < b.0) {
            postings.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        }
        postings
    }

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
                self.plain(path, keys::NUMBER, &keys::number(value), keys::present::NUMBER)
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
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(term);
        self.fields.entry(keys::field(path, kind)).or_default().places.push((begin..self.bytes.len(), 0));
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
        if !self.takes_terms {
            return;
        }
        let features = link.features.unwrap_or(analyzer.features);
        terms.counts = features.frequency;
        terms.positions = features.position;
        let first = terms.next;
        for token in analyzer.tokens(text).into_iter().filter(|token| token.text.len() <= LONGEST) {
            let (position, begin) = (first + token.position, self.bytes.len());
            keys::push_token(&mut self.bytes, &token.text);
            terms.places.push((begin..self.bytes.len(), position));
            terms.length += 1;
            terms.next = terms.next.max(position + 1);
        }
    }
}
