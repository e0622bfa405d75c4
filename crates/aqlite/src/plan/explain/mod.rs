//! The plan in the shape in which ArangoDB explains its own: a list of nodes, each with what it depends on, its estimated
//! cost and its expressions; the rules that were applied; the collections and the variables.

mod details;
mod estimate;
mod expression;
mod variables;

use super::estimates;
use super::expr::{Ex, Slot};
use super::rules::PROJECTION;
use super::{AccessPath, CollectNode, Node, Pipeline, Plan, RULES, ScanNode, SortNode, node_place};
use crate::lang::ast::PathKind;
use crate::txn::Txn;
use crate::value::Value;
use estimate::Estimate;
use variables::{Variable, Variables};

/// The numbers of the nodes of an explanation, each with the place (see `node_place`) of the node of the plan it tells
/// about; what computes a value for another node goes with the node before.
pub fn node_numbers(plan: &Plan, txn: &Txn) -> Vec<(i64, Option<usize>)> {
    let mut writer = Writer::new(plan, txn);
    writer.pipeline(&plan.main);
    writer.places.sort_unstable();
    writer.places
}

/// The `plan` object of an explanation. The estimates are those for the data the transaction sees.
pub fn explain(plan: &Plan, txn: &Txn) -> Value {
    let mut writer = Writer::new(plan, txn);
    let estimate = writer.pipeline(&plan.main);
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
        ("rules", Value::array(rules(plan, writer.projects).into_iter().map(Value::from).collect())),
        ("collections", Value::array(collections)),
        ("variables", writer.variables.list()),
        ("estimatedCost", estimate.cost()),
        ("estimatedNrItems", estimate.items()),
        ("isModificationQuery", Value::Bool(plan.modifies)),
    ])
}

fn rules(plan: &Plan, projects: bool) -> Vec<&'static str> {
    RULES.iter().copied().filter(|rule| plan.rules.contains(rule) || (projects && *rule == PROJECTION)).collect()
}

struct Writer<'a> {
    txn: &'a Txn,
    variables: Variables<'a>,
    nodes: Vec<Value>,
    next_id: i64,
    /// A scan takes some attributes out of its documents, not all.
    projects: bool,
    /// The place of the node of the plan that is told about, and of the one before it.
    place: (Option<usize>, Option<usize>),
    places: Vec<(i64, Option<usize>)>,
}

impl<'a> Writer<'a> {
    fn new(plan: &'a Plan, txn: &'a Txn) -> Self {
        Self {
            txn,
            variables: Variables::new(&plan.names),
            nodes: Vec::new(),
            next_id: 1,
            projects: false,
            place: (None, None),
            places: Vec::new(),
        }
    }
}

