//! Indexes and their definitions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{FieldPath, names};
use crate::error::code;
use crate::search::SearchDefinition;
use crate::value::Value;
use crate::{Error, Result};

/// What an index is made of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum IndexKind {
    /// Documents by their key.
    Primary,
    /// Edges by the vertices at their ends.
    Edge,
    /// Documents by the values of some attributes, in order.
    Persistent,
    /// Documents by the moment they expire.
    Ttl {
        /// Seconds after the moment the attribute names.
        expire_after: f64,
    },
    /// Documents by a place.
    Geo {
        /// Pairs are `[longitude, latitude]`, as in `GeoJSON`, and not the other way round.
        geo_json: bool,
        /// Accepted and shown: what a polygon encloses is always on the left of its edges.
        #[serde(default)]
        legacy_polygons: bool,
    },
    /// Documents by several numbers at once.
    Mdi,
    /// Documents by the words of a text. It keeps no entries: the function that needs one reads the collection.
    Fulltext {
        /// Shorter words are left out.
        min_length: u32,
    },
    /// Documents by the terms of their attributes: the link of a view, or an inverted index.
    Search,
}

impl IndexKind {
    fn is_like(self, other: Self) -> bool {
        match (self, other) {
            // one TTL index a collection, so that a second over the same field is the first
            (Self::Ttl { .. }, Self::Ttl { .. }) => true,
            (a, b) => a == b,
        }
    }
}

/// An index of a collection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Index {
    /// Its number; 0 for the primary, 2 for the edge index of every collection.
    pub id: u64,
    /// Its name, unique in the collection.
    pub name: SmolStr,
    /// What it is.
    pub kind: IndexKind,
    /// The type it was created with: `persistent`, `hash`, `skiplist`, `ttl`, ...
    pub created_as: SmolStr,
    /// The attributes it is over.
    pub fields: Vec<FieldPath>,
    /// No two documents have the same values.
    pub unique: bool,
    /// A document where one of the values is null is left out.
    pub sparse: bool,
    /// Equal elements of one array count once, also in a unique index.
    pub deduplicate: bool,
    /// Shows a selectivity estimate.
    pub estimates: bool,
    /// Accepted and shown.
    pub cache_enabled: bool,
    /// Attributes kept beside the fields. An index that has any keeps the values of both in its entries.
    pub stored_values: Vec<SmolStr>,
    /// How many of the fields were given as those before the others.
    #[serde(default)]
    pub prefix: usize,
    /// What a link of a view is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Arc<SearchDefinition>>,
    /// See [`Self::object`]; 0: its own number.
    #[serde(default)]
    pub(crate) object: u64,
    /// How its entries are made: see [`LAYOUT`].
    #[serde(default)]
    pub(crate) layout: u8,
}

/// The types of indexes over several numbers.
const OVER_NUMBERS: [&str; 3] = ["zkd", "mdi", "mdi-prefixed"];

/// The newest layout of entries. In the first, entries held no stored values, places had no entries, and several numbers
/// were ordered one after the other; in the second, postings were those of one version of a document; in the third, numbers
/// were rounded to doubles in postings, and 2^63 had the place of the largest integer.
const LAYOUT: u8 = 3;
/// The layout since which entries have places and stored values,
const LAYOUT_OF_PLACES: u8 = 1;
/// and postings are those of all versions of a document.
const LAYOUT_OF_ORIGINS: u8 = 2;

impl Index {
    pub(crate) fn primary() -> Self {
        Self::built_in(0, "primary", IndexKind::Primary, &["_key"], true)
    }

    pub(crate) fn edge() -> Self {
        Self::built_in(2, "edge", IndexKind::Edge, &["_from", "_to"], false)
    }

    fn built_in(id: u64, name: &str, kind: IndexKind, fields: &[&str], unique: bool) -> Self {
        Self {
            id,
            name: name.into(),
            kind,
            created_as: name.into(),
            fields: fields.iter().map(|f| FieldPath { names: vec![SmolStr::new(f)], expand_after: None }).collect(),
            unique,
            sparse: false,
            deduplicate: true,
            estimates: true,
            cache_enabled: false,
            stored_values: Vec::new(),
            prefix: 0,
            search: None,
            object: 0,
            layout: LAYOUT,
        }
    }

