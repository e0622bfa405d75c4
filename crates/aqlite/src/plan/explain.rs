//! The plan in the shape in which ArangoDB explains its own.

use super::expr::Slot;
use super::{Access, KeyPart, Lookup, Node, Pipeline, Plan, ScanNode};
use crate::catalog::{Index, IndexKind};
use crate::lang::ast::ModifyKind;
use crate::value::{SmolStr, Value};

/// The `plan` object of an explanation.
pub fn explain(plan: &Plan) -> Value {
    let mut writer = Writer { plan, nodes: Vec::new(), next_id: 1 };
    writer.pipeline(&plan.main);
    let cost = writer.nodes.last().map_or(1.0, |n| n.get("estimatedCost").to_f64());
    let items = writer.nodes.last().map_or(1.0, |n| n.get("estimatedNrItems").to_f64());
    let variables = plan
        .names
        .iter()
        .enumerate()
        .map(|(id, name)| Value::from_pairs([("id", Value::from(id)), ("name", Value::Str(name.clone()))]))
        .collect();
    let collections = plan
        .collections
        .iter()
        .map(|(c, write)| {
            Value::from_pairs([
                ("name", Value::Str(c.name.clone())),
                ("type", Value::from(if *write { "write" } else { "read" })),
            ])
        })
        .collect();
    Value::from_pairs([
        ("nodes", Value::array(writer.nodes)),
        ("rules", Value::array(plan.rules.iter().map(|r| Value::from(*r)).collect())),
        ("collections", Value::array(collections)),
        ("variables", Value::array(variables)),
        ("estimatedCost", Value::float(cost)),
        ("estimatedNrItems", Value::float(items)),
        ("isModificationQuery", Value::Bool(plan.modifies)),
    ])
}

struct Writer<'a> {
    plan: &'a Plan,
    nodes: Vec<Value>,
    next_id: i64,
}

/// A running estimate: rows so far and what they cost.
#[derive(Clone, Copy)]
struct Estimate {
    items: f64,
    cost: f64,
}

