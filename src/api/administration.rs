//! Resets, configuration, custom data.

use std::sync::Arc;

use crate::app::App;

/// The operations of this area.
pub type Api = ();

/// The operations of a running service.
pub fn new(_app: &Arc<App>) -> Api {}