    /// The number its entries are stored under: another one after each truncation of its collection.
    pub(crate) fn object(&self) -> u64 {
        if self.object == 0 { self.id } else { self.object }
    }

    pub(crate) fn is_secondary(&self) -> bool {
        match self.kind {
            IndexKind::Persistent | IndexKind::Ttl { .. } | IndexKind::Mdi | IndexKind::Search => true,
            IndexKind::Geo { .. } => self.layout >= LAYOUT_OF_PLACES,
            IndexKind::Primary | IndexKind::Edge | IndexKind::Fulltext { .. } => false,
        }
    }

    /// Are its entries not made as they would be made today?
    pub(crate) fn is_outdated(&self) -> bool {
        let has_changed = matches!(self.kind, IndexKind::Geo { .. }) || !self.stored_values.is_empty();
        (self.layout < LAYOUT_OF_PLACES && (has_changed || self.is_over_numbers()))
            || (self.layout < LAYOUT_OF_ORIGINS && self.kind == IndexKind::Search)
    }

    /// May entries have numbers that were written in another way?
    pub(crate) fn may_have_rounded(&self) -> bool {
        self.layout < LAYOUT && self.is_secondary()
    }

    /// An index none of whose entries would be another one today.
    pub(crate) fn as_of_today(&self) -> Self {
        Self { layout: LAYOUT, ..self.clone() }
    }

    /// The same index as it would be made today, with entries under another number.
    pub(crate) fn renewed(&self, object: u64) -> Self {
        let kind = if self.is_over_numbers() { IndexKind::Mdi } else { self.kind };
        Self { kind, object, layout: LAYOUT, ..self.clone() }
    }

    /// Was it made to find several numbers at once? In an earlier version such an index was an ordered one.
    pub fn is_over_numbers(&self) -> bool {
        OVER_NUMBERS.contains(&self.created_as.as_str())
    }

    /// The attributes whose values its entries hold. The name of the collection in `_id` may change: it is not held.
    pub(crate) fn held(&self) -> Vec<Vec<SmolStr>> {
        if self.stored_values.is_empty() {
            return Vec::new();
        }
        let fields = self.fields.iter().filter(|field| field.expand_after.is_none()).map(|field| field.names.clone());
        let stored = self.stored_values.iter().map(|path| path.split('.').map(SmolStr::new).collect());
        let all: Vec<Vec<SmolStr>> =
            fields.chain(stored).filter(|path| path.first().is_some_and(|n| n != "_id")).collect();
        let is_within = |path: &[SmolStr], other: &[SmolStr]| path.len() > other.len() && path.starts_with(other);
        let outermost = |path: &&Vec<SmolStr>| !all.iter().any(|other| is_within(path, other));
        all.iter().filter(outermost).cloned().collect()
    }

    /// Can an attribute be read in its entries?
    pub(crate) fn holds(&self, path: &[SmolStr]) -> bool {
        self.held().iter().any(|held| path.starts_with(held))
    }

    /// Can an attribute be read in its entries, if need be in their order? Of an index that keeps no values an array or
    /// an object is read in the document.
    pub(crate) fn tells(&self, path: &[SmolStr]) -> bool {
        let is_ordered = self.kind == IndexKind::Persistent && !self.expands();
        let is_field = || self.fields.iter().any(|field| path.starts_with(&field.names));
        self.holds(path) || (self.stored_values.is_empty() && is_ordered && is_field())
    }

    /// Can it be dropped, unlike the indexes every collection has?
    pub(crate) fn is_added(&self) -> bool {
        !matches!(self.kind, IndexKind::Primary | IndexKind::Edge)
    }

    /// Is it shown among the indexes of its collection? The links of views are shown with these.
    pub fn is_shown(&self) -> bool {
        self.search.as_ref().is_none_or(|search| search.view == 0)
    }

    /// Is one of its fields an array expansion?
    pub fn expands(&self) -> bool {
        self.fields.iter().any(|f| f.expand_after.is_some())
    }

