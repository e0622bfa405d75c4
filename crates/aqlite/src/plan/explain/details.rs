//! What the larger nodes of an explanation show besides their variables.

use std::sync::Arc;

use super::Writer;
use super::estimate::Estimate;
use super::expression::{attribute, binary, constant, node};
use super::variables::Variable;
use crate::catalog::{Collection, Index, IndexKind};
use crate::functions::aggregate::Aggregate;
use crate::lang::ast::{BinaryOp, ModifyKind, PathKind};
use crate::plan::expr::{Ex, Slot};
use crate::plan::projection::Uses;
use crate::plan::{
    Area, EdgeSource, IndexCollectNode, KeyPart, Lookup, ModifyNode, Node, PathsNode, ScanNode, Scorer, SearchNode,
    TraversalOrder, TraverseNode, Unique, UpsertNode,
};
use crate::txn::{View, WriteOptions};
use crate::value::{Object, SmolStr, Value};

/// What an index looks like in an explanation.
pub(super) fn index(index: &Index) -> Value {
    let kind = match index.kind {
        IndexKind::Primary => "primary",
        IndexKind::Edge => "edge",
        IndexKind::Ttl { .. } => "ttl",
        IndexKind::Persistent
        | IndexKind::Geo { .. }
        | IndexKind::Mdi
        | IndexKind::Fulltext { .. }
        | IndexKind::Search => index.created_as.as_str(),
    };
    let fields = match &index.search {
        Some(search) => search.field_names(),
        None => index.fields.iter().map(|f| Value::from(f.to_string())).collect(),
    };
    Value::from_pairs([
        ("id", Value::from(index.id.to_string())),
        ("type", Value::from(kind)),
        ("name", Value::Str(index.name.clone())),
        ("fields", Value::array(fields)),
        ("unique", Value::Bool(index.unique)),
        ("sparse", Value::Bool(index.sparse)),
    ])
}

/// The same with how well it tells documents apart, where that is known.
pub(super) fn estimated_index(of: &Index, collection: &Collection, view: &View) -> Value {
    let shown = index(of);
    let has_estimate = match of.kind {
        IndexKind::Primary | IndexKind::Edge => true,
        IndexKind::Persistent | IndexKind::Mdi => of.estimates,
        _ => false,
    };
    match view.selectivity_of(collection, of, of.fields.len()) {
        Ok(distinct) if has_estimate => {
            let pairs = shown.iter_object().map(|(name, value)| (SmolStr::new(name), value));
            Value::from_pairs(pairs.chain([(SmolStr::new_static("selectivityEstimate"), Value::float(distinct))]))
        }
        _ => shown,
    }
}

/// Conditions that hold together, as those of an index are shown.
pub(super) fn conjunction(parts: Vec<Value>) -> Value {
    node("n-ary or", 63, Vec::new(), vec![node("n-ary and", 62, Vec::new(), parts)])
}

/// `OPTIONS { indexHint }`
pub(super) fn hint(n: &ScanNode) -> Value {
    match &n.hint {
        None => Value::from_pairs([("forced", Value::Bool(false)), ("type", Value::from("none"))]),
        Some((names, forced)) => Value::from_pairs([
            ("forced", Value::Bool(*forced)),
            ("type", Value::from("simple")),
            ("hint", Value::array(names.iter().cloned().map(Value::Str).collect())),
        ]),
    }
}

/// More attributes than this and the whole document is shown as read.
const MAX_PROJECTIONS: usize = 5;

/// The attributes of the document that the rest of the query reads, when it reads nothing else of it.
pub(super) fn projections(n: &ScanNode, (nodes, output): (&[Node], Option<&Ex>)) -> Value {
    let read = Uses::of_scan(n, nodes, output);
    if read.whole || read.paths.len() > MAX_PROJECTIONS {
        return Value::array(Vec::new());
    }
    let shown = |path: &Arc<[SmolStr]>| match &**path {
        [name] => Value::Str(name.clone()),
        path => Value::array(path.iter().cloned().map(Value::Str).collect()),
    };
    Value::array(read.paths.iter().map(shown).collect())
}

