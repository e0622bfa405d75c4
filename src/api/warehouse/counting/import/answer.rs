//! What an import answers: what was found right, a workbook of what was wrong, or what was done.

use poem::{IntoResponse, Response};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ToJSON, Type};
use poem_openapi::{ApiResponse, Object};
use rust_xlsxwriter::{Color, Format, Workbook, XlsxError};

use super::form::Mode;
use super::rows::Sheet;
use super::rules::Checked;
use crate::api::Envelope;
use crate::error::{Error, Result};

const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const JSON: &str = "application/json; charset=utf-8";
const COLUMNS: [&str; 6] = ["position_code", "product_code", "counted_qt", "serial_code", "status", "errors"];

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
pub(super) enum Answer {
    /// A dry run found no errors.
    Valid(CountImportValidation),
    /// A dry run found errors; the workbook tells them.
    Errors { workbook: Vec<u8>, error_count: usize, valid_count: usize },
    /// The import was executed.
    Done(Envelope),
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        match self {
            Self::Valid(validation) => poem::web::Json(validation.to_json()).into_response(),
            Self::Done(envelope) => poem::web::Json(envelope.to_json()).into_response(),
            Self::Errors { workbook, error_count, valid_count } => Response::builder()
                .content_type(WORKBOOK)
                .header("content-disposition", "attachment; filename=\"import_errors.xlsx\"")
                .header("access-control-expose-headers", "X-Import-Status, X-Error-Count, X-Valid-Count")
                .header("x-import-status", "error")
                .header("x-error-count", error_count)
                .header("x-valid-count", valid_count)
                .body(workbook),
        }
    }
}

impl ApiResponse for Answer {
    fn meta() -> MetaResponses {
        let told =
            MetaSchema { any_of: vec![CountImportValidation::schema_ref(), Envelope::schema_ref()], ..MetaSchema::ANY };
        let binary = MetaSchema::new_with_format("string", "binary");
        let content = [(JSON, told), (WORKBOOK, binary)].map(|(content_type, schema)| MetaMediaType {
            content_type,
            schema: MetaSchemaRef::Inline(Box::new(schema)),
        });
        MetaResponses {
            responses: vec![MetaResponse {
                description: "What the dry run found right, a workbook of what it found wrong, or what was imported",
                status: Some(200),
                status_range: None,
                content: content.into(),
                headers: Vec::new(),
            }],
        }
    }

    fn register(registry: &mut Registry) {
        CountImportValidation::register(registry);
        Envelope::register(registry);
    }
}

/// The workbook of the rows with their errors.
pub(super) async fn error_workbook(sheet: Sheet, checked: Checked) -> Result<Answer> {
    let error_count = checked.error_count();
    let valid_count = checked.errors.len() - error_count;
    let failed = "The list of errors could not be written.";
    let workbook = tokio::task::spawn_blocking(move || write(&sheet, &checked.errors))
        .await
        .map_err(|e| Error::internal(failed, e))?
        .map_err(|e| Error::internal(failed, e))?;
    Ok(Answer::Errors { workbook, error_count, valid_count })
}

fn write(sheet: &Sheet, errors: &[Vec<String>]) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let page = workbook.add_worksheet().set_name("Import Validation")?;
    let (plain, red) =
        (Format::new(), Format::new().set_background_color(Color::RGB(0x00FF_C7CE)).set_font_color(Color::Red));
    for (column, name) in (0_u16..).zip(COLUMNS) {
        page.write_string_with_format(0, column, name, &Format::new().set_bold())?;
    }
    for (number, (row, errors)) in (1_u32..).zip(sheet.rows.iter().zip(errors)) {
        let (format, status) = if errors.is_empty() { (&plain, "OK") } else { (&red, "ERROR") };
        let told = errors.join("; ");
        let cells = [&row.position_code, &row.product_code, &row.counted_qt, &row.serial_code, status, &told];
        for (column, cell) in (0_u16..).zip(cells) {
            page.write_string_with_format(number, column, shortened(cell), format)?;
        }
    }
    workbook.save_to_buffer()
}

/// A cell of a workbook holds only so much.
fn shortened(text: &str) -> &str {
    const MOST: usize = 32_000;
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MOST).last();
    if text.len() <= MOST { text } else { text.get(..end.unwrap_or(0)).unwrap_or_default() }
}
