//! The catalogue as a file.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use poem::{Body, IntoResponse, Response};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiResponse, Enum, OpenApi};
use serde_json::Value;
use tokio::sync::mpsc;

use super::columns::COLUMNS;
use super::search::{Filters, TagOperator, all_tags, any_tag, yes};
use crate::api::Area;
use crate::app::App;
use crate::aql::product::EXPORT;
use crate::aql::product::export::Row;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::Query;
use crate::sheets;
use crate::store::{Batches, StoreError, typed};

/// The byte order mark by which spreadsheets know that a text is UTF-8.
const MARK: &str = "\u{feff}";
const CSV: &str = "text/csv; charset=utf-8";

/// The catalogue as a file.
pub struct Export(pub Arc<App>);

/// What kind of file is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "ProductExportFormat", rename_all = "lowercase")]
enum Format {
    /// A workbook.
    Xlsx,
    /// Comma-separated text.
    Csv,
    /// A workbook with nothing but the names of the columns.
    Template,
}

fn workbook() -> Format {
    Format::Xlsx
}

/// A file to be saved.
struct File {
    name: &'static str,
    media_type: &'static str,
    content: Body,
}

impl IntoResponse for File {
    fn into_response(self) -> Response {
        Response::builder()
            .content_type(self.media_type)
            .header("content-disposition", format!("attachment; filename=\"{}\"", self.name))
            .body(self.content)
    }
}

impl ApiResponse for File {
    fn meta() -> MetaResponses {
        let binary = || MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")));
        let content =
            [sheets::MEDIA_TYPE, "text/csv"].map(|content_type| MetaMediaType { content_type, schema: binary() });
        let response = MetaResponse {
            description: "The file",
            status: Some(200),
            status_range: None,
            content: content.into(),
            headers: Vec::new(),
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(_registry: &mut Registry) {}
}

impl Row {
    /// Its cells, in the order of the columns.
    fn cells(self) -> [String; COLUMNS.len()] {
        [
            self.code,
            self.description.unwrap_or_default(),
            self.tags.join(";"),
            self.print_templates.join(";"),
            self.counter.unwrap_or_default(),
            self.manage_inventory.to_string(),
            self.consumption_position.unwrap_or_default(),
            self.production_position.unwrap_or_default(),
        ]
    }
}

#[OpenApi(tag = "Area::Product")]
impl Export {
    /// The catalogue as a file
    ///
    /// The products that `GET /product` finds with the same filters, as a workbook or as comma-separated text that
    /// `POST /product/import` takes back; `format=template` gives a workbook with the names of the columns alone.
    #[oai(path = "/product/export", method = "get", operation_id = "export_products_product_export_get")]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the search")]
    async fn export(
        &self,
        #[oai(scope = "Scope::ProductCatalogueRead")] _caller: Caller,
        #[oai(default = "workbook")] format: Query<Format>,
        search_string: Query<Option<String>>,
        search: Query<Option<String>>,
        #[oai(default)] search_description: Query<bool>,
        tag_key: Query<Option<String>>,
        include_text: Query<Option<String>>,
        exclude_text: Query<Option<String>>,
        include_tags: Query<Option<Vec<String>>>,
        exclude_tags: Query<Option<Vec<String>>>,
        #[oai(default = "all_tags")] include_tags_operator: Query<TagOperator>,
        #[oai(default = "any_tag")] exclude_tags_operator: Query<TagOperator>,
        has_operation_key: Query<Option<String>>,
        #[oai(default = "yes")] active_only: Query<bool>,
        #[oai(default)] traceability_only: Query<bool>,
    ) -> Result<File> {
        let filters = Filters {
            search: search_string.0.or(search.0),
            include: include_text.0,
            exclude: exclude_text.0,
            search_description: *search_description,
            tag_key: tag_key.0,
            include_tags: include_tags.0,
            include_operator: *include_tags_operator,
            exclude_tags: exclude_tags.0,
            exclude_operator: *exclude_tags_operator,
            operation_key: has_operation_key.0,
            active_only: *active_only,
            traceability_only: *traceability_only,
        };
        let params = typed::bound(&filters.criteria(&self.0.store, 0, 0).await?.params())?;
        let store = &self.0.store;
        Ok(match *format {
            Format::Csv => {
                let content = text(store.stream(&EXPORT, params).await?)?;
                File { name: "products.csv", media_type: CSV, content }
            }
            Format::Xlsx => {
                let content = sheet(store.stream(&EXPORT, params).await?).await?;
                File { name: "products.xlsx", media_type: sheets::MEDIA_TYPE, content }
            }
            Format::Template => {
                let content = sheet(stream::empty().boxed()).await?;
                File { name: "products_template.xlsx", media_type: sheets::MEDIA_TYPE, content }
            }
        })
    }
}

/// The rows of a batch.
fn rows(batch: Vec<Value>) -> Result<Vec<Row>, StoreError> {
    let row = |row| serde_json::from_value(row).map_err(|error| StoreError::Answer(error.to_string()));
    batch.into_iter().map(row).collect()
}

/// A workbook. Rows are written to it as they come; it keeps them in a file.
async fn sheet(mut batches: Batches) -> Result<Body> {
    let (sender, mut written) = mpsc::channel::<Vec<Row>>(1);
    let place = sheets::place().await;
    let workbook = tokio::task::spawn_blocking(move || {
        let _place = place;
        let rows = std::iter::from_fn(|| written.blocking_recv()).flatten().map(Row::cells);
        sheets::write_text("Products", &COLUMNS, rows)
    });
    while let Some(batch) = batches.next().await {
        // Where writing has failed, nobody takes the rest.
        if sender.send(rows(batch?)?).await.is_err() {
            break;
        }
    }
    drop(sender);
    Ok(workbook.await.map_err(|e| Error::internal("The file could not be written.", e))??.into())
}

/// Comma-separated text, sent as the rows come.
fn text(batches: Batches) -> Result<Body> {
    let head = [MARK.as_bytes().to_vec(), lines([COLUMNS.map(str::to_owned)]).map_err(unwritten)?].concat();
    let parts = batches.map(|batch| {
        let cells = rows(batch.map_err(io::Error::other)?).map_err(io::Error::other)?.into_iter().map(Row::cells);
        lines(cells.map(guarded)).map_err(io::Error::other)
    });
    let told = |error: io::Error| {
        tracing::error!(%error, "an export breaks off");
        error
    };
    Ok(Body::from_bytes_stream(stream::once(async { Ok(head) }).chain(parts.map_err(told)).map_ok(Bytes::from)))
}

fn unwritten(cause: csv::Error) -> Error {
    Error::internal("The file could not be written.", cause)
}

/// Lines of comma-separated text.
fn lines(rows: impl IntoIterator<Item = [String; COLUMNS.len()]>) -> csv::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for cells in rows {
        writer.write_record(cells)?;
    }
    writer.into_inner().map_err(|e| e.into_error().into())
}

/// What a spreadsheet would take for a formula gets a quote before it.
fn guarded(cells: [String; COLUMNS.len()]) -> [String; COLUMNS.len()] {
    cells.map(|cell| if cell.starts_with(['=', '+', '-', '@']) { format!("'{cell}") } else { cell })
}
