//! Components that are collected for a batch before it is completed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;
use serde_json::Value;

use crate::api::found::no_mistakes;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::production::link_parts::{self, Serials as Serial};
use crate::aql::production::{
    INSERT_LINKS, LINK_PARTS, REMOVE_TEMPORARY_LINKS, insert_links, link_parts as parts_of, remove_temporary_links,
};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::openapi::{Fails, Many};
use crate::store::{Access, Transaction, held, typed};
use crate::transaction;

/// Components that are collected for a batch.
pub struct TempLinks(pub Arc<App>);

/// The parent that means the batch itself.
const COMPONENTS: &str = "components";

/// A component and what it is built into. Serials are named by key or identifier.
#[derive(Debug, Object)]
pub(crate) struct SerialLink {
    #[oai(rename = "_key")]
    key: Option<String>,
    /// The unit; `components` or null for the batch itself.
    #[oai(rename = "_from")]
    from: Option<String>,
    /// Another name of `_from`.
    parent_serial_key: Option<String>,
    /// The component.
    #[oai(rename = "_to")]
    to: Option<String>,
    /// Another name of `_to`.
    child_serial_key: Option<String>,
    wo_key: Option<String>,
    phase_key: Option<String>,
    component_key: Option<String>,
    job_key: Option<String>,
    batch_key: Option<String>,
    #[oai(default)]
    confirmed: Option<bool>,
    #[oai(default)]
    replaced: Option<bool>,
    reason: Option<String>,
}

/// What is stored of a link.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "_from")]
    from: String,
    #[serde(rename = "_to")]
    to: String,
    wo_key: Option<&'a str>,
    phase_key: Option<&'a str>,
    component_key: Option<&'a str>,
    job_key: Option<&'a str>,
    batch_key: &'a str,
    confirmed: bool,
    replaced: bool,
    reason: Option<&'a str>,
}

impl SerialLink {
    /// Key of the unit; `None` for the batch itself.
    fn parent(&self) -> Option<&str> {
        let name = self.parent_serial_key.as_deref().or(self.from.as_deref())?;
        let is_batch = name == COMPONENTS || name.is_empty() || name.starts_with("Batch/");
        (!is_batch).then(|| name.strip_prefix("Serial/").unwrap_or(name))
    }

    /// Key of the component.
    fn child(&self) -> Option<&str> {
        let name = self.child_serial_key.as_deref().or(self.to.as_deref())?;
        Some(name.strip_prefix("Serial/").unwrap_or(name)).filter(|key| !key.is_empty())
    }

    /// The batch that it names, if it is another one.
    fn is_of_another(&self, batch_key: &str) -> bool {
        let of_parent = self.parent_serial_key.as_deref().or(self.from.as_deref());
        let named = [self.batch_key.as_deref(), of_parent.and_then(|name| name.strip_prefix("Batch/"))];
        named.into_iter().flatten().any(|named| named != batch_key)
    }
}

#[OpenApi(tag = "Area::Traceability")]
impl TempLinks {
    /// Replace temporary component links of a batch
    ///
    /// Links that are not confirmed go, these come; confirmed ones stay. All parents are units of the batch, or all are
    /// `components`: the batch itself. They are confirmed when the batch is completed.
    #[oai(
        path = "/batch/:batch_key/serial-temp-links",
        method = "put",
        operation_id = "create_temporary_link_batch__batch_key__serial_temp_links_put"
    )]
    async fn replace(
        &self,
        #[oai(scope = "Scope::TraceabilityBatchExecutionRecordWrite")] caller: Caller,
        batch_key: Path<String>,
        body: Json<Many<SerialLink>>,
        _fails: Fails<404, 409, 422>,
    ) -> Result<Json<Envelope>> {
        let links = &body.0.0;
        check_form(links)?;
        transaction!(self.0.store.acting(caller.actor()), access(), |trx| { replace(trx, &batch_key, links).await })?;
        Ok(Json(Envelope::message("Temporary serial links updated successfully")))
    }
}

/// What collecting components reads, writes and holds: nobody else builds one in meanwhile.
pub(crate) fn access() -> Access<'static> {
    Access::of(&[LINK_PARTS, REMOVE_TEMPORARY_LINKS, INSERT_LINKS]).exclusive(&held::COMPONENTS)
}

/// These components are collected for a batch, in place of those that were and are not confirmed.
pub(crate) async fn replace(trx: &Transaction, batch_key: &str, links: &[SerialLink]) -> Result<()> {
    let keys: BTreeSet<&str> = links.iter().flat_map(|link| [link.child(), link.parent()]).flatten().collect();
    let parts = parts_of(trx, link_parts::Params { batch_key, serial_keys: keys.into_iter().collect() }).await?;
    let parts = Parts(parts.ok_or_else(|| Error::not_found(format!("Batch {batch_key} not found")))?);
    let new = parts.checked(links)?;
    let mut removed = remove_temporary_links(trx, remove_temporary_links::Params { batch_key }).await?;
    let mut added: Vec<&str> = new.iter().map(|link| link.to.as_str()).collect();
    removed.sort_unstable();
    added.sort_unstable();
    trx.replaced(Some(format!("Batch/{batch_key}")), "components", removed, added);
    let links: Vec<Value> = new.iter().map(typed::bound).collect::<Result<_, _>>()?;
    insert_links(trx, insert_links::Params { links: &links }).await
}

