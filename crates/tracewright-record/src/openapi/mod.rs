//! The OpenAPI side of the API: the document, the types whose schemas it cannot derive, and the check of a value against a schema. The
//! guard before every operation stands in `http::guard`.

mod as_stored;
pub mod check;
mod closed;
pub mod document;
mod fails;
mod forms;
mod generators;
pub mod limits;
mod many;
mod one_of;
pub mod params;
mod text;
mod variants;

pub use as_stored::AsStored;
pub use closed::NoOthers;
pub use document::service;
pub use fails::Fails;
pub use forms::Forms;
pub use many::Many;
pub use one_of::OneOf;
pub use params::Query;
pub use text::{LONGEST_NOTE, Name, Note};
pub use variants::variants;
