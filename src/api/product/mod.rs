//! Products: the catalogue, what belongs to one of them, its import and export, bills of materials.

mod bom;
mod catalogue;
mod change;
mod columns;
mod copy;
mod create;
mod export;
mod files;
mod import;
mod model;
mod search;
mod stats;

use std::sync::Arc;

use crate::app::App;

pub(super) use bom::BomLineConsumptionOptions;
pub(crate) use bom::{BomLineWriteIn, access as bom_access, note as note_bom, set as set_bom};
pub(crate) use change::{access as change_access, update};
pub(crate) use create::{document, insert, insert_access};
pub(super) use files::documents;
pub(super) use model::ProductBaseData;
pub(crate) use model::ProductUpdate;

/// Everything about products.
pub type Api = (
    search::Search,
    create::Create,
    copy::Copy,
    catalogue::Catalogue,
    change::Change,
    files::Files,
    stats::Stats,
    export::Export,
    import::Import,
    bom::Bom,
);

/// The operations about products.
pub fn new(app: &Arc<App>) -> Api {
    (
        search::Search(Arc::clone(app)),
        create::Create(Arc::clone(app)),
        copy::Copy(Arc::clone(app)),
        catalogue::Catalogue(Arc::clone(app)),
        change::Change(Arc::clone(app)),
        files::Files(Arc::clone(app)),
        stats::Stats(Arc::clone(app)),
        export::Export(Arc::clone(app)),
        import::Import(Arc::clone(app)),
        bom::Bom(Arc::clone(app)),
    )
}