fn check_form(links: &[SerialLink]) -> Result<()> {
    let missing = links.iter().enumerate().filter(|(_, link)| link.child().is_none());
    let entry = |(index, _): (usize, &SerialLink)| {
        Invalid::new(&["body".into(), index.into(), "child_serial_key".into()], "missing", "Field required")
    };
    no_mistakes(missing.map(entry).collect())
}

fn forbidden(text: &str) -> Error {
    Error::answer(StatusCode::FORBIDDEN, text.into())
}

/// What the rules of new links look at.
struct Parts(link_parts::Row);

impl Parts {
    fn batch_key(&self) -> &str {
        &self.0.batch.key
    }

    /// The links to be inserted; those that are there already are not doubled.
    fn checked<'a>(&'a self, links: &'a [SerialLink]) -> Result<Vec<Document<'a>>> {
        if self.0.batch.canceled.is_some() || self.0.batch.active != Some(Value::Bool(true)) {
            return Err(Error::conflict("The batch is not active any more."));
        }
        if links.iter().any(|link| link.parent().is_some()) && links.iter().any(|link| link.parent().is_none()) {
            let text = "Mixed parent links: name a unit for every component, or for none.";
            return Err(Error::rule(text));
        }
        let mut seen = HashSet::new();
        if let Some(link) = links.iter().find(|link| !seen.insert(link.child())) {
            return Err(Error::rule(format!("Serial {} stands twice in the list.", link.child().unwrap_or_default())));
        }
        let serials: HashMap<&str, &Serial> =
            self.0.serials.iter().map(|serial| (serial.key.as_str(), serial)).collect();
        let names = links.iter().flat_map(|link| [link.child(), link.parent()]).flatten();
        for key in names {
            if !serials.contains_key(key) {
                return Err(Error::not_found(format!("Serial {key} not found")));
            }
        }
        if links.iter().any(|link| link.confirmed == Some(true)) {
            return Err(forbidden("Temporary links are not confirmed."));
        }
        if links.iter().any(|link| link.is_of_another(self.batch_key())) {
            return Err(forbidden("A link belongs to another batch."));
        }
        if let Some(unit) =
            links.iter().filter_map(SerialLink::parent).find(|unit| !self.0.units.iter().any(|own| own == unit))
        {
            return Err(Error::rule(format!("Serial {unit} is not a unit of the batch.")));
        }
        let child = |link: &SerialLink| link.child().and_then(|key| serials.get(key).copied());
        for (link, serial) in links.iter().filter_map(|link| Some((link, child(link)?))) {
            if link.component_key.is_some() && link.component_key != serial.product_key {
                return Err(Error::rule(format!("Serial {} is of another product.", name(serial))));
            }
        }
        let mut new = Vec::with_capacity(links.len());
        for (link, serial) in links.iter().filter_map(|link| Some((link, child(link)?))) {
            if !self.is_there(link, serial)? {
                new.push(self.document(link, serial));
            }
        }
        Ok(new)
    }

    fn from(&self, link: &SerialLink) -> String {
        link.parent().map_or_else(|| format!("Batch/{}", self.batch_key()), |unit| format!("Serial/{unit}"))
    }

    /// Whether a link is there and stays. 409 when its component is built in elsewhere. Links of the batch that are not
    /// confirmed go before the new ones come.
    fn is_there(&self, link: &SerialLink, serial: &Serial) -> Result<bool> {
        let to = format!("Serial/{}", serial.key);
        let mut is_there = false;
        for stored in self.0.links.iter().filter(|stored| stored.to == to) {
            let is_own = stored.batch_key.as_deref().is_none_or(|key| key == self.batch_key());
            if stored.batch_key.is_some() && is_own && !stored.is_confirmed {
                continue;
            }
            if !is_own || stored.from != self.from(link) {
                return Err(Error::conflict(format!("Serial {} is a component elsewhere.", name(serial))));
            }
            is_there = true;
        }
        Ok(is_there)
    }

    fn document<'a>(&'a self, link: &'a SerialLink, serial: &'a Serial) -> Document<'a> {
        let batch = &self.0.batch;
        Document {
            from: self.from(link),
            to: format!("Serial/{}", serial.key),
            wo_key: link.wo_key.as_deref().or(batch.work_order_key.as_deref()),
            phase_key: link.phase_key.as_deref().or(batch.phase_key.as_deref()),
            component_key: serial.product_key.as_deref(),
            job_key: link.job_key.as_deref().or(batch.job_key.as_deref()),
            batch_key: &batch.key,
            confirmed: false,
            replaced: false,
            reason: link.reason.as_deref(),
        }
    }
}

/// A serial as people know it.
fn name(serial: &Serial) -> &str {
    serial.code.as_deref().unwrap_or(&serial.key)
}
