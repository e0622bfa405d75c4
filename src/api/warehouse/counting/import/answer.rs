//! What an import of counts answers.

use std::collections::BTreeMap;
use std::path::Path;

use poem_openapi::Object;

use super::form::Mode;
use super::rows::Reader;
use super::rules::Checked;
use crate::api::import_answer::{ImportAnswer, ImportErrors};
use crate::error::Result;
use crate::sheets::{self, Verdict};

const COLUMNS: [&str; 4] = ["position_code", "product_code", "counted_qt", "serial_code"];

/// A file without errors and what its execution will do.
#[derive(Debug, Object)]
pub(super) struct CountImportValidation {
    /// `valid`.
    pub status: String,
    /// Names the file at the execution.
    pub file_key: String,
    pub filename: String,
    pub rows_total: usize,
    pub rows_valid: usize,
    /// Different pairs of product and position.
    pub records_to_add: usize,
    pub records_to_discard: usize,
    pub import_mode: Mode,
    /// Columns that mean nothing to an import.
    pub ignored_columns: Vec<String>,
}

/// The answer to an import.
pub(super) type Answer = ImportAnswer<CountImportValidation>;

/// The workbook of the rows of the file at `path` with their errors.
pub(super) async fn error_workbook(path: &Path, name: &str, checked: Checked) -> Result<Answer> {
    let error_count = checked.errors.len();
    let valid_count = checked.rows - error_count;
    let (path, name) = (path.to_owned(), name.to_owned());
    let workbook = sheets::on_a_thread(move |is_wanted| write(&path, &name, is_wanted, &checked.errors)).await?;
    Ok(ImportAnswer::Errors(ImportErrors { name: "import_errors.xlsx", workbook, error_count, valid_count }))
}

/// The rows go to the workbook as they are read again.
fn write(
    path: &Path,
    name: &str,
    is_wanted: &dyn Fn() -> bool,
    errors: &BTreeMap<usize, Vec<String>>,
) -> Result<Vec<u8>> {
    let mut verdict = Verdict::new("Import Validation", &COLUMNS)?;
    let mut place = 0;
    sheets::read::<Reader>(path, name, is_wanted, &mut |row| {
        let errors = errors.get(&place).map(Vec::as_slice).unwrap_or_default();
        place += 1;
        verdict.row(&[&row.position_code, &row.product_code, &row.counted_qt, &row.serial_code], errors)
    })?;
    verdict.finish()
}
