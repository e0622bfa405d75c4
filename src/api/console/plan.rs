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
struct Figures {
    id: i64,
    calls: Option<u64>,
    items: Option<u64>,
    filtered: Option<u64>,
    runtime: Option<f64>,
}

impl AqlPlan {
    /// The plan as the database tells it, and the figures of its nodes where there are some.
    pub(super) fn of(plan: &Value, figures: &Value) -> Option<Self> {
        let figures = Vec::<Figures>::deserialize(figures).unwrap_or_default();
        let figures = figures.into_iter().map(|figures| (figures.id, figures)).collect();
        let nodes = plan["nodes"].as_array()?;
        Some(Self {
            nodes: nodes.iter().map(|node| AqlPlanNode::of(node, &figures)).collect(),
            estimated_cost: plan["estimatedCost"].as_f64(),
            estimated_rows: plan["estimatedNrItems"].as_f64(),
            rules: Vec::deserialize(&plan["rules"]).unwrap_or_default(),
            collections: Vec::deserialize(&plan["collections"]).unwrap_or_default(),
        })
    }
}

impl AqlPlanNode {
    fn of(node: &Value, figures: &HashMap<i64, Figures>) -> Self {
        let id = node["id"].as_i64().unwrap_or_default();
        let Figures { calls, items, filtered, runtime, .. } = figures.get(&id).copied().unwrap_or_default();
        let inner = node["subquery"]["nodes"].as_array();
        let mut own = node.clone();
        if let Some(members) = own.as_object_mut() {
            // Its nodes stand beside it.
            members.remove("subquery");
        }
        Self {
            id,
            kind: node["type"].as_str().unwrap_or_default().to_owned(),
            dependencies: Vec::deserialize(&node["dependencies"]).unwrap_or_default(),
            estimated_cost: node["estimatedCost"].as_f64(),
            estimated_rows: node["estimatedNrItems"].as_f64(),
            calls,
            rows: items,
            filtered,
            seconds: runtime,
            collection: node["collection"].as_str().map(str::to_owned),
            indexes: Vec::deserialize(&node["indexes"]).unwrap_or_default(),
            subquery: inner.into_iter().flatten().map(|node| Self::of(node, figures)).collect(),
            node: own,
        }
    }
}
