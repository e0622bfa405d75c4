//! The words of the documents of tracewright, without a database and without HTTP: what may be done ([`Scope`]), what happens
//! ([`EventType`]) and on which [`Topic`] it is published, the words that documents hold ([`Word`]) and what each may become
//! ([`machine`]), quantities, and times as they are stored.

pub mod clock;
mod event_type;
mod forms;
mod key;
pub mod machine;
pub mod quantities;
mod scope;
pub mod scopes;
mod tasks;
mod time;
mod topic;
mod words;

pub use event_type::{EventType, Posting};
pub use forms::FormFieldValue;
pub use key::{Key, collection};
pub use scope::Scope;
pub use tasks::{TaskAssignment, TaskAssignmentRole, TaskLinkType};
pub use time::{Day, DayOrMoment, Moment};
pub use topic::Topic;
pub use words::{
    CountAssignmentStatus, CountRecordStatus, CountSessionStatus, CountTarget, CountedPosition, MovementStatus,
    MovementType, Named, StepStatus, TaskStatus, TraceabilityLevel, Word, WorkOrderStatus, either,
};
