//! AQL's grammar: lexer, parser and the tree they produce.

pub mod ast;
mod cache;
mod lexer;
mod literals;
mod parser;
mod token;

pub use cache::{may_be_light, parsed, was_light, was_not_light, was_told_at_once};
pub use parser::parse;
