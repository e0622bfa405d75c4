//! A recall: which finished units contain a serial, a lot, a supplier batch or a product, where they are, and what else was made
//! of the same lots.

mod answer;
mod start;
mod walk;

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::payload::Json;

use self::answer::RecallAnswer;
use self::start::Start;
use self::walk::{Above, lots_below};
use crate::api::Area;
use crate::api::filters::page_start;
use crate::api::serial::unknown;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{Fails, Query};
use crate::store::{self, Access};
use crate::{aql, transaction};
use tracewright_model::Moment;

/// The most serials that a recall starts from, and the most units whose whereabouts it tells.
const MOST_UNITS: usize = 10_000;
/// The most starting serials that an answer shows.
const SHOWN_ORIGINS: usize = 200;
/// The most units of the same lots that an answer shows, and the most batches.
const SHOWN_BESIDE: usize = 1_000;

/// What a recall reads.
const QUERIES: [store::Query; 8] = [
    aql::explorer::ORIGINS,
    aql::explorer::ORIGINS_OF_PRODUCT,
    aql::explorer::HOLDERS,
    aql::explorer::CONTENTS,
    aql::explorer::BATCHES,
    aql::explorer::UNITS,
    aql::explorer::SHIPMENTS,
    aql::serial::WHEREABOUTS,
];

/// A recall.
pub struct Recall(pub Arc<App>);

fn page_size() -> usize {
    200
}

#[OpenApi(tag = "Area::Explorer")]
impl Recall {
    /// Which finished units contain a serial, a lot, a supplier batch or a product
    ///
    /// It starts from one of: `serial_key`; `code`, of a serial or lot of any product or of `product_key`; `batch`, a value
    /// that was recorded with serials, such as the number of a supplier's batch; `product_key` alone. `from` and `to` keep
    /// the starting serials that were created then. The units are what contains them, at any depth, and is itself part of
    /// nothing; a starting serial that nothing contains is one of them. `include_replaced` adds units that a part was taken
    /// out of. Codes and values are compared whatever the case.
    ///
    /// `counts` and `total` are of all units, `units` is a page of them, by product and code. `siblings` are told of one
    /// serial that is no lot: other units that hold a part of the lots it is made of. Beyond 10,000 starting serials or
    /// units the rest is left out and `truncated` is true.
    #[oai(path = "/explore/recall", method = "get", operation_id = "recall_units_explore_recall_get")]
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    async fn units(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Query<Option<String>>,
        code: Query<Option<String>>,
        batch: Query<Option<String>>,
        product_key: Query<Option<String>>,
        from: Query<Option<Moment>>,
        to: Query<Option<Moment>>,
        #[oai(default)] include_replaced: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<usize>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
        _fails: Fails<404>,
    ) -> Result<Json<RecallAnswer>> {
        let start = Start::of(serial_key.as_deref(), code.as_deref(), batch.as_deref(), product_key.as_deref())?;
        let span = (from.0.map(|time| time.0), to.0.map(|time| time.0));
        let offset = usize::try_from(page_start(*offset)).unwrap_or(usize::MAX);
        let answer = transaction!(self.0.store, Access::of(&QUERIES), |trx| {
            let origins = start.serials(trx, &span).await?;
            if let (Start::Serial(key), true) = (&start, origins.keys.is_empty() && span == (None, None)) {
                return Err(unknown(key));
            }
            let above = Above::walk(trx, &origins.keys, *include_replaced).await?;
            let mut answer = RecallAnswer::new(trx, &origins, &above, *include_replaced).await?;
            if let [only] = origins.keys.as_slice() {
                let lots = lots_below(trx, only).await?;
                let beside = Above::walk(trx, &lots.keys, false).await?;
                answer.set_siblings(trx, &lots, &beside, &above).await?;
            }
            Ok(answer)
        })?;
        Ok(Json(answer.page(offset, *limit)))
    }
}

/// What was found of something that has a limit.
struct Bounded {
    keys: Vec<String>,
    is_cut: bool,
}

impl Bounded {
    /// Keys of which one more than the limit was asked for.
    fn new(mut keys: Vec<String>, limit: usize) -> Self {
        let is_cut = keys.len() > limit;
        keys.truncate(limit);
        Self { keys, is_cut }
    }
}
