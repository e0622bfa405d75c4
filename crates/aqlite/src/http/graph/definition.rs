//! A named graph as it is stored in `_graphs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::{Collection, CollectionDefinition, CollectionKind};
use crate::error::code;
use crate::http::request::Ctx;
use crate::http::session::Access;
use crate::txn::{InBetween, WriteOptions};
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

const COLLECTION: &str = "_graphs";

/// Which vertices the edges of a collection connect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeDefinition {
    /// Collections of the vertices edges come from.
    pub from: BTreeSet<SmolStr>,
    /// Collections of the vertices edges go to.
    pub to: BTreeSet<SmolStr>,
}

impl EdgeDefinition {
    /// Reads `{collection, from, to}`.
    pub fn parse(value: &Value) -> Result<(SmolStr, Self)> {
        let corrupt = |message: String| Error::new(code::GRAPH_INTERNAL_DATA_CORRUPT, message).with_status(500);
        for name in ["collection", "from", "to"] {
            if !value.has(name) {
                return Err(corrupt(format!("Attribute '{name}' missing in edge definition!")));
            }
        }
        let Some(collection) = value.get("collection").as_str().map(SmolStr::from) else {
            return Err(corrupt("edge definition is not a string!".to_owned()));
        };
        let ends = |name: &str| -> Result<BTreeSet<SmolStr>> {
            let list = value.get(name);
            if !list.is_array() {
                return Err(corrupt(format!("Edge definition '{name}' is not an array!")));
            }
            let text = |v: Value| v.as_str().map(SmolStr::from);
            let names = list.iter_array().map(|v| {
                text(v).ok_or_else(|| corrupt(format!("Edge definition '{name}' does not only contain strings!")))
            });
            names.collect()
        };
        Ok((collection, Self { from: ends("from")?, to: ends("to")? }))
    }

    fn vertex_collections(&self) -> impl Iterator<Item = &SmolStr> {
        self.from.iter().chain(&self.to)
    }

    fn to_value(&self, collection: &SmolStr) -> Value {
        Value::from_pairs([
            ("collection", Value::Str(collection.clone())),
            ("from", names(&self.from)),
            ("to", names(&self.to)),
        ])
    }
}

fn names(set: &BTreeSet<SmolStr>) -> Value {
    Value::array(set.iter().cloned().map(Value::Str).collect())
}

/// A named graph.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Its name.
    pub name: SmolStr,
    /// Its revision; empty before it is stored.
    pub rev: SmolStr,
    /// Its edges, by collection.
    pub edges: BTreeMap<SmolStr, EdgeDefinition>,
    /// Vertex collections no edge definition names.
    pub orphans: BTreeSet<SmolStr>,
}

