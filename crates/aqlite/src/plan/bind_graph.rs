//! Binding of traversals and path searches.

use std::sync::Arc;

use super::bind::Binder;
use super::expr::Ex;
use super::{EdgeSource, Node, PathsNode, TraversalOrder, TraverseNode, Unique};
use crate::Result;
use crate::catalog::CollectionKind;
use crate::error::{Error, code};
use crate::lang::ast::{self, Direction, Expr, GraphRef, PathKind};
use crate::value::{SmolStr, Value};

/// The options of a traversal.
const TRAVERSAL_OPTIONS: &[&str] = &[
    "bfs",
    "defaultWeight",
    "edgeCollections",
    "forceIndexHint",
    "indexHint",
    "maxProjections",
    "mode",
    "order",
    "parallelism",
    "refactor",
    "uniqueEdges",
    "uniqueVertices",
    "useCache",
    "vertexCollections",
    "weightAttribute",
];

impl Binder<'_> {
    pub(super) fn traversal(&mut self, f: &ast::For, t: &ast::Traversal) -> Result<Node> {
        self.before_modification("traversal")?;
        let start = self.end_vertex(&t.start, "start")?;
        let (min, max) = self.depth(t.depth.as_ref(), (1, 1))?;
        let (mut edges, graph) = self.graph(&t.graph, t.direction)?;
        let options = self.options_object(f.options.as_ref())?;
        self.check_options("TRAVERSAL", &options, TRAVERSAL_OPTIONS);
        let order = traversal_order(&options)?;
        let unique_vertices = unique(&options, "uniqueVertices", Unique::None);
        let unique_edges = unique(&options, "uniqueEdges", Unique::Path);
        if unique_edges == Unique::Global {
            return Err(bad_option("uniqueEdges: 'global' is not supported"));
        }
        if unique_vertices == Unique::Global && order == TraversalOrder::Depth {
            return Err(bad_option("uniqueVertices: 'global' is only supported with order: 'bfs' or 'weighted'"));
        }
        if let Some(only) = names(&options.get("edgeCollections"))?
            && !only.is_empty()
        {
            for name in &only {
                self.collection(name, false)?;
            }
            edges.retain(|e| only.contains(&e.collection.name));
        }
        let vertex_collections = names(&options.get("vertexCollections"))?;
        for name in vertex_collections.iter().flatten() {
            self.collection(name, false)?;
        }
        let mut slots = [None; 3];
        for (slot, var) in slots.iter_mut().zip(&f.vars) {
            *slot = Some(self.declare(var)?);
        }
        let prune = match &t.prune {
            None => None,
            Some((var, e)) => {
                let ex = self.expr(e)?;
                let slot = var.as_ref().map(|v| self.declare(v)).transpose()?;
                Some((slot, ex))
            }
        };
        let weight = match order {
            TraversalOrder::Weighted => {
                Some((options.get("weightAttribute").as_str().map(SmolStr::new), default_weight(&options)?))
            }
            _ => None,
        };
        Ok(Node::Traverse(Arc::new(TraverseNode {
            vertex: slots[0],
            edge: slots[1],
            path: slots[2],
            start,
            min,
            max,
            edges,
            prune,
            order,
            unique_vertices,
            unique_edges,
            weight,
            vertex_collections,
            indexes: Vec::new(),
            conditions: Vec::new(),
            filters: Vec::new(),
            needs_vertices: true,
            needs_edges: true,
            graph,
        })))
    }

    pub(super) fn path_search(&mut self, f: &ast::For, p: &ast::PathSearch) -> Result<Node> {
        let allowed = if p.kind == PathKind::Shortest { 2 } else { 1 };
        if f.vars.len() > allowed {
            return Err(Error::new(
                code::QUERY_PARSE,
                format!("AQL: this path search has at most {allowed} return variables (while parsing)"),
            ));
        }
        self.before_modification("path search")?;
        let start = self.end_vertex(&p.start, "start")?;
        let target = self.end_vertex(&p.target, "target")?;
        let (min, max) = self.depth(p.depth.as_ref(), (1, 1))?;
        let (edges, graph) = self.graph(&p.graph, p.direction)?;
        let options = self.options_object(f.options.as_ref())?;
        self.check_options("SHORTEST_PATH", &options, &["weightAttribute", "defaultWeight", "algorithm", "useCache"]);
        let default = default_weight(&options)?;
        let weight = options.get("weightAttribute").as_str().map(|name| (SmolStr::new(name), default));
        let first = self.declare(&f.vars[0])?;
        let second = f.vars.get(1).map(|v| self.declare(v)).transpose()?;
        Ok(Node::Paths(Arc::new(PathsNode {
            kind: p.kind,
            first,
            second,
            start,
            target,
            min,
            max,
            edges,
            weight,
            graph,
        })))
    }

    /// The vertex where a walk begins or ends. What is known before the query runs and cannot name one is an error then.
    fn end_vertex(&mut self, vertex: &Expr, part: &str) -> Result<Ex> {
        let mut ex = self.expr(vertex)?;
        if let Some(object) = ex.of_known_type().filter(Value::is_object) {
            // which vertex it names, if any, is looked at here
            self.plan_once();
            if let Some(id) = object.get_opt("_id") {
                ex = Ex::Const(id);
            }
        }
        match ex.of_known_type() {
            Some(value) if !(value.is_string() || value.is_array() || value.is_object()) => Err(Error::new(
                code::QUERY_PARSE,
                format!(
                    "AQL: invalid {part} vertex. Must either be an _id string or an object with _id. (while instantiating plan)"
                ),
            )),
            _ => Ok(ex),
        }
    }

    fn depth(&mut self, depth: Option<&(Expr, Expr)>, default: (i64, i64)) -> Result<(Ex, Ex)> {
        let invalid = || Error::new(code::QUERY_PARSE, "AQL: invalid traversal depth (while instantiating plan)");
        let Some((min, max)) = depth else {
            return Ok((Ex::Const(Value::Int(default.0)), Ex::Const(Value::Int(default.1))));
        };
        match (self.expr(min)?.known(), self.expr(max)?.known()) {
            (Some(a), Some(b)) => {
                let (Some(low), Some(high)) = (a.as_f64(), b.as_f64()) else { return Err(invalid()) };
                if low < 0.0 || high < low || low.fract() != 0.0 || high.fract() != 0.0 || high > i64::MAX as f64 {
                    return Err(invalid());
                }
                Ok((Ex::Const(Value::Int(low as i64)), Ex::Const(Value::Int(high as i64))))
            }
            _ => Err(invalid()),
        }
    }

    fn graph(&mut self, graph: &GraphRef, default: Direction) -> Result<(Vec<EdgeSource>, Option<SmolStr>)> {
        match graph {
            GraphRef::Edges(list) => {
                let mut edges: Vec<EdgeSource> = Vec::new();
                for (direction, name) in list {
                    let name = self.collection_name(name)?;
                    let source = self.edge_source(&name, direction.unwrap_or(default))?;
                    match edges.iter().find(|e| e.collection.id == source.collection.id) {
                        None => edges.push(source),
                        Some(e) if (e.outbound, e.inbound) == (source.outbound, source.inbound) => {}
                        Some(_) => {
                            return Err(Error::new(
                                code::COLLECTION_TYPE_INVALID,
                                format!(
                                    "AQL: conflicting directions specified for collection '{name}' (while parsing)"
                                ),
                            ));
                        }
                    }
                }
                Ok((edges, None))
            }
            GraphRef::Named(name) => {
                let name = self.name(name)?;
                let definition = self.graph_definition(&name)?;
                let mut edges: Vec<EdgeSource> = Vec::new();
                for relation in definition.get("edgeDefinitions").iter_array() {
                    let collection = relation.get("collection").to_text();
                    edges.push(self.edge_source(&collection, default)?);
                    for side in ["from", "to"] {
                        for vertex in relation.get(side).iter_array() {
                            self.collection(&vertex.to_text(), false)?;
                        }
                    }
                }
                if edges.is_empty() {
                    return Err(Error::plain(code::GRAPH_EMPTY));
                }
                Ok((edges, Some(name)))
            }
        }
    }

    fn graph_definition(&mut self, name: &str) -> Result<Value> {
        // it may be another one the next time
        self.plan_once();
        let definition = match self.txn.database().collection("_graphs") {
            Some(graphs) => self.txn.view().by_key(graphs, name)?,
            None => None,
        };
        definition
            .ok_or_else(|| Error::new(code::GRAPH_NOT_FOUND, format!("AQL: graph '{name}' not found (while parsing)")))
    }

    fn edge_source(&mut self, name: &str, direction: Direction) -> Result<EdgeSource> {
        let collection = self.collection(name, false)?;
        if collection.kind != CollectionKind::Edge {
            return Err(Error::new(
                code::COLLECTION_TYPE_INVALID,
                format!(
                    "AQL: collection type invalid for collection '{name}': expecting collection type 'edge' (while executing)"
                ),
            ));
        }
        Ok(EdgeSource {
            collection,
            outbound: direction != Direction::Inbound,
            inbound: direction != Direction::Outbound,
        })
    }
}

