//! Bulk import of count records: a dry run that tells every mistake, then the execution of what was found right.

mod answer;
mod files;
mod form;
mod rows;
mod rules;
mod sheet;

use std::path::Path;
use std::sync::Arc;

use poem_openapi::OpenApi;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::insert_event;
use crate::api::{Area, Envelope};
use crate::app::App;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::media::Parts;
use crate::store::{self, Access, Transaction};
use crate::{clock, query, transaction};
use answer::{Answer, CountImportValidation};
use files::Kept;
use form::{ImportForm, Mode, Request};
use rows::Sheet;
use rules::{Checked, Known};

const STATUSES: store::Query = query!("counting/session_statuses");
const PARTS: store::Query = query!("counting/import_parts");
const REPLACED: store::Query = query!("counting/replaced_records");
const DISCARD: store::Query = query!("counting/discard_records");
const INSERT: store::Query = query!("counting/insert_records");

/// Records written by one query.
const CHUNK: usize = 2_000;

/// Bulk import of count records.
pub struct Import(pub Arc<App>);

#[OpenApi(tag = "Area::Warehouse")]
impl Import {
    /// Bulk import of count records
    ///
    /// A dry run checks a CSV or Excel file with the columns `position_code`, `product_code`, `counted_qt` and
    /// `serial_code`. When rows are wrong the answer is a workbook that tells which, and why; else a `file_key` with
    /// which the import is executed.
    #[oai(
        path = "/inventory/count-record/import",
        method = "post",
        operation_id = "import_count_records_inventory_count_record_import_post"
    )]
    async fn import(&self, caller: Caller, parts: Parts<ImportForm>) -> Result<Answer> {
        let folder = files::folder(&self.0.settings);
        let request = form::read(parts, &folder, self.0.settings.upload_limit_bytes).await?;
        let mode = request.mode()?;
        self.check_session(&request.session_key).await?;
        if request.dry_run {
            self.validate(&caller, request, mode, &folder).await
        } else {
            self.execute(&caller, &request, mode, &folder).await
        }
    }
}

impl Import {
    async fn check_session(&self, session_key: &str) -> Result<()> {
        let row = self.0.store.row(&STATUSES, json!({"session_keys": [session_key]})).await?;
        is_completed(row)
    }

    async fn validate(&self, caller: &Caller, request: Request, mode: Mode, folder: &Path) -> Result<Answer> {
        let upload = request.upload.ok_or_else(|| Error::bad_request("A file is needed for a dry run"))?;
        let sheet = sheet::read(upload.path(), &upload.name).await?;
        let known: Known = self.0.store.row(&PARTS, sheet.names()).await?.unwrap_or_default();
        let checked = Checked::new(&sheet, &known);
        if checked.error_count() > 0 {
            return answer::error_workbook(sheet, checked).await;
        }
        let params = replaced(&request.session_key, mode, &checked);
        let discarded: Vec<String> = self.0.store.rows(&REPLACED, params).await?;
        let kept = Kept {
            session_key: request.session_key,
            user_key: caller.user_key().to_owned(),
            import_mode: mode,
            filename: upload.name.clone(),
            validated: true,
        };
        let file_key = files::keep(upload, folder, &kept).await?;
        Ok(Answer::Valid(CountImportValidation {
            status: "valid".to_owned(),
            file_key,
            filename: kept.filename,
            rows_total: sheet.rows.len(),
            rows_valid: sheet.rows.len(),
            records_to_add: checked.counts.len(),
            records_to_discard: discarded.len(),
            import_mode: mode,
            ignored_columns: sheet.ignored,
        }))
    }

    async fn execute(&self, caller: &Caller, request: &Request, mode: Mode, folder: &Path) -> Result<Answer> {
        let file_key = request.file_key.as_deref().filter(|key| !key.is_empty());
        let file_key = file_key.ok_or_else(|| Error::bad_request("A file_key is needed to execute an import"))?;
        let (path, kept) = files::find(folder, file_key, &request.session_key).await?;
        let sheet = sheet::read(&path, &kept.filename).await?;
        let access = Access::of(&[STATUSES, PARTS, REPLACED, DISCARD, INSERT, super::super::INSERT_EVENT])
            .exclusive(&["InventoryCountSession", "inventory_count_record"]);
        let (added, discarded) = transaction!(self.0.store, access, |trx| {
            write(trx, caller, &request.session_key, mode, &sheet, &kept.filename).await
        })?;
        files::remove(&path).await;
        let message = format!("Successfully imported {added} count records");
        let detail = json!({
            "message": message, "rows_total": sheet.rows.len(), "rows_added": added, "rows_discarded": discarded,
        });
        Ok(Answer::Done(Envelope::detail(detail).with_message(message)))
    }
}

#[derive(Deserialize)]
struct Status {
    status: String,
}

fn is_completed(row: Option<Status>) -> Result<()> {
    match row {
        None => Err(Error::not_found("Counting session not found")),
        Some(row) if row.status == "completed" => Ok(()),
        Some(row) => {
            Err(Error::rule(format!("The counting session must be completed to import records, it is {}", row.status)))
        }
    }
}

fn replaced(session_key: &str, mode: Mode, checked: &Checked) -> Value {
    json!({"session_key": session_key, "replace_all": mode == Mode::Replace, "pairs": checked.pairs()})
}

/// Writes the records of a sheet and returns how many were added and how many discarded.
async fn write(
    trx: &Transaction,
    caller: &Caller,
    session_key: &str,
    mode: Mode,
    sheet: &Sheet,
    filename: &str,
) -> Result<(usize, usize)> {
    is_completed(trx.row(&STATUSES, json!({"session_keys": [session_key]})).await?)?;
    let known: Known = trx.row(&PARTS, sheet.names()).await?.unwrap_or_default();
    let checked = Checked::new(sheet, &known);
    if checked.error_count() > 0 {
        return Err(Error::rule("The file is not valid any more. Please validate again."));
    }
    let now = clock::now();
    let discarded: Vec<String> = trx.rows(&REPLACED, replaced(session_key, mode, &checked)).await?;
    for keys in discarded.chunks(CHUNK) {
        trx.run(&DISCARD, json!({"keys": keys})).await?;
    }
    let records = checked.records(session_key, caller.user_key(), &now);
    for records in records.chunks(CHUNK) {
        trx.run(&INSERT, json!({"records": records})).await?;
    }
    let info = json!({
        "inventory_count_session_key": session_key, "import_mode": mode, "filename": filename,
        "rows_total": sheet.rows.len(), "rows_added": records.len(), "rows_discarded": discarded.len(),
    });
    insert_event(trx, caller, "COUNT_IMPORTED", &now, info).await?;
    Ok((records.len(), discarded.len()))
}
