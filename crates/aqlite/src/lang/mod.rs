//! AQL's grammar: lexer, parser and the tree they produce.

pub mod ast;
mod cache;
mod lexer;
mod literals;
mod parser;
mod token;

pub use cache::parsed;
pub use parser::parse;
