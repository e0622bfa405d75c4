//! Indexes whose entries an earlier version made in another way are built anew when a data directory is opened, before anybody
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
use crate::search::keys;
use crate::storage::Meta;
use crate::value::index_key;

impl Store {
    pub(super) fn renew_indexes(&self) -> Result<()> {
        let catalog = self.catalog();
        for collection in catalog.databases().flat_map(|database| database.collections()) {
            let mut as_they_are = Vec::new();
            for index in &collection.indexes {
                let is_renewed =
                    index.is_outdated() || index.may_have_rounded() && self.has_rounded(collection, index)?;
                if !is_renewed {
                    as_they_are.push(index.id);
                    continue;
                }
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
            // those are not looked through again
            if collection.indexes.iter().any(|index| index.may_have_rounded() && as_they_are.contains(&index.id)) {
                let of = Arc::clone(collection);
                self.change(move |draft| {
                    let mut collection = draft.collection(&of)?;
                    for index in collection.indexes.iter_mut().filter(|index| as_they_are.contains(&index.id)) {
                        *index = Arc::new(index.as_of_today());
                    }
                    draft.put_collection(collection).map(drop)
                })?;
            }
        }
        Ok(())
    }

    /// Has an index entries of numbers that are written in another way now? Hardly any has, and looking through it takes far
    /// less than building it.
    fn has_rounded(&self, collection: &Collection, index: &Index) -> Result<bool> {
        let is_rounded = if index.search.is_some() { keys::is_of_rounded } else { index_key::has_shared_place };
        let mut entries = self.view().range(collection, index, &[], None, false)?;
        while entries.next()?.is_some() {
            if is_rounded(entries.key()) {
                return Ok(true);
            }
        }
        Ok(false)
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
