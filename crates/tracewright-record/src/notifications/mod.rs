//! Notifications: what events announce, from the transaction that stores it to the pages that read it.
//!
//! A transaction stores its messages as [`NotificationDocument`]s with its last write, so that they exist exactly when the change
//! does. After the commit [`Hub::publish`] hands them to the streams of this process; other processes find them in the database
//! ([`receive_from_others`]). A client that comes back is sent what it has missed from there too ([`beginning`]). The service (`background`) does
//! what has to be done again and again as long as the service runs.

mod announce;
mod document;
mod hub;
mod known;
mod log;
mod message;
mod others;
mod removal;
mod replay;
mod stream;
mod tokens;
mod topic;

pub use announce::announce;
pub use document::{Announcement, NotificationDocument};
pub use hub::{Hub, Limits, Refused, Subscriber, Subscription};
pub use message::{Message, Place};
pub use others::{listen, receive_from_others};
pub use removal::remove_old;
pub use replay::{Replay, beginning};
pub use stream::{Beginning, chunks};
pub use tokens::check_tokens;
pub use topic::Topic;
