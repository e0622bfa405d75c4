//! The values of fields as an entry of an index tells them.

use super::context::Ctx;
use crate::Result;
use crate::catalog::{Collection, Index};
use crate::txn::DocId;
use crate::value::{SmolStr, Value, index_key};

/// An entry of an index that orders values. What its key does not tell is read in the document.
#[derive(Default)]
pub(super) struct Entry {
    id: DocId,
    key: Vec<u8>,
    /// Where the fields end in the key, as far as somebody has looked.
    ends: Vec<usize>,
    /// The document, where it had to be read.
    document: Option<Value>,
}

impl Entry {
    /// Goes to another entry: the document it is about, and its key.
    pub fn take(&mut self, id: DocId, key: &[u8]) {
        self.id = id;
        self.key.clear();
        self.key.extend_from_slice(key);
        self.ends.clear();
        self.document = None;
    }

    /// The encoded fields.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    fn document(&mut self, collection: &Collection, ctx: &mut Ctx<'_>) -> Result<&Value> {
        if self.document.is_none() {
            ctx.stats.documents += 1;
            self.document = Some(ctx.view()?.by_id(collection, self.id)?.unwrap_or_default());
        }
        Ok(self.document.get_or_insert_default())
    }

    /// Where a field ends in the key.
    pub fn end(&mut self, field: usize, of: (&Collection, &Index), ctx: &mut Ctx<'_>) -> Result<usize> {
        while self.ends.len() <= field {
            let begin = self.ends.last().copied().unwrap_or(0);
            let len = if let Some(len) = index_key::scalar_len(self.key.get(begin..).unwrap_or_default()) {
                len
            } else {
                let path = &of.1.fields[self.ends.len()].names;
                let mut encoded = Vec::new();
                index_key::encode(&self.document(of.0, ctx)?.path(path), &mut encoded);
                encoded.len()
            };
            self.ends.push(begin + len);
        }
        Ok(self.ends[field])
    }

    /// The value of a field.
    pub fn value(&mut self, field: usize, of: (&Collection, &Index), ctx: &mut Ctx<'_>) -> Result<Value> {
        self.within(field, &of.1.fields[field].names, of, ctx)
    }

    /// The value at a path, which is that of a field or leads into it.
    pub fn at(&mut self, path: &[SmolStr], of: (&Collection, &Index), ctx: &mut Ctx<'_>) -> Result<Value> {
        let field = of.1.fields.iter().position(|field| path.starts_with(&field.names)).unwrap_or_default();
        self.within(field, path, of, ctx)
    }

    fn within(
        &mut self,
        field: usize,
        path: &[SmolStr],
        of: (&Collection, &Index),
        ctx: &mut Ctx<'_>,
    ) -> Result<Value> {
        let begin = if field == 0 { 0 } else { self.end(field - 1, of, ctx)? };
        let end = self.end(field, of, ctx)?;
        match self.key.get(begin..end).and_then(index_key::decode) {
            Some(value) if of.1.fields[field].names.len() == path.len() => Ok(value),
            Some(_) => Ok(Value::Null),
            None => Ok(self.document(of.0, ctx)?.path(path)),
        }
    }
}
