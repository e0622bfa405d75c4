//! New products.

use std::path::PathBuf;
use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::Type;
use poem_openapi::{ApiResponse, OpenApi};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::change::{Known, references};
use super::model::defaults;
use crate::api::filing::{Filing, Leaving};
use crate::api::process::plan::text;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Invalid, Result};
use crate::media::{self, Form, PICTURE, Parts, Texts, Upload};
use crate::openapi::{Fails, LONGEST_NOTE, Name, Note, Query};
use crate::store::{Access, Transaction, held, typed};
use crate::{aql, clock, transaction};
use tracewright_model::{Named, TraceabilityLevel};

/// New products.
pub struct Create(pub Arc<App>);

/// The form of a new product.
struct NewProduct;

impl Form for NewProduct {
    const NAME: &'static str = "Body_create_product_product_post";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        let with_default = |schema, default: Value| {
            MetaSchemaRef::Inline(Box::new(MetaSchema { default: Some(default), ..MetaSchema::new(schema) }))
        };
        vec![
            ("code", String::schema_ref()),
            ("description", with_default("string", "".into())),
            ("image", Self::file()),
            ("traceability_level", with_default("string", "".into())),
            ("counter_key", with_default("string", "".into())),
            ("manage_inventory", with_default("boolean", false.into())),
            ("serial_code_on_creation", with_default("boolean", false.into())),
        ]
    }

    fn required() -> Vec<&'static str> {
        vec!["code"]
    }
}

#[derive(ApiResponse)]
enum Created {
    /// The product was created; `detail` is what is stored.
    #[oai(status = 201)]
    Created(Json<Envelope>),
}

#[OpenApi(tag = "Area::Product")]
impl Create {
    /// Create a product
    ///
    /// `traceability_level` is `form_only`, `complete`, or empty for a product without serials. 400 when a product that is
    /// not in the trash has the code.
    #[oai(path = "/product", method = "post", operation_id = "create_product_product_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::ProductCatalogueCreate")] caller: Caller,
        #[oai(default)] serial_code_on_creation: Query<bool>,
        mut parts: Parts<NewProduct>,
        _fails: Fails<400, 413>,
    ) -> Result<Created> {
        let key = Uuid::new_v4().to_string();
        let (product, picture) = self.read(&mut parts, &key, *serial_code_on_creation).await?;
        let folder = self.folder(&key);
        let files = Filing::prepare(&self.0, &folder, picture.into_iter().collect(), Leaving::Nothing).await?;
        let stored = transaction!(self.0.store.acting(caller.actor()), insert_access(&product), |trx| {
            files.note(trx, &format!("Product/{key}"));
            insert(trx, &product).await
        })?;
        Ok(Created::Created(Json(Envelope::detail(stored).with_message("Product created"))))
    }
}

impl Create {
    /// Where the files of a product lie.
    fn folder(&self, key: &str) -> PathBuf {
        self.0.settings.media_root().join("product").join(key)
    }

    /// The product that a form describes, and its picture, received for the product's folder.
    async fn read(
        &self,
        parts: &mut Parts<NewProduct>,
        key: &str,
        code_on_creation: bool,
    ) -> Result<(Value, Option<Upload>)> {
        let folder = self.folder(key);
        let mut texts = Texts::up_to(LONGEST_NOTE * 4);
        let mut picture = None;
        while let Some(part) = parts.next().await? {
            if part.name() != Some("image") {
                texts.read(part).await?;
            } else if media::is_file(&part) {
                let limit = self.0.settings.upload_limit_bytes;
                picture = Some(media::receive(part.into_async_read(), &folder, PICTURE, limit).await?);
            }
        }
        let code = texts.required("code").unwrap_or_default();
        let description = texts.optional("description").unwrap_or_default().to_owned();
        let level = level(&mut texts);
        let manage_inventory = texts.flag("manage_inventory", false);
        let serial_code_on_creation = texts.flag("serial_code_on_creation", code_on_creation);
        let counter_key = texts.optional("counter_key").map(str::to_owned);
        let told = [("code", Name::parse(&code).err()), ("description", Note::parse(&description).err())];
        for (name, mistake) in told {
            if let Some(mistake) = mistake {
                texts.fail(Invalid::new(
                    &["body".into(), name.into()],
                    "value_error",
                    format!("Value error, {mistake}"),
                ));
            }
        }
        texts.finish()?;
        if let Some(picture) = &picture {
            picture.must_be_picture("image").await?;
        }
        let given = Given {
            key,
            code,
            description,
            image: picture.is_some(),
            counter_key,
            traceability_level: level,
            manage_inventory,
            serial_code_on_creation,
        };
        Ok((document(typed::bound(&given)?), picture))
    }
}

/// What the form gives of a new product.
#[derive(Serialize)]
struct Given<'a> {
    #[serde(rename = "_key")]
    key: &'a str,
    code: String,
    description: String,
    image: bool,
    counter_key: Option<String>,
    traceability_level: Option<TraceabilityLevel>,
    manage_inventory: bool,
    serial_code_on_creation: bool,
}

/// The level as forms write it.
fn level(texts: &mut Texts) -> Option<TraceabilityLevel> {
    let text = texts.optional("traceability_level")?;
    let level = TraceabilityLevel::of_name(text);
    match text {
        "true" => Some(TraceabilityLevel::FormOnly),
        "false" => None,
        _ if level.is_some() => level,
        other => {
            let loc = ["body".into(), "traceability_level".into()];
            let msg = "Input should be 'form_only' or 'complete'";
            let mistake = Invalid::new(&loc, "enum", msg).input(other.into());
            texts.fail(mistake);
            None
        }
    }
}

/// What storing a new product reads, writes and holds.
pub(crate) fn insert_access(product: &Value) -> Access<'static> {
    let access = Access::of(&[aql::product::BEFORE_WRITE, aql::product::INSERT]).exclusive(&held::PRODUCT);
    references(product, &Value::Null).access(access)
}

/// Stores a new product. 400 when a product that is not in the trash has the code.
pub(crate) async fn insert(trx: &Transaction, product: &Value) -> Result<Value> {
    references(product, &Value::Null).check(trx).await?;
    Known::read(trx, None, &product["code"]).await?.code_must_be_free()?;
    let stored = aql::product::insert(trx, aql::product::insert::Params { product }).await?;
    trx.wrote(format!("Product/{}", text(&stored, "_key")), &Value::Null, &stored);
    Ok(stored)
}

/// A new product with all members, those given and the defaults of the others.
pub(crate) fn document(given: Value) -> Value {
    let mut product: Map<String, Value> =
        defaults().into_iter().map(|(name, default)| (name.to_owned(), default)).collect();
    let empty = || Value::Array(Vec::new());
    let rest = [
        ("image", Value::Bool(false)),
        ("trash", Value::Bool(false)),
        ("created", clock::now().into()),
        ("updated", Value::Null),
        ("process_phases", empty()),
        ("process_tasks", empty()),
    ];
    product.extend(rest.map(|(name, value)| (name.to_owned(), value)));
    if let Value::Object(given) = given {
        product.extend(given);
    }
    product.into()
}