impl Writer<'_> {
    /// Adds a node behind the last one.
    fn push(&mut self, kind: &str, estimate: &Estimate, more: Vec<(&str, Value)>) {
        let dependencies = self.nodes.last().map(|before| before.get("id")).into_iter().collect();
        let id = self.next_id;
        self.next_id += 1;
        let is_help = matches!(kind, "CalculationNode" | "ReturnNode");
        self.places.push((id, if is_help { self.place.1 } else { self.place.0 }));
        let mut pairs = vec![
            ("type", Value::from(kind)),
            ("dependencies", Value::array(dependencies)),
            ("id", Value::Int(id)),
            ("estimatedCost", estimate.cost()),
            ("estimatedNrItems", estimate.items()),
        ];
        pairs.extend(more);
        self.nodes.push(Value::from_pairs(pairs));
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Estimate {
        let mut estimate = Estimate::start();
        let around = std::mem::take(&mut self.place);
        self.push("SingletonNode", &estimate, Vec::new());
        for (at, node) in pipeline.nodes.iter().enumerate() {
            let rest = (&pipeline.nodes[at + 1..], pipeline.output.as_ref());
            self.place = (Some(node_place(node)), self.place.0);
            self.node(node, &mut estimate, rest);
        }
        self.place.1 = self.place.0;
        if let Some(output) = &pipeline.output {
            let value = self.calculated(output, &mut estimate);
            estimate.each_row();
            let more = vec![("inVariable", value.to_value()), ("count", Value::Bool(true))];
            self.push("ReturnNode", &estimate, more);
        }
        self.place = around;
        estimate
    }

    /// The variable that holds the value of an expression, computed by a node of its own unless it is one already.
    fn calculated(&mut self, ex: &Ex, estimate: &mut Estimate) -> Variable {
        if let Ex::Slot(slot) = ex
            && self.variables.projected(*slot).is_none()
        {
            return self.variables.of(*slot);
        }
        let variable = self.variables.temporary(constant(ex));
        self.calculation(&variable, ex, estimate);
        variable
    }

    fn calculation(&mut self, variable: &Variable, ex: &Ex, estimate: &mut Estimate) {
        let kind = match ex {
            Ex::Const(_) | Ex::Bound(_) => "json",
            Ex::Path(..) => "attribute",
            Ex::Slot(slot) if self.variables.projected(*slot).is_some() => "attribute",
            Ex::Slot(_) => "reference",
            _ => "simple",
        };
        let expression = self.variables.expression(ex);
        estimate.each_row();
        let more = vec![
            ("expression", expression),
            ("outVariable", variable.to_value()),
            ("canThrow", Value::Bool(false)),
            ("expressionType", Value::from(kind)),
        ];
        self.push("CalculationNode", estimate, more);
    }

    /// A query inside the query.
    fn subquery(&mut self, slot: Slot, pipeline: &Pipeline, estimate: &mut Estimate) {
        let nodes = std::mem::take(&mut self.nodes);
        let inner = self.pipeline(pipeline);
        let inner_nodes = std::mem::replace(&mut self.nodes, nodes);
        estimate.run_inside(&inner);
        let out = self.variables.of(slot);
        let more = vec![
            ("subquery", Value::from_pairs([("nodes", Value::array(inner_nodes))])),
            ("outVariable", out.to_value()),
            ("isConst", Value::Bool(false)),
        ];
        self.push("SubqueryNode", estimate, more);
    }

    fn node(&mut self, node: &Node, estimate: &mut Estimate, rest: (&[Node], Option<&Ex>)) {
        match node {
            Node::List(n) => {
                let input = self.calculated(&n.source, estimate);
                estimate.list(&n.source);
                let out = self.variables.of(n.slot);
                let more = vec![("inVariable", input.to_value()), ("outVariable", out.to_value())];
                self.push("EnumerateListNode", estimate, more);
            }
            Node::Scan(n) => self.scan(n, estimate, rest),
            Node::Search(n) => {
                let more = self.search(n);
                let views = n.links.iter().map(|(c, _)| self.txn.view().count(c).unwrap_or_default());
                estimate.full_scan(views.sum());
                self.push("EnumerateViewNode", estimate, more);
            }
            Node::Materialize(n) => {
                let id = self.calculated(&n.id, estimate);
                let out = self.variables.document(n.slot);
                estimate.each_row();
                self.push(
                    "MaterializeNode",
                    estimate,
                    vec![("inNmDocId", id.to_value()), ("outVariable", out.to_value())],
                );
            }
            Node::Traverse(n) => {
                let start = match &n.start {
                    start if start.is_known() => None,
                    start => Some(self.calculated(start, estimate)),
                };
                let more = self.traversal(n, start.as_ref());
                estimate.traversal(n);
                self.push("TraversalNode", estimate, more);
            }
            Node::Paths(n) => {
                let ends = [&n.start, &n.target].map(|end| match end {
                    end if end.is_known() => None,
                    end => Some(self.calculated(end, estimate)),
                });
                let more = self.paths(n, &ends);
                estimate.search();
                let kind = match n.kind {
                    PathKind::Shortest => "ShortestPathNode",
                    _ => "EnumeratePathsNode",
                };
                self.push(kind, estimate, more);
            }
            Node::Filter(e) => {
                let value = self.calculated(e, estimate);
                estimate.each_row();
                self.push("FilterNode", estimate, vec![("inVariable", value.to_value())]);
            }
            Node::Let(slot, ex) => match &**ex {
                Ex::Subquery(p) | Ex::SubqueryCount(p) => self.subquery(*slot, p, estimate),
                ex => {
                    let variable = self.variables.assigned(*slot, constant(ex));
                    self.calculation(&variable, ex, estimate);
                }
            },
            Node::Sort(n) => self.sort(n, estimate),
            Node::Limit(n) => {
                estimate.limit(n.offset, n.count);
                let more = vec![
                    ("offset", Value::from(n.offset)),
                    ("limit", Value::from(n.count)),
                    ("fullCount", Value::Bool(n.full_count)),
                ];
                self.push("LimitNode", estimate, more);
            }
            Node::Collect(n) => self.collect(n, estimate),
            Node::IndexCollect(n) => self.index_collect(n, estimate),
            Node::Distinct(e) => {
                let value = self.calculated(e, estimate);
                estimate.groups();
                let group = Value::from_pairs([("outVariable", value.to_value()), ("inVariable", value.to_value())]);
                let more = vec![
                    ("groups", Value::array(vec![group])),
                    ("aggregates", Value::array(Vec::new())),
                    ("isDistinctCommand", Value::Bool(true)),
                    ("specialized", Value::Bool(true)),
                    ("collectOptions", Value::from_pairs([("method", Value::from("hash"))])),
                ];
                self.push("CollectNode", estimate, more);
            }
            Node::Window(n) => {
                let range = n.range_value.as_ref().map(|e| self.calculated(e, estimate));
                if let Some(range) = &range {
                    self.sorted_by(&[(range.to_value(), true)], (0, None), estimate);
                }
                let aggregates = self.aggregates(&n.aggregates, estimate);
                estimate.each_row();
                let [preceding, following] = crate::exec::shown_window_bounds(n);
                let mut more = vec![("aggregates", aggregates), ("preceding", preceding), ("following", following)];
                more.extend(range.map(|range| ("rangeVariable", range.to_value())));
                self.push("WindowNode", estimate, more);
            }
            Node::Modify(n) => self.modification(n, estimate),
            Node::Upsert(n) => self.upsert(n, estimate),
        }
    }

    fn sort(&mut self, n: &SortNode, estimate: &mut Estimate) {
        let keys: Vec<_> =
            n.keys.iter().map(|(key, ascending)| (self.calculated(key, estimate).to_value(), *ascending)).collect();
        self.sorted_by(&keys, (n.sorted, n.keep), estimate);
    }

    /// A sort by variables, some of which the rows are `sorted` by already, and of which only the first may be kept.
    fn sorted_by(&mut self, keys: &[(Value, bool)], (sorted, keep): (usize, Option<usize>), estimate: &mut Estimate) {
        let element = |(variable, ascending): &(Value, bool)| {
            Value::from_pairs([("inVariable", variable.clone()), ("ascending", Value::Bool(*ascending))])
        };
        let elements = keys.iter().map(element).collect();
        estimate.sort();
        let strategy = match (sorted, keep) {
            (1.., _) => "grouped",
            (0, Some(_)) => "constrained-heap",
            (0, None) => "standard",
        };
        let mut more = vec![
            ("elements", Value::array(elements)),
            ("stable", Value::Bool(false)),
            ("limit", Value::from(keep.unwrap_or(0))),
            ("strategy", Value::from(strategy)),
        ];
        if sorted > 0 {
            more.push(("numberOfTopGroupedElements", Value::from(sorted)));
        }
        self.push("SortNode", estimate, more);
    }

    fn collect(&mut self, n: &CollectNode, estimate: &mut Estimate) {
        let inputs: Vec<Variable> = n.groups.iter().map(|(_, e)| self.calculated(e, estimate)).collect();
        let groups = n
            .groups
            .iter()
            .zip(inputs)
            .map(|((slot, _), input)| {
                let out = self.variables.of(*slot);
                Value::from_pairs([("outVariable", out.to_value()), ("inVariable", input.to_value())])
            })
            .collect();
        let aggregates = self.aggregates(&n.aggregates, estimate);
        let into = n.into.as_ref().map(|(slot, e)| (*slot, self.calculated(e, estimate)));
        if n.groups.is_empty() {
            estimate.one_row();
        } else {
            estimate.groups();
        }
        let method = if n.groups.is_empty() && n.count.is_some() { "count" } else { "hash" };
        let mut more = vec![
            ("groups", Value::array(groups)),
            ("aggregates", aggregates),
            ("isDistinctCommand", Value::Bool(false)),
            ("specialized", Value::Bool(true)),
            ("collectOptions", Value::from_pairs([("method", Value::from(method))])),
        ];
        if let Some((slot, expression)) = into {
            more.push(("expressionVariable", expression.to_value()));
            more.push(("outVariable", self.variables.of(slot).to_value()));
        }
        if let Some(slot) = n.count {
            more.push(("outVariable", self.variables.of(slot).to_value()));
        }
        self.push("CollectNode", estimate, more);
        // groups found by hashing come sorted: what ArangoDB does with a node of its own
        if n.sorted && !n.groups.is_empty() {
            let elements = n
                .groups
                .iter()
                .map(|(slot, _)| {
                    let variable = self.variables.of(*slot);
                    Value::from_pairs([("inVariable", variable.to_value()), ("ascending", Value::Bool(true))])
                })
                .collect();
            estimate.sort();
            let more = vec![
                ("elements", Value::array(elements)),
                ("stable", Value::Bool(false)),
                ("limit", Value::Int(0)),
                ("strategy", Value::from("standard")),
            ];
            self.push("SortNode", estimate, more);
        }
    }

    fn scan(&mut self, n: &ScanNode, estimate: &mut Estimate, rest: (&[Node], Option<&Ex>)) {
        let count = self.txn.view().count(&n.collection).unwrap_or_default();
        let out = self.variables.document(n.slot);
        for (slot, path) in &n.projections {
            self.variables.project(*slot, n.slot, path);
        }
        let projections = details::projections(n, rest);
        self.projects |= projections.array_len() != Some(0);
        // what ArangoDB computed before the condition or the order became a part of the node
        let filtered = !n.early.is_empty() || !n.filters.is_empty();
        if filtered || !matches!(n.access, AccessPath::Full { .. }) {
            self.variables.temporary(None);
        }
        let filter = filtered.then(|| self.pushed_filter(n));
        let mut more = vec![
            ("outVariable", out.to_value()),
            ("projections", projections),
            ("count", Value::Bool(false)),
            ("producesResult", Value::Bool(n.needs_document)),
            ("readOwnWrites", Value::Bool(false)),
            ("database", Value::Str(self.txn.database().name.clone())),
            ("collection", Value::Str(n.collection.name.clone())),
            ("satellite", Value::Bool(false)),
        ];
        more.extend(filter.map(|filter| ("filter", filter)));
        match &n.access {
            AccessPath::Full { .. } => {
                estimate.full_scan(count);
                more.insert(0, ("random", Value::Bool(false)));
                more.insert(1, ("indexHint", details::hint(n)));
                self.push("EnumerateCollectionNode", estimate, more);
            }
            AccessPath::Index { lookups, reverse } => {
                let view = self.txn.view();
                let found = lookups.iter().map(|lookup| estimates::found(&view, &n.collection, lookup)).sum();
                estimate.lookups(lookups.iter().map(estimates::values).sum(), found, count);
                let condition = self.index_condition(n, lookups);
                more.extend([
                    ("needsGatherNodeSort", Value::Bool(false)),
                    ("indexCoversProjections", Value::Bool(n.keys_only || n.from_entries)),
                    (
                        "indexes",
                        Value::array(
                            lookups.iter().map(|l| details::estimated_index(&l.index, &n.collection, &view)).collect(),
                        ),
                    ),
                    ("condition", condition),
                    ("sorted", Value::Bool(true)),
                    ("ascending", Value::Bool(!reverse)),
                    ("reverse", Value::Bool(*reverse)),
                    ("evalFCalls", Value::Bool(true)),
                    ("limit", Value::Int(0)),
                ]);
                self.push("IndexNode", estimate, more);
            }
            AccessPath::Inverted(access) => {
                estimate.found(count);
                let conditions = access.conditions.iter().map(|(e, _)| self.variables.expression(e)).collect();
                more.extend([
                    ("needsGatherNodeSort", Value::Bool(false)),
                    ("indexCoversProjections", Value::Bool(false)),
                    ("indexes", Value::array(vec![details::index(&access.index)])),
                    ("condition", details::conjunction(conditions)),
                    ("sorted", Value::Bool(false)),
                    ("ascending", Value::Bool(true)),
                    ("reverse", Value::Bool(false)),
                    ("evalFCalls", Value::Bool(true)),
                    ("limit", Value::Int(0)),
                ]);
                self.push("IndexNode", estimate, more);
            }
        }
    }
}

fn constant(ex: &Ex) -> Option<Value> {
    ex.of_known_type()
}
