//! Copies of whole products.

use std::collections::BTreeMap;
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{ApiResponse, Object, OpenApi};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::change::StoredProduct;
use super::files;
use crate::api::process::plan::{self, Plan, Stored, text};
use crate::api::process::step_media;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::product::{self as stored, BEFORE_WRITE, COPY_TAGS, INSERT, LIVE_KEY};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::media::{CopiedFolders, Source};
use crate::openapi::{Fails, Name, Note};
use crate::store::typed;
use crate::{clock, transaction};

/// Copies of products.
pub struct Copy(pub Arc<App>);

/// What is copied, and how the copy is called.
#[derive(Debug, Object)]
#[oai(rename = "Body_copy_product_product_copy_post")]
struct CopyRequest {
    /// Key of the product, with `by_code` its code.
    original_product: String,
    new_code: Name,
    /// That of the original when absent.
    new_description: Option<Note>,
    #[oai(default)]
    by_code: bool,
}

/// What names the copy.
#[derive(Serialize)]
struct NewProduct {
    new_product_key: String,
}

#[derive(ApiResponse)]
enum Copied {
    /// The copy was made; `detail.new_product_key` names it.
    #[oai(status = 201)]
    Copied(Json<Envelope>),
}

#[OpenApi(tag = "Area::Product")]
impl Copy {
    /// Deep copy of a product under a new code
    ///
    /// With its process, bill of materials, tags, print templates and files. The original stays as it is.
    #[oai(path = "/product/copy", method = "post", operation_id = "copy_product_product_copy_post")]
    async fn copy(
        &self,
        #[oai(scope = "Scope::ProductCatalogueCreate")] caller: Caller,
        body: Json<CopyRequest>,
        _fails: Fails<404, 409>,
    ) -> Result<Copied> {
        let queries = [LIVE_KEY, BEFORE_WRITE, INSERT, COPY_TAGS];
        let access = plan::access().and(&queries).in_turn(&["has_tag"]);
        let key = Uuid::new_v4().to_string();
        let unknown = || Error::message(StatusCode::NOT_FOUND, format!("Product {} not found", body.original_product));
        let acting = self.0.store.acting(caller.actor());
        let (code, files): (String, CopiedFolders) = transaction!(acting, access, |trx| {
            let named = stored::live_key::Params { name: &body.original_product, by_code: body.by_code };
            let original = stored::live_key(trx, named).await?.ok_or_else(unknown)?;
            let source = Stored::read(trx, &[&original]).await?.remove(&original).ok_or_else(unknown)?;
            let known = StoredProduct::read(trx, None, &body.new_code.to_json().unwrap_or_default()).await?;
            if known.code_taken {
                let message = format!("A product with the code {} already exists", &*body.new_code);
                return Err(Error::message(StatusCode::CONFLICT, message));
            }
            let (product, plan) = plan_copy(&body, &source, &key)?;
            let files = self.copy_files(&original, &key, &plan).await?;
            stored::insert(trx, stored::insert::Params { product: &product }).await?;
            let (from, to) = (format!("Product/{original}"), format!("Product/{key}"));
            let tags = stored::copy_tags(trx, stored::copy_tags::Params { from: &from, to: &to }).await?;
            trx.replaced(Some(from), "copied to", Value::Null, to.as_str());
            trx.wrote(to.clone(), &Value::Null, &product);
            for tag in &tags {
                trx.replaced(Some(to.clone()), "tag", Value::Null, tag.as_str());
            }
            plan.write(trx, &[], &clock::now()).await?;
            Ok((text(&source.product, "code").to_owned(), files))
        })?;
        files.place().await?;
        let message = format!("Product {code} copied to {}", &*body.new_code);
        let detail = typed::bound(&NewProduct { new_product_key: key })?;
        Ok(Copied::Copied(Json(Envelope::detail(detail).with_message(message))))
    }
}

impl Copy {
    async fn copy_files(&self, original: &str, key: &str, plan: &Plan) -> Result<CopiedFolders> {
        let settings = &self.0.settings;
        let own = files::folder(settings, original).zip(files::folder(settings, key));
        let own = own.map(|(from, to)| (Source::Folder(from), to));
        CopiedFolders::make(own.into_iter().chain(step_media::pairs(settings, &plan.files)).collect()).await
    }
}

/// The new product, and what else is written for it.
fn plan_copy(body: &CopyRequest, source: &Stored, key: &str) -> Result<(Value, Plan)> {
    let mut plan = Plan::default();
    let phases: BTreeMap<String, String> = plan.copy_phases(source, key).into_iter().collect();
    for line in &source.lines {
        let phase = text(line, "_from").strip_prefix("Phase/").and_then(|phase| phases.get(phase));
        if let Some(phase) = phase {
            plan.line(line, phase);
        }
    }
    plan.use_templates("product", &format!("Product/{key}"), source.templates(text(&source.product, "_id")));
    let mut product = plan::without_metadata(&source.product);
    let order = source.phases().filter_map(|phase| phases.get(text(phase, "_key")));
    let own = typed::bound(&Own {
        key,
        code: &body.new_code,
        description: body.new_description.as_deref(),
        active: true,
        trash: false,
        created: clock::now(),
        updated: None,
        process_phases: order.collect(),
    })?;
    if let (Value::Object(product), Value::Object(own)) = (&mut product, own) {
        product.extend(own);
    }
    Ok((product, plan))
}

/// What a copy has of its own.
#[derive(Serialize)]
struct Own<'a> {
    #[serde(rename = "_key")]
    key: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    active: bool,
    trash: bool,
    created: String,
    updated: Option<String>,
    process_phases: Vec<&'a String>,
}
