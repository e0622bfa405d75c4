//! Import of the catalogue: a dry run that tells every mistake, then the execution of what was found right.

mod answer;
mod form;
mod rows;
mod rules;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use poem::http::StatusCode;
use poem_openapi::OpenApi;
use serde::{Deserialize, Serialize};

use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::noted::ProductImported;
use crate::events::{self, Call, Concerned};
use crate::media::{self, Parts};
use crate::openapi::Fails;
use crate::sheets::{Message, Portions};
use crate::store::{Access, Transaction, held, typed};
use crate::{aql, transaction};
use answer::{Answer, ProductImportValidation};
use form::{ImportForm, Request};
use rows::{Reader, Row};
use rules::Checked;

/// Import of the catalogue.
pub struct Import(pub Arc<App>);

/// What is known of a file that waits for its execution.
#[derive(Debug, Serialize, Deserialize)]
struct ValidatedFile {
    user_key: String,
    filename: String,
    validated: bool,
}

#[OpenApi(tag = "Area::Product")]
impl Import {
    /// Import of the catalogue
    ///
    /// A dry run checks a CSV or Excel file with the columns of the export, of which only `code` is needed. When rows are
    /// wrong the answer is a workbook that tells which, and why; else a `file_key` with which the import is executed:
    /// unknown codes become new products, of known ones the columns that are there are replaced. An empty cell clears.
    #[oai(path = "/product/import", method = "post", operation_id = "import_products_product_import_post")]
    async fn import(
        &self,
        #[oai(scope = "Scope::ProductCatalogueCreate", scope = "Scope::ProductCatalogueUpdate")] caller: Caller,
        parts: Parts<ImportForm>,
        _fails: Fails<400, 404, 422>,
    ) -> Result<Answer> {
        let folder = self.0.settings.media_root().join("product_import");
        let request = form::read(parts, &folder).await?;
        if request.dry_run {
            self.validate(&caller, request, &folder).await
        } else {
            self.execute(&caller, request, &folder).await
        }
    }
}

impl Import {
    async fn validate(&self, caller: &Caller, request: Request, folder: &Path) -> Result<Answer> {
        media::remove_expired(folder).await;
        let upload = request.upload.ok_or_else(|| Error::bad_request("A file is needed for a dry run"))?;
        let (path, name) = (upload.path(), upload.name.clone());
        let (checked, ignored_columns) =
            transaction!(self.0.store, Access::of(&[aql::product::IMPORT_PARTS]), |trx| {
                check(trx, path, &name).await
            })?;
        if checked.has_errors() {
            return answer::error_workbook(path, &name, checked).await;
        }
        let kept = ValidatedFile { user_key: caller.user_key().to_owned(), filename: name.clone(), validated: true };
        let file_key = upload.keep(folder, &kept).await?;
        Ok(Answer::Valid(ProductImportValidation::new(file_key, name, checked, ignored_columns)))
    }

    async fn execute(&self, caller: &Caller, request: Request, folder: &Path) -> Result<Answer> {
        let file_key =
            request.file_key.ok_or_else(|| Error::bad_request("A file_key is needed to execute an import"))?;
        let (path, kept) = find(folder, &file_key, caller).await?;
        let execution = media::Execution::begin(path).await?.ok_or_else(gone)?;
        let access = Access::of(&write::QUERIES).and(&[aql::product::IMPORT_PARTS]).and(&events::QUERIES);
        let access = access.exclusive(&held::PRODUCTS);
        let summary = transaction!(self.0.store, access, |trx| {
            let (checked, _) = check(trx, execution.path(), &kept.filename).await?;
            if checked.has_errors() {
                return Err(Error::rule("The file is not valid any more. Please validate again."));
            }
            let mut call = Call::of_operation(&self.0.recorder, trx, caller);
            let summary = write::rows(trx, checked, &call.stored_time()).await?;
            let imported = ProductImported {
                import_file_key: file_key.clone(),
                import_filename: kept.filename.clone(),
                rows_total: summary.total,
                rows_created: summary.created,
                rows_updated: summary.updated,
                rows_skipped: summary.skipped,
            };
            call.record(None, &imported, Concerned::default());
            call.write(None).await.map(|()| summary)
        })?;
        execution.done().await;
        Ok(Answer::Done(Envelope::detail(typed::bound(&summary)?).with_message("Import complete")))
    }
}

fn gone() -> Error {
    Error::not_found("The import file is gone, please validate again")
}

/// A kept file that this caller validated.
async fn find(folder: &Path, file_key: &str, caller: &Caller) -> Result<(PathBuf, ValidatedFile)> {
    let (path, kept) = media::find_waiting::<ValidatedFile>(folder, file_key).await.ok_or_else(gone)?;
    match kept.filter(|kept| kept.validated) {
        None => Err(Error::rule("The import file was not validated")),
        Some(kept) if kept.user_key != caller.user_key() => {
            Err(Error::answer(StatusCode::FORBIDDEN, "The import file was validated by another user".into()))
        }
        Some(kept) => Ok((path, kept)),
    }
}

/// Checks the file at `path` portion by portion, and returns what it says and the columns that mean nothing.
async fn check(trx: &Transaction, path: &Path, name: &str) -> Result<(Checked, Vec<String>)> {
    let mut checked = Checked::default();
    let mut portions = Portions::<Reader>::open(path, name).await;
    loop {
        match portions.next().await? {
            Message::Rows(rows) => {
                let known = aql::product::import_parts(trx, Row::names(&rows)).await?;
                checked.add(rows, &known);
            }
            Message::End(ignored) => return Ok((checked, ignored)),
        }
    }
}
