//! The rules of production that operations and events share: quantities, the state of work orders that follows from their
//! jobs, queues, what a new or closed job looks like, and what is answered of jobs and batches. Everything runs in the
//! transaction of its caller, who declares the `QUERIES` of the parts it uses.

pub mod bom;
pub mod changes;
pub mod jobs;
pub mod members;
pub mod queues;
pub mod recompute;
mod refusal;
pub mod views;

pub use self::refusal::Refusal;
pub use crate::store::typed::part;
pub use tracewright_model::quantities;
