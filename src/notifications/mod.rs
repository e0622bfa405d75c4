//! Notifications: what events announce, from the transaction that stores it to the streams that read it.
//!
//! A transaction stores its messages as [`NotificationDocument`]s with its last write, so that they exist exactly when the change
//! does. After the commit [`Hub::publish`] hands them to the streams of this process.

mod document;
mod hub;
mod known;
mod log;
mod message;

pub use document::{Announcement, NotificationDocument};
pub use hub::{Hub, Limits, Refused, Subscriber, Subscription};
pub use message::{Message, Place};
