//! What an import of products answers.

use std::path::Path;

use poem_openapi::Object;

use super::super::columns::COLUMNS;
use super::rows::Reader;
use super::rules::{Action, Checked};
use crate::api::import_answer::{ImportAnswer, ImportErrors};
use crate::error::Result;
use crate::sheets::{self, Verdict};

/// The answer to an import.
pub(super) type Answer = ImportAnswer<ProductImportValidation>;

/// What a row of the file will do.
#[derive(Debug, Object)]
struct ProductImportRow {
    /// Where it stands, counted from 2: the first line names the columns.
    row: usize,
    code: String,
    action: Action,
    /// Empty.
    errors: Vec<String>,
}

/// A file without errors and what its execution will do.
#[derive(Debug, Object)]
pub(super) struct ProductImportValidation {
    /// `valid`.
    status: String,
    /// Names the file at the execution.
    file_key: String,
    filename: String,
    rows_total: usize,
    created_count: usize,
    updated_count: usize,
    /// 0.
    error_count: usize,
    skipped_count: usize,
    /// Columns that mean nothing to an import.
    ignored_columns: Vec<String>,
    rows: Vec<ProductImportRow>,
}

impl ProductImportValidation {
    /// Of a file that has no errors.
    pub(super) fn new(file_key: String, filename: String, checked: Checked, ignored_columns: Vec<String>) -> Self {
        Self {
            status: "valid".to_owned(),
            file_key,
            filename,
            rows_total: checked.verdicts.len(),
            created_count: checked.count(Action::Create),
            updated_count: checked.count(Action::Update),
            error_count: checked.error_count(),
            skipped_count: checked.count(Action::Skip),
            ignored_columns,
            rows: checked
                .verdicts
                .into_iter()
                .map(|verdict| ProductImportRow {
                    row: verdict.row,
                    code: verdict.code,
                    action: verdict.action,
                    errors: verdict.errors,
                })
                .collect(),
        }
    }
}

/// The workbook of the rows of the file at `path` with their errors.
pub(super) async fn error_workbook(path: &Path, name: &str, checked: Checked) -> Result<Answer> {
    let error_count = checked.error_count();
    let valid_count = checked.verdicts.len() - error_count;
    let (path, name) = (path.to_owned(), name.to_owned());
    let workbook = sheets::on_a_thread(move |is_wanted| write(&path, &name, is_wanted, &checked)).await?;
    Ok(ImportAnswer::Errors(ImportErrors { name: "product_import_errors.xlsx", workbook, error_count, valid_count }))
}

/// The rows go to the workbook as they are read again.
fn write(path: &Path, name: &str, is_wanted: &dyn Fn() -> bool, checked: &Checked) -> Result<Vec<u8>> {
    let mut workbook = Verdict::new("Import Validation", &COLUMNS)?;
    let mut verdicts = checked.verdicts.iter();
    sheets::read::<Reader>(path, name, is_wanted, &mut |row| {
        let errors = verdicts.next().map(|verdict| verdict.errors.as_slice()).unwrap_or_default();
        let cells: Vec<&str> = row.0.iter().map(|cell| cell.as_deref().unwrap_or_default()).collect();
        workbook.row(&cells, errors)
    })?;
    workbook.finish()
}
