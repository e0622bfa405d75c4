//! The search for products.

use std::collections::BTreeSet;
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, OpenApi};
use serde::de::DeserializeOwned;

use super::model::{ProductBaseData, ProductDetails};
use crate::api::filters::{ALL_ROWS, both, page_start};
use crate::api::texts::{Text, candidates};
use crate::api::{Area, JsonRows, wildcard};
use crate::app::App;
use crate::aql;
use crate::aql::params::ProductSearch;
use crate::aql::product::{self as stored, SEARCH};
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{OneOf, Query};
use crate::store::{Store, typed};

/// The search for products.
pub struct Search(pub Arc<App>);

/// How many of several tags count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "UPPERCASE")]
pub(super) enum TagOperator {
    /// All of them.
    All,
    /// One of them is enough.
    Any,
}

/// How criteria are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "UPPERCASE")]
enum Operator {
    /// All of them.
    And,
    /// One of them is enough.
    Or,
}

impl From<Operator> for TagOperator {
    fn from(operator: Operator) -> Self {
        match operator {
            Operator::And => Self::All,
            Operator::Or => Self::Any,
        }
    }
}

pub(super) fn yes() -> bool {
    true
}

/// The filters of a search, as its operations take them.
pub(super) struct Filters {
    pub search: Option<String>,
    pub include: Option<String>,
    pub exclude: Option<String>,
    pub search_description: bool,
    pub tag_key: Option<String>,
    pub include_tags: Option<Vec<String>>,
    pub include_operator: TagOperator,
    pub exclude_tags: Option<Vec<String>>,
    pub exclude_operator: TagOperator,
    pub operation_key: Option<String>,
    pub active_only: bool,
    pub traceability_only: bool,
}

impl Filters {
    /// What the stored queries are asked for.
    pub(super) async fn criteria(&self, store: &Store, offset: i64, limit: i64) -> Result<Criteria<'_>> {
        let with_text = if self.search_description { &aql::texts::DESCRIBED_PRODUCTS } else { &aql::texts::PRODUCTS };
        let found = candidates(store, with_text, self.search.as_deref().map(Text::matched)).await?;
        let included = candidates(store, with_text, self.include.as_deref().map(Text::matched)).await?;
        Ok(Criteria {
            filters: self,
            keys: both(found, included),
            search: wildcard::regex(self.search.as_deref()),
            include: wildcard::regex(self.include.as_deref()),
            exclude: wildcard::regex(self.exclude.as_deref()),
            tag: self.tag_key.as_deref().filter(|key| !key.is_empty()).map(|key| format!("Tag/{key}")),
            include_tags: self.included(),
            exclude_tags: tags(self.exclude_tags.as_deref(), self.exclude_operator),
            offset: page_start(offset),
            limit: if limit == 0 { ALL_ROWS } else { limit },
        })
    }

    fn included(&self) -> (Option<Vec<String>>, usize) {
        tags(self.include_tags.as_deref(), self.include_operator)
    }
}

/// Filters as the stored queries take them, with tags as identifiers and texts as regular expressions.
pub(super) struct Criteria<'f> {
    filters: &'f Filters,
    keys: Option<Vec<String>>,
    search: Option<String>,
    include: Option<String>,
    exclude: Option<String>,
    tag: Option<String>,
    include_tags: (Option<Vec<String>>, usize),
    exclude_tags: (Option<Vec<String>>, usize),
    offset: i64,
    limit: i64,
}

impl Criteria<'_> {
    /// The parameters of the search and of the export.
    pub(super) fn params(&self) -> ProductSearch<'_> {
        let (include_tags, include_needed) = &self.include_tags;
        let (exclude_tags, exclude_needed) = &self.exclude_tags;
        ProductSearch {
            keys: self.keys.as_ref().map(Into::into),
            search: self.search.as_deref(),
            include: self.include.as_deref(),
            exclude: self.exclude.as_deref(),
            search_description: self.filters.search_description,
            tag: self.tag.as_deref(),
            include_tags: include_tags.as_ref().map(Into::into),
            include_needed: *include_needed,
            exclude_tags: exclude_tags.as_ref().map(Into::into),
            exclude_needed: *exclude_needed,
            operation_key: self.filters.operation_key.as_deref().filter(|key| !key.is_empty()),
            active_only: self.filters.active_only,
            traceability_only: self.filters.traceability_only,
            offset: self.offset,
            limit: self.limit,
        }
    }
}

impl Search {
    /// The products that are wanted, each with the members of `R`. Without a limit they are sent as they come.
    async fn rows<R: DeserializeOwned + ToJSON>(
        &self,
        criteria: &Criteria<'_>,
        limit: i64,
    ) -> Result<JsonRows<OneOf<ProductDetails, ProductBaseData>>> {
        let store = &self.0.store;
        if limit == 0 {
            return Ok(JsonRows::all_as::<R>(store.stream(&SEARCH, typed::bound(&criteria.params())?).await?));
        }
        Ok(JsonRows::page_of::<R>(&stored::search(store, criteria.params()).await?))
    }
}

/// Identifiers of tags, each once, and how many of them a product must have; none for no tags.
fn tags(keys: Option<&[String]>, operator: TagOperator) -> (Option<Vec<String>>, usize) {
    let given = keys.unwrap_or_default().iter().filter(|key| !key.as_str().is_empty());
    let ids: BTreeSet<String> = given.map(|key| format!("Tag/{key}")).collect();
    let needed = if operator == TagOperator::All { ids.len() } else { 1 };
    ((!ids.is_empty()).then(|| ids.into_iter().collect()), needed)
}

