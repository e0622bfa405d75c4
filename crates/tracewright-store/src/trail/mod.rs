//! Who changed what. A transaction in which somebody acts stores a `Change` with its own writes: who, when, by which operation
//! and request, which documents, and what was there before and after, without secrets. Events say that of themselves: an
//! operation that records one leaves no `Change` beside it.
//!
//! `noted` gathers in a transaction what is to be told, `diff` finds what is different between two documents, [`chain`] has
//! the hash that ties each change to the one before, and [`seal`] puts into that chain what has come since it last looked: a
//! document that every writer had to write would make them wait for each other.

pub mod chain;
mod diff;
mod noted;
pub mod seal;

pub use noted::Noted;

/// Who acts, by what.
#[derive(Debug, Clone, Default)]
pub struct Actor {
    /// Key of the user.
    pub user_key: String,
    /// What people call the user.
    pub user_name: Option<String>,
    /// The API token, where it is one: its description and key.
    pub api_token: Option<String>,
    /// The operation, by its id in the document.
    pub operation: &'static str,
    /// The id of the request.
    pub request_id: String,
}
