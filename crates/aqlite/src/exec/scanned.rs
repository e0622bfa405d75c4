//! Documents of the block that a full scan is in, as text: what is returned as a whole is copied from there.

use std::sync::Arc;

use crate::storage::{Block, Texts};
use crate::value::stored::Stored;

/// The block that the last scan has come to.
#[derive(Default)]
pub(super) struct Scanned {
    block: Option<Arc<Block>>,
    /// Its texts, if they are there,
    texts: Option<Arc<Texts>>,
    /// which is known once somebody has looked for one of them.
    is_known: bool,
    /// Where the next document may stand.
    next: usize,
}

impl Scanned {
    /// A scan comes to a block.
    pub fn enter(&mut self, block: &Arc<Block>) {
        *self = Self { block: Some(Arc::clone(block)), ..Self::default() };
    }

    /// The text of a document, if it is one of the block and its text is there.
    pub fn text(&mut self, document: &Stored) -> Option<&[u8]> {
        let block = self.block.as_ref()?;
        let at = block.place(document, self.next)?;
        self.next = at + 1;
        if !self.is_known {
            self.texts = block.texts();
            self.is_known = true;
        }
        self.texts.as_ref()?.get(at)
    }
}
