//! Products: bills of materials.

mod bom;

use std::sync::Arc;

use crate::app::App;

/// Everything about products.
pub type Api = bom::Bom;

/// The operations about products.
pub fn new(app: &Arc<App>) -> Api {
    bom::Bom(Arc::clone(app))
}
