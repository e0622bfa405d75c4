//! Events of production: what happens to work orders, jobs and queues.

mod extra_update;
mod queue_updated;

pub use extra_update::ExtraUpdateRequested;
pub use queue_updated::QueueUpdated;
