//! Documents that a request names: those of the path must exist, those of a body too.

use std::collections::BTreeMap;

use poem::http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use crate::aql;
use crate::error::{Error, Invalid, Result};
use crate::store::{Access, Transaction, typed};

/// 404 for what the path names: `Counter 7 not found`.
pub fn not_found(kind: &str, key: &str) -> Error {
    Error::message(StatusCode::NOT_FOUND, format!("{kind} {key} not found"))
}

/// Any status with a text and, for pages that look there, the status once more.
pub fn with_status(status: StatusCode, message: impl Into<String>) -> Error {
    #[derive(Serialize)]
    struct Detail {
        status: u16,
        message: String,
    }
    let detail = typed::bound(&Detail { status: status.as_u16(), message: message.into() });
    Error::answer(status, detail.unwrap_or_default())
}

/// 422 when a body names another document than the path.
pub fn same_key(path_key: &str, body_key: Option<&str>) -> Result<()> {
    match body_key {
        Some(key) if key != path_key => Err(Error::invalid(&["body", "_key"], "the path names another key")),
        _ => Ok(()),
    }
}

/// The same access, for a transaction that asks for [`unknown`] keys of these collections.
pub fn looking_up<'a>(access: Access<'a>, collections: &[&'a str]) -> Access<'a> {
    access.and(&[aql::reference::UNKNOWN]).reading(collections)
}

/// Which of these keys name no document of a collection.
pub async fn unknown(trx: &Transaction, collection: &str, keys: &[&str]) -> Result<Vec<String>> {
    aql::reference::unknown(trx, aql::reference::unknown::Params { collection, keys: keys.into() }).await
}

/// Members of a body that name documents. In an update only those that differ from what is stored are added, so that an
/// old reference to nothing never blocks a change of something else.
#[derive(Debug, Default)]
pub struct References<'a>(BTreeMap<&'static str, Vec<(Vec<Value>, &'a str)>>);

impl<'a> References<'a> {
    /// A member that names a document of a collection; `loc` is where it stands below `body`.
    pub fn add(&mut self, loc: &[Value], collection: &'static str, key: &'a str) {
        let mut whole = vec![Value::from("body")];
        whole.extend_from_slice(loc);
        self.0.entry(collection).or_default().push((whole, key));
    }

    /// The same access, reading the collections whose documents are named.
    pub fn access<'b>(&self, access: Access<'b>) -> Access<'b> {
        looking_up(access, &self.0.keys().copied().collect::<Vec<_>>())
    }

    /// 422 with an entry for each member that names nothing.
    pub async fn check(&self, trx: &Transaction) -> Result<()> {
        let mut mistakes = Vec::new();
        for (collection, members) in &self.0 {
            let keys: Vec<&str> = members.iter().map(|(_, key)| *key).collect();
            let unknown = unknown(trx, collection, &keys).await?;
            for (loc, key) in members.iter().filter(|(_, key)| unknown.iter().any(|unknown| unknown == key)) {
                let msg = format!("Value error, {collection} {key} not found");
                mistakes.push(Invalid::new(loc, "value_error", msg).input((*key).into()));
            }
        }
        no_mistakes(mistakes)
    }
}

/// 422 with these entries, when there is one.
pub fn no_mistakes(mistakes: Vec<Invalid>) -> Result<()> {
    if mistakes.is_empty() { Ok(()) } else { Err(Error::Validation(mistakes)) }
}
