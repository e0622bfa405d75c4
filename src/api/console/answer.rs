//! The answer to a query.

use std::collections::BTreeMap;

use poem_openapi::Object;
use poem_openapi::types::ToJSON;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::{AqlPlan, Figures};
use crate::error::{Error, Result};
use crate::store::{Row, Told};

/// What a query found and what it took.
#[derive(Debug, Default, Object)]
pub(super) struct AqlAnswer {
    /// The name under which it could be stopped.
    query_id: String,
    /// The rows; members of objects are in the order in which the query wrote them.
    rows: Vec<Value>,
    /// Whether there are more rows than these.
    truncated: bool,
    warnings: Vec<AqlWarning>,
    /// What the query took; null when it was ended before its end, or only explained.
    stats: Option<AqlStats>,
    /// How it runs, with `explain` and `profile`.
    plan: Option<AqlPlan>,
    /// Seconds of its stages, with `profile`.
    stages: Option<BTreeMap<String, f64>>,
}

/// A warning of the database.
#[derive(Debug, Deserialize, Object)]
struct AqlWarning {
    code: i64,
    message: String,
}

/// What a query took.
#[derive(Debug, Deserialize, Object)]
#[serde(rename_all(deserialize = "camelCase"), default)]
#[derive(Default)]
struct AqlStats {
    /// Documents that were read from end to end of a collection.
    scanned_full: u64,
    /// Entries of indexes that were read.
    scanned_index: u64,
    /// Rows that conditions left out.
    filtered: u64,
    /// Requests between the servers of a cluster.
    http_requests: u64,
    /// The most memory that it held.
    #[serde(rename(deserialize = "peakMemoryUsage"))]
    peak_memory_bytes: u64,
    #[serde(rename(deserialize = "executionTime"))]
    execution_seconds: f64,
}

/// What the database tells beside the rows, each where it is there and of the form it should have.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Extra {
    warnings: Value,
    stats: Value,
    plan: Value,
    profile: Value,
}

/// What of the statistics belongs to the nodes of the plan.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Profiled {
    nodes: Vec<Figures>,
}

/// The answer as text: a value of the document would not keep the order of members.
#[derive(Serialize)]
struct AnswerText<'a> {
    rows: &'a [Row],
    #[serde(flatten)]
    others: Value,
}

impl AqlAnswer {
    /// The answer of a query that ran.
    pub(super) fn of(query_id: &str, result: Told) -> Result<String> {
        let Told { rows, is_cut, extra } = result;
        let extra: Extra = read(&extra).unwrap_or_default();
        let answer = Self {
            query_id: query_id.to_owned(),
            truncated: is_cut,
            warnings: read(&extra.warnings).unwrap_or_default(),
            plan: AqlPlan::of(&extra.plan, read::<Profiled>(&extra.stats).unwrap_or_default().nodes),
            stats: read(&extra.stats),
            stages: read(&extra.profile),
            ..Self::default()
        };
        answer.write(&rows)
    }

    /// The answer of a query that was explained.
    pub(super) fn explained(query_id: &str, explained: &Value) -> Result<String> {
        let explained: Extra = read(explained).unwrap_or_default();
        let answer = Self {
            query_id: query_id.to_owned(),
            warnings: read(&explained.warnings).unwrap_or_default(),
            plan: AqlPlan::of(&explained.plan, Vec::new()),
            ..Self::default()
        };
        answer.write(&[])
    }

    fn write(&self, rows: &[Row]) -> Result<String> {
        let mut others = self.to_json().unwrap_or_default();
        if let Some(members) = others.as_object_mut() {
            members.remove("rows");
        }
        serde_json::to_string(&AnswerText { rows, others })
            .map_err(|error| Error::internal("The answer could not be written.", error))
    }
}

/// A part of the database's answer, where it is there and of the form it should have.
fn read<T: for<'de> Deserialize<'de>>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}
