//! Bulk import of count records: a dry run that tells every mistake, then the execution of what was found right.

mod answer;
mod files;
mod form;
mod rows;
mod rules;

use std::path::Path;
use std::sync::Arc;

use poem_openapi::OpenApi;
use serde::Serialize;

use crate::api::{Area, Envelope};
use crate::app::App;
use crate::aql::counting as stored;
use crate::aql::rows::ImportedCount;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::events::noted::CountImported;
use crate::events::{self, Call, Concerned};
use crate::media::{self, Parts};
use crate::openapi::Fails;
use crate::sheets::{Message, Portions};
use crate::store::{Access, Transaction, held};
use crate::{aql, transaction};
use answer::{Answer, CountImportValidation};
use files::Kept;
use form::{ImportForm, Mode, Request};
use rows::Reader;
use rules::{Checked, Known};
use tracewright_model::CountSessionStatus;

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
    async fn import(
        &self,
        #[oai(scope = "Scope::InventoryCountApply")] caller: Caller,
        parts: Parts<ImportForm>,
        _fails: Fails<400, 404, 413, 422>,
    ) -> Result<Answer> {
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
        let params = stored::session_statuses::Params { session_keys: [session_key].into_iter().collect() };
        is_completed(stored::session_statuses(&self.0.store, params).await?.pop())
    }

    async fn validate(&self, caller: &Caller, request: Request, mode: Mode, folder: &Path) -> Result<Answer> {
        media::remove_expired(folder).await;
        let upload = request.upload.ok_or_else(|| Error::bad_request("A file is needed for a dry run"))?;
        let (path, name) = (upload.path(), upload.name.as_str());
        let (checked, ignored_columns, discarded) = transaction!(
            self.0.store,
            Access::of(&[aql::counting::IMPORT_PARTS, aql::counting::REPLACED_RECORDS]),
            |trx| {
                let (checked, ignored) = check(trx, path, name).await?;
                let discarded = discarded(trx, &request.session_key, mode, &checked).await?;
                Ok((checked, ignored, discarded))
            }
        )?;
        if !checked.errors.is_empty() {
            return answer::error_workbook(path, name, checked).await;
        }
        let kept = Kept {
            session_key: request.session_key,
            user_key: caller.user_key().to_owned(),
            import_mode: mode,
            filename: upload.name.clone(),
            validated: true,
            approved: checked.fingerprint(mode, &discarded),
        };
        let file_key = upload.keep(folder, &kept).await?;
        Ok(Answer::Valid(CountImportValidation {
            status: "valid".to_owned(),
            file_key,
            filename: kept.filename,
            rows_total: checked.rows,
            rows_valid: checked.rows,
            records_to_add: checked.counts.len(),
            records_to_discard: discarded.len(),
            import_mode: mode,
            ignored_columns,
        }))
    }

    async fn execute(&self, caller: &Caller, request: &Request, mode: Mode, folder: &Path) -> Result<Answer> {
        let file_key = request.file_key.as_deref().filter(|key| !key.is_empty());
        let file_key = file_key.ok_or_else(|| Error::bad_request("A file_key is needed to execute an import"))?;
        let (path, kept) = files::find(folder, file_key, &request.session_key).await?;
        if kept.import_mode != mode {
            return Err(Error::rule("The import file was validated for another import_mode, please validate again"));
        }
        let execution = media::Execution::begin(path).await?.ok_or_else(files::gone)?;
        let access = Access::of(&[
            aql::counting::SESSION_STATUSES,
            aql::counting::IMPORT_PARTS,
            aql::counting::REPLACED_RECORDS,
            aql::counting::DISCARD_RECORDS,
            aql::counting::INSERT_RECORDS,
        ])
        .and(&events::QUERIES)
        .exclusive(&held::COUNTS);
        let (rows, added, discarded) = transaction!(self.0.store, access, |trx| {
            let mut call = Call::of_operation(&self.0.recorder, trx, caller);
            let counts = write(&mut call, execution.path(), file_key, &kept).await?;
            call.write(None).await.map(|()| counts)
        })?;
        execution.done().await;
        let message = format!("Successfully imported {added} count records");
        let detail = Imported { message: &message, rows_total: rows, rows_added: added, rows_discarded: discarded };
        let envelope = Envelope::of(&detail);
        Ok(Answer::Done(envelope.with_message(message)))
    }
}

