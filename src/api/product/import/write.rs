//! Writing what an import says.

use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::super::create::document;
use super::rules::{Action, Checked};
use crate::aql::product::{
    self, INSERT_MANY, INSERT_TAGS, INSERT_TEMPLATES, REMOVE_TAGS, REMOVE_TEMPLATES, UPDATE_MANY, insert_many,
    insert_tags, insert_templates, remove_tags, remove_templates, update_many,
};
use crate::aql::rows::{TagConnection, TemplateAssignment};
use crate::error::Result;
use crate::store::{Query, Transaction};

/// Everything that is run.
pub(super) const QUERIES: [Query; 6] =
    [INSERT_MANY, UPDATE_MANY, REMOVE_TAGS, INSERT_TAGS, REMOVE_TEMPLATES, INSERT_TEMPLATES];

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
    changes: Vec<(String, Map<String, Value>)>,
    tags: Links<TagConnection>,
    templates: Links<TemplateAssignment>,
}

/// Links that take the place of others.
struct Links<L> {
    replaced: Vec<String>,
    new: Vec<L>,
}

impl<L> Default for Links<L> {
    fn default() -> Self {
        Self { replaced: Vec::new(), new: Vec::new() }
    }
}

impl<L> Links<L> {
    /// From now on a product is linked with these.
    fn set(&mut self, product_id: &str, ids: Option<impl Iterator<Item = L>>) {
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
                change
                    .members
                    .extend([("_key".to_owned(), key.as_str().into()), ("code".to_owned(), verdict.code.into())]);
                writes.new.push(document(change.members.into()));
            }
            Action::Update => {
                summary.updated += 1;
                change.members.insert("updated".to_owned(), now.into());
                writes.changes.push((key.clone(), change.members));
            }
        }
        let id = format!("Product/{key}");
        let tag = |key: String| TagConnection { from: id.clone(), to: format!("Tag/{key}") };
        let template = |key: String| TemplateAssignment {
            from: id.clone(),
            to: format!("PrintTemplate/{key}"),
            r#type: "product".into(),
        };
        writes.tags.set(&id, change.tags.map(|keys| keys.into_iter().map(tag)));
        writes.templates.set(&id, change.templates.map(|keys| keys.into_iter().map(template)));
    }
    for products in writes.new.chunks(CHUNK) {
        product::insert_many(trx, insert_many::Params { products }).await?;
    }
    for portion in writes.changes.chunks(CHUNK) {
        let changes: Vec<_> = portion.iter().map(|(key, members)| update_many::Changes { key, members }).collect();
        product::update_many(trx, update_many::Params { changes: &changes }).await?;
    }
    for ids in writes.tags.replaced.chunks(CHUNK) {
        product::remove_tags(trx, remove_tags::Params { product_ids: ids.into() }).await?;
    }
    for links in writes.tags.new.chunks(CHUNK) {
        product::insert_tags(trx, insert_tags::Params { links }).await?;
    }
    for ids in writes.templates.replaced.chunks(CHUNK) {
        product::remove_templates(trx, remove_templates::Params { product_ids: ids.into() }).await?;
    }
    for links in writes.templates.new.chunks(CHUNK) {
        product::insert_templates(trx, insert_templates::Params { links }).await?;
    }
    Ok(summary)
}
