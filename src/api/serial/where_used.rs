//! Where a serial, a lot or a product was used.

use std::sync::Arc;

use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde::Deserialize;

use super::records::unknown;
use super::whereabouts::{SerialState, StockPosition, Whereabouts};
use crate::api::Area;
use crate::api::filters::page_start;
use crate::app::App;
use crate::aql::serial as stored;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Query};
use crate::store::{self, Access, Transaction};
use crate::transaction;

/// What a page reads.
const QUERIES: [store::Query; 2] = [stored::USES, stored::WHEREABOUTS];
/// Links between what is found at first and the given serials' holders. The nearest come first, so that a page of direct
/// containers is not paid for with everything above them.
const NEAR: usize = 1;
/// More links than any way has.
const ANY_DISTANCE: usize = 1_000_000;

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
#[derive(Debug, Deserialize, Object)]
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

/// A container with its way down, as the database tells it.
#[derive(Debug, Deserialize)]
struct Container {
    serial_key: String,
    serial_code: Option<String>,
    product_key: Option<String>,
    product_code: Option<String>,
    product_description: Option<String>,
    current: bool,
    confirmed: bool,
    path: Vec<SerialUseStep>,
}

fn page_size() -> i64 {
    200
}

/// Which rows are wanted.
struct Page {
    top_level_only: bool,
    include_replaced: bool,
    limit: i64,
    offset: i64,
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
        let page = Page {
            top_level_only: *top_level_only,
            include_replaced: *include_replaced,
            limit: *limit,
            offset: page_start(*offset),
        };
        let given = Given::Serial(&serial_key);
        let access = Access::of(&QUERIES).and(&[stored::BY_KEY]);
        let uses = transaction!(self.0.store, access, |trx| {
            let uses = page.uses(trx, &given).await?;
            let is_known = !uses.is_empty()
                || stored::by_key(trx, stored::by_key::Params { serial_key: &serial_key }).await?.is_some();
            if is_known { Ok(uses) } else { Err(unknown(&serial_key)) }
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
        let page = Page {
            top_level_only: *top_level_only,
            include_replaced: *include_replaced,
            limit: *limit,
            offset: page_start(*offset),
        };
        let given = Given::of_lot(product_key.as_deref(), code.as_deref())?;
        let uses = transaction!(self.0.store, Access::of(&QUERIES), |trx| { page.uses(trx, &given).await })?;
        Ok(Json(uses))
    }
}

/// The serials whose containers are wanted.
enum Given<'a> {
    Serial(&'a str),
    Coded { code: &'a str, product_key: Option<&'a str> },
    OfProduct(&'a str),
}

impl<'a> Given<'a> {
    /// Those of a product, with a code, or both.
    fn of_lot(product_key: Option<&'a str>, code: Option<&'a str>) -> Result<Self> {
        let not_blank = |text: &&str| !text.trim().is_empty();
        match (code.filter(not_blank), product_key.filter(not_blank)) {
            (Some(code), product_key) => Ok(Self::Coded { code, product_key }),
            (None, Some(product_key)) => Ok(Self::OfProduct(product_key)),
            (None, None) => Err(Error::invalid(&["query", "product_key"], "a product_key or a code is expected")),
        }
    }

    /// As the query takes them: the serial's key, the code and the product's key.
    fn params(&self) -> (Option<&str>, Option<&str>, Option<&str>) {
        match *self {
            Self::Serial(key) => (Some(key), None, None),
            Self::Coded { code, product_key } => (None, Some(code), product_key),
            Self::OfProduct(product_key) => (None, None, Some(product_key)),
        }
    }
}

impl Page {
    /// Its rows. The database cuts the page: what is held here is the page alone.
    async fn uses(&self, trx: &Transaction, given: &Given<'_>) -> Result<Vec<SerialUse>> {
        let mut containers = Vec::new();
        // What was taken out of a near one may still be in a far one, which counts first: then all is looked at.
        if !self.include_replaced {
            containers = self.containers(trx, given, NEAR).await?;
        }
        if !self.is_full(&containers) {
            containers = self.containers(trx, given, ANY_DISTANCE).await?;
        }
        if containers.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<&str> = containers.iter().map(|container| container.serial_key.as_str()).collect();
        let mut found = Whereabouts::of(trx, &keys).await?;
        let row = |container: Container| Some(SerialUse::new(found.remove(&container.serial_key)?, container));
        Ok(containers.into_iter().filter_map(row).collect())
    }

    fn is_full(&self, containers: &[Container]) -> bool {
        i64::try_from(containers.len()).is_ok_and(|rows| rows >= self.limit)
    }

    /// The containers at most `steps` links above the given serials or what holds several of them.
    async fn containers(&self, trx: &Transaction, given: &Given<'_>, steps: usize) -> Result<Vec<Container>> {
        let (serial_key, code, product_key) = given.params();
        let Self { top_level_only, include_replaced, limit, offset } = *self;
        let params = stored::uses::Params {
            serial_key,
            code,
            product_key,
            include_replaced,
            top_level_only,
            steps,
            offset,
            limit,
        };
        stored::uses(trx, params).await
    }
}

impl SerialUse {
    fn new(whereabouts: Whereabouts, container: Container) -> Self {
        Self {
            serial_key: container.serial_key,
            serial_code: container.serial_code,
            product_key: container.product_key,
            product_code: container.product_code,
            product_description: container.product_description,
            state: whereabouts.state(),
            wo_key: whereabouts.wo_key,
            wo_code: whereabouts.wo_code,
            project_code: whereabouts.project_code,
            depth: container.path.len().saturating_sub(1) as u64,
            top_level: !whereabouts.installed,
            current: container.current,
            confirmed: container.confirmed,
            path: container.path,
            released: whereabouts.released,
            positions: whereabouts.positions,
        }
    }
}
