//! Changes of a product: some members, all of them, the trash and back.

use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::model::{ProductDetails, ProductUpdate};
use crate::api::found::{References, not_found, same_key, with_status};
use crate::api::revision::IfMatch;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::product::{self as stored, BEFORE_WRITE, UPDATE, USERS};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::Fails;
use crate::store::typed::{self, part};
use crate::store::{Access, Transaction, held};
use crate::{clock, transaction};

/// Changes of a product.
pub struct Change(pub Arc<App>);

/// What is looked at of a product, or of what is asked to change of it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    #[serde(rename = "_key")]
    key: Value,
    #[serde(rename = "_rev")]
    rev: Value,
    code: Value,
    trash: Value,
}

/// An entry of the data that a product carries along.
#[derive(Default, Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    custom_field_key: Option<&'a str>,
}

/// What moves a product to the trash.
#[derive(Serialize)]
struct Trash {
    trash: bool,
}

/// Why a product cannot go, and who needs it.
#[derive(Default, Serialize)]
struct InUse {
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    work_orders: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    product_codes: Vec<String>,
}

#[OpenApi(tag = "Area::Product")]
impl Change {
    /// Partial update of a product
    ///
    /// What is absent stays, null gives the default. `trash` true moves the product to the trash, which needs
    /// `product:catalogue:delete` too; false brings it back. 400 when another product that is not in the trash has the
    /// code.
    #[oai(
        path = "/product/:product_key",
        method = "patch",
        operation_id = "udpate_product_product__product_key__patch"
    )]
    async fn update(
        &self,
        #[oai(scope = "Scope::ProductCatalogueUpdate")] caller: Caller,
        product_key: Path<String>,
        body: Json<Option<ProductUpdate>>,
        _fails: Fails<400, 404, 409>,
    ) -> Result<Json<Envelope>> {
        let body = body.0.unwrap_or_default();
        if body.trashes() {
            caller.require(Scope::ProductCatalogueDelete)?;
        }
        let stored = transaction!(self.0.store.acting(caller.actor()), access(), |trx| {
            update(trx, &product_key, &body).await
        })?;
        Ok(Json(answer(stored, "updated")))
    }

    /// Replace a product
    ///
    /// Writes every member that `PATCH` can set but `trash`; those that are absent get their defaults. Picture, documents,
    /// tags, print templates, process and process tasks have operations of their own and stay as they are.
    #[oai(path = "/product/:product_key", method = "put", operation_id = "replace_product_product__product_key__put")]
    async fn replace(
        &self,
        #[oai(scope = "Scope::ProductCatalogueUpdate")] caller: Caller,
        product_key: Path<String>,
        if_match: IfMatch,
        body: Json<ProductDetails>,
        _fails: Fails<400, 404, 412>,
    ) -> Result<Json<Value>> {
        let changes = body.changes()?;
        let stored = transaction!(self.0.store.acting(caller.actor()), access(), |trx| {
            let known = StoredProduct::read(trx, Some(&product_key), &part::<Members>(&changes).code).await?;
            let product = known.product(&product_key)?;
            same_key(&product_key, body.base.key.as_deref())?;
            if_match.check(part::<Members>(product).rev.as_str())?;
            change(trx, product, &known, &changes).await
        })?;
        Ok(Json(stored))
    }

    /// Move a product to the trash
    ///
    /// 409 while a work order of it is not closed, or a product that is not in the trash has it in its bill of materials.
    #[oai(
        path = "/product/:product_key",
        method = "delete",
        operation_id = "delete_product_product__product_key__delete"
    )]
    async fn delete(
        &self,
        #[oai(scope = "Scope::ProductCatalogueDelete")] caller: Caller,
        product_key: Path<String>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        let stored = transaction!(self.0.store.acting(caller.actor()), access(), |trx| {
            let known = StoredProduct::read(trx, Some(&product_key), &Value::Null).await?;
            let product = known.product(&product_key)?;
            if is_trashed(product) {
                return Err(not_found("Product", &product_key));
            }
            change(trx, product, &known, &typed::bound(&Trash { trash: true })?).await
        })?;
        Ok(Json(answer(stored, "moved to trash")))
    }
}

/// The collections of a change, held so that two changes at once never both pass.
pub(crate) fn access() -> Access<'static> {
    References::default()
        .access(Access::of(&[BEFORE_WRITE, USERS, UPDATE]))
        .reading(&["Counter", "Position", "CustomField"])
        .exclusive(&held::PRODUCT)
}

