//! What can be asked for in AQL.

use std::collections::BTreeMap;

use aqlite::functions::{self, MANY};
use poem_openapi::{Enum, Object};
use serde_json::Value;

use crate::store::{ConsoleLimits, EDGES, MOST_BYTES, MOST_ROWS, SECRET, StoredIndex, Structure};

/// The words of AQL, also those that are words in some places only.
const KEYWORDS: [&str; 47] = [
    "AGGREGATE",
    "ALL",
    "ALL_SHORTEST_PATHS",
    "AND",
    "ANY",
    "ASC",
    "AT LEAST",
    "COLLECT",
    "COUNT",
    "CURRENT",
    "DESC",
    "DISTINCT",
    "FALSE",
    "FILTER",
    "FOR",
    "GRAPH",
    "IN",
    "INBOUND",
    "INSERT",
    "INTO",
    "KEEP",
    "K_PATHS",
    "K_SHORTEST_PATHS",
    "LET",
    "LIKE",
    "LIMIT",
    "NEW",
    "NONE",
    "NOT",
    "NULL",
    "OLD",
    "OPTIONS",
    "OR",
    "OUTBOUND",
    "PRUNE",
    "REMOVE",
    "REPLACE",
    "RETURN",
    "SEARCH",
    "SHORTEST_PATH",
    "SORT",
    "TO",
    "TRUE",
    "UPDATE",
    "UPSERT",
    "WINDOW",
    "WITH",
];

/// What can be asked for.
#[derive(Debug, Object)]
pub(super) struct AqlSchema {
    /// The collections that can be read, by name.
    collections: Vec<AqlCollection>,
    /// The functions of AQL, by name.
    functions: Vec<AqlFunction>,
    keywords: Vec<String>,
    limits: AqlLimits,
    /// Collections that cannot be read: they hold secrets.
    hidden: Vec<String>,
}

/// A collection.
#[derive(Debug, Object)]
struct AqlCollection {
    name: String,
    #[oai(rename = "type")]
    kind: AqlCollectionType,
    count: u64,
    /// Attributes of a hundred of its documents, and one level of their members: `references.sales_doc`, `data[*].value`.
    attributes: Vec<AqlAttribute>,
    indexes: Vec<AqlIndex>,
    /// Collections in which its edges begin, as the data model has it.
    from: Vec<String>,
    /// Collections in which its edges end.
    to: Vec<String>,
}

/// What a collection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
enum AqlCollectionType {
    Document,
    Edge,
}

/// An attribute of documents.
#[derive(Debug, Object)]
struct AqlAttribute {
    name: String,
    /// Types of its values, as `TYPENAME` tells them.
    types: Vec<String>,
}

/// An index of a collection.
#[derive(Debug, Object)]
struct AqlIndex {
    #[oai(rename = "type")]
    kind: String,
    fields: Vec<Value>,
    unique: bool,
}

/// A function of AQL.
#[derive(Debug, Object)]
struct AqlFunction {
    name: String,
    min_arguments: usize,
    /// Null for any number.
    max_arguments: Option<usize>,
}

/// What a query may take.
#[derive(Debug, Object)]
struct AqlLimits {
    /// The most rows of an answer.
    rows: usize,
    /// The most bytes of the rows of an answer.
    bytes: usize,
    /// How long a query may run.
    seconds: f64,
    /// How much memory a query may hold at the database.
    memory_bytes: u64,
}

impl AqlSchema {
    pub(super) fn new(found: Vec<Structure>, limits: ConsoleLimits) -> Self {
        let mut functions: Vec<AqlFunction> = functions::all().map(AqlFunction::of).collect();
        functions.sort_by(|one, other| one.name.cmp(&other.name));
        Self {
            collections: found.into_iter().map(AqlCollection::of).collect(),
            functions,
            keywords: KEYWORDS.map(str::to_owned).to_vec(),
            limits: AqlLimits {
                rows: MOST_ROWS,
                bytes: MOST_BYTES,
                seconds: limits.runtime.as_secs_f64(),
                memory_bytes: limits.memory_bytes,
            },
            hidden: SECRET.map(str::to_owned).to_vec(),
        }
    }
}

impl AqlFunction {
    fn of(function: &functions::Function) -> Self {
        let max_arguments = (function.max != MANY).then_some(function.max);
        Self { name: function.name.to_owned(), min_arguments: function.min, max_arguments }
    }
}

impl AqlCollection {
    fn of(found: Structure) -> Self {
        let edge = EDGES.iter().find(|edge| edge.name == found.name);
        let ends = |ends: &[&str]| ends.iter().map(|name| (*name).to_owned()).collect();
        let mut attributes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, kind) in found.attributes {
            attributes.entry(name).or_default().push(kind);
        }
        Self {
            name: found.name,
            kind: if found.is_edge { AqlCollectionType::Edge } else { AqlCollectionType::Document },
            count: found.count,
            attributes: attributes.into_iter().map(|(name, types)| AqlAttribute { name, types }).collect(),
            indexes: found.indexes.into_iter().map(AqlIndex::of).collect(),
            from: edge.map(|edge| ends(edge.from)).unwrap_or_default(),
            to: edge.map(|edge| ends(edge.to)).unwrap_or_default(),
        }
    }
}

impl AqlIndex {
    fn of(index: StoredIndex) -> Self {
        let StoredIndex { kind, fields, unique } = index;
        Self { kind, fields, unique }
    }
}
