//! Issues, tasks and messages are as their last events have left them, and work orders and jobs are marked as long as a critical
//! issue of them is open.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{Audit, by, given, text};
use crate::aql::{self, audit::marks};
use crate::error::Result;
use crate::store::Query;
use tracewright_model::EventType;
use tracewright_model::machine::TASK;

/// Documents that are read at once.
const PORTION: usize = 500;

/// Members of an issue that its events tell.
const OF_ISSUE: [&str; 6] = ["open", "critical", "issue_type_key", "closed", "closed_by", "data"];

fn is_type(event: &Value, event_type: &str) -> bool {
    text(event, "event_type") == event_type
}

/// What events have made is there unless another one has removed it.
pub async fn exist(audit: &mut Audit<'_>, events: &[&Value]) -> Result<()> {
    let made = [
        ("Issue", "ISSUE_CREATED", "issue_key", "ISSUE_DELETED", aql::audit::EVENTS_OF_ISSUES, "issue_keys"),
        ("Task", "TASK_CREATED", "task_key", "TASK_DELETED", aql::audit::EVENTS_OF_TASKS, "task_keys"),
    ];
    for (collection, begins, member, ends, query, param) in made {
        let keys: BTreeSet<&str> =
            events.iter().filter(|event| is_type(event, begins)).filter_map(|event| given(event, member)).collect();
        let absent = audit.absent(collection, &keys).await?;
        if absent.is_empty() {
            continue;
        }
        let history = history(audit, &query, param, &absent).await?;
        for (key, own) in by(&history, member) {
            if let Some(last) = own.last().filter(|last| !is_type(last, ends)) {
                audit.is_missing(format!("{collection}/{key}"), last);
            }
        }
    }
    messages(audit, events).await?;
    hold_marks(audit, events).await
}

async fn history(audit: &Audit<'_>, query: &Query, param: &str, keys: &BTreeSet<String>) -> Result<Vec<Value>> {
    let keys: Value = keys.iter().map(String::as_str).collect();
    audit.trx.rows(query, Value::from_iter([(param, keys)])).await
}

/// The message that an event tells of.
fn message_key(event: &Value) -> Option<&str> {
    given(event, "message_key").filter(|_| text(event, "event_type").starts_with("MESSAGE_"))
}

/// What is stored of a message beside its content, or told of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    content: Value,
    updated: Value,
    deleted: Value,
    timestamp: Value,
}

async fn messages(audit: &mut Audit<'_>, events: &[&Value]) -> Result<()> {
    let keys: BTreeSet<&str> = events.iter().filter_map(|event| message_key(event)).collect();
    let messages = audit.named("message", keys).await?;
    for event in events {
        let Some(key) = message_key(event) else { continue };
        let id = format!("message/{key}");
        let Some(message) = messages.get(key) else {
            if is_type(event, "MESSAGE_POSTED") && recipient_is_there(audit, event).await? {
                audit.is_missing(id, event);
            }
            continue;
        };
        let told = Message::deserialize(*event).unwrap_or_default();
        if is_type(event, "MESSAGE_DELETED") {
            audit.hold_member(&id, "content", message, &"[deleted]".into());
            audit.hold_member(&id, "deleted", message, &told.timestamp);
            continue;
        }
        let stored = Message::deserialize(message).unwrap_or_default();
        // A later change has its own event.
        let is_last = match text(event, "event_type") {
            "MESSAGE_POSTED" => stored.updated.is_null(),
            _ => stored.updated == told.timestamp,
        };
        if is_last && stored.deleted.is_null() {
            audit.hold(&id, "content", &stored.content, &told.content);
        }
    }
    Ok(())
}