/// What is answered of an import.
#[derive(Serialize)]
struct Imported<'a> {
    message: &'a str,
    rows_total: usize,
    rows_added: usize,
    rows_discarded: usize,
}

fn is_completed(row: Option<stored::session_statuses::Row>) -> Result<()> {
    match row {
        None => Err(Error::not_found("Counting session not found")),
        Some(row) if row.status == CountSessionStatus::Completed => Ok(()),
        Some(row) => {
            Err(Error::rule(format!("The counting session must be completed to import records, it is {}", row.status)))
        }
    }
}

/// Checks the file at `path` portion by portion, and returns what it adds up to and the columns that mean nothing.
async fn check(trx: &Transaction, path: &Path, name: &str) -> Result<(Checked, Vec<String>)> {
    let mut checked = Checked::default();
    let mut portions = Portions::<Reader>::open(path, name).await;
    loop {
        match portions.next().await? {
            Message::Rows(rows) => {
                let names = rows::names(&rows);
                let known = Known::from(stored::import_parts(trx, names.params()).await?);
                checked.add(&rows, &known);
            }
            Message::End(ignored) => return Ok((checked, ignored)),
        }
    }
}

/// The keys of the records that an import takes the place of.
async fn discarded(trx: &Transaction, session_key: &str, mode: Mode, checked: &Checked) -> Result<Vec<String>> {
    let (pairs, replace_all) = (checked.pairs(), mode == Mode::Replace);
    let params = stored::replaced_records::Params { session_key, replace_all, pairs: (&pairs).into() };
    stored::replaced_records(trx, params).await
}

/// Writes the records of a file and returns how many rows it has, how many records were added and how many discarded.
async fn write(call: &mut Call<'_>, path: &Path, file_key: &str, kept: &Kept) -> Result<(usize, usize, usize)> {
    let (trx, session_key) = (call.trx, &kept.session_key);
    let statuses = stored::session_statuses::Params { session_keys: [session_key].into_iter().collect() };
    is_completed(stored::session_statuses(trx, statuses).await?.pop())?;
    let (checked, ignored_columns) = check(trx, path, &kept.filename).await?;
    if !checked.errors.is_empty() {
        return Err(Error::rule("The file is not valid any more. Please validate again."));
    }
    let discarded = discarded(trx, session_key, kept.import_mode, &checked).await?;
    if checked.fingerprint(kept.import_mode, &discarded) != kept.approved {
        return Err(Error::rule("What the validation found has changed since. Please validate again."));
    }
    let (now, user_key) = (call.stored_time(), call.user_key().to_owned());
    for keys in discarded.chunks(CHUNK) {
        stored::discard_records(trx, stored::discard_records::Params { keys: keys.into() }).await?;
    }
    let mut records = checked.records(session_key, &user_key, &now).peekable();
    while records.peek().is_some() {
        let portion: Vec<ImportedCount> = records.by_ref().take(CHUNK).collect();
        stored::insert_records(trx, stored::insert_records::Params { records: &portion }).await?;
    }
    let (rows, added, discarded) = (checked.rows, checked.counts.len(), discarded.len());
    let imported = CountImported {
        count_session_key: session_key.clone(),
        import_mode: kept.import_mode.name().to_owned(),
        import_file_key: file_key.to_owned(),
        import_filename: kept.filename.clone(),
        rows_total: rows,
        rows_added: added,
        rows_updated: 0,
        rows_discarded: discarded,
        ignored_columns,
    };
    call.record(None, &imported, Concerned::default());
    Ok((rows, added, discarded))
}
