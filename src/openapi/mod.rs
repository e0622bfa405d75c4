//! The OpenAPI side of the API: the document, and a guard before every operation that checks the caller and the
//! request against it.

mod as_stored;
mod body;
mod check;
mod closed;
mod document;
mod fails;
mod forms;
mod generators;
mod guard;
mod limits;
mod many;
mod one_of;
mod params;
mod shape;
mod text;
mod variants;

pub use as_stored::AsStored;
pub use closed::NoOthers;
pub use document::service;
pub use fails::Fails;
pub use forms::Forms;
pub use guard::{Guarded, check};
pub use many::Many;
pub use one_of::OneOf;
pub use params::Query;
pub use text::{LONGEST_NOTE, Name, Note};
pub use variants::variants;
