//! Single serials, by key and by code.

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use serde_json::{Map, Value};

use super::model::{SerialRecord, whole};
use crate::api::Area;
use crate::app::App;
use crate::aql::serial as stored;
use crate::auth::{Caller, Scope};
use crate::error::{Error, Result};
use crate::openapi::{AsStored, Fails, Query};
use crate::store::Source;

/// Single serials.
pub struct Records(pub Arc<App>);

#[OpenApi(tag = "Area::Serial")]
impl Records {
    /// One serial
    #[oai(path = "/serial/:serial_key", method = "get", operation_id = "get_serial_from_key_serial__serial_key__get")]
    async fn by_key(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<AsStored<SerialRecord>>> {
        let serial = stored::by_key(&self.0.store, stored::by_key::Params { serial_key: &serial_key }).await?;
        serial.map(|serial| Json(AsStored::new(whole(serial)))).ok_or_else(|| unknown(&serial_key))
    }

    /// Serials by code
    ///
    /// Of one product, or of any when none is given. Codes are compared without regard to case and outer blanks.
    #[oai(path = "/serial-code", method = "get", operation_id = "get_serial_from_code_serial_code_get")]
    async fn by_code(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_code: Query<Option<String>>,
        product_key: Query<Option<String>>,
    ) -> Result<Json<Vec<AsStored<SerialRecord>>>> {
        let mut serials = with_code(&self.0.store, serial_code.as_deref(), product_key.as_deref()).await?;
        serials.retain(|serial| serial.get("deleted") == Some(&Value::Bool(false)));
        Ok(Json(serials.into_iter().map(|serial| AsStored::new(whole(serial.into()))).collect()))
    }

    /// Whether a serial code is free
    ///
    /// True unless another serial of the product has it, whatever its case. `serial_key` names the serial that may keep
    /// it. Without a product no serial of any product may have it.
    #[oai(
        path = "/serial-code/verify-free",
        method = "get",
        operation_id = "verify_serial_code_free_serial_code_verify_free_get"
    )]
    async fn is_free(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_code: Query<Option<String>>,
        product_key: Query<Option<String>>,
        serial_key: Query<Option<String>>,
    ) -> Result<Json<bool>> {
        let serials = with_code(&self.0.store, serial_code.as_deref(), product_key.as_deref()).await?;
        let key = |serial: &Map<String, Value>| serial.get("_key").and_then(Value::as_str) == serial_key.as_deref();
        Ok(Json(serials.iter().all(key)))
    }
}

/// Serials that are not deleted and have the code; none when no code is given.
pub(super) async fn with_code(
    source: &impl Source,
    code: Option<&str>,
    product_key: Option<&str>,
) -> Result<Vec<Map<String, Value>>> {
    let Some(code) = code.filter(|code| !code.trim().is_empty()) else { return Ok(Vec::new()) };
    stored::by_code(source, stored::by_code::Params { code, product_key }).await
}

/// 404.
pub(in crate::api) fn unknown(serial_key: &str) -> Error {
    Error::not_found(format!("Serial '{serial_key}' not found"))
}
