//! What is planned and recorded, by talking HTTP to the service: one module a subject. A program beside `tests/api`, so that who
//! works on recording does not link the tests of everything else.

#[path = "../api/common/mod.rs"]
mod common;

mod events;
mod journal;
mod serials_at_once;
mod serials_changes;
mod serials_created;
mod serials_deleted;
mod serials_links;
mod serials_sets;
mod serials_support;
