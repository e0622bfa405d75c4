//! The queries of the journal and of what follows from it, the rows that several queries share, and the queries of the store.

#![allow(clippy::doc_markdown, reason = "what a query is for names its parameters as they are")]
#![allow(clippy::module_inception, reason = "a query may have the name of its folder")]
#![allow(missing_docs, reason = "members are what the headers say")]

pub use tracewright_store::aql::*;

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));
