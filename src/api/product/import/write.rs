//! Writing what an import says.

use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::create::document;
use super::rules::{Action, Checked};
use crate::aql;
use crate::error::Result;
use crate::store::{Query, Transaction};

/// Everything that is run.
pub(super) const QUERIES: [Query; 6] = [
    aql::product::INSERT_MANY,
    aql::product::UPDATE_MANY,
    aql::product::REMOVE_TAGS,
    aql::product::INSERT_TAGS,
    aql::product::REMOVE_TEMPLATES,
    aql::product::INSERT_TEMPLATES,
];

/// Documents written by one query.
const CHUNK: usize = 2_000;

/// What an import did.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    pub created: usize,
    pub updated: usize,
    pub skipped: usize,
    pub total: usize,
}

/// What is to be written.
#[derive(Default)]
struct Writes {
    new: Vec<Value>,
    changes: Vec<Value>,
    tags: Links,
    templates: Links,
}

/// Links that take the place of others.
#[derive(Default)]
struct Links {
    replaced: Vec<Value>,
    new: Vec<Value>,
}

impl Links {
    /// From now on a product is linked with these.
    fn set(&mut self, product_id: &str, ids: Option<impl Iterator<Item = Value>>) {
        let Some(links) = ids else { return };
        self.replaced.push(product_id.into());
        self.new.extend(links);
    }
}

/// Writes every row, and tells how many did what.
pub(super) async fn rows(trx: &Transaction, checked: Checked, now: &str) -> Result<Summary> {
    let mut summary = Summary { total: checked.verdicts.len(), ..Summary::default() };
    let mut writes = Writes::default();
    for verdict in checked.verdicts {
        let mut change = verdict.change;
        let key = change.product_key.unwrap_or_else(|| Uuid::new_v4().to_string());
        match verdict.action {
            Action::Skip => {
                summary.skipped += 1;
                continue;
            }
            Action::Create => {
                summary.created += 1;
                change.members.extend([("_key".to_owned(), json!(key)), ("code".to_owned(), json!(verdict.code))]);
                writes.new.push(document(change.members.into()));
            }
            Action::Update => {
                summary.updated += 1;
                change.members.insert("updated".to_owned(), now.into());
                writes.changes.push(json!({"key": key, "members": change.members}));
            }
        }
        let id = format!("Product/{key}");
        let tag = |key: String| json!({"_from": id, "_to": format!("Tag/{key}")});
        let template = |key: String| json!({"_from": id, "_to": format!("PrintTemplate/{key}"), "type": "product"});
        writes.tags.set(&id, change.tags.map(|keys| keys.into_iter().map(tag)));
        writes.templates.set(&id, change.templates.map(|keys| keys.into_iter().map(template)));
    }
    let portions = [
        (aql::product::INSERT_MANY, "products", &writes.new),
        (aql::product::UPDATE_MANY, "changes", &writes.changes),
        (aql::product::REMOVE_TAGS, "product_ids", &writes.tags.replaced),
        (aql::product::INSERT_TAGS, "links", &writes.tags.new),
        (aql::product::REMOVE_TEMPLATES, "product_ids", &writes.templates.replaced),
        (aql::product::INSERT_TEMPLATES, "links", &writes.templates.new),
    ];
    for (query, parameter, values) in portions {
        for portion in values.chunks(CHUNK) {
            trx.run(&query, json!({parameter: portion})).await?;
        }
    }
    Ok(summary)
}
