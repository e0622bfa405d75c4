//! Where a serial, a lot or a product was used.

use std::collections::HashMap;
use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Deserialize;
use serde_json::json;

use super::ancestry::{self, Ancestor, Through};
use super::containers::{Container, Containers, Step};
use super::records::{unknown, with_code};
use crate::api::Area;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction};
use crate::{aql, transaction};

/// Position that stands for the outside world.
const OUTSIDE: &str = "OUT";

/// Where a serial, a lot or a product was used.
pub struct WhereUsed(pub Arc<App>);

/// A serial that contains the given one.
#[derive(Debug, Object)]
struct SerialUse {
    serial_key: String,
    serial_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    wo_key: Option<String>,
    wo_code: Option<String>,
    project_code: Option<String>,
    /// Links between it and the given serial: 1 for a direct parent.
    depth: u64,
    /// Whether no other serial contains it now.
    top_level: bool,
    /// Whether it still contains the given serial: no link on the way was replaced.
    current: bool,
    /// Whether every link on the way is confirmed.
    confirmed: bool,
    /// From it down to the given serial.
    path: Vec<SerialUseStep>,
    state: SerialState,
    /// When it was released; null while it is in production.
    released: Option<String>,
    /// Where it lies, from the root position down; empty when it lies nowhere.
    positions: Vec<StockPosition>,
}

/// A serial on the way down to the given one.
#[derive(Debug, Object)]
struct SerialUseStep {
    serial_key: String,
    serial_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    /// Whether the link downwards from it was replaced; null at the end of the way.
    replaced: Option<bool>,
    /// Whether the link downwards from it is confirmed; null at the end of the way.
    confirmed: Option<bool>,
}

/// What became of a serial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
enum SerialState {
    /// It was deleted.
    Deleted,
    /// Another serial contains it.
    Installed,
    /// It lies in stock.
    InStock,
    /// It is not released yet.
    InProduction,
    /// It was released and has left the stock.
    Gone,
}

/// A position on the way from the root to where a serial lies.
#[derive(Debug, Deserialize, Object)]
struct StockPosition {
    position_key: String,
    position_code: Option<String>,
}

/// What became of a serial, as the database tells it.
#[derive(Debug, Deserialize)]
struct Whereabouts {
    serial_key: String,
    wo_key: Option<String>,
    wo_code: Option<String>,
    project_code: Option<String>,
    released: Option<String>,
    deleted: bool,
    positions: Vec<StockPosition>,
}

fn page_size() -> i64 {
    200
}

/// Which rows are wanted.
struct Page {
    top_level_only: bool,
    include_replaced: bool,
    limit: usize,
    offset: usize,
}

impl Page {
    /// Limit and offset are not negative.
    fn new(top_level_only: bool, include_replaced: bool, limit: i64, offset: i64) -> Self {
        let [limit, offset] = [limit, offset].map(|number| usize::try_from(number).unwrap_or_default());
        Self { top_level_only, include_replaced, limit, offset }
    }

    fn through(&self) -> Through {
        if self.include_replaced { Through::AllLinks } else { Through::CurrentLinks }
    }
}

#[OpenApi(tag = "Area::Serial")]
impl WhereUsed {
    /// Where a serial was used
    ///
    /// Every serial that contains the given one, at any depth, the nearest first, then by code: with its product and
    /// work order, the way down to the given serial, whether it still contains it, and what became of it.
    /// `top_level_only` leaves only units that no other serial contains. `include_replaced` also shows units that the
    /// given serial, or what contains it, was taken out of.
    #[oai(
        path = "/serial/:serial_key/where-used",
        method = "get",
        operation_id = "get_serial_where_used_serial__serial_key__where_used_get"
    )]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn of_serial(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Path<String>,
        #[oai(default)] top_level_only: Query<bool>,
        #[oai(default)] include_replaced: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
        _fails: Fails<404>,
    ) -> Result<Json<Vec<SerialUse>>> {
        let page = Page::new(*top_level_only, *include_replaced, *limit, *offset);
        let given = [serial_key.0];
        let uses =
            transaction!(self.0.store, Access::of(&[aql::serial::ANCESTORS, aql::serial::WHEREABOUTS]), |trx| {
                let ancestors = ancestry::load(trx, &given, page.through()).await?;
                if ancestors.is_empty() {
                    return Err(unknown(&given[0]));
                }
                page.uses(trx, &given, &ancestors).await
            })?;
        Ok(Json(uses))
    }

    /// Where a lot or a product was used
    ///
    /// Every serial that contains a serial of the product, or one with the code, or one that is both: a lot that bears
    /// one code is one serial. Codes are compared without regard to case and outer blanks. Rows, order and the other
    /// parameters are those of `GET /serial/{serial_key}/where-used`; the end of `path` is the serial that was used.
    /// Without a product and a code it is 422.
    #[oai(path = "/where-used", method = "get", operation_id = "get_where_used_where_used_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn of_lot(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        product_key: Query<Option<String>>,
        code: Query<Option<String>>,
        #[oai(default)] top_level_only: Query<bool>,
        #[oai(default)] include_replaced: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<Json<Vec<SerialUse>>> {
        let page = Page::new(*top_level_only, *include_replaced, *limit, *offset);
        let lot = Lot::new(product_key.as_deref(), code.as_deref())?;
        let access = Access::of(&[
            aql::serial::BY_CODE,
            aql::serial::OF_PRODUCT,
            aql::serial::ANCESTORS,
            aql::serial::WHEREABOUTS,
        ]);
        let uses = transaction!(self.0.store, access, |trx| {
            let given = lot.serials(trx).await?;
            let ancestors = ancestry::load(trx, &given, page.through()).await?;
            page.uses(trx, &given, &ancestors).await
        })?;
        Ok(Json(uses))
    }
}

