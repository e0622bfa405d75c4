//! AQL's grammar: lexer, parser and the tree they produce.

pub mod ast;
mod lexer;
mod literals;
mod parser;
mod token;

pub use parser::parse;
