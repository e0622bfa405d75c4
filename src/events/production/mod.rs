//! Events of production: what happens to work orders, jobs and queues.

mod active_batch_changed;
mod batch_canceled;
mod batch_completed;
mod batch_created;
mod closed;
mod extra_update;
mod job_reset;
mod overrides;
mod pauses;
mod progress_override;
mod queue_updated;
mod sessions;
mod settle;
mod started;
mod step_completed;
mod step_edited;
mod steps;
mod wip;
mod work;

pub use active_batch_changed::ActiveBatchChanged;
pub use batch_canceled::BatchCanceled;
pub use batch_completed::BatchCompleted;
pub use batch_created::BatchCreated;
pub use closed::JobClosed;
pub use extra_update::ExtraUpdateRequested;
pub use job_reset::JobReset;
pub use overrides::{TimeOverrideRequested, WorkSessionCanceled};
pub use pauses::{JobBackOnline, JobPauseForced, JobPaused, JobPausedOffline};
pub use progress_override::ProgressOverrideRequested;
pub use queue_updated::QueueUpdated;
pub use sessions::{WorkSessionClosed, WorkSessionCreated};
pub use started::{JobResumed, JobStarted};
pub use step_completed::StepCompleted;
pub use step_edited::StepEdited;
pub use wip::{WipBooked, WipDeclared, WipRemoved, WipUnbooked};