impl Writer<'_> {
    fn own_path(&mut self, slot: Slot, names: &[SmolStr]) -> Value {
        names.iter().fold(self.variables.of(slot).reference(), attribute)
    }

    /// What is asked of a view.
    pub(super) fn search(&mut self, n: &SearchNode) -> Vec<(&'static str, Value)> {
        let out = self.variables.document(n.slot);
        for (slot, path) in &n.projections {
            self.variables.project(*slot, n.slot, path);
        }
        let scorers = n.scorers.iter().map(|(slot, scorer)| {
            let (name, arguments) = match *scorer {
                Scorer::Bm25 { k, b } => ("BM25", vec![Value::float(k), Value::float(b)]),
                Scorer::TfIdf { normalize } => ("TFIDF", vec![Value::Bool(normalize)]),
            };
            let variable = self.variables.of(*slot);
            Value::from_pairs([
                ("id", variable.to_value().get("id")),
                ("name", Value::str(name)),
                ("arguments", Value::array(arguments)),
            ])
        });
        let scorers = Value::array(scorers.collect());
        let projected = |path: &Arc<[SmolStr]>| Value::from(path.join("."));
        let projections = n.projections.iter().map(|(_, path)| projected(path)).collect();
        let place = n.place.map_or(Value::Null, |(_, place)| self.variables.of(place).to_value());
        vec![
            ("database", Value::Str(self.txn.database().name.clone())),
            ("view", Value::Str(n.view.name.clone())),
            ("outVariable", out.to_value()),
            ("noMaterialization", Value::Bool(!n.needs_document && n.place.is_none())),
            ("outNmDocId", place),
            ("viewValuesVars", Value::array(projections)),
            ("condition", self.variables.expression(&n.condition)),
            ("collections", Value::array(n.links.iter().map(|(c, _)| Value::Str(c.name.clone())).collect())),
            ("scorers", scorers),
            ("volatility", Value::Int(0)),
        ]
    }

    /// The conditions that are tested while the collection is read.
    pub(super) fn pushed_filter(&mut self, n: &ScanNode) -> Value {
        let early: Vec<Value> = n
            .early
            .iter()
            .map(|e| {
                let left = self.own_path(n.slot, &e.path);
                binary(e.op, left, self.variables.expression(&e.value))
            })
            .collect();
        let filters: Vec<Value> = n.filters.iter().map(|e| self.variables.expression(e)).collect();
        let mut all = early.into_iter().chain(filters);
        let first = all.next().unwrap_or_default();
        all.fold(first, |left, right| binary(BinaryOp::And, left, right))
    }

    /// The conditions an index answers; an empty object where it only gives the order.
    pub(super) fn index_condition(&mut self, n: &ScanNode, lookups: &[Lookup]) -> Value {
        let mut alternatives = Vec::new();
        for lookup in lookups {
            let mut parts = Vec::new();
            self.run_condition(n.slot, lookup, &mut parts);
            if !parts.is_empty() {
                alternatives.push(node("n-ary and", 62, Vec::new(), parts));
            }
        }
        if alternatives.is_empty() {
            return Value::object(Object::default());
        }
        node("n-ary or", 63, Vec::new(), alternatives)
    }

    /// What a use of an index says of the documents it finds.
    fn run_condition(&mut self, slot: Slot, lookup: &Lookup, parts: &mut Vec<Value>) {
        for (at, part) in lookup.equal.iter().enumerate() {
            let (op, ex) = match part {
                KeyPart::Equal(e) => (BinaryOp::Eq, e),
                KeyPart::In(e) => (BinaryOp::In, e),
            };
            let field = self.field(slot, lookup, at);
            parts.push(binary(op, field, self.variables.expression(ex)));
        }
        parts.extend(lookup.area.iter().flat_map(|area| self.area_condition(slot, lookup, area)));
        let field = self.field(slot, lookup, lookup.equal.len());
        parts.extend(self.bounds(&field, lookup.lower.as_ref(), lookup.upper.as_ref()));
    }

    /// As ArangoDB shows what a geo index answers; an order by distance is a distance that has no bound.
    fn area_condition(&mut self, slot: Slot, lookup: &Lookup, area: &Area) -> Vec<Value> {
        match area {
            Area::Within(sides) => {
                let mut parts = Vec::new();
                for (at, side) in sides.iter().enumerate() {
                    let field = self.field(slot, lookup, lookup.index.prefix + at);
                    parts.extend(self.bounds(&field, side.lower.as_ref(), side.upper.as_ref()));
                }
                parts
            }
            Area::Touching { call, .. } => vec![self.variables.expression(call)],
            Area::Distance(d) => {
                let mut parts = Vec::new();
                if d.sorted {
                    let call = self.variables.expression(&d.call);
                    parts.push(binary(BinaryOp::Lt, call, constant(&Value::str("unlimited"))));
                }
                let call = self.variables.expression(&d.call);
                parts.extend(self.bounds(&call, d.lower.as_ref(), d.upper.as_ref()));
                parts
            }
        }
    }

    /// What bounds on a value say.
    fn bounds(&mut self, of: &Value, lower: Option<&(Ex, bool)>, upper: Option<&(Ex, bool)>) -> Vec<Value> {
        let bounds = [(lower, BinaryOp::Gt, BinaryOp::Ge), (upper, BinaryOp::Lt, BinaryOp::Le)];
        let mut shown = Vec::new();
        for (bound, open, closed) in bounds {
            if let Some((ex, inclusive)) = bound {
                let op = if *inclusive { closed } else { open };
                shown.push(binary(op, of.clone(), self.variables.expression(ex)));
            }
        }
        shown
    }

    fn field(&mut self, slot: Slot, lookup: &Lookup, at: usize) -> Value {
        if !lookup.field.is_empty() {
            return self.own_path(slot, std::slice::from_ref(&lookup.field));
        }
        let names = lookup.index.fields.get(at).map(|field| field.names.clone()).unwrap_or_default();
        self.own_path(slot, &names)
    }

    pub(super) fn aggregates(&mut self, aggregates: &[(Slot, Aggregate, Vec<Ex>)], estimate: &mut Estimate) -> Value {
        let mut list = Vec::new();
        for (slot, aggregate, args) in aggregates {
            let input = args.first().map(|e| self.calculated(e, estimate));
            let out = self.variables.of(*slot);
            let mut pairs = vec![("outVariable", out.to_value()), ("type", Value::from(aggregate.name))];
            pairs.extend(input.map(|input| ("inVariable", input.to_value())));
            list.push(Value::from_pairs(pairs));
        }
        Value::array(list)
    }

    /// As ArangoDB shows groups that are read from an index.
    pub(super) fn index_collect(&mut self, n: &IndexCollectNode, estimate: &mut Estimate) {
        let document = self.variables.document(n.slot);
        for (slot, path) in &n.projections {
            self.variables.project(*slot, n.slot, path);
        }
        let mut condition = Vec::new();
        self.run_condition(n.slot, &n.lookup, &mut condition);
        let groups = n.collect.groups.iter().zip(&n.fields).map(|((slot, _), field)| {
            let names = n.lookup.index.fields[*field].names.iter().cloned().map(Value::Str).collect();
            Value::from_pairs([
                ("indexField", Value::from(*field)),
                ("outVariable", self.variables.of(*slot).to_value()),
                ("attribute", Value::array(names)),
            ])
        });
        let groups = Value::array(groups.collect());
        let mut aggregations = Vec::new();
        for (slot, aggregate, args) in &n.collect.aggregates {
            let mut pairs =
                vec![("type", Value::from(aggregate.name)), ("outVariable", self.variables.of(*slot).to_value())];
            pairs.extend(args.first().map(|arg| ("expression", self.variables.expression(arg))));
            aggregations.push(Value::from_pairs(pairs));
        }
        // as ArangoDB calls groups in the order of their criteria, and others
        let method = if n.collect.sorted && n.fields.is_sorted() { "sorted" } else { "hash" };
        let view = self.txn.view();
        let count = view.count(&n.collection).unwrap_or_default() as f64;
        let distinct = view.selectivity_of(&n.collection, &n.lookup.index, n.depth).unwrap_or(1.0);
        estimate.read_groups((count * distinct).max(1.0), count);
        let mut more = vec![
            ("database", Value::Str(self.txn.database().name.clone())),
            ("collection", Value::Str(n.collection.name.clone())),
            ("satellite", Value::Bool(false)),
            ("index", estimated_index(&n.lookup.index, &n.collection, &view)),
            ("oldIndexVariable", document.to_value()),
            ("groups", groups),
            ("aggregations", Value::array(aggregations)),
            ("collectOptions", Value::from_pairs([("method", Value::from(method))])),
        ];
        if !condition.is_empty() {
            more.push(("condition", conjunction(condition)));
        }
        more.extend(n.collect.count.map(|slot| ("outVariable", self.variables.of(slot).to_value())));
        self.push("IndexCollectNode", estimate, more);
    }

    fn edges(&self, edges: &[EdgeSource], graph: Option<&SmolStr>) -> Vec<(&'static str, Value)> {
        let names = || Value::array(edges.iter().map(|e| Value::Str(e.collection.name.clone())).collect());
        let directions = edges.iter().map(direction).collect();
        vec![
            ("database", Value::Str(self.txn.database().name.clone())),
            ("graph", graph.map_or_else(names, |graph| Value::Str(graph.clone()))),
            ("defaultDirection", edges.first().map(direction).unwrap_or_default()),
            ("directions", Value::array(directions)),
            ("edgeCollections", names()),
        ]
    }

    pub(super) fn traversal(&mut self, n: &TraverseNode, start: Option<&Variable>) -> Vec<(&'static str, Value)> {
        let mut more = self.edges(&n.edges, n.graph.as_ref());
        let vertices = n.vertex_collections.iter().flatten().cloned().map(Value::Str).collect();
        more.push(("vertexCollections", Value::array(vertices)));
        for (name, slot) in [("vertexOutVariable", n.vertex), ("edgeOutVariable", n.edge), ("pathOutVariable", n.path)]
        {
            if let Some(slot) = slot {
                more.push((name, self.variables.of(slot).to_value()));
            }
        }
        match start {
            Some(start) => more.push(("inVariable", start.to_value())),
            None => more.extend(super::constant(&n.start).map(|id| ("vertexId", id))),
        }
        more.push(("options", traversal_options(n)));
        let found_by = |source: usize| n.indexes.iter().filter(move |index| index.source == source);
        let mut base = Vec::new();
        for (at, edges) in n.edges.iter().enumerate() {
            let all = &edges.collection.indexes;
            // those of single vertices come first, the others are read where there are few edges
            base.extend(found_by(at).map(|found| index(&found.index)));
            base.extend(all.iter().find(|i| matches!(i.kind, IndexKind::Edge)).map(|i| index(i)));
        }
        more.push(("indexes", Value::from_pairs([("base", Value::array(base))])));
        let tests: Vec<Value> = n.conditions.iter().map(|c| self.variables.expression(c.test())).collect();
        more.push(("globalConditions", Value::array(tests)));
        let filters: Vec<Value> = n.filters.iter().map(|e| self.variables.expression(e)).collect();
        if !filters.is_empty() {
            more.push(("condition", node("n-ary and", 62, Vec::new(), filters)));
        }
        if let Some((slot, prune)) = &n.prune {
            more.push(("expression", self.variables.expression(prune)));
            more.extend(slot.map(|slot| ("pruneVariable", self.variables.of(slot).to_value())));
        }
        more
    }

    pub(super) fn paths(&mut self, n: &PathsNode, ends: &[Option<Variable>; 2]) -> Vec<(&'static str, Value)> {
        let mut more = self.edges(&n.edges, n.graph.as_ref());
        let first = self.variables.of(n.first).to_value();
        if n.kind == PathKind::Shortest {
            more.push(("vertexOutVariable", first));
            more.extend(n.second.map(|slot| ("edgeOutVariable", self.variables.of(slot).to_value())));
        } else {
            more.push(("pathOutVariable", first));
        }
        let shown = [("startInVariable", "startVertexId", &n.start), ("targetInVariable", "targetVertexId", &n.target)];
        for ((variable, id, ex), end) in shown.into_iter().zip(ends) {
            match end {
                Some(end) => more.push((variable, end.to_value())),
                None => more.extend(super::constant(ex).map(|value| (id, value))),
            }
        }
        let (attribute, default) = n.weight.clone().unwrap_or_default();
        more.push((
            "options",
            Value::from_pairs([
                ("minDepth", super::constant(&n.min).unwrap_or_default()),
                ("maxDepth", super::constant(&n.max).unwrap_or_default()),
                ("weightAttribute", Value::Str(attribute)),
                ("defaultWeight", Value::float(default)),
                ("type", Value::from("shortestPath")),
            ]),
        ));
        more
    }

    pub(super) fn modification(&mut self, n: &ModifyNode, estimate: &mut Estimate) {
        let key = n.key.as_ref().map(|e| self.calculated(e, estimate));
        let doc = n.doc.as_ref().map(|e| self.calculated(e, estimate));
        estimate.write(n.returns);
        let mut more = self.written(&n.collection.name, &n.options, n.ignore_errors, n.returns);
        match n.kind {
            ModifyKind::Insert | ModifyKind::Remove => {
                more.extend(key.or(doc).map(|input| ("inVariable", input.to_value())));
            }
            ModifyKind::Update | ModifyKind::Replace => {
                more.extend(doc.map(|doc| ("inDocVariable", doc.to_value())));
                more.extend(key.map(|key| ("inKeyVariable", key.to_value())));
            }
        }
        if n.returns {
            more.extend(n.old.map(|slot| ("outVariableOld", self.variables.of(slot).to_value())));
            more.extend(n.new.map(|slot| ("outVariableNew", self.variables.of(slot).to_value())));
        }
        let kind = match n.kind {
            ModifyKind::Insert => "InsertNode",
            ModifyKind::Update => "UpdateNode",
            ModifyKind::Replace => "ReplaceNode",
            ModifyKind::Remove => "RemoveNode",
        };
        self.push(kind, estimate, more);
    }

    pub(super) fn upsert(&mut self, n: &UpsertNode, estimate: &mut Estimate) {
        let insert = self.calculated(&n.insert, estimate);
        let update = self.calculated(&n.update, estimate);
        let nodes = std::mem::take(&mut self.nodes);
        let inner = self.pipeline(&n.find);
        let lookup = std::mem::replace(&mut self.nodes, nodes);
        estimate.run_inside(&inner);
        estimate.write(n.returns);
        let mut more = self.written(&n.collection.name, &n.options, n.ignore_errors, n.returns);
        more.extend([
            ("lookup", Value::from_pairs([("nodes", Value::array(lookup))])),
            ("insertVariable", insert.to_value()),
            ("updateVariable", update.to_value()),
            ("isReplace", Value::Bool(n.replace)),
        ]);
        if n.returns {
            more.push(("outVariableOld", self.variables.of(n.old).to_value()));
            more.push(("outVariableNew", self.variables.of(n.new).to_value()));
        }
        self.push("UpsertNode", estimate, more);
    }

    fn written(
        &self,
        collection: &SmolStr,
        options: &WriteOptions,
        ignore_errors: bool,
        returns: bool,
    ) -> Vec<(&'static str, Value)> {
        let flags = Value::from_pairs([
            ("keepNull", Value::Bool(options.keep_null)),
            ("mergeObjects", Value::Bool(options.merge_objects)),
            ("ignoreRevs", Value::Bool(options.ignore_revs)),
            ("ignoreErrors", Value::Bool(ignore_errors)),
        ]);
        vec![
            ("database", Value::Str(self.txn.database().name.clone())),
            ("collection", Value::Str(collection.clone())),
            ("satellite", Value::Bool(false)),
            ("countStats", Value::Bool(true)),
            ("producesResults", Value::Bool(returns)),
            ("modificationFlags", flags),
        ]
    }
}