    /// The fields as ArangoDB's messages list them.
    pub fn field_list(&self) -> String {
        self.fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Part of ArangoDB's messages: ` - in index I of type T over 'f'; conflicting key: k`.
    pub(crate) fn conflict_with(&self, key: &str) -> String {
        format!(
            " - in index {} of type {} over '{}'; conflicting key: {key}",
            self.name,
            self.created_as,
            self.field_list()
        )
    }

    /// Would creating an index by this definition give this very index?
    pub(crate) fn is_as(&self, definition: &IndexDefinition) -> bool {
        self.kind.is_like(definition.kind)
            && self.created_as == definition.created_as
            && self.fields == definition.fields
            && self.prefix == definition.prefix
            && self.unique == definition.unique
            && self.sparse == definition.sparse
            && self.stored_values == definition.stored_values
            && same_search(self.search.as_ref(), definition.search.as_ref())
    }

    /// Could the two have been created by the same definition?
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.kind.is_like(other.kind)
            && self.created_as == other.created_as
            && self.fields == other.fields
            && self.prefix == other.prefix
            && self.unique == other.unique
            && self.sparse == other.sparse
            && self.stored_values == other.stored_values
            && same_search(self.search.as_ref(), other.search.as_ref())
    }
}

fn same_search(a: Option<&Arc<SearchDefinition>>, b: Option<&Arc<SearchDefinition>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.is_like(b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Most attributes kept beside the fields.
const MOST_STORED: usize = 32;
/// The shortest word of a fulltext index that names none.
const MIN_WORD: u32 = 2;

/// How an index is to be created.
#[derive(Debug, Clone)]
pub struct IndexDefinition {
    /// `None`: `idx_` and a number.
    pub name: Option<SmolStr>,
    /// Any but those every collection has.
    pub kind: IndexKind,
    /// The type as it was asked for.
    pub created_as: SmolStr,
    /// The attributes to index.
    pub fields: Vec<FieldPath>,
    /// See [`Index::unique`].
    pub unique: bool,
    /// See [`Index::sparse`].
    pub sparse: bool,
    /// See [`Index::deduplicate`].
    pub deduplicate: bool,
    /// See [`Index::estimates`].
    pub estimates: bool,
    /// See [`Index::cache_enabled`].
    pub cache_enabled: bool,
    /// See [`Index::stored_values`].
    pub stored_values: Vec<SmolStr>,
    /// See [`Index::prefix`].
    pub prefix: usize,
    /// See [`Index::search`].
    pub search: Option<Arc<SearchDefinition>>,
}

impl IndexDefinition {
    /// A persistent index over some attributes.
    pub fn persistent(fields: &[&str]) -> Result<Self> {
        Ok(Self {
            name: None,
            kind: IndexKind::Persistent,
            created_as: "persistent".into(),
            fields: fields.iter().map(|f| FieldPath::parse(f)).collect::<Result<_>>()?,
            unique: false,
            sparse: false,
            deduplicate: true,
            estimates: true,
            cache_enabled: false,
            stored_values: Vec::new(),
            prefix: 0,
            search: None,
        })
    }

    /// The link of a view, or an inverted index.
    pub(crate) fn search(name: Option<SmolStr>, definition: SearchDefinition) -> Self {
        Self {
            name,
            kind: IndexKind::Search,
            created_as: if definition.view == 0 { "inverted" } else { "arangosearch" }.into(),
            fields: Vec::new(),
            unique: false,
            sparse: true,
            deduplicate: true,
            estimates: false,
            cache_enabled: false,
            stored_values: Vec::new(),
            prefix: 0,
            search: Some(Arc::new(definition)),
        }
    }

    /// The same, unique.
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// The same, sparse.
    pub fn sparse(mut self) -> Self {
        self.sparse = true;
        self
    }

    /// Reads the body of `POST /_api/index`.
    pub fn from_value(body: &Value) -> Result<Self> {
        let bad = |message: &str| Err(Error::new(code::BAD_PARAMETER, message));
        let kind = body.get("type");
        let Some(created_as) = kind.as_str() else { return bad("invalid index type") };
        let flag = |name: &str, default: bool| body.get(name).as_bool().unwrap_or(default);
        let kind = match created_as {
            "persistent" | "hash" | "skiplist" => IndexKind::Persistent,
            "ttl" => IndexKind::Ttl { expire_after: 0.0 },
            "primary" | "edge" => return Err(Error::plain(code::FORBIDDEN)),
            "geo" | "geo1" | "geo2" => {
                IndexKind::Geo { geo_json: flag("geoJson", false), legacy_polygons: flag("legacyPolygons", false) }
            }
            "fulltext" => IndexKind::Fulltext { min_length: MIN_WORD },
            other if OVER_NUMBERS.contains(&other) && body.get("fieldValueTypes").as_str() == Some("double") => {
                IndexKind::Mdi
            }
            other if OVER_NUMBERS.contains(&other) => return bad("the fieldValueTypes of this index must be double"),
            // one needs the analyzers of its database: see `Store::define_inverted`
            "inverted" | "iresearch" | "vector" => {
                return Err(Error::new(
                    code::NOT_IMPLEMENTED,
                    format!("indexes of type '{created_as}' are not supported"),
                ));
            }
            other => return bad(&format!("invalid index type '{other}'")),
        };
        let name = match body.get("name").as_str() {
            None => None,
            Some(name) => {
                names::check_index(name)?;
                Some(SmolStr::new(name))
            }
        };
        let prefix = if created_as == "mdi-prefixed" { fields(&body.get("prefixFields"))? } else { Vec::new() };
        let mut definition = Self {
            name,
            kind,
            created_as: created_as.into(),
            prefix: prefix.len(),
            fields: prefix.into_iter().chain(fields(&body.get("fields"))?).collect(),
            unique: flag("unique", false),
            sparse: flag("sparse", false),
            deduplicate: flag("deduplicate", true),
            estimates: flag("estimates", true),
            cache_enabled: flag("cacheEnabled", false),
            stored_values: Vec::new(),
            search: None,
        };
        if matches!(kind, IndexKind::Persistent | IndexKind::Mdi) {
            definition.store_values(&body.get("storedValues"))?;
        }
        match kind {
            IndexKind::Ttl { .. } => definition.make_ttl(body)?,
            IndexKind::Geo { .. } => definition.make_geo()?,
            IndexKind::Fulltext { .. } => definition.make_fulltext(body)?,
            IndexKind::Mdi => definition.check_fields(usize::MAX)?,
            _ => {}
        }
        Ok(definition)
    }

    /// Reads the attributes to be kept beside the fields.
    fn store_values(&mut self, list: &Value) -> Result<()> {
        if list.is_null() {
            return Ok(());
        }
        let bad = |message: &str| Err(Error::new(code::BAD_PARAMETER, message));
        if list.array_len().is_none_or(|n| n > MOST_STORED) {
            return bad("storedValues must be an array of at most 32 attribute paths");
        }
        for path in list.iter_array() {
            let Some(text) = path.as_str().filter(|s| !s.is_empty()) else {
                return bad("storedValues must be non-empty strings");
            };
            let field = FieldPath::parse(text)?;
            if field.expand_after.is_some() {
                return bad("cannot use [*] expansion in storedValues");
            }
            if self.fields.contains(&field) || self.stored_values.iter().any(|other| other == text) {
                return bad("duplicate attribute name in index storedValues list");
            }
            self.stored_values.push(text.into());
        }
        Ok(())
    }

    fn make_geo(&mut self) -> Result<()> {
        self.check_fields(2)?;
        self.created_as = "geo".into();
        self.leave_out();
        Ok(())
    }

    fn make_fulltext(&mut self, body: &Value) -> Result<()> {
        self.check_fields(1)?;
        let min_length = body.get("minLength").as_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(MIN_WORD);
        self.kind = IndexKind::Fulltext { min_length: min_length.max(1) };
        self.leave_out();
        Ok(())
    }

    /// At most so many attributes, none of them expanded.
    fn check_fields(&self, most: usize) -> Result<()> {
        if self.fields.len() > most {
            return Err(Error::new(code::BAD_PARAMETER, "invalid number of index attributes"));
        }
        if self.fields.iter().any(|f| f.expand_after.is_some()) {
            return Err(Error::new(code::BAD_PARAMETER, "cannot use [*] expansion for this type of index"));
        }
        Ok(())
    }

    /// What all indexes are that leave documents out by themselves.
    fn leave_out(&mut self) {
        self.unique = false;
        self.sparse = true;
        self.estimates = false;
    }

    fn make_ttl(&mut self, body: &Value) -> Result<()> {
        let bad = |message: &str| Err(Error::new(code::BAD_PARAMETER, message));
        if self.fields.len() != 1 {
            return bad("invalid number of index attributes");
        }
        let Some(expire_after) = body.get("expireAfter").as_f64() else {
            return bad("expireAfter attribute must be a number");
        };
        if expire_after < 0.0 {
            return bad("expireAfter attribute must greater equal to zero");
        }
        self.kind = IndexKind::Ttl { expire_after };
        self.leave_out();
        Ok(())
    }

    pub(crate) fn build(self, id: u64, default_name: impl FnOnce() -> SmolStr) -> Index {
        Index {
            id,
            name: self.name.unwrap_or_else(default_name),
            kind: self.kind,
            created_as: self.created_as,
            fields: self.fields,
            unique: self.unique,
            sparse: self.sparse,
            deduplicate: self.deduplicate,
            estimates: self.estimates,
            cache_enabled: self.cache_enabled,
            stored_values: self.stored_values,
            prefix: self.prefix,
            search: self.search,
            object: 0,
            layout: LAYOUT,
        }
    }
}

fn fields(list: &Value) -> Result<Vec<FieldPath>> {
    let bad = |message: &str| Error::new(code::BAD_PARAMETER, message);
    if list.array_len().unwrap_or(0) == 0 {
        return Err(bad("invalid number of index attributes"));
    }
    let mut fields: Vec<FieldPath> = Vec::new();
    for field in list.iter_array() {
        let Some(text) = field.as_str().filter(|s| !s.is_empty()) else {
            return Err(bad("index field names must be non-empty strings"));
        };
        let path = FieldPath::parse(text)?;
        if path.names.first().is_some_and(|n| n == "_id") {
            return Err(bad("_id attribute cannot be indexed"));
        }
        if fields.contains(&path) {
            return Err(bad("duplicate attribute name in index fields list"));
        }
        fields.push(path);
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    fn message(json: &str) -> (u16, String) {
        let error = IndexDefinition::from_value(&parse_json(json).unwrap()).unwrap_err();
        (error.num, error.message)
    }

    #[test]
    fn a_bad_definition_is_refused_with_its_reason() {
        for (json, num, reason) in [
            (r#"{"fields":["x"]}"#, 10, "invalid index type"),
            (r#"{"type":"nosuch","fields":["x"]}"#, 10, "invalid index type 'nosuch'"),
            (r#"{"type":"primary","fields":["x"]}"#, 11, "forbidden"),
            (r#"{"type":"persistent"}"#, 10, "invalid number of index attributes"),
            (r#"{"type":"persistent","fields":[]}"#, 10, "invalid number of index attributes"),
            (r#"{"type":"persistent","fields":[1]}"#, 10, "index field names must be non-empty strings"),
            (r#"{"type":"persistent","fields":["x","x"]}"#, 10, "duplicate attribute name in index fields list"),
            (r#"{"type":"persistent","fields":["_id"]}"#, 10, "_id attribute cannot be indexed"),
            (r#"{"type":"persistent","fields":["q"],"name":"1 bad"}"#, 1208, "illegal name"),
            (r#"{"type":"ttl","fields":["x"]}"#, 10, "expireAfter attribute must be a number"),
            (r#"{"type":"ttl","fields":["x","y"],"expireAfter":5}"#, 10, "invalid number of index attributes"),
        ] {
            assert_eq!(message(json), (num, reason.to_owned()), "{json}");
        }
    }
}