impl Writer<'_> {
    fn push(&mut self, kind: &str, estimate: Estimate, more: Vec<(&str, Value)>) {
        let id = self.next_id;
        self.next_id += 1;
        let dependencies = if kind == "SingletonNode" { Vec::new() } else { vec![Value::Int(id - 1)] };
        let mut pairs = vec![
            ("type", Value::from(kind)),
            ("dependencies", Value::array(dependencies)),
            ("id", Value::Int(id)),
            ("estimatedCost", Value::float(estimate.cost)),
            ("estimatedNrItems", Value::float(estimate.items)),
        ];
        pairs.extend(more);
        self.nodes.push(Value::from_pairs(pairs));
    }

    fn variable(&self, slot: Slot) -> Value {
        let name = self.plan.names.get(slot).cloned().unwrap_or_default();
        Value::from_pairs([("id", Value::from(slot)), ("name", Value::Str(name))])
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let mut estimate = Estimate { items: 1.0, cost: 1.0 };
        self.push("SingletonNode", estimate, Vec::new());
        for node in &pipeline.nodes {
            self.node(node, &mut estimate);
        }
        if pipeline.output.is_some() {
            estimate.cost += estimate.items;
            self.push("ReturnNode", estimate, Vec::new());
        }
    }

    fn node(&mut self, node: &Node, estimate: &mut Estimate) {
        let mut step = |factor: f64| {
            estimate.items = (estimate.items * factor).max(0.0);
            estimate.cost += estimate.items;
            *estimate
        };
        match node {
            Node::List(n) => {
                let e = step(100.0);
                let variable = self.variable(n.slot);
                self.push("EnumerateListNode", e, vec![("outVariable", variable)]);
            }
            Node::Scan(n) => {
                let e = step(if matches!(n.access, Access::Full { .. }) { 1000.0 } else { 10.0 });
                self.scan(n, e);
            }
            Node::Traverse(n) => {
                let e = step(100.0);
                let edges = n.edges.iter().map(|s| Value::Str(s.collection.name.clone())).collect();
                let mut more = vec![
                    ("edgeCollections", Value::array(edges)),
                    ("conditions", Value::from(n.conditions.len())),
                    ("filters", Value::from(n.filters.len())),
                ];
                for (name, slot) in
                    [("vertexOutVariable", n.vertex), ("edgeOutVariable", n.edge), ("pathOutVariable", n.path)]
                {
                    if let Some(slot) = slot {
                        more.push((name, self.variable(slot)));
                    }
                }
                if let Some(graph) = &n.graph {
                    more.push(("graph", Value::Str(graph.clone())));
                }
                self.push("TraversalNode", e, more);
            }
            Node::Paths(n) => {
                let e = step(10.0);
                let kind = if n.second.is_some() || matches!(n.kind, crate::lang::ast::PathKind::Shortest) {
                    "ShortestPathNode"
                } else {
                    "EnumeratePathsNode"
                };
                let edges = n.edges.iter().map(|s| Value::Str(s.collection.name.clone())).collect();
                let out = self.variable(n.first);
                self.push(kind, e, vec![("edgeCollections", Value::array(edges)), ("outVariable", out)]);
            }
            Node::Filter(_) => {
                let e = step(0.5);
                self.push("FilterNode", e, Vec::new());
            }
            Node::Let(slot, ex) => {
                let e = step(1.0);
                let out = self.variable(*slot);
                match &**ex {
                    super::expr::Ex::Subquery(p) | super::expr::Ex::SubqueryCount(p) => {
                        let mut inner = Writer { plan: self.plan, nodes: Vec::new(), next_id: 1 };
                        inner.pipeline(p);
                        let subquery = Value::from_pairs([("nodes", Value::array(inner.nodes))]);
                        self.push("SubqueryNode", e, vec![("subquery", subquery), ("outVariable", out)]);
                    }
                    _ => self.push("CalculationNode", e, vec![("outVariable", out)]),
                }
            }
            Node::Sort(n) => {
                let e = step(1.0);
                let directions = n.keys.iter().map(|(_, asc)| Value::Bool(*asc)).collect();
                let strategy = if n.keep.is_some() { "constrained-heap" } else { "standard" };
                let mut more = vec![("ascending", Value::array(directions)), ("strategy", Value::from(strategy))];
                if let Some(keep) = n.keep {
                    more.push(("limit", Value::from(keep)));
                }
                self.push("SortNode", e, more);
            }
            Node::Limit(n) => {
                let e = step(1.0);
                let more = vec![
                    ("offset", Value::from(n.offset)),
                    ("limit", Value::from(n.count)),
                    ("fullCount", Value::Bool(n.full_count)),
                ];
                self.push("LimitNode", e, more);
            }
            Node::Collect(n) => {
                let e = step(0.8);
                let groups =
                    n.groups.iter().map(|(s, _)| Value::from_pairs([("outVariable", self.variable(*s))])).collect();
                self.push("CollectNode", e, vec![("groups", Value::array(groups))]);
            }
            Node::Distinct(_) => {
                let e = step(0.8);
                self.push("CollectNode", e, vec![("isDistinctCommand", Value::Bool(true))]);
            }
            Node::Window(_) => {
                let e = step(1.0);
                self.push("WindowNode", e, Vec::new());
            }
            Node::Modify(n) => {
                let e = step(1.0);
                let kind = match n.kind {
                    ModifyKind::Insert => "InsertNode",
                    ModifyKind::Update => "UpdateNode",
                    ModifyKind::Replace => "ReplaceNode",
                    ModifyKind::Remove => "RemoveNode",
                };
                self.push(kind, e, vec![("collection", Value::Str(n.collection.name.clone()))]);
            }
            Node::Upsert(n) => {
                let e = step(1.0);
                self.push("UpsertNode", e, vec![("collection", Value::Str(n.collection.name.clone()))]);
            }
        }
    }

    fn scan(&mut self, n: &ScanNode, e: Estimate) {
        let mut more = vec![
            ("collection", Value::Str(n.collection.name.clone())),
            ("outVariable", self.variable(n.slot)),
            ("earlyFilters", Value::from(n.early.len())),
            ("filters", Value::from(n.filters.len())),
            ("producesResult", Value::Bool(n.needs_document)),
        ];
        if !n.projections.is_empty() {
            let path = |names: &[SmolStr]| match names {
                [name] => Value::Str(name.clone()),
                names => Value::array(names.iter().cloned().map(Value::Str).collect()),
            };
            more.push(("projections", Value::array(n.projections.iter().map(|(_, names)| path(names)).collect())));
        }
        match &n.access {
            Access::Full { .. } => self.push("EnumerateCollectionNode", e, more),
            Access::Index { lookups, reverse } => {
                more.push(("indexes", Value::array(lookups.iter().map(|l| index(&l.index)).collect())));
                more.push(("condition", Value::array(lookups.iter().map(condition).collect())));
                more.push(("ascending", Value::Bool(!reverse)));
                self.push("IndexNode", e, more);
            }
        }
    }
}

/// What an index looks like in an explanation.
fn index(index: &Index) -> Value {
    let kind = match index.kind {
        IndexKind::Primary => "primary",
        IndexKind::Edge => "edge",
        IndexKind::Ttl { .. } => "ttl",
        IndexKind::Persistent | IndexKind::Geo { .. } | IndexKind::Fulltext { .. } => index.created_as.as_str(),
    };
    Value::from_pairs([
        ("id", Value::from(index.id.to_string())),
        ("type", Value::from(kind)),
        ("name", Value::Str(index.name.clone())),
        ("fields", Value::array(index.fields.iter().map(|f| Value::from(f.to_string())).collect())),
        ("unique", Value::Bool(index.unique)),
        ("sparse", Value::Bool(index.sparse)),
    ])
}

fn condition(lookup: &Lookup) -> Value {
    let field = |i: usize| match lookup.field.as_str() {
        "" => lookup.index.fields.get(i).map(|f| SmolStr::from(f.to_string())).unwrap_or_default(),
        name => SmolStr::new(name),
    };
    let mut parts: Vec<String> = lookup
        .equal
        .iter()
        .enumerate()
        .map(|(i, part)| format!("{} {}", field(i), if matches!(part, KeyPart::In(_)) { "IN" } else { "==" }))
        .collect();
    let next = field(lookup.equal.len());
    if let Some((_, inclusive)) = &lookup.lower {
        parts.push(format!("{next} {}", if *inclusive { ">=" } else { ">" }));
    }
    if let Some((_, inclusive)) = &lookup.upper {
        parts.push(format!("{next} {}", if *inclusive { "<=" } else { "<" }));
    }
    Value::from(parts.join(" && "))
}
