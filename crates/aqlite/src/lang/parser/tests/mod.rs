//! The parser from outside: text in, tree or complaint out.

mod accesses;
mod clauses;
mod complaints;
mod graphs;
mod limits;
mod modifications;
mod operators;
mod random;
mod show;
mod values;

use super::parse;
use crate::lang::ast::{Body, Clause, Query};
use show::{show, show_body};

/// The query, which has to be accepted.
fn read(text: &str) -> Query {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The clauses of a query, written compactly.
fn clauses(text: &str) -> String {
    show_body(&read(text).body)
}

/// The expression a query returns, with every operator in parentheses.
fn returned(text: &str) -> String {
    match read(&format!("RETURN {text}")).body.clauses.last() {
        Some(Clause::Return { expr, .. }) => show(expr),
        other => panic!("{text}: {other:?}"),
    }
}

/// The number of the complaint about a query, which has to be refused.
fn refused(text: &str) -> u16 {
    match parse(text) {
        Err(error) => error.num,
        Ok(Query { body: Body { clauses }, .. }) => panic!("{text}: accepted as {clauses:?}"),
    }
}

/// The complaint about a query, which has to be refused.
fn complaint(text: &str) -> String {
    parse(text).map_or_else(|error| error.message, |query| panic!("{text}: accepted as {query:?}"))
}
