//! Requests from within the process: values where others send and receive text.

use std::sync::Arc;

use bytes::Bytes;

use super::admission::Admitted;
use crate::value::Value;

/// An extension of a request from within the process. The rows of a batch come as [`Rows`] beside the answer then, which has
/// no body of its own.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    /// What would else be the JSON text of the body.
    pub body: Option<Value>,
}

/// A batch of a result: an extension of the answer to a request with [`Apart`].
#[derive(Clone, Debug)]
pub struct Rows {
    pub(super) values: Arc<Vec<Value>>,
    /// The cursor that has more of them.
    pub(super) more: Option<u64>,
    /// Documents and entries of indexes that were looked at, where all of them were found.
    pub(super) scanned: Option<u64>,
}

impl Rows {
    /// The rows, in their order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The number of the cursor, when there are more.
    pub fn more(&self) -> Option<u64> {
        self.more
    }

    /// How many documents and entries of indexes the query has looked at; `None` while there are more rows.
    pub fn scanned(&self) -> Option<u64> {
        self.scanned
    }
}

impl Admitted {
    /// Takes a body that came as a value.
    pub(super) fn take_body(&mut self, apart: Option<Apart>) {
        self.ctx.read = apart.and_then(|apart| apart.body);
    }

    /// The bytes of a body in whatever form it came.
    pub(super) fn body_bytes(&self, text: &Bytes) -> usize {
        text.len() + self.ctx.read.as_ref().map_or(0, Value::memory)
    }
}