/// Messages go with what they were sent to.
async fn recipient_is_there(audit: &Audit<'_>, event: &Value) -> Result<bool> {
    const RECIPIENTS: [&str; 5] = ["Issue", "Job", "Task", "User", "WorkOrder"];
    let (collection, key) = text(event, "recipient").split_once('/').unwrap_or_default();
    match RECIPIENTS.into_iter().find(|name| *name == collection) {
        Some(collection) => Ok(audit.absent(collection, &BTreeSet::from([key])).await?.is_empty()),
        None => Ok(false),
    }
}

/// What issues were linked to is marked as it should be.
async fn hold_marks(audit: &mut Audit<'_>, events: &[&Value]) -> Result<()> {
    for (kind, collection) in [("work_order", "WorkOrder"), ("job", "Job")] {
        let keys: BTreeSet<&str> = events
            .iter()
            .filter(|event| text(event, "event_type").starts_with("ISSUE_"))
            .flat_map(|event| event.pointer("/issue_data/linked_to").and_then(Value::as_array).into_iter().flatten())
            .filter(|target| text(target, "type") == kind)
            .map(|target| text(target, "key"))
            .collect();
        if keys.is_empty() {
            continue;
        }
        let params = marks::Params { collection, keys: keys.into_iter().collect() };
        for mark in aql::audit::marks(audit.trx, params).await? {
            let id = format!("{collection}/{}", mark.key);
            audit.hold(&id, "critical", &mark.is_marked.into(), &mark.is_critical.into());
        }
    }
    Ok(())
}

/// Goes through all issues and tasks.
pub async fn check(audit: &mut Audit<'_>) -> Result<()> {
    each(audit, "Issue", &aql::audit::EVENTS_OF_ISSUES, ("issue_keys", "issue_key"), hold_issue).await?;
    each(audit, "Task", &aql::audit::EVENTS_OF_TASKS, ("task_keys", "task_key"), hold_task).await
}

/// Goes through a collection; `hold` is given each document with its events.
async fn each(
    audit: &mut Audit<'_>,
    collection: &str,
    query: &Query,
    (param, member): (&str, &str),
    hold: fn(&mut Audit<'_>, &Value, &[&Value]),
) -> Result<()> {
    audit.begin(collection).await?;
    let (mut after, mut done) = (String::new(), 0);
    loop {
        let documents = audit.portion(collection, &after, PORTION).await?;
        let keys: BTreeSet<String> = documents.iter().map(|document| text(document, "_key").to_owned()).collect();
        let events = if keys.is_empty() { Vec::new() } else { history(audit, query, param, &keys).await? };
        let events = by(&events, member);
        for document in &documents {
            match events.get(text(document, "_key")) {
                Some(own) => {
                    audit.report.judged += 1;
                    hold(audit, document, own);
                }
                None => audit.report.unjudged += 1,
            }
        }
        done += documents.len() as u64;
        audit.watch.at(done);
        match documents.last() {
            Some(last) if documents.len() == PORTION => text(last, "_key").clone_into(&mut after),
            _ => return Ok(()),
        }
    }
}

fn hold_issue(audit: &mut Audit<'_>, issue: &Value, events: &[&Value]) {
    let id = format!("Issue/{}", text(issue, "_key"));
    let Some(last) = events.last() else { return };
    if is_type(last, "ISSUE_DELETED") {
        audit.differs(id, "is there, an event has deleted it".to_owned());
        return;
    }
    let told = last.get("issue_data").unwrap_or(&Value::Null);
    for name in OF_ISSUE {
        audit.hold_member(&id, name, issue, &told[name]);
    }
}

fn hold_task(audit: &mut Audit<'_>, task: &Value, events: &[&Value]) {
    let id = format!("Task/{}", text(task, "_key"));
    let status = events.iter().rev().find_map(|event| TASK.after(EventType::of_name(text(event, "event_type"))?));
    if let Some(status) = status {
        audit.hold_member(&id, "status", task, &status.name().into());
    }
    let deleted_by = events.iter().find(|event| is_type(event, "TASK_DELETED")).map(|event| text(event, "_key"));
    audit.hold_member(&id, "deleted_by", task, &deleted_by.into());
}
