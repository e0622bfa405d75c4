//! The journal itself, and what is held against single events.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::counting::Counting;
use super::stock::Stock;
use super::{Audit, collaboration, production, serials, text};
use crate::aql;
use crate::error::Result;

/// Events that are read at once.
const PORTION: usize = 1_000;

/// Goes through all events. Gives what is to be held against sums of them.
pub async fn check(audit: &mut Audit<'_>) -> Result<(Stock, Counting)> {
    let (mut stock, mut counting) = (Stock::default(), Counting::default());
    audit.begin("Event").await?;
    let (mut after, mut done) = (String::new(), 0);
    loop {
        let portion = audit.portion("Event", &after, PORTION).await?;
        // What an earlier system has recorded has no place in a group.
        let is_own = |event: &&Value| {
            event.get("sequence").is_some_and(Value::is_number) && event.get("recorded").is_some_and(Value::is_string)
        };
        let events: Vec<&Value> = portion.iter().filter(is_own).collect();
        audit.report.events += events.len() as u64;
        let makers = sources(audit, &events).await?;
        stock.take(audit, &events, &makers).await?;
        counting.take(audit, &events).await?;
        production::orders_exist(audit, &events).await?;
        serials::exist(audit, &events).await?;
        collaboration::exist(audit, &events).await?;
        done += portion.len() as u64;
        audit.watch.at(done);
        match portion.last() {
            Some(last) if portion.len() == PORTION => text(last, "_key").clone_into(&mut after),
            _ => return Ok((stock, counting)),
        }
    }
}

fn key(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, key)| key)
}

/// Every event that made one of these, or was made by one, is there. Gives the identifiers of those that made others.
async fn sources(audit: &mut Audit<'_>, events: &[&Value]) -> Result<HashSet<String>> {
    let ids: HashSet<String> = events.iter().map(|event| format!("Event/{}", text(event, "_key"))).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let params = aql::audit::sources::Params { ids: ids.iter().collect() };
    let edges = aql::audit::sources(audit.trx, params).await?;
    let ends = edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
    let others: BTreeSet<&str> = ends.filter(|id| !ids.contains(*id)).map(|id| key(id)).collect();
    let absent = audit.absent("Event", &others).await?;
    for edge in edges.iter().filter(|edge| !edge.is_cut) {
        if absent.contains(key(&edge.to)) {
            audit.differs(edge.to.clone(), format!("is missing, {} made it", edge.from));
        }
        if absent.contains(key(&edge.from)) {
            audit.differs(edge.from.clone(), format!("is missing, it made {}", edge.to));
        }
    }
    let made: HashSet<&str> = edges.iter().map(|edge| key(&edge.to)).collect();
    let is_child = |event: &&&Value| event.get("primary") == Some(&Value::Bool(false));
    for event in events.iter().filter(is_child).filter(|event| !made.contains(text(event, "_key"))) {
        let what = format!("{} was made by another event, and nothing tells by which", text(event, "event_type"));
        audit.differs(format!("Event/{}", text(event, "_key")), what);
    }
    Ok(edges.into_iter().map(|edge| edge.from).collect())
}
