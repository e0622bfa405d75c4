//! The device history record of a serial.

use std::sync::Arc;

use poem::http::{HeaderValue, header};
use poem::{Body, IntoResponse, Response};
use poem_openapi::param::Path;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiResponse, OpenApi};

use crate::api::Area;
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::dhr::{self, DeviceHistory, Options};
use crate::error::{Error, Result};
use crate::openapi::{Fails, Query};

const PDF: &str = "application/pdf";
/// Bytes that are read from the disk at once.
const READ_AHEAD: usize = 256 * 1024;

/// The device history record of a serial.
pub struct DeviceHistories(pub Arc<App>);

#[OpenApi(tag = "Area::Serial")]
impl DeviceHistories {
    /// Device history record
    ///
    /// A PDF for downloading: the serial with its data and components. On demand also the steps that were executed,
    /// the images and PDF files attached to its fields, and the records of all serials that it contains.
    #[oai(
        path = "/serial/:serial_key/dhr",
        method = "get",
        operation_id = "get_device_history_record_serial__serial_key__dhr_get"
    )]
    async fn device_history(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Path<String>,
        #[oai(default)] include_attachments: Query<bool>,
        #[oai(default)] include_children: Query<bool>,
        #[oai(default)] include_step_data: Query<bool>,
        _fails: Fails<404>,
    ) -> Result<Pdf> {
        let options =
            Options { attachments: *include_attachments, children: *include_children, step_data: *include_step_data };
        let record = dhr::print(&self.0, &serial_key, options).await?;
        record.map(Pdf).ok_or_else(|| Error::not_found(format!("Serial '{}' not found", *serial_key)))
    }
}

/// A record to download.
struct Pdf(DeviceHistory);

impl IntoResponse for Pdf {
    fn into_response(self) -> Response {
        let DeviceHistory { file, size, name } = self.0;
        let file = tokio::fs::File::from_std(file);
        let body = Body::from_async_read(tokio::io::BufReader::with_capacity(READ_AHEAD, file));
        let mut response = Response::builder().content_type(PDF).body(body);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, size.into());
        // The name is plain ASCII without quotes.
        if let Ok(disposition) = HeaderValue::try_from(format!("attachment; filename=\"{name}\"")) {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
        response
    }
}

impl ApiResponse for Pdf {
    fn meta() -> MetaResponses {
        let schema = MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")));
        let response = MetaResponse {
            description: "The record",
            status: Some(200),
            status_range: None,
            content: vec![MetaMediaType { content_type: PDF, schema }],
            headers: Vec::new(),
        };
        MetaResponses { responses: vec![response] }
    }

    fn register(_registry: &mut Registry) {}
}
