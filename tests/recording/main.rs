//! What is planned and recorded, by talking HTTP to the service: one module a subject. A program beside `tests/api`, so that who
//! works on recording does not link the tests of everything else.

#[path = "../api/common/mod.rs"]
mod common;
mod events;
mod floor_administration;
mod floor_batches;
mod floor_jobs;
mod floor_support;
mod journal;
mod production_orders;
mod production_reads;
mod production_support;
