//! What an import answers: what was found right, a workbook of what was wrong, or what was done.

use std::collections::BTreeMap;
use std::path::Path;

use poem::{IntoResponse, Response};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::types::{ToJSON, Type};
use poem_openapi::{ApiResponse, Object};
use rust_xlsxwriter::{Color, Format, Workbook};

use super::form::Mode;
use super::rules::Checked;
use super::sheet;
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

/// The workbook of the rows of the file at `path` with their errors.
pub(super) async fn error_workbook(path: &Path, name: &str, checked: Checked) -> Result<Answer> {
    let error_count = checked.errors.len();
    let valid_count = checked.rows - error_count;
    let (path, name) = (path.to_owned(), name.to_owned());
    let workbook =
        tokio::task::spawn_blocking(move || write(&path, &name, &checked.errors)).await.map_err(unwritten)??;
    Ok(Answer::Errors { workbook, error_count, valid_count })
}

fn unwritten(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::internal("The list of errors could not be written.", cause)
}

/// The rows go to the workbook as they are read again; what is written of it waits in a file.
fn write(path: &Path, name: &str, errors: &BTreeMap<usize, Vec<String>>) -> Result<Vec<u8>> {
    let mut workbook = Workbook::new();
    let page = workbook.add_worksheet_with_constant_memory();
    page.set_name("Import Validation").map_err(unwritten)?;
    let (plain, red) =
        (Format::new(), Format::new().set_background_color(Color::RGB(0x00FF_C7CE)).set_font_color(Color::Red));
    for (column, name) in (0_u16..).zip(COLUMNS) {
        page.write_string_with_format(0, column, name, &Format::new().set_bold()).map_err(unwritten)?;
    }
    let mut place = 0;
    sheet::read(path, name, &mut |row| {
        let errors = errors.get(&place);
        place += 1;
        let (format, status) = if errors.is_none() { (&plain, "OK") } else { (&red, "ERROR") };
        let told = errors.map(|errors| errors.join("; ")).unwrap_or_default();
        let cells = [&row.position_code, &row.product_code, &row.counted_qt, &row.serial_code, status, &told];
        for (column, cell) in (0_u16..).zip(cells) {
            page.write_string_with_format(place as u32, column, shortened(cell), format).map_err(unwritten)?;
        }
        Ok(())
    })?;
    workbook.save_to_buffer().map_err(unwritten)
}

/// A cell of a workbook holds only so much.
fn shortened(text: &str) -> &str {
    const MOST: usize = 32_000;
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MOST).last();
    if text.len() <= MOST { text } else { text.get(..end.unwrap_or(0)).unwrap_or_default() }
}
