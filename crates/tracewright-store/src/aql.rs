//! The queries that the store itself runs; those of the crates above stand there.

#![allow(clippy::doc_markdown, reason = "what a query is for names its parameters as they are")]
#![allow(clippy::module_inception, reason = "a query may have the name of its folder")]
#![allow(missing_docs, reason = "members are what the headers say")]

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));
