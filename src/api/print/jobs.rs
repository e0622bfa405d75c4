//! Jobs for printers: the service sends finished data over TCP, to printers that an administrator has configured and to
//! nobody else.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object, OpenApi};
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::api::Area;
use crate::app::App;
use crate::aql::print;
use crate::auth::{Caller, Scope};
use crate::clock;
use crate::error::{Error, Result};
use crate::notifications::{self, Announcement};
use crate::store::{Access, typed};
use crate::transaction;

/// The most bytes of a job's data.
const MOST: usize = 10_000_000;
/// The port of printers that take what they print as it is.
const RAW_PORT: u16 = 9100;
/// How far from its beginning a PDF file may say that it is one.
const PDF_HEAD: usize = 1024;

/// What is announced of a job that was printed, and where.
const PRINTED: &str = "PRINT_JOB_COMPLETED";
const TOPIC: &str = "production";

/// What the audit tells of a job.
#[derive(Serialize)]
struct PrintedDocument<'a, C: Serialize> {
    printer_key: &'a str,
    host: &'a str,
    port: u16,
    format: Option<Value>,
    copies: C,
    size: usize,
    sha256: String,
}

/// What the pages of production are told of a job.
#[derive(Serialize)]
struct Printed<'a, C: Serialize> {
    event_type: &'a str,
    notification: &'a str,
    subtopic: &'a str,
    printer_key: &'a str,
    copies: C,
    user_key: &'a str,
    timestamp: String,
}

/// Jobs for printers.
pub struct Jobs(pub(super) Arc<App>);

/// What the data of a job are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
enum PrintFormat {
    /// A text in the language of label printers.
    Zpl,
    /// A PDF file in base64.
    Pdf,
}

/// What is to be printed, and where.
#[derive(Debug, Object)]
struct PrintJobRequest {
    /// Key of a configured printer.
    printer_key: String,
    /// Its name in the network.
    printer_host: String,
    #[oai(default = "raw_port", validator(minimum(value = "1"), maximum(value = "65535")))]
    printer_port: u16,
    format: PrintFormat,
    /// At most 10 MB.
    data: String,
    /// How often the data are sent.
    #[oai(default = "one", validator(minimum(value = "1"), maximum(value = "100")))]
    copies: u32,
    /// How long the printer may take to answer, and to take each copy.
    #[oai(default = "five", validator(minimum(value = "0.1"), maximum(value = "60")))]
    timeout_seconds: f64,
}

fn raw_port() -> u16 {
    RAW_PORT
}

fn one() -> u32 {
    1
}

fn five() -> f64 {
    5.0
}

/// Why a job was not printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
enum PrintJobError {
    /// No such printer is configured.
    NoService,
    /// The printer is there but takes no jobs.
    ConnectionRefused,
    /// The printer takes too long.
    Timeout,
    /// The data could not be sent.
    SendError,
    /// The service could not do its part.
    Internal,
}

/// How a job went.
#[derive(Debug, Default, Object)]
#[oai(skip_serializing_if_is_none)]
struct PrintJobResult {
    /// Whether the printer has taken all of it.
    ok: bool,
    printer_key: Option<String>,
    copies: Option<u32>,
    error: Option<PrintJobError>,
    /// What happened, for people.
    detail: Option<String>,
}

/// A job that was not printed.
struct Failure(PrintJobError, String);

impl From<Failure> for PrintJobResult {
    fn from(Failure(error, detail): Failure) -> Self {
        Self { error: Some(error), detail: Some(detail), ..Self::default() }
    }
}

#[OpenApi(tag = "Area::Quality")]
impl Jobs {
    /// Print
    ///
    /// Sends the data to a printer, once for each copy, and waits for the outcome. The printer is one of the configuration's
    /// `printers`; a job that fails is told with `ok` false. Streams of the topic `production` hear of a job that is done.
    #[oai(path = "/print-job", method = "post", operation_id = "create_print_job_print_job_post")]
    async fn print(
        &self,
        #[oai(scope = "Scope::QualityPrintJobCreate")] caller: Caller,
        body: Json<PrintJobRequest>,
    ) -> Result<Json<PrintJobResult>> {
        let mut job = body.0;
        let data = printable(job.format, std::mem::take(&mut job.data)).await?;
        let outcome = match self.check_printer(&job).await {
            Ok(()) => {
                self.note(&caller, &job, &data).await?;
                send(&job, &data).await
            }
            Err(failure) => Err(failure),
        };
        Ok(Json(match outcome {
            Ok(()) => {
                self.announce(&caller, &job).await;
                PrintJobResult {
                    ok: true,
                    printer_key: Some(job.printer_key),
                    copies: Some(job.copies),
                    ..PrintJobResult::default()
                }
            }
            Err(failure) => failure.into(),
        }))
    }
}

impl Jobs {
    async fn check_printer(&self, job: &PrintJobRequest) -> Result<(), Failure> {
        let printers = print::printers(&self.0.store).await.map_err(|cause| {
            tracing::error!(error = %cause, "the configured printers cannot be read");
            Failure(PrintJobError::Internal, "The configured printers cannot be read.".to_owned())
        })?;
        let printers = printers.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if printers.iter().any(|printer| is_meant(printer, job)) {
            return Ok(());
        }
        let PrintJobRequest { printer_key, printer_host, printer_port, .. } = job;
        let text = format!("No printer {printer_key} at {printer_host}:{printer_port} is configured.");
        Err(Failure(PrintJobError::NoService, text))
    }

