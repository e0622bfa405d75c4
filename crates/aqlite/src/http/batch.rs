//! A batch of a result as it is sent.

use std::sync::Arc;

use super::apart::Rows;
use super::request::Ctx;
use super::response::Answer;
use super::state::cursors::{BatchRows, Cursor, CursorBatch, Extra};
use crate::exec::{Outcome, Warning};
use crate::value::{Object, Value};

/// Warnings as the API shows them.
pub fn warning_list(warnings: &[Warning]) -> Value {
    let shown = warnings.iter().map(|warning| {
        let message = Value::str(warning.message.as_str());
        Value::from_pairs([("code", Value::Int(i64::from(warning.num))), ("message", message)])
    });
    Value::array(shown.collect())
}

/// What is told of a query beside its rows. Whoever takes these as values reads no text.
pub fn extra_of(ctx: &Ctx, outcome: &Outcome, profile: Object) -> Extra {
    extra(ctx.caller.takes_rows, outcome, profile)
}

/// The same where the request is gone; `as_values`: its rows were to be taken so.
pub fn extra(as_values: bool, outcome: &Outcome, profile: Object) -> Extra {
    let text = if as_values { Vec::new() } else { extra_text(outcome, profile) };
    Extra { text: text.into(), scanned: outcome.stats.scanned_full + outcome.stats.scanned_index }
}

fn extra_text(outcome: &Outcome, mut profile: Object) -> Vec<u8> {
    let nodes = profile.shift_remove("nodes");
    let mut text = Vec::with_capacity(512);
    text.extend_from_slice(b"{\"warnings\":");
    warning_list(&outcome.warnings).write_json(&mut text);
    text.extend_from_slice(b",\"stats\":");
    outcome.stats.write_json(nodes.as_ref(), &mut text);
    for (name, value) in profile {
        text.extend_from_slice(format!(",\"{name}\":").as_bytes());
        value.write_json(&mut text);
    }
    text.push(b'}');
    text
}

/// A batch as it is sent, or with its rows beside the answer where they are taken as values.
pub fn batch_answer(ctx: &Ctx, cursor: &Cursor, batch: Arc<CursorBatch>, status: u16) -> Answer {
    // one that can be fetched again stays with the cursor
    let batch = Arc::try_unwrap(batch).unwrap_or_else(|kept| (*kept).clone());
    let mut body = match batch.rows {
        BatchRows::Values(rows) if ctx.caller.takes_rows => {
            let rows = Rows {
                values: Arc::new(rows),
                more: batch.has_more.then_some(cursor.id),
                scanned: batch.extra.filter(|_| !batch.has_more).map(|extra| extra.scanned),
            };
            return Answer { rows: Some(rows), ..Answer::empty(status) };
        }
        BatchRows::Values(rows) => values_as_text(&rows),
        BatchRows::Text(text) => text,
    };
    body.extend_from_slice(b"],\"hasMore\":");
    body.extend_from_slice(if batch.has_more { b"true" } else { b"false" });
    if batch.has_more {
        body.extend_from_slice(format!(",\"id\":\"{}\"", cursor.id).as_bytes());
        body.extend_from_slice(format!(",\"nextBatchId\":\"{}\"", batch.following).as_bytes());
    }
    if let Some(count) = cursor.count {
        body.extend_from_slice(format!(",\"count\":{count}").as_bytes());
    }
    body.extend_from_slice(if cursor.is_cached { b",\"cached\":true" } else { b",\"cached\":false" });
    if let Some(extra) = &batch.extra {
        body.extend_from_slice(b",\"extra\":");
        body.extend_from_slice(&extra.text);
    }
    body.extend_from_slice(format!(",\"error\":false,\"code\":{status}}}").as_bytes());
    Answer::raw_json(status, body)
}

/// The beginning of an answer with some rows. They go from values to text directly: results can be large.
fn values_as_text(rows: &[Value]) -> Vec<u8> {
    let mut body = Vec::with_capacity(256 + rows.len() * 64);
    body.extend_from_slice(b"{\"result\":[");
    for (position, row) in rows.iter().enumerate() {
        if position > 0 {
            body.push(b',');
        }
        row.write_json(&mut body);
        if position == 0 {
            // rows are mostly alike: room for all of them is made once, unless that would be very much
            body.reserve(rows.len().saturating_mul(body.len()).min(4 << 20));
        }
    }
    body
}