#[OpenApi(tag = "Area::Product")]
impl Search {
    /// Search products
    ///
    /// Products that are not in the trash, in the order of their codes. All conditions apply together. The texts
    /// `search_string` (or `search`), `include_text` and `exclude_text` are compared with the code, and with
    /// `search_description` with the description too; they take `*` for any run and `?` for one character, match anywhere
    /// and whatever the case, but a trailing `*` anchors the start and a leading `*` the end. With `details` the rows have
    /// all members of a product. Without a limit, or with `limit=0`, all rows are answered.
    #[oai(path = "/product", method = "get", operation_id = "get_product_list_product_get")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the interface")]
    async fn search(
        &self,
        #[oai(scope = "Scope::ProductCatalogueRead")] _caller: Caller,
        search_string: Query<Option<String>>,
        search: Query<Option<String>>,
        #[oai(default)] search_description: Query<bool>,
        tag_key: Query<Option<String>>,
        include_text: Query<Option<String>>,
        exclude_text: Query<Option<String>>,
        include_tags: Query<Option<Vec<String>>>,
        exclude_tags: Query<Option<Vec<String>>>,
        #[oai(default = "all_tags")] include_tags_operator: Query<TagOperator>,
        #[oai(default = "any_tag")] exclude_tags_operator: Query<TagOperator>,
        has_operation_key: Query<Option<String>>,
        #[oai(default = "yes")] active_only: Query<bool>,
        #[oai(default)] traceability_only: Query<bool>,
        #[oai(default)] details: Query<bool>,
        #[oai(validator(minimum(value = "0"), maximum(value = "10000")))] limit: Query<Option<i64>>,
        #[oai(default, validator(minimum(value = "0")))] offset: Query<i64>,
    ) -> Result<JsonRows<OneOf<ProductDetails, ProductBaseData>>> {
        let filters = Filters {
            search: search_string.0.or(search.0),
            include: include_text.0,
            exclude: exclude_text.0,
            search_description: *search_description,
            tag_key: tag_key.0,
            include_tags: include_tags.0,
            include_operator: *include_tags_operator,
            exclude_tags: exclude_tags.0,
            exclude_operator: *exclude_tags_operator,
            operation_key: has_operation_key.0,
            active_only: *active_only,
            traceability_only: *traceability_only,
        };
        let limit = limit.unwrap_or(0);
        let criteria = filters.criteria(&self.0.store, *offset, limit).await?;
        if *details {
            self.rows::<ProductDetails>(&criteria, limit).await
        } else {
            self.rows::<ProductBaseData>(&criteria, limit).await
        }
    }

    /// Search products, as older dialogs do
    ///
    /// Active products that are not in the trash, in the order of their codes. Tags are keys separated by blanks.
    /// `global_operator` joins the criteria that are given.
    #[oai(path = "/product/search", method = "get", operation_id = "search_products_product_search_get")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the interface")]
    async fn find(
        &self,
        #[oai(scope = "Scope::ProductCatalogueRead")] _caller: Caller,
        text_to_include: Query<Option<String>>,
        text_to_exclude: Query<Option<String>>,
        tags_to_include: Query<Option<String>>,
        tags_to_exclude: Query<Option<String>>,
        #[oai(default = "and")] include_tags_operator: Query<Operator>,
        #[oai(default = "or")] exclude_tags_operator: Query<Operator>,
        has_operation_key: Query<Option<String>>,
        #[oai(default = "and")] global_operator: Query<Operator>,
    ) -> Result<Json<Vec<ProductBaseData>>> {
        let words = |text: &Option<String>| -> Vec<String> {
            text.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let (include_tags, include_needed) = tags(Some(&words(&tags_to_include)), (*include_tags_operator).into());
        let (exclude_tags, exclude_needed) = tags(Some(&words(&tags_to_exclude)), (*exclude_tags_operator).into());
        let any = *global_operator == Operator::Or;
        // One criterion among others says nothing about what the others find.
        let text = text_to_include.as_deref().filter(|_| !any).map(Text::matched);
        let keys = candidates(&self.0.store, &aql::texts::PRODUCTS, text).await?;
        let (include, exclude) =
            (wildcard::regex(text_to_include.as_deref()), wildcard::regex(text_to_exclude.as_deref()));
        let params = stored::find::Params {
            keys: keys.as_ref().map(Into::into),
            include: include.as_deref(),
            exclude: exclude.as_deref(),
            include_tags: include_tags.as_ref().map(Into::into),
            include_needed,
            exclude_tags: exclude_tags.as_ref().map(Into::into),
            exclude_needed,
            operation_key: has_operation_key.as_deref().filter(|key| !key.is_empty()),
            any,
        };
        Ok(Json(stored::find(&self.0.store, params).await?))
    }
}

pub(super) fn all_tags() -> TagOperator {
    TagOperator::All
}

pub(super) fn any_tag() -> TagOperator {
    TagOperator::Any
}

fn and() -> Operator {
    Operator::And
}

fn or() -> Operator {
    Operator::Or
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_that_is_named_twice_counts_once() {
        let keys = ["a", "b", "a", ""].map(str::to_owned);
        let ids = vec!["Tag/a".to_owned(), "Tag/b".to_owned()];
        assert_eq!(tags(Some(&keys), TagOperator::All), (Some(ids.clone()), 2));
        assert_eq!(tags(Some(&keys), TagOperator::Any), (Some(ids), 1));
        assert_eq!(tags(Some(&[]), TagOperator::All).0, None);
    }
}
