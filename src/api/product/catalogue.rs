//! One product with everything that belongs to it.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use serde::Deserialize;

use super::files;
use super::model::ProductFull;
use crate::api::Area;
use crate::api::found::not_found;
use crate::api::revision::Tagged;
use crate::app::App;
use crate::aql;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::Fails;

/// One product.
pub struct Catalogue(pub Arc<App>);

#[derive(Deserialize)]
struct StoredProduct {
    #[serde(rename = "_rev")]
    rev: String,
    #[serde(flatten)]
    product: ProductFull,
}

#[OpenApi(tag = "Area::Product")]
impl Catalogue {
    /// One product with documents and counter
    ///
    /// Products in the trash are answered too: old work orders refer to them. The revision that a replacement may name in
    /// `If-Match` is the `ETag`.
    #[oai(path = "/product/:product_key", method = "get", operation_id = "get_product_data_product__product_key__get")]
    async fn one(
        &self,
        #[oai(scope = "Scope::ProductCatalogueRead")] _caller: Caller,
        product_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Tagged<Json<ProductFull>>> {
        let params = aql::product::one::Params { product_key: &product_key };
        let row: Option<StoredProduct> = aql::product::one(&self.0.store, params).await?;
        let StoredProduct { rev, mut product } = row.ok_or_else(|| not_found("Product", &product_key))?;
        if let Some(folder) = files::folder(&self.0.settings, &product_key) {
            product.docs = files::docs(&folder).await?;
            product.img_name = files::picture(&folder).await;
        }
        Ok(Tagged { body: Json(product), rev: Some(rev) })
    }
}
