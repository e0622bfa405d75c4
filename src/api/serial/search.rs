//! The search for serials.

use std::sync::Arc;

use poem_openapi::{Object, OpenApi};
use serde_json::{Value, json};

use super::model::{SerialRecord, whole, whole_rows};
use crate::api::filters::{
    ALL_ROWS, AdvancedFilters, Moment, both, by_creation, direction, downwards, ids, one_or_more, page_start,
};
use crate::api::texts::{Text, candidates};
use crate::api::{Area, JsonRows, wildcard};
use crate::app::App;
use crate::aql;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::Query;
use crate::store::Portioned;

const SERIALS: Portioned = Portioned { keys: &aql::serial::SEARCH, rows: &aql::serial::ROWS };

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
        let params = json!({
            "keys": both(serial_key.0, like(aql::texts::SERIALS, &serial_search).await?),
            "like_products": like(aql::texts::PRODUCTS, &product_code_search).await?,
            "like_work_orders": like(aql::texts::WORK_ORDERS, &work_order_search).await?,
            "like_projects": like(aql::texts::WORK_ORDERS, &project_search).await?,
            "like_holders": like(aql::texts::SERIALS, &is_contained_in).await?,
            "like_parts": like(aql::texts::SERIALS, &contains).await?,
            "code": text(serial_search),
            "product_key": product_key,
            "product_keys": product_keys,
            "product_code": text(product_code_search),
            "wo_code": text(work_order_search),
            "project_code": text(project_search),
            "is_contained_in": text(is_contained_in),
            "contains": text(contains),
            "created_by": ids("User", created_by.0),
            "created_from": time(time_created_from),
            "created_to": time(time_created_to),
            "released_from": time(time_released_from),
            "released_to": time(time_released_to),
            "released_only": *filter_unreleased,
            "include_deleted": *include_deleted,
            "filters": filters.params(),
            "needed": filters.needed,
            "sort_in": sort_in,
            "sort_by": sort_by,
            "direction": direction(Some(sorting_order.as_str()))?,
            "offset": page_start(offset.unwrap_or(0)),
            "limit": if *limit == 0 { ALL_ROWS } else { *limit },
        });
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