impl Graph {
    /// A graph without anything.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), rev: SmolStr::default(), edges: BTreeMap::new(), orphans: BTreeSet::new() }
    }

    fn parse(document: &Value) -> Self {
        let mut graph = Self::new(&document.get("_key").to_text());
        graph.rev = document.get("_rev").to_text();
        graph.edges =
            document.get("edgeDefinitions").iter_array().filter_map(|d| EdgeDefinition::parse(&d).ok()).collect();
        graph.orphans =
            document.get("orphanCollections").iter_array().filter_map(|n| n.as_str().map(SmolStr::from)).collect();
        graph
    }

    /// A graph of the request's database.
    pub fn load(ctx: &Ctx, name: &str) -> Result<Self> {
        let collection = ctx.collection(COLLECTION)?;
        let document = ctx.engine.store.view().by_key(&collection, name)?;
        let document =
            document.ok_or_else(|| Error::new(code::GRAPH_NOT_FOUND, format!("graph '{name}' not found")))?;
        Ok(Self::parse(&document))
    }

    /// Is there a graph of that name?
    pub fn exists(ctx: &Ctx, name: &str) -> Result<bool> {
        let collection = ctx.collection(COLLECTION)?;
        Ok(ctx.engine.store.view().by_key(&collection, name)?.is_some())
    }

    /// Every graph of the request's database.
    pub fn all(ctx: &Ctx) -> Result<Vec<Self>> {
        let collection = ctx.collection(COLLECTION)?;
        let mut scan = ctx.engine.store.view().scan(&collection, false)?;
        let mut graphs = Vec::new();
        while let Some((_, document)) = scan.next()? {
            graphs.push(Self::parse(&document));
        }
        Ok(graphs)
    }

    /// Stores the graph, new or changed.
    pub fn save(&mut self, ctx: &Ctx, wait_for_sync: bool) -> Result<()> {
        let collection = ctx.collection(COLLECTION)?;
        let mut document = Object::default();
        document.insert("_key".into(), Value::Str(self.name.clone()));
        document.extend(self.attributes());
        let document = Value::object(document);
        let written = ctx.write_apart(&[COLLECTION.into()], InBetween::default(), wait_for_sync, |txn| {
            let options = WriteOptions::default();
            if self.rev.is_empty() {
                return txn.insert(&collection, &document, &options);
            }
            txn.replace(&collection, &Value::Str(self.name.clone()), &document, &options)
        });
        let duplicate = |e: Error| {
            if e.num == code::UNIQUE_CONSTRAINT_VIOLATED { Error::plain(code::GRAPH_DUPLICATE) } else { e }
        };
        self.rev = written.map_err(duplicate)?.rev;
        Ok(())
    }

    /// Takes the graph away; its collections stay.
    pub fn remove(&self, ctx: &Ctx, wait_for_sync: bool) -> Result<()> {
        let collection = ctx.collection(COLLECTION)?;
        ctx.write_apart(&[COLLECTION.into()], InBetween::default(), wait_for_sync, |txn| {
            txn.remove(&collection, &Value::Str(self.name.clone()), &WriteOptions::default()).map(drop)
        })
    }

    fn attributes(&self) -> Object {
        let edges = self.edges.iter().map(|(collection, definition)| definition.to_value(collection));
        let mut attributes = Object::default();
        attributes.insert("edgeDefinitions".into(), Value::array(edges.collect()));
        attributes.insert("orphanCollections".into(), names(&self.orphans));
        attributes
    }

    /// What the API shows.
    pub fn to_value(&self) -> Value {
        let mut shown = Object::default();
        shown.insert("_key".into(), Value::Str(self.name.clone()));
        shown.insert("_id".into(), Value::str(format!("{COLLECTION}/{}", self.name)));
        shown.insert("_rev".into(), Value::Str(self.rev.clone()));
        shown.insert("name".into(), Value::Str(self.name.clone()));
        shown.extend(self.attributes());
        Value::object(shown)
    }

    /// The vertex collections the edge definitions name.
    pub fn connected(&self) -> BTreeSet<SmolStr> {
        self.edges.values().flat_map(EdgeDefinition::vertex_collections).cloned().collect()
    }

    /// All vertex collections.
    pub fn vertices(&self) -> BTreeSet<SmolStr> {
        self.connected().union(&self.orphans).cloned().collect()
    }

    /// All collections.
    pub fn collections(&self) -> BTreeSet<SmolStr> {
        self.vertices().into_iter().chain(self.edges.keys().cloned()).collect()
    }

    /// Does the graph have anything to do with a collection?
    pub fn uses(&self, collection: &str) -> bool {
        self.collections().contains(collection)
    }

    /// Vertex collections that lost their last edge definition become orphans; orphans that got one cease to be.
    pub fn settle_orphans(&mut self, before: &BTreeSet<SmolStr>) {
        let now = self.connected();
        self.orphans.extend(before.difference(&now).cloned());
        self.orphans.retain(|name| !now.contains(name));
    }

    /// Puts a new name in the place of an old one, wherever it stands.
    pub fn rename_collection(&mut self, old: &str, new: &str) -> bool {
        if !self.uses(old) {
            return false;
        }
        let rename = |name: &SmolStr| if name == old { SmolStr::from(new) } else { name.clone() };
        self.orphans = self.orphans.iter().map(rename).collect();
        self.edges = self
            .edges
            .iter()
            .map(|(name, d)| {
                let definition =
                    EdgeDefinition { from: d.from.iter().map(rename).collect(), to: d.to.iter().map(rename).collect() };
                (rename(name), definition)
            })
            .collect();
        true
    }

    /// Fails unless the caller may read every collection the graph names, as far as there are any.
    pub fn check_readable(&self, ctx: &Ctx) -> Result<()> {
        let names = self.collections();
        let mut known = names.iter().filter_map(|name| ctx.collection(name).ok());
        known.try_for_each(|collection| ctx.check(&collection.name, Access::Read))
    }

    /// Creates what is missing of the collections the graph names. What is there must be the caller's to read.
    pub fn create_collections(&self, ctx: &Ctx) -> Result<()> {
        self.check_readable(ctx)?;
        for name in self.edges.keys() {
            let edge = ensure(ctx, name, CollectionKind::Edge)?;
            if edge.is_some_and(|c| !c.is_edge()) {
                let message = format!("Collection: '{name}' is not an EdgeCollection");
                return Err(Error::new(code::GRAPH_EDGE_DEFINITION_IS_DOCUMENT, message).with_status(500));
            }
        }
        for name in self.vertices() {
            ensure(ctx, &name, CollectionKind::Document)?;
        }
        Ok(())
    }
}

