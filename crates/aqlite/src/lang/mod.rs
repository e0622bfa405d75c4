//! AQL's grammar: lexer, parser and the tree they produce.

pub mod ast;
