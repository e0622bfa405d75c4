//! The stored queries: one file each below `aql/`, a module a folder, a constant a file, and of typed queries
//! a function and what it takes and gives. The build writes them (`build.rs`) and refuses a file that is not what its header says.
//! Each crate has those that it runs, with those of the crates below.

#![allow(clippy::doc_markdown, reason = "what a query is for names its parameters as they are")]
#![allow(clippy::module_inception, reason = "a query may have the name of its folder")]
#![allow(missing_docs, reason = "members are what the headers say")]

pub use tracewright_record::aql::*;

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));
