//! Serials to choose from.

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};

use super::model::{SerialRecord, whole_rows};
use crate::api::Area;
use crate::api::filters::lower;
use crate::api::texts::{Text, candidates};
use crate::app::App;
use crate::aql::{self, serial as stored};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{AsStored, Query};

/// Serials to choose from.
pub struct Selection(pub Arc<App>);

/// A serial that can be chosen.
#[derive(Debug, Object)]
struct SelectableSerial {
    #[oai(flatten)]
    serial: SerialRecord,
    /// Whether another serial or a batch contains it now.
    used: bool,
    /// Whether it lies in stock (at the given position) and is not in use.
    available: bool,
    product_code: Option<String>,
    product_description: Option<String>,
}

fn page_size() -> i64 {
    100
}

#[OpenApi(tag = "Area::Serial")]
impl Selection {
    /// Serials to choose from
    ///
    /// In the order of their codes. All conditions apply together; `search` is a substring of the code, whatever the
    /// case. Deleted serials never appear, unreleased ones on demand.
    #[oai(path = "/serial-selection", method = "get", operation_id = "get_serial_selection_serial_selection_get")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the interface")]
    async fn select(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        search: Query<Option<String>>,
        wo_key: Query<Option<String>>,
        product_key: Query<Option<String>>,
        batch_key: Query<Option<String>>,
        #[oai(default)] free_only: Query<bool>,
        #[oai(default)] inventory_only: Query<bool>,
        inventory_in_position_key: Query<Option<String>>,
        #[oai(default)] include_unreleased: Query<bool>,
        #[oai(default = "page_size", validator(minimum(value = "1"), maximum(value = "10000")))] limit: Query<i64>,
    ) -> Result<Json<Vec<AsStored<SelectableSerial>>>> {
        let search = lower(search.as_deref());
        let text = search.as_deref().map(Text::contained);
        let keys = candidates(&self.0.store, &aql::texts::SERIALS, text).await?;
        let params = stored::selection::Params {
            keys: keys.as_ref().map(Into::into),
            search: search.as_deref(),
            wo_key: wo_key.as_deref(),
            product_key: product_key.as_deref(),
            batch_key: batch_key.as_deref(),
            free_only: *free_only,
            inventory_only: *inventory_only,
            position_key: inventory_in_position_key.as_deref(),
            include_unreleased: *include_unreleased,
            limit: *limit,
        };
        Ok(Json(AsStored::rows(whole_rows(stored::selection(&self.0.store, params).await?))))
    }
}
