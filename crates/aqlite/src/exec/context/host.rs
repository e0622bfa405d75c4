//! What functions may ask of the query that calls them.

use std::sync::Arc;

use super::{Ctx, no_data};
use crate::analysis::Analyzer;
use crate::catalog::{Catalog, Collection, Index, SYSTEM};
use crate::error::code;
use crate::exec::Warning;
use crate::functions::Host;
use crate::geo::places::Run;
use crate::txn::{Access, DocId};
use crate::value::{SmolStr, Value};
use crate::{Error, Result};

impl Host for Ctx<'_> {
    fn warn(&mut self, num: u16, message: String) -> Result<()> {
        if self.fail_on_warning {
            return Err(Error::new(num, format!("AQL: {message} (while executing)")));
        }
        if self.warnings.len() < self.max_warnings {
            self.warnings.push(Warning { num, message });
        }
        Ok(())
    }

    fn document(&mut self, collection: &str, key: &str) -> Result<Value> {
        self.tick()?;
        let data = self.data.as_mut().ok_or_else(no_data)?;
        let found = match data.last.take().filter(|last| last.name == collection) {
            Some(last) => last,
            None => match data.txn()?.collection_for_read(collection) {
                Ok(found) => found,
                Err(e) if e.num == code::DATA_SOURCE_NOT_FOUND => return Ok(Value::Null),
                Err(e) => return Err(e),
            },
        };
        if key.is_empty() {
            return Err(Error::plain(code::DOCUMENT_HANDLE_BAD));
        }
        let document = self.look_up(&found, key)?;
        if let Some(data) = &mut self.data {
            data.last = Some(found);
        }
        Ok(document.map(|(_, document)| document).unwrap_or_default())
    }

    fn collection_count(&mut self, name: &str) -> Result<u64> {
        let data = self.data.as_ref().ok_or_else(no_data)?;
        let collection = data.txn()?.collection_for_read(name)?;
        data.view.count(&collection)
    }

    fn collections(&mut self) -> Result<Vec<(u64, String)>> {
        let data = self.data.as_ref().ok_or_else(no_data)?;
        let txn = data.txn()?;
        let readable = txn.database().collections().filter(|c| txn.check_rights(c, Access::Read).is_ok());
        Ok(readable.map(|c| (c.id, c.name.to_string())).collect())
    }

    fn collection_schema(&mut self, name: &str) -> Result<Value> {
        let data = self.data.as_ref().ok_or_else(no_data)?;
        let collection = data.txn()?.collection_for_read(name).map_err(|e| match e.num {
            code::DATA_SOURCE_NOT_FOUND => Error::new(e.num, format!("could not find collection: {name}")),
            _ => e,
        })?;
        let schema = collection.properties.schema.clone();
        Ok(schema.map_or(Value::Null, |s| s.to_value()))
    }

    fn collection(&mut self, name: &str) -> Result<Arc<Collection>> {
        self.data.as_ref().ok_or_else(no_data)?.txn()?.collection_for_read(name)
    }

    fn analyzer(&mut self, name: &str) -> Result<Option<(SmolStr, Arc<Analyzer>)>> {
        match &self.data {
            Some(data) => Ok(data.view.catalog().analyzer(&self.database, name)),
            // those that were created are known when the query runs
            None => match Catalog::default().analyzer(SYSTEM, name) {
                None => Err(Error::new(code::NOT_IMPLEMENTED, "analyzers are not available while planning")),
                found => Ok(found),
            },
        }
    }

    fn each_document(&mut self, collection: &Collection, visit: &mut dyn FnMut(Value) -> Result<()>) -> Result<()> {
        let mut scan = self.view()?.scan(collection, false)?;
        while let Some((_, document)) = scan.next()? {
            self.tick()?;
            self.stats.scanned_index += 1;
            visit(document)?;
        }
        Ok(())
    }

    fn each_placed(
        &mut self,
        collection: &Collection,
        index: &Index,
        runs: &[Run],
        visit: &mut dyn FnMut(DocId, Value) -> Result<()>,
    ) -> Result<()> {
        for (lower, upper) in runs {
            let mut range = self.view()?.range(collection, index, lower, Some(upper), false)?;
            while let Some(id) = range.next()? {
                self.tick()?;
                self.stats.scanned_index += 1;
                if let Some(document) = self.view()?.by_id(collection, id)? {
                    self.stats.documents += 1;
                    visit(id, document)?;
                }
            }
        }
        Ok(())
    }

    fn database(&self) -> &str {
        &self.database
    }

    fn user(&self) -> &str {
        &self.user
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn check(&mut self) -> Result<()> {
        self.check_now()
    }

    fn room(&mut self, bytes: usize) -> Result<()> {
        self.grow(bytes)?;
        self.shrink(bytes);
        Ok(())
    }
}
