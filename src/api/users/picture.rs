//! Pictures of users, stored under their keys: who is renamed keeps theirs, and equal names do not share one.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::registry::MetaSchemaRef;
use serde_json::Value;

use super::rules::Target;
use crate::api::filing::{Filing, Leaving};
use crate::api::found::not_found;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::user::{TARGET, UPDATE, update};
use crate::auth::{Caller, Scope};
use crate::error::{Error, Invalid, Result};
use crate::media::{self, Form, Parts};
use crate::openapi::Fails;
use crate::store::Access;
use crate::transaction;

/// Pictures of users.
pub struct Pictures(pub(super) Arc<App>);

/// The folder of the pictures below the media root.
const FOLDER: &str = "user";
/// The part of the body that is the picture.
const PART: &str = "new_image";

struct NewPicture;

impl Form for NewPicture {
    const NAME: &'static str = "Body_update_user_image_user__user_key__image_put";
    const BODY_REQUIRED: bool = true;

    fn parts() -> Vec<(&'static str, MetaSchemaRef)> {
        vec![(PART, Self::file())]
    }

    fn required() -> Vec<&'static str> {
        vec![PART]
    }
}

#[OpenApi(tag = "Area::Organization")]
impl Pictures {
    /// Set the picture of a user
    ///
    /// A JPEG, PNG, WebP, GIF or BMP file, which is kept as it is.
    #[oai(path = "/user/:user_key/image", method = "put", operation_id = "update_user_image_user__user_key__image_put")]
    async fn set(
        &self,
        #[oai(scope = "Scope::OrgUserWrite")] caller: Caller,
        user_key: Path<String>,
        mut parts: Parts<NewPicture>,
        _fails: Fails<404, 413>,
    ) -> Result<Json<Envelope>> {
        let name = format!("{}.jpg", *user_key);
        if !media::is_part(&name) {
            return Err(not_found("User", &user_key));
        }
        let settings = &self.0.settings;
        let folder = settings.media_root().join(FOLDER);
        let mut picture = None;
        while let Some(part) = parts.next().await? {
            if part.name() == Some(PART) {
                let limit = settings.upload_limit_bytes;
                let upload = media::receive(part.into_async_read(), &folder, &name, limit).await?;
                upload.must_be_picture(PART).await?;
                picture = Some(upload);
            }
        }
        let picture = picture.ok_or_else(missing)?;
        let files = Filing::prepare(&self.0, &folder, vec![picture], Leaving::Nothing).await?;
        let access = Access::of(&[TARGET, UPDATE]).in_turn(&["User"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            Target::find(trx, &user_key).await?.check_caller(&caller)?;
            files.note(trx, &format!("User/{}", *user_key));
            let changes = &Value::from_iter([("image", true)]);
            update(trx, update::Params { user_key: &user_key, changes }).await.map(drop)
        })?;
        Ok(Json(Envelope::message("File saved correctly")))
    }
}

fn missing() -> Error {
    Error::Validation(vec![Invalid::new(&["body".into(), PART.into()], "missing", "Field required")])
}
