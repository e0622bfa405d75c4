//! The hierarchy of a serial: the tree from its root ancestor down.

mod children;
mod found;
mod load;
mod text;
mod texts;
mod tree;

use std::sync::Arc;

use poem_openapi::{Object, OpenApi};

use crate::api::{Area, RawJson};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::error::Result;
use crate::openapi::{Fails, Query};
use crate::store::Access;
use crate::transaction;

/// The hierarchy of a serial.
pub struct Hierarchy(pub Arc<App>);

/// A serial, or a component the bill of materials expects, with everything below it.
#[derive(Debug, Object)]
struct SerialTreeNode {
    /// Null where a component is expected but not installed.
    serial_key: Option<String>,
    product_key: Option<String>,
    serial_code: Option<String>,
    product_code: Option<String>,
    #[oai(default = "no")]
    replaced: Option<bool>,
    #[oai(default = "confirmed")]
    confirmed: Option<bool>,
    /// Whether the bill of materials does not expect it.
    #[oai(default = "no")]
    extra_bom: Option<bool>,
    product_description: Option<String>,
    #[oai(default)]
    children: Vec<SerialTreeNode>,
}

fn yes() -> bool {
    true
}

fn no() -> Option<bool> {
    Some(false)
}

fn confirmed() -> Option<bool> {
    Some(true)
}

#[OpenApi(tag = "Area::Serial")]
impl Hierarchy {
    /// Tree from the root ancestor down
    ///
    /// The root is the end of the longest way up over current links and serials that are not deleted. Components that
    /// the bill of materials expects and nobody installed stand in the tree without a serial.
    #[oai(path = "/serial-hierarchy", method = "get", operation_id = "get_serial_hierarchy_serial_hierarchy_get")]
    async fn hierarchy(
        &self,
        #[oai(scope = "Scope::SerialRead")] _caller: Caller,
        serial_key: Query<String>,
        #[oai(default = "yes")] include_expected_components: Query<bool>,
        _fails: Fails<404>,
    ) -> Result<RawJson<Vec<SerialTreeNode>>> {
        let access = Access::of(&load::QUERIES);
        let (loaded, products) = transaction!(self.0.store, access, |trx| { load::load(trx, &serial_key).await })?;
        let forest = tree::Forest::new(loaded, products);
        Ok(RawJson::new(forest.json(*include_expected_components)))
    }
}