    /// Says who has printed what, before the printer gets it: paper cannot be taken back. How it went is not told.
    async fn note(&self, caller: &Caller, job: &PrintJobRequest, data: &[u8]) -> Result<()> {
        let told = typed::bound(&PrintedDocument {
            printer_key: &job.printer_key,
            host: &job.printer_host,
            port: job.printer_port,
            format: job.format.to_json(),
            copies: job.copies,
            size: data.len(),
            sha256: format!("{:x}", Sha256::digest(data)),
        })?;
        transaction!(self.0.store.acting(caller.actor()), Access::default(), |trx| {
            trx.replaced(Some("Config/printers".to_owned()), "print job", Value::Null, told.clone());
            Ok(())
        })
    }

    /// Tells the pages of production that a job is printed. It is, also when they cannot be told.
    async fn announce(&self, caller: &Caller, job: &PrintJobRequest) {
        let message = typed::bound(&Printed {
            event_type: PRINTED,
            notification: PRINTED,
            subtopic: TOPIC,
            printer_key: &job.printer_key,
            copies: job.copies,
            user_key: caller.user_key(),
            timestamp: clock::now(),
        });
        let announced = async {
            let announcement = Announcement { topic: TOPIC.to_owned(), only_for: None, message: message? };
            notifications::announce(&self.0.store, &self.0.notifications, [announcement]).await
        };
        if let Err(error) = announced.await {
            tracing::warn!(%error, "a finished print job cannot be announced");
        }
    }
}

/// Whether an element of the configuration is the printer of a job. Which members hold host and port is up to who wrote it.
fn is_meant(printer: &Value, job: &PrintJobRequest) -> bool {
    let Some(members) = printer.as_object() else { return false };
    let has_text = |text: &str| members.values().any(|member| member.as_str() == Some(text));
    let mut ports = members.values().filter_map(Value::as_f64).peekable();
    let fits_port = match ports.peek() {
        None => job.printer_port == RAW_PORT,
        Some(_) => ports.any(|port| port == f64::from(job.printer_port)),
    };
    let has_key = ["_key", "key"].iter().any(|name| printer[*name].as_str() == Some(&job.printer_key));
    has_key && has_text(&job.printer_host) && fits_port
}

/// The bytes that the printer gets.
async fn printable(format: PrintFormat, data: String) -> Result<Vec<u8>> {
    let wrong = |msg: &str| Error::invalid(&["body", "data"], msg);
    if data.len() > MOST {
        return Err(wrong("more than 10 MB are not printed"));
    }
    if format == PrintFormat::Zpl {
        return Ok(data.into_bytes());
    }
    let decoding = tokio::task::spawn_blocking(move || STANDARD.decode(data));
    let decoded = decoding.await.map_err(|cause| Error::internal("The data could not be read.", cause))?;
    let bytes = decoded.map_err(|_| wrong("the data are no base64"))?;
    let head = &bytes[..bytes.len().min(PDF_HEAD)];
    let is_pdf = head.windows(5).any(|window| window == b"%PDF-");
    if is_pdf { Ok(bytes) } else { Err(wrong("the data are no PDF file")) }
}

/// Sends all copies, and ends the connection.
async fn send(job: &PrintJobRequest, data: &[u8]) -> Result<(), Failure> {
    let patience = Duration::from_secs_f64(job.timeout_seconds);
    let at = format!("{}:{}", job.printer_host, job.printer_port);
    let too_late = |_| Failure(PrintJobError::Timeout, format!("{at} takes longer than {patience:?}."));
    let failed = |cause: std::io::Error| Failure(PrintJobError::SendError, format!("{at}: {cause}"));

    let connecting = TcpStream::connect((job.printer_host.as_str(), job.printer_port));
    let connected = timeout(patience, connecting).await.map_err(too_late)?;
    let mut printer = connected.map_err(|cause| match cause.kind() {
        ErrorKind::ConnectionRefused => Failure(PrintJobError::ConnectionRefused, format!("{at} takes no jobs.")),
        _ => failed(cause),
    })?;
    for _ in 0..job.copies {
        timeout(patience, printer.write_all(data)).await.map_err(too_late)?.map_err(failed)?;
    }
    timeout(patience, printer.shutdown()).await.map_err(too_late)?.map_err(failed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job(key: &str, host: &str, port: u16) -> PrintJobRequest {
        PrintJobRequest {
            printer_key: key.to_owned(),
            printer_host: host.to_owned(),
            printer_port: port,
            format: PrintFormat::Zpl,
            data: String::new(),
            copies: 1,
            timeout_seconds: 1.0,
        }
    }

    #[test]
    fn a_printer_is_meant_by_key_host_and_port() {
        let hall = json!({"key": "hall", "label": "Hall 1", "address": "10.0.0.7", "port": 6101});
        assert!(is_meant(&hall, &job("hall", "10.0.0.7", 6101)));
        for other in [job("dock", "10.0.0.7", 6101), job("hall", "10.0.0.8", 6101), job("hall", "10.0.0.7", 9100)] {
            assert!(!is_meant(&hall, &other), "{other:?}");
        }
        assert!(!is_meant(&json!("hall"), &job("hall", "hall", 9100)));
    }

    #[test]
    fn a_printer_without_a_number_has_the_usual_port() {
        let dock = json!({"_key": "dock", "host": "printer.local", "port": "6101"});
        assert!(is_meant(&dock, &job("dock", "printer.local", 9100)));
        assert!(!is_meant(&dock, &job("dock", "printer.local", 6101)));
    }
}
