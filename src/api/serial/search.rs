//! The search for serials.

use std::sync::Arc;

use poem_openapi::{Object, OpenApi};
use serde_json::Value;

use super::model::{SerialRecord, whole, whole_rows};
use crate::api::filters::{
    ALL_ROWS, AdvancedFilters, both, by_creation, direction, downwards, ids, one_or_more, page_start,
};
use crate::api::texts::{Text, candidates};
use crate::api::{Area, JsonRows, wildcard};
use crate::app::App;
use crate::aql::{self, serial as stored};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::Query;
use crate::store::{Portioned, typed};
use tracewright_model::Moment;

const SERIALS: Portioned = Portioned { keys: &stored::SEARCH, rows: &stored::ROWS };

/// The search for serials.
pub struct Search(pub Arc<App>);

/// A configured field with the value recorded for a serial. It may have more members than these.
#[derive(Debug, Object)]
struct GridValue {
    #[oai(rename = "_key")]
    key: Option<String>,
    name: Option<String>,
    /// Type of the field.
    #[oai(rename = "type")]
    kind: Option<String>,
    value: Value,
}

/// A serial found by a search.
#[derive(Debug, Object)]
struct SerialSearchResult {
    #[oai(flatten)]
    serial: SerialRecord,
    /// The whole product.
    product: Option<Value>,
    /// The configured fields that have a value.
    grid_data: Vec<GridValue>,
    wo_code: Option<String>,
    project_code: Option<String>,
}

fn page_size() -> i64 {
    200
}

#[OpenApi(tag = "Area::Serial")]
impl Search {
    /// Search serials
    ///
    /// All conditions apply together. The texts `serial_search`, `product_code_search`, `work_order_search`,
    /// `project_search`, `is_contained_in` (code of a serial that contains it at any depth) and `contains` (code of one
    /// it contains) take `*` for any run and `?` for one character; they match anywhere, whatever the case, but a
    /// trailing `*` anchors the start and a leading `*` the end. Times are inclusive. `filter_unreleased` leaves only
    /// released serials. `sort_by` is an attribute of the answer, also `product.code`. `limit=0` means all.
    #[oai(path = "/serial", method = "get", operation_id = "search_serials_serial_get")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Query<Option<Vec<String>>>,
        serial_search: Query<Option<String>>,
        is_contained_in: Query<Option<String>>,
        contains: Query<Option<String>>,
        time_created_from: Query<Option<Moment>>,
        time_created_to: Query<Option<Moment>>,
        created_by: Query<Option<Vec<String>>>,
        advanced_filters: Query<Option<String>>,
        product_key: Query<Option<Vec<String>>>,
        product_code_search: Query<Option<String>>,
        work_order_search: Query<Option<String>>,
        project_search: Query<Option<String>>,
        #[oai(default = "page_size", validator(minimum(value = "0"), maximum(value = "10000")))] limit: Query<i64>,
        #[oai(default)] include_deleted: Query<bool>,
        #[oai(validator(minimum(value = "0")))] offset: Query<Option<i64>>,
        #[oai(default)] filter_unreleased: Query<bool>,
        time_released_from: Query<Option<Moment>>,
        time_released_to: Query<Option<Moment>>,
        #[oai(default = "by_creation")] sort_by: Query<String>,
        #[oai(default = "downwards")] sorting_order: Query<String>,
    ) -> Result<JsonRows<SerialSearchResult>> {
        let filters = AdvancedFilters::parse(advanced_filters.as_deref())?;
        let (sort_in, sort_by) = order(&sort_by);
        let (product_key, product_keys) = one_or_more(product_key.0);
        let time = |time: Query<Option<Moment>>| time.0.map(|time| time.0);
        let text = |text: Query<Option<String>>| wildcard::regex(text.as_deref());
        let like = async |query, text: &Query<Option<String>>| {
            candidates(&self.0.store, &query, text.as_deref().map(Text::matched)).await
        };
        let keys = both(serial_key.0, like(aql::texts::SERIALS, &serial_search).await?);
        let like_products = like(aql::texts::PRODUCTS, &product_code_search).await?;
        let like_work_orders = like(aql::texts::WORK_ORDERS, &work_order_search).await?;
        let like_projects = like(aql::texts::WORK_ORDERS, &project_search).await?;
        let like_holders = like(aql::texts::SERIALS, &is_contained_in).await?;
        let like_parts = like(aql::texts::SERIALS, &contains).await?;
        let [code, product_code, wo_code, project_code, is_contained_in, contains] =
            [serial_search, product_code_search, work_order_search, project_search, is_contained_in, contains]
                .map(text);
        let [created_from, created_to, released_from, released_to] =
            [time_created_from, time_created_to, time_released_from, time_released_to].map(time);
        let created_by = ids("User", created_by.0);
        let params = typed::bound(&stored::search::Params {
            keys: keys.as_ref().map(Into::into),
            like_products: like_products.as_ref().map(Into::into),
            like_work_orders: like_work_orders.as_ref().map(Into::into),
            like_projects: like_projects.as_ref().map(Into::into),
            like_holders: like_holders.as_ref().map(Into::into),
            like_parts: like_parts.as_ref().map(Into::into),
            code: code.as_deref(),
            product_key: product_key.as_deref(),
            product_keys: product_keys.as_ref().map(Into::into),
            product_code: product_code.as_deref(),
            wo_code: wo_code.as_deref(),
            project_code: project_code.as_deref(),
            is_contained_in: is_contained_in.as_deref(),
            contains: contains.as_deref(),
            created_by: created_by.as_ref().map(Into::into),
            created_from: created_from.as_deref(),
            created_to: created_to.as_deref(),
            released_from: released_from.as_deref(),
            released_to: released_to.as_deref(),
            released_only: *filter_unreleased,
            include_deleted: *include_deleted,
            filters: &filters.params(),
            needed: filters.needed,
            sort_in,
            sort_by: (&sort_by).into(),
            direction: direction(Some(sorting_order.as_str()))?,
            offset: page_start(offset.unwrap_or(0)),
            limit: if *limit == 0 { ALL_ROWS } else { *limit },
        })?;
        if *limit == 0 {
            return Ok(JsonRows::all(self.0.store.stream_portions(SERIALS, params).await?, whole));
        }
        Ok(JsonRows::Page(whole_rows(self.0.store.in_portions(SERIALS, params).await?)))
    }
}

/// Whose attribute orders the rows, and the path of that attribute.
fn order(sort_by: &str) -> (&'static str, Vec<&str>) {
    let path: Vec<&str> = sort_by.split('.').filter(|name| !name.is_empty()).collect();
    match path.as_slice() {
        [] => ("serial", vec!["created"]),
        ["wo_code" | "project_code"] => ("work_order", path),
        ["product"] => ("product", vec!["code"]),
        ["product", rest @ ..] => ("product", rest.to_vec()),
        _ => ("serial", path),
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn serials_are_ordered_by_their_own_attributes_and_by_those_joined_to_them() {
        assert_eq!(order(""), ("serial", vec!["created"]));
        assert_eq!(order("code"), ("serial", vec!["code"]));
        assert_eq!(order("wo_code"), ("work_order", vec!["wo_code"]));
        assert_eq!(order("product"), ("product", vec!["code"]));
        assert_eq!(order("product.cost.target"), ("product", vec!["cost", "target"]));
    }
}
