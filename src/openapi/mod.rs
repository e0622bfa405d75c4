//! The OpenAPI side of the API: the document, and a guard before every operation that checks the caller and the
//! request against it.

mod check;
mod document;
mod generators;
mod guard;
mod one_of;
mod params;
mod shape;

pub use document::{SECURITY_SCHEME, service};
pub use guard::Guarded;
pub use one_of::OneOf;
pub use params::Query;
