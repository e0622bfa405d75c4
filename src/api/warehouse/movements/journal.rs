//! The search of the journal. What a search costs depends on its answer, not on the length of the journal: the texts and
//! places it names are turned into keys ([`named`]), the condition that leaves least is looked up in its index ([`leading`]),
//! and the index tells how far back the page reaches before any movement is read ([`pages`]).

pub(in crate::api::warehouse) mod named;
mod pages;

use serde_json::Value;

use self::named::Named;
use self::pages::Pages;
use super::super::leading;
use super::super::lookup::{self, Candidates, Texts};
use super::super::types::{MovementStatus, MovementType, Operator};
use crate::error::Result;
use crate::store::{Access, Store};
use crate::transaction;

/// A search of the journal.
#[derive(Debug)]
pub(in crate::api::warehouse) struct JournalQuery {
    pub kind: Option<MovementType>,
    pub status: Option<MovementStatus>,
    pub excluded: Vec<MovementStatus>,
    pub start_from: Option<String>,
    pub start_to: Option<String>,
    pub end_from: Option<String>,
    pub end_to: Option<String>,
    pub product_key: Option<String>,
    pub product_search: Option<String>,
    pub serial_keys: Option<Vec<String>>,
    pub serial_search: Option<String>,
    pub list_keys: Option<Vec<String>>,
    pub list_search: Option<String>,
    pub work_order_search: Option<String>,
    pub position_from: Option<String>,
    pub position_to: Option<String>,
    pub operator: Operator,
    pub search_graph: bool,
    pub offset: i64,
    pub limit: i64,
}

impl JournalQuery {
    /// The movements of the wanted page. Its queries read one state of the database, so that a movement that is written
    /// between them is neither half there nor pushes another one off the page.
    pub(super) async fn rows(&self, store: &Store) -> Result<Vec<Value>> {
        let access = Access::of(&lookup::QUERIES).and(&pages::QUERIES);
        let candidates = Candidates::of(store, self.texts()).await?;
        transaction!(store, access, |trx| {
            let named = Named::find(self, &candidates, trx).await?;
            Pages::new(self, &named, trx).rows(&leading::movements(self, &named)).await
        })
    }

    /// The texts that are looked up: where keys are given, they are.
    fn texts(&self) -> Texts<'_> {
        Texts {
            products: self.product_search.as_deref(),
            serials: self.serial_search.as_deref().filter(|_| self.serial_keys.is_none()),
            lists: self.list_search.as_deref().filter(|_| self.list_keys.is_none()),
            work_orders: self.work_order_search.as_deref(),
            ..Texts::default()
        }
    }
}
