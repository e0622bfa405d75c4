//! Indexes whose entries were made by an earlier version are built anew when a data directory is opened, before anybody
//! reads them. Each is built beside the old one and takes its place in one commit: after a crash it is the old one, and
//! the next start begins again.

use std::sync::Arc;

use tracing::{info, warn};

use super::build::{Build, Watched};
use super::ddl::Draft;
use super::store::Store;
use crate::Result;
use crate::catalog::{Collection, Index};
use crate::error::code;
use crate::storage::Meta;

impl Store {
    pub(super) fn renew_indexes(&self) -> Result<()> {
        let catalog = self.catalog();
        for collection in catalog.databases().flat_map(|database| database.collections()) {
            for index in collection.indexes.iter().filter(|index| index.is_outdated()) {
                let (old, of) = (Arc::clone(index), Arc::clone(collection));
                let begun = self.change(move |draft| draft.begin_renewal(&of, &old))?;
                let (collection, renewed, watched) = begun;
                let object = renewed.object();
                info!(collection = %collection.name, index = %renewed.name, "building an index anew");
                let built = Build::new(self, collection, renewed, watched).run();
                let Err(error) = built else { continue };
                self.change(move |draft| {
                    draft.give_up(object);
                    Ok(())
                })?;
                // what the new kind of index refuses the old one has taken: it stays as it is
                if error.num != code::QUERY_INVALID_ARITHMETIC_VALUE {
                    return Err(error);
                }
                warn!(index = %index.name, %error, "an index stays as it is");
            }
        }
        Ok(())
    }
}

impl Draft<'_> {
    /// An index to take the place of an old one.
    fn begin_renewal(
        &mut self,
        collection: &Collection,
        index: &Index,
    ) -> Result<(Arc<Collection>, Arc<Index>, Arc<Watched>)> {
        let renewed = index.renewed(self.next_number());
        self.writes.put_meta(Meta::Garbage(renewed.object()), &[]);
        let collection = Arc::new(self.collection(collection)?);
        let watched = self.watch(&collection);
        Ok((collection, Arc::new(renewed), watched))
    }
}
