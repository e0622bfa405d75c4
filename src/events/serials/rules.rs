//! What the configuration allows with serials.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::aql::serial_events::RULES;
use crate::error::Result;
use crate::events::Call;

/// What the configuration says, as far as it does.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Rules {
    code_edit: Option<Value>,
    deletion: Option<Value>,
}

impl Rules {
    /// Whether a code that a serial has may become another one: unless it is forbidden.
    pub(super) fn allow_code_edit(&self) -> bool {
        self.code_edit != Some(json!(false))
    }

    /// Whether serials may be deleted: only when it is allowed.
    pub(super) fn allow_deletion(&self) -> bool {
        self.deletion == Some(json!(true))
    }
}

/// What the configuration says.
pub(super) async fn read(call: &Call<'_>) -> Result<Rules> {
    Ok(call.trx.row(&RULES, json!({})).await?.unwrap_or_default())
}
