//! The plan of a query, with what its nodes did.

use std::collections::HashMap;

use poem_openapi::Object;
use serde::Deserialize;
use serde_json::Value;

/// How the database runs a query.
#[derive(Debug, Object)]
pub(super) struct AqlPlan {
    /// The nodes in the order in which rows pass them.
    nodes: Vec<AqlPlanNode>,
    estimated_cost: Option<f64>,
    estimated_rows: Option<f64>,
    /// Rules of the optimizer that were applied.
    rules: Vec<String>,
    collections: Vec<AqlPlanCollection>,
}

/// A collection that a query uses.
#[derive(Debug, Deserialize, Object)]
struct AqlPlanCollection {
    name: String,
    /// `read`, or how else it is used.
    #[serde(rename(deserialize = "type"))]
    access: String,
}

/// A node of a plan.
#[derive(Debug, Object)]
struct AqlPlanNode {
    id: i64,
    /// What it is, by the database's name.
    #[oai(rename = "type")]
    kind: String,
    /// Nodes whose rows it takes.
    dependencies: Vec<i64>,
    estimated_cost: Option<f64>,
    estimated_rows: Option<f64>,
    /// How often it was asked for rows; this and the other figures are null unless the query was profiled.
    calls: Option<u64>,
    /// Rows that it handed on.
    rows: Option<u64>,
    /// Rows that it left out.
    filtered: Option<u64>,
    /// Time it took together with the nodes before it.
    seconds: Option<f64>,
    /// The collection that it reads.
    collection: Option<String>,
    /// The indexes that it reads.
    indexes: Vec<AqlPlanIndex>,
    /// The nodes of a subquery.
    subquery: Vec<AqlPlanNode>,
    /// The node as the database tells it.
    node: Value,
}

/// An index that a node reads.
#[derive(Debug, Deserialize, Object)]
struct AqlPlanIndex {
    name: Option<String>,
    #[serde(rename(deserialize = "type"))]
    #[oai(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    fields: Vec<Value>,
}

/// What a node did.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct Figures {
    id: i64,
    calls: Option<u64>,
    items: Option<u64>,
    filtered: Option<u64>,
    runtime: Option<f64>,
}

/// A plan as the database tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldPlan {
    nodes: Vec<Value>,
    #[serde(default)]
    estimated_cost: Option<f64>,
    #[serde(default)]
    estimated_nr_items: Option<f64>,
    #[serde(default)]
    rules: Vec<String>,
    #[serde(default)]
    collections: Vec<AqlPlanCollection>,
}

/// What nodes have in common. Where there is no list of indexes, a node has them in another form.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ToldNode {
    id: i64,
    #[serde(rename = "type")]
    kind: String,
    dependencies: Vec<i64>,
    estimated_cost: Option<f64>,
    estimated_nr_items: Option<f64>,
    collection: Option<String>,
    indexes: Value,
    subquery: Option<Subquery>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Subquery {
    nodes: Vec<Value>,
}

impl AqlPlan {
    /// The plan as the database tells it, and the figures of its nodes where there are some.
    pub(super) fn of(plan: &Value, figures: Vec<Figures>) -> Option<Self> {
        let figures = figures.into_iter().map(|figures| (figures.id, figures)).collect();
        let plan = ToldPlan::deserialize(plan).ok()?;
        Some(Self {
            nodes: plan.nodes.iter().map(|node| AqlPlanNode::of(node, &figures)).collect(),
            estimated_cost: plan.estimated_cost,
            estimated_rows: plan.estimated_nr_items,
            rules: plan.rules,
            collections: plan.collections,
        })
    }
}

impl AqlPlanNode {
    fn of(node: &Value, figures: &HashMap<i64, Figures>) -> Self {
        let told = ToldNode::deserialize(node).unwrap_or_default();
        let Figures { calls, items, filtered, runtime, .. } = figures.get(&told.id).copied().unwrap_or_default();
        let inner = told.subquery.unwrap_or_default().nodes;
        let mut own = node.clone();
        if let Some(members) = own.as_object_mut() {
            // Its nodes stand beside it.
            members.remove("subquery");
        }
        Self {
            id: told.id,
            kind: told.kind,
            dependencies: told.dependencies,
            estimated_cost: told.estimated_cost,
            estimated_rows: told.estimated_nr_items,
            calls,
            rows: items,
            filtered,
            seconds: runtime,
            collection: told.collection,
            indexes: Vec::deserialize(&told.indexes).unwrap_or_default(),
            subquery: inner.iter().map(|node| Self::of(node, figures)).collect(),
            node: own,
        }
    }
}