/// The weight of edges without one.
fn default_weight(options: &Value) -> Result<f64> {
    let weight = options.get("defaultWeight").as_f64().unwrap_or(1.0);
    if weight < 0.0 { Err(Error::plain(code::GRAPH_NEGATIVE_EDGE_WEIGHT)) } else { Ok(weight) }
}

fn bad_option(message: &str) -> Error {
    Error::new(code::BAD_PARAMETER, message)
}

fn traversal_order(options: &Value) -> Result<TraversalOrder> {
    // the older option decides alone where it is given
    if let Some(breadth) = options.get_opt("bfs") {
        return Ok(if breadth.truthy() { TraversalOrder::Breadth } else { TraversalOrder::Depth });
    }
    match options.get("order") {
        Value::Null => Ok(TraversalOrder::Depth),
        order => match order.as_str().map(str::to_ascii_lowercase).as_deref() {
            Some("bfs") => Ok(TraversalOrder::Breadth),
            Some("weighted") => Ok(TraversalOrder::Weighted),
            Some("dfs") => Ok(TraversalOrder::Depth),
            _ => Err(bad_option("order: only 'bfs', 'dfs' or 'weighted' are supported")),
        },
    }
}

/// What may not repeat; a word that is none of the known ones changes nothing.
fn unique(options: &Value, name: &str, default: Unique) -> Unique {
    let given = options.get(name);
    let is = |word: &str| given.as_str().is_some_and(|given| given.eq_ignore_ascii_case(word));
    match () {
        () if is("none") => Unique::None,
        () if is("path") => Unique::Path,
        () if is("global") => Unique::Global,
        () => default,
    }
}

/// One name or an array of them.
fn names(value: &Value) -> Result<Option<Vec<SmolStr>>> {
    match value {
        Value::Null => Ok(None),
        Value::Str(s) => Ok(Some(vec![s.clone()])),
        list if list.is_array() && list.iter_array().all(|name| name.is_string()) => {
            Ok(Some(list.iter_array().map(|name| name.to_text()).collect()))
        }
        _ => Err(bad_option("collection restrictions option must be either a string or an array of collection names")),
    }
}