/// ArangoDB's number of a direction.
fn direction(edge: &EdgeSource) -> Value {
    Value::Int(match (edge.outbound, edge.inbound) {
        (true, true) => 0,
        (_, true) => 1,
        _ => 2,
    })
}

fn traversal_options(n: &TraverseNode) -> Value {
    let unique = |unique: Unique| match unique {
        Unique::None => "none",
        Unique::Path => "path",
        Unique::Global => "global",
    };
    let order = match n.order {
        TraversalOrder::Depth => "dfs",
        TraversalOrder::Breadth => "bfs",
        TraversalOrder::Weighted => "weighted",
    };
    let (attribute, default) = n.weight.clone().unwrap_or((None, 1.0));
    Value::from_pairs([
        ("minDepth", super::constant(&n.min).unwrap_or_default()),
        ("maxDepth", super::constant(&n.max).unwrap_or_default()),
        ("uniqueVertices", Value::from(unique(n.unique_vertices))),
        ("uniqueEdges", Value::from(unique(n.unique_edges))),
        ("order", Value::from(order)),
        ("weightAttribute", Value::Str(attribute.unwrap_or_default())),
        ("defaultWeight", Value::float(default)),
        ("produceVertices", Value::Bool(n.needs_vertices)),
        ("type", Value::from("traversal")),
    ])
}
