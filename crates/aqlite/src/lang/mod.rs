//! AQL's grammar: lexer, parser and the tree they produce.

pub mod ast;
mod cache;
mod lexer;
mod literals;
mod parser;
mod token;

pub(crate) use cache::{ByText, by_text, forget};
pub use cache::{Weight, has_run, parsed, was_brief, was_not_brief, was_not_light, was_told_at_once, weight};
pub use parser::parse;
