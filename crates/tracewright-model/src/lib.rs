//! The words of the documents of tracewright, without a database and without HTTP: what may be done ([`Scope`]), what happens
//! ([`EventType`]) and on which [`Topic`] it is published, quantities, and times as they are stored.

pub mod clock;
mod event_type;
mod forms;
pub mod quantities;
mod scope;
pub mod scopes;
mod tasks;
mod time;
mod topic;

pub use event_type::{EventType, Posting};
pub use forms::FormFieldValue;
pub use scope::Scope;
pub use tasks::{TaskAssignment, TaskAssignmentRole, TaskLinkType};
pub use time::{Day, DayOrMoment, Moment};
pub use topic::Topic;
