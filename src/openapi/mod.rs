//! The OpenAPI side of the API: the document, and a guard before every operation that checks the caller and the
//! request against it.

mod check;
mod document;
mod fails;
mod generators;
mod guard;
mod one_of;
mod params;
mod shape;

pub use document::service;
pub use fails::Fails;
pub use guard::{Guarded, check};
pub use one_of::OneOf;
pub use params::Query;