/// Changes some members of a product.
pub(crate) async fn update(trx: &Transaction, product_key: &str, body: &ProductUpdate) -> Result<Value> {
    let changes = body.changes()?;
    let known = StoredProduct::read(trx, Some(product_key), &part::<Members>(&changes).code).await?;
    change(trx, known.product(product_key)?, &known, &changes).await
}

/// Checks a change against what is stored and writes it.
async fn change(trx: &Transaction, product: &Value, known: &StoredProduct, changes: &Value) -> Result<Value> {
    references(changes, product).check(trx).await?;
    let (asked, before): (Members, Members) = (part(changes), part(product));
    let is_recoded = !asked.code.is_null() && asked.code != before.code;
    let comes_back = asked.trash == false && is_trashed(product);
    // Products that have shared a code all along can still be saved.
    if is_recoded || comes_back {
        known.code_must_be_free()?;
    }
    let key = before.key.as_str().unwrap_or_default();
    if asked.trash == true && !is_trashed(product) {
        must_be_unused(trx, key).await?;
    }
    let mut members = changes.clone();
    members["updated"] = clock::now().into();
    let stored = stored::update(trx, stored::update::Params { product_key: key, changes: &members }).await?;
    let stored = stored.ok_or_else(|| not_found("Product", key))?;
    trx.wrote(format!("Product/{key}"), product, &stored);
    Ok(stored)
}

fn is_trashed(product: &Value) -> bool {
    part::<Members>(product).trash == true
}

fn answer(stored: Value, what: &str) -> Envelope {
    let Members { key, code, .. } = part(&stored);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let message = format!("Product {} (KEY: {}) {what}", text(&code), text(&key));
    Envelope::detail(stored).with_message(message)
}

/// 409 that names who still needs a product.
async fn must_be_unused(trx: &Transaction, key: &str) -> Result<()> {
    let users = stored::users(trx, stored::users::Params { product_key: key }).await?;
    let in_use = if !users.work_orders.is_empty() {
        let message = format!("Work orders of the product are open: {}", users.work_orders.join(", "));
        InUse { message, work_orders: users.work_orders, ..InUse::default() }
    } else if !users.product_codes.is_empty() {
        let message = format!("The product is a component of {}", users.product_codes.join(", "));
        InUse { message, product_codes: users.product_codes, ..InUse::default() }
    } else {
        return Ok(());
    };
    Err(Error::answer(StatusCode::CONFLICT, typed::bound(&in_use)?))
}

/// The documents that a change names and the stored product does not.
pub(super) fn references<'a>(changes: &'a Value, stored: &Value) -> References<'a> {
    let mut references = References::default();
    for (member, collection) in [
        ("counter_key", "Counter"),
        ("default_production_position_key", "Position"),
        ("default_consumption_position_key", "Position"),
    ] {
        if let Some(key) = changes[member].as_str().filter(|key| stored[member] != **key) {
            references.add(&[member.into()], collection, key);
        }
    }
    let known: Vec<&str> = field_keys(stored).flatten().collect();
    for (index, key) in field_keys(changes).enumerate() {
        if let Some(text) = key.filter(|key| !known.contains(key)) {
            references.add(&["metadata".into(), index.into(), "custom_field_key".into()], "CustomField", text);
        }
    }
    references
}

/// The fields that entries of a product's data name.
fn field_keys(product: &Value) -> impl Iterator<Item = Option<&str>> {
    let entries = product["metadata"].as_array().into_iter().flatten();
    entries.map(|entry| part::<Entry>(entry).custom_field_key)
}

/// What is stored and decides about a write.
#[derive(Debug, Default)]
pub(super) struct StoredProduct {
    product: Option<Value>,
    /// Whether another product that is not in the trash has the code.
    pub code_taken: bool,
}

impl StoredProduct {
    /// Reads it in the transaction of the write.
    pub(super) async fn read(trx: &Transaction, key: Option<&str>, code: &Value) -> Result<Self> {
        let params = stored::before_write::Params { product_key: key, code };
        let stored::before_write::Row { product, code_taken } = stored::before_write(trx, params).await?;
        Ok(Self { product: product.map(Value::Object), code_taken })
    }

    fn product(&self, key: &str) -> Result<&Value> {
        self.product.as_ref().ok_or_else(|| not_found("Product", key))
    }

    /// 400 when another product that is not in the trash has the code.
    pub(super) fn code_must_be_free(&self) -> Result<()> {
        if !self.code_taken {
            return Ok(());
        }
        Err(with_status(StatusCode::BAD_REQUEST, "A product with the same code already exists"))
    }
}
