//! What the configuration allows with serials.

use crate::aql::serial_events::rules;
use crate::error::Result;
use crate::events::Call;

/// What the configuration says, as far as it does.
pub(super) type Rules = rules::Row;

impl Rules {
    /// Whether a code that a serial has may become another one: unless it is forbidden.
    pub(super) fn allow_code_edit(&self) -> bool {
        self.code_edit != false
    }

    /// Whether serials may be deleted: only when it is allowed.
    pub(super) fn allow_deletion(&self) -> bool {
        self.deletion == true
    }
}

/// What the configuration says.
pub(super) async fn read(call: &Call<'_>) -> Result<Rules> {
    rules(call.trx).await
}
