//! Documents and the picture of a product.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::registry::MetaSchemaRef;
use serde::Serialize;
use serde_json::Value;

use super::model::ProductDoc;
use crate::api::filing::{Filing, Leaving};
use crate::api::found::not_found;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::media::{self, Form, Naming, PICTURE, Parts};
use crate::openapi::Fails;
use crate::settings::Settings;
use crate::store::{Access, typed};
use crate::trail::Actor;
use crate::{aql, clock, transaction};

/// Documents and the picture of a product.
pub struct Files(pub Arc<App>);

struct NewDocument;

impl Form for NewDocument {
    const NAME: &'static str = "Body_save_doc_product__product_key__doc_post";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        vec![("new_doc", Self::file())]
    }

    fn required() -> Vec<&'static str> {
        vec!["new_doc"]
    }
}

struct NewPicture;

impl Form for NewPicture {
    const NAME: &'static str = "Body_replace_product_image_product__product_key__image_put";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        vec![("new_image", Self::file())]
    }

    fn required() -> Vec<&'static str> {
        vec!["new_image"]
    }
}

#[OpenApi(tag = "Area::Product")]
impl Files {
    /// Attach a document to a product
    ///
    /// A document of the same name is replaced. The answer is the name under which it is stored.
    #[oai(
        path = "/product/:product_key/doc",
        method = "post",
        operation_id = "save_doc_product__product_key__doc_post"
    )]
    async fn attach(
        &self,
        #[oai(scope = "Scope::ProductCatalogueUpdate")] caller: Caller,
        product_key: Path<String>,
        mut parts: Parts<NewDocument>,
        _fails: Fails<404, 413>,
    ) -> Result<Json<String>> {
        let folder = self.existing(&product_key).await?.join("doc");
        let limit = self.0.settings.upload_limit_bytes;
        let upload = media::receive_one(&mut parts, "new_doc", &folder, Naming::Sent, limit).await?;
        let name = upload.name();
        let files = Filing::prepare(&self.0, &folder, vec![upload], Leaving::Nothing).await?;
        files.commit(&self.0.store, caller.actor(), &id(&product_key)).await?;
        Ok(Json(name))
    }

    /// Remove a document of a product
    #[oai(
        path = "/product/:product_key/doc/:doc_name",
        method = "delete",
        operation_id = "delete_doc_product__product_key__doc__doc_name__delete"
    )]
    async fn remove_document(
        &self,
        #[oai(scope = "Scope::ProductCatalogueUpdate")] caller: Caller,
        product_key: Path<String>,
        doc_name: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Value>> {
        let folder = self.existing(&product_key).await?.join("doc");
        let leaving = Leaving::Named(vec![doc_name.to_string()]);
        let files = Filing::prepare(&self.0, &folder, Vec::new(), leaving).await?;
        let files = files.or(|name| not_found("Document", name))?;
        files.commit(&self.0.store, caller.actor(), &id(&product_key)).await?;
        Ok(Json(Value::Null))
    }

    /// Set the picture of a product
    #[oai(
        path = "/product/:product_key/image",
        method = "put",
        operation_id = "replace_product_image_product__product_key__image_put"
    )]
    async fn replace_picture(
        &self,
        #[oai(scope = "Scope::ProductCatalogueUpdate")] caller: Caller,
        product_key: Path<String>,
        mut parts: Parts<NewPicture>,
        _fails: Fails<404, 413>,
    ) -> Result<Json<Envelope>> {
        let folder = self.existing(&product_key).await?;
        let limit = self.0.settings.upload_limit_bytes;
        let upload = media::receive_one(&mut parts, "new_image", &folder, Naming::Fixed(PICTURE), limit).await?;
        upload.must_be_picture("new_image").await?;
        let files = Filing::prepare(&self.0, &folder, vec![upload], Leaving::Nothing).await?;
        self.note_picture(caller.actor(), &product_key, files, true).await?;
        Ok(Json(Envelope::message("File saved correctly")))
    }

    /// Remove the picture of a product
    #[oai(
        path = "/product/:product_key/image",
        method = "delete",
        operation_id = "replace_product_image_product__product_key__image_delete"
    )]
    async fn remove_picture(
        &self,
        #[oai(scope = "Scope::ProductCatalogueUpdate")] caller: Caller,
        product_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<Value>> {
        let folder = self.existing(&product_key).await?;
        let leaving = Leaving::Named(vec![PICTURE.to_owned()]);
        let files = Filing::prepare(&self.0, &folder, Vec::new(), leaving).await?;
        let key = product_key.0.clone();
        let files = files.or(move |_| not_found("Picture of product", &key))?;
        self.note_picture(caller.actor(), &product_key, files, false).await?;
        Ok(Json(Value::Null))
    }
}

impl Files {
    /// The folder of a product that exists.
    async fn existing(&self, key: &str) -> Result<PathBuf> {
        let found = aql::product::exists(&self.0.store, aql::product::exists::Params { product_key: key }).await?;
        found.and_then(|key| folder(&self.0.settings, &key)).ok_or_else(|| not_found("Product", key))
    }

    async fn note_picture(&self, actor: &Actor, key: &str, files: Filing, image: bool) -> Result<()> {
        let changes = typed::bound(&Picture { image, updated: clock::now() })?;
        let params = aql::product::update::Params { product_key: key, changes: &changes };
        transaction!(self.0.store.acting(actor), Access::of(&[aql::product::UPDATE]), |trx| {
            trx.watch("Product", [key]).await?;
            files.note(trx, &id(key));
            let stored = aql::product::update(trx, params.clone()).await?;
            stored.map(drop).ok_or_else(|| not_found("Product", key))
        })
    }
}

/// What is written of a product whose picture comes or goes.
#[derive(Serialize)]
struct Picture {
    image: bool,
    updated: String,
}

fn id(product_key: &str) -> String {
    format!("Product/{product_key}")
}

/// Where the files of a product lie; `None` for a key that cannot name a folder.
pub(super) fn folder(settings: &Settings, key: &str) -> Option<PathBuf> {
    media::is_part(key).then(|| settings.media_root().join("product").join(key))
}

/// The documents in the folder of a product, by name.
pub(super) async fn docs(folder: &FilePath) -> Result<Vec<ProductDoc>> {
    let files = media::files_in(&folder.join("doc")).await;
    let files = files.map_err(|e| Error::internal("The documents of the product could not be listed.", e))?;
    Ok(files.into_iter().map(|(name, size)| ProductDoc { name, size }).collect())
}

/// The documents of a product, by name.
pub(in crate::api) async fn documents(settings: &Settings, key: &str) -> Result<Vec<ProductDoc>> {
    match folder(settings, key) {
        Some(folder) => docs(&folder).await,
        None => Ok(Vec::new()),
    }
}

/// The name of the picture in the folder of a product, when there is one.
pub(super) async fn picture(folder: &FilePath) -> Option<String> {
    let exists = tokio::fs::try_exists(folder.join(PICTURE)).await.unwrap_or(false);
    exists.then(|| PICTURE.to_owned())
}