/// Serials of a product, with a code, or both.
enum Lot<'a> {
    Coded { code: &'a str, product_key: Option<&'a str> },
    OfProduct(&'a str),
}

impl<'a> Lot<'a> {
    fn new(product_key: Option<&'a str>, code: Option<&'a str>) -> Result<Self> {
        let not_blank = |text: &&str| !text.trim().is_empty();
        match (code.filter(not_blank), product_key.filter(not_blank)) {
            (Some(code), product_key) => Ok(Self::Coded { code, product_key }),
            (None, Some(product_key)) => Ok(Self::OfProduct(product_key)),
            (None, None) => Err(Error::invalid(&["query", "product_key"], "a product_key or a code is expected")),
        }
    }

    /// Their keys.
    async fn serials(&self, trx: &Transaction) -> Result<Vec<String>> {
        match *self {
            Self::Coded { code, product_key } => {
                let serials = with_code(trx, Some(code), product_key).await?;
                Ok(serials.iter().filter_map(|serial| serial["_key"].as_str().map(str::to_owned)).collect())
            }
            Self::OfProduct(product_key) => {
                trx.rows(&aql::serial::OF_PRODUCT, json!({"product_key": product_key})).await
            }
        }
    }
}

impl Page {
    /// Its rows.
    async fn uses(&self, trx: &Transaction, given: &[String], ancestors: &[Ancestor]) -> Result<Vec<SerialUse>> {
        let containers = Containers::of(given, ancestors, self.include_replaced);
        let wanted: Vec<Container> = containers
            .nearest_first()
            .into_iter()
            .filter(|container| container.top_level || !self.top_level_only)
            .skip(self.offset)
            .take(self.limit)
            .collect();
        let keys: Vec<&str> = wanted.iter().map(|container| ancestors[container.at].serial_key.as_str()).collect();
        let found: Vec<Whereabouts> = trx.rows(&aql::serial::WHEREABOUTS, json!({"serial_keys": keys})).await?;
        let mut found: HashMap<String, Whereabouts> =
            found.into_iter().map(|whereabouts| (whereabouts.serial_key.clone(), whereabouts)).collect();
        let row = |container: Container| {
            let ancestor = &ancestors[container.at];
            let whereabouts = found.remove(&ancestor.serial_key)?;
            let path = containers.path(container).into_iter().map(|step| SerialUseStep::new(step, ancestors)).collect();
            let state = state(&whereabouts, containers.is_installed(container.at));
            Some(SerialUse::new(ancestor, container, path, whereabouts, state))
        };
        Ok(wanted.into_iter().filter_map(row).collect())
    }
}

/// What a serial that others contain or not has become.
fn state(whereabouts: &Whereabouts, is_installed: bool) -> SerialState {
    let is_outside = whereabouts.positions.first().is_some_and(|root| root.position_key == OUTSIDE);
    if whereabouts.deleted {
        SerialState::Deleted
    } else if is_installed {
        SerialState::Installed
    } else if !whereabouts.positions.is_empty() && !is_outside {
        SerialState::InStock
    } else if whereabouts.released.is_none() {
        SerialState::InProduction
    } else {
        SerialState::Gone
    }
}

impl SerialUse {
    fn new(
        ancestor: &Ancestor,
        container: Container,
        path: Vec<SerialUseStep>,
        whereabouts: Whereabouts,
        state: SerialState,
    ) -> Self {
        Self {
            serial_key: ancestor.serial_key.clone(),
            serial_code: ancestor.serial_code.clone(),
            product_key: ancestor.product_key.clone(),
            product_code: ancestor.product_code.clone(),
            product_description: ancestor.product_description.clone(),
            wo_key: whereabouts.wo_key,
            wo_code: whereabouts.wo_code,
            project_code: whereabouts.project_code,
            depth: container.depth as u64,
            top_level: container.top_level,
            current: container.current,
            confirmed: container.confirmed,
            path,
            state,
            released: whereabouts.released,
            positions: whereabouts.positions,
        }
    }
}

impl SerialUseStep {
    fn new(step: Step, ancestors: &[Ancestor]) -> Self {
        let ancestor = &ancestors[step.at];
        Self {
            serial_key: ancestor.serial_key.clone(),
            serial_code: ancestor.serial_code.clone(),
            product_key: ancestor.product_key.clone(),
            product_code: ancestor.product_code.clone(),
            replaced: step.link.map(|link| link.replaced),
            confirmed: step.link.map(|link| link.confirmed),
        }
    }
}