/// The collection of that name, if there is one already; otherwise it is created.
fn ensure(ctx: &Ctx, name: &str, kind: CollectionKind) -> Result<Option<std::sync::Arc<Collection>>> {
    if let Ok(existing) = ctx.collection(name) {
        return Ok(Some(existing));
    }
    crate::catalog::names::check_collection(name, false)?;
    ctx.engine.store.create_collection(ctx.database(), CollectionDefinition::new(name, kind))?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::parse_json;

    fn graph(json: &str) -> Graph {
        Graph::parse(&parse_json(json).expect("JSON"))
    }

    fn set(names: &[&str]) -> BTreeSet<SmolStr> {
        names.iter().map(|n| SmolStr::from(*n)).collect()
    }

    #[test]
    fn a_vertex_collection_that_loses_its_last_edge_definition_becomes_an_orphan() {
        let mut graph = graph(
            r#"{"_key":"g","edgeDefinitions":[{"collection":"e","from":["a"],"to":["b"]},{"collection":"f","from":["a"],"to":["c"]}],"orphanCollections":[]}"#,
        );
        let before = graph.connected();
        graph.edges.remove("f");
        graph.settle_orphans(&before);
        assert_eq!(graph.orphans, set(&["c"]));
    }

    #[test]
    fn an_orphan_that_gets_an_edge_definition_ceases_to_be_one() {
        let mut graph = graph(r#"{"_key":"g","edgeDefinitions":[],"orphanCollections":["a","b"]}"#);
        let before = graph.connected();
        let definition = EdgeDefinition { from: set(&["a"]), to: set(&["a"]) };
        graph.edges.insert("e".into(), definition);
        graph.settle_orphans(&before);
        assert_eq!(graph.orphans, set(&["b"]));
    }

    #[test]
    fn a_renamed_collection_is_renamed_wherever_it_stands() {
        let mut graph = graph(
            r#"{"_key":"g","edgeDefinitions":[{"collection":"e","from":["a"],"to":["a","b"]}],"orphanCollections":["c"]}"#,
        );
        assert!(graph.rename_collection("a", "z"));
        assert_eq!(graph.vertices(), set(&["b", "c", "z"]));
        assert!(!graph.rename_collection("nosuch", "y"));
    }
}
