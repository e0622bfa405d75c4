//! Events of serials: made, changed, released, deleted, put into one another.

mod bulk;
mod codes;
mod created;
mod data;
mod deleted;
mod inventory;
mod known;
mod linked;
mod links;
mod released;
mod rules;
mod unlinked;
mod updated;

pub use codes::normal as normal_code;
pub use created::{Created, SerialCreated, create_each, create_many};
pub use data::SerialFormFieldValue;
pub use deleted::{Deleted, SerialDeleted, delete_many};
pub use linked::{Linked, SerialLinked, link_all, link_many};
pub use released::{Released, SerialReleased, release_many};
pub use unlinked::{SerialUnlinked, Unlinked, unlink_many};
pub use updated::{SerialUpdated, Updated, update_many};

/// What is answered to who has recorded something of one serial.
#[derive(Debug, serde::Serialize)]
pub struct Recorded {
    message: String,
    serial_key: String,
}
