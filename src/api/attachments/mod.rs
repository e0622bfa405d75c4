//! Files attached to entities.

mod target;
mod upload;

use std::sync::Arc;

use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;
use serde_json::Value;

use super::Area;
use super::filing::{Filing, Leaving};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::media::Parts;
use crate::openapi::Fails;
use target::Folder;
use upload::{Request, UploadForm};

/// Files attached to entities.
pub struct Attachments(pub Arc<App>);

/// What kind of entity a file belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
enum FileBucket {
    Issue,
    Product,
    Step,
    Traceability,
    User,
    Serial,
    Task,
}

/// The files to delete.
#[derive(Debug, Object)]
#[oai(rename = "Body_delete_files_files_delete")]
struct DeleteRequest {
    filenames: Vec<String>,
    bucket: FileBucket,
    object_key: String,
    subfolder: Option<String>,
}

#[OpenApi(tag = "Area::Attachments")]
impl Attachments {
    /// Upload files to an entity
    ///
    /// Everything is checked before the first file is put in its place; a request that fails leaves no file behind.
    /// With `reset_folder` the files that lay in the folder are gone afterwards.
    #[oai(path = "/files", method = "post", operation_id = "upload_files_files_post")]
    async fn upload(
        &self,
        #[oai(scope = "Scope::AttachmentFileUpload")] caller: Caller,
        parts: Parts<UploadForm>,
        _fails: Fails<404, 413>,
    ) -> Result<Json<Option<Value>>> {
        let settings = &self.0.settings;
        let request = Request::read(parts, &settings.media_root(), settings.upload_limit_bytes).await?;
        let folder = Folder::find(&self.0, request.bucket, &request.object_key, request.subfolder.as_deref()).await?;
        let Folder { path, id } = folder.clone();
        let (coming, leaving) = blocking(move || request.for_folder(&folder)).await?;
        let files = Filing::prepare(&self.0, &path, coming, leaving).await?;
        files.commit(&self.0.store, caller.actor(), &id).await?;
        Ok(Json(None))
    }

    /// Delete named files of an entity
    ///
    /// All or nothing: 404 names the first file that is missing. Folders that become empty go.
    #[oai(path = "/files", method = "delete", operation_id = "delete_files_files_delete")]
    async fn delete(
        &self,
        #[oai(scope = "Scope::AttachmentFileDelete")] caller: Caller,
        body: Json<DeleteRequest>,
        _fails: Fails<404>,
    ) -> Result<Json<Option<Value>>> {
        let DeleteRequest { filenames, bucket, object_key, subfolder } = body.0;
        let folder = Folder::find(&self.0, bucket, &object_key, subfolder.as_deref()).await?;
        let files = Filing::prepare(&self.0, &folder.path, Vec::new(), Leaving::Named(filenames)).await?;
        files.or(not_found)?.commit(&self.0.store, caller.actor(), &folder.id).await?;
        Ok(Json(None))
    }
}

/// That there is no such file.
#[derive(Serialize)]
struct NotFound {
    message: String,
    error: &'static str,
}

fn not_found(name: &str) -> Error {
    let detail = NotFound { message: format!("File '{name}' not found"), error: "No such file" };
    Error::detailed(poem::http::StatusCode::NOT_FOUND, &detail)
}

/// Work on the file system, away from the threads that answer requests.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|cause| Error::internal("The files could not be changed.", cause))?
}
