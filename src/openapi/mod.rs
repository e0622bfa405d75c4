//! The OpenAPI side of the API: the document, and a guard before every operation that checks the caller and the
//! request against it.

mod check;
mod closed;
mod document;
mod fails;
mod generators;
mod guard;
mod kept;
mod many;
mod one_of;
mod params;
mod shape;
mod text;

pub use closed::NoOthers;
pub use document::service;
pub use fails::Fails;
pub use guard::{Guarded, check};
pub use kept::Kept;
pub use many::Many;
pub use one_of::OneOf;
pub use params::Query;
pub use text::{Name, Note};
