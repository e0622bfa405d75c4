//! What issues are linked to.

use std::collections::HashSet;

use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object};
use serde_json::Value;

use crate::error::Result;
use crate::events::Refusal;
use crate::events::collaboration::named::{is_key, parts};
use crate::openapi::OneOf;

/// What an issue can be linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum IssueLinkType {
    /// A product.
    Product,
    /// An operation.
    Operation,
    /// A phase.
    Phase,
    /// A work order.
    WorkOrder,
    /// A project, of which only the name is known.
    Project,
    /// A user.
    User,
    /// A job.
    Job,
    /// A serial.
    Serial,
}

/// A kind of link and the collection that such links lead to.
const COLLECTIONS: [(IssueLinkType, &str); 8] = [
    (IssueLinkType::Product, "Product"),
    (IssueLinkType::Operation, "Operation"),
    (IssueLinkType::Phase, "Phase"),
    (IssueLinkType::WorkOrder, "WorkOrder"),
    (IssueLinkType::Project, "Project"),
    (IssueLinkType::User, "User"),
    (IssueLinkType::Job, "Job"),
    (IssueLinkType::Serial, "Serial"),
];

/// What an issue is linked to. It need not exist.
#[derive(Debug, Clone, Object)]
pub struct IssueLink {
    #[oai(rename = "type")]
    kind: OneOf<IssueLinkType, String>,
    key: String,
}

/// The ids of what is linked, each once. Refused when a link is of no known type, or its key none.
pub(super) fn targets(links: &[IssueLink]) -> Result<Vec<String>> {
    let (mut targets, mut seen) = (Vec::with_capacity(links.len()), HashSet::with_capacity(links.len()));
    for link in links {
        let kind = match &link.kind {
            OneOf::First(kind) => *kind,
            OneOf::Second(text) => {
                return Err(Refusal::Value.says(format!("An issue cannot be linked to a {text}: no such type of link")));
            }
        };
        if !is_key(&link.key) {
            return Err(Refusal::Value.says(format!("{} cannot be linked: this is no key", link.key)));
        }
        let collection = COLLECTIONS.iter().find(|(known, _)| *known == kind).map_or("", |(_, collection)| collection);
        let target = format!("{collection}/{}", link.key);
        if seen.insert(target.clone()) {
            targets.push(target);
        }
    }
    Ok(targets)
}

/// The links as they are written in events.
pub(super) fn written(targets: &[String]) -> Value {
    let links = targets.iter().filter_map(|target| {
        let (collection, key) = parts(target);
        let (kind, _) = COLLECTIONS.iter().find(|(_, known)| *known == collection)?;
        IssueLink { kind: OneOf::First(*kind), key: key.to_owned() }.to_json()
    });
    links.collect()
}
