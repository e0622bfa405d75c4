//! What a state may become, and by what: one table for each kind of document. The code asks it, `docs/states.md` draws it.

use std::fmt::Write;

use crate::words::{Named, Word};
use crate::{
    CountAssignmentStatus, CountRecordStatus, CountSessionStatus, EventType, MovementStatus, TaskStatus,
    WorkOrderStatus,
};

/// What brings a document from one state to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// An event of this type.
    Event(EventType),
    /// Something that no event of the document itself tells.
    Other(&'static str),
}

impl Cause {
    fn name(self) -> &'static str {
        match self {
            Self::Event(event_type) => event_type.name(),
            Self::Other(text) => text,
        }
    }
}

/// A row of a table: what happens, in which states it may, and what the document can be afterwards. Without states before it the
/// document begins, without states after it the document is gone.
#[derive(Debug)]
pub struct Step<S: 'static> {
    /// What happens.
    pub by: Cause,
    /// The states in which it may happen.
    pub from: &'static [S],
    /// The states that it may bring the document to.
    pub to: &'static [S],
}

/// The table of a kind of document.
#[derive(Debug)]
pub struct Machine<S: 'static> {
    /// What it is about.
    pub title: &'static str,
    /// Its rows.
    pub steps: &'static [Step<S>],
}

impl<S: Named> Machine<S> {
    fn by(&self, event: EventType) -> impl Iterator<Item = &'static Step<S>> {
        self.steps.iter().filter(move |step| step.by == Cause::Event(event))
    }

    /// The states in which an event may happen to a document.
    pub fn before(&self, event: EventType) -> Vec<S> {
        self.by(event).flat_map(|step| step.from).copied().collect()
    }

    /// Whether an event may happen to a document in this state.
    pub fn has(&self, state: S, event: EventType) -> bool {
        self.by(event).any(|step| step.from.contains(&state))
    }

    /// The same of what a document holds. What is no word of the machine allows none.
    pub fn allows(&self, state: &Word<S>, event: EventType) -> bool {
        state.known().is_some_and(|state| self.has(state, event))
    }

    /// Whether an event may not happen to a document in this state. What is no word of the machine forbids none.
    pub fn forbids(&self, state: &Word<S>, event: EventType) -> bool {
        state.known().is_some() && !self.allows(state, event)
    }

    /// The state to which an event brings a document, where it is always the same.
    pub fn after(&self, event: EventType) -> Option<S> {
        let mut after = self.by(event).flat_map(|step| step.to).copied();
        let first = after.next()?;
        after.all(|other| other == first).then_some(first)
    }

    /// Whether a document in one state may be in another next.
    pub fn may_become(&self, state: S, next: S) -> bool {
        self.steps.iter().any(|step| step.from.contains(&state) && step.to.contains(&next))
    }

    /// A Mermaid state diagram of it: an arrow from state to state, with all that may bring a document from one to the other.
    pub fn diagram(&self) -> String {
        let mut arrows: Vec<(String, Vec<&str>)> = Vec::new();
        let ends = |states: &[S]| match states {
            [] => vec!["[*]"],
            states => states.iter().map(|state| state.name()).collect(),
        };
        for step in self.steps {
            for from in ends(step.from) {
                for to in ends(step.to) {
                    let arrow = format!("{from} --> {to}");
                    match arrows.iter_mut().find(|(known, _)| *known == arrow) {
                        Some((_, causes)) => causes.push(step.by.name()),
                        None => arrows.push((arrow, vec![step.by.name()])),
                    }
                }
            }
        }
        let mut text = format!("## {}\n\n```mermaid\nstateDiagram-v2\n", self.title);
        for (arrow, causes) in arrows {
            let _ = writeln!(text, "    {arrow} : {}", causes.join(", "));
        }
        text + "```\n"
    }
}

const fn by<S>(event: EventType, from: &'static [S], to: &'static [S]) -> Step<S> {
    Step { by: Cause::Event(event), from, to }
}

const fn otherwise<S>(what: &'static str, from: &'static [S], to: &'static [S]) -> Step<S> {
    Step { by: Cause::Other(what), from, to }
}

/// Work orders follow from their jobs.
pub const WORK_ORDER: Machine<WorkOrderStatus> = {
    use WorkOrderStatus::{Closed, Created, Planned, Started};
    Machine {
        title: "Work order",
        steps: &[
            by(EventType::WorkOrderCreated, &[], &[Created]),
            otherwise("a job has begun", &[Created, Planned, Closed], &[Started]),
            otherwise("all jobs are closed", &[Created, Planned, Started], &[Closed]),
            otherwise("no job has begun", &[Planned, Started, Closed], &[Created]),
        ],
    }
};

/// Jobs, which are planned with their work order or later.
pub const JOB: Machine<WorkOrderStatus> = {
    use WorkOrderStatus::{Closed, Created, Planned, Started};
    Machine {
        title: "Job",
        steps: &[
            otherwise("planned", &[], &[Created]),
            by(EventType::JobStarted, &[Created, Planned], &[Started]),
            by(EventType::JobClosed, &[Created, Planned, Started], &[Closed]),
            by(EventType::BatchCanceled, &[Started], &[Created, Started]),
            by(EventType::JobReset, &[Started, Closed], &[Created]),
            by(EventType::ProgressOverrideRequested, &[Created, Planned], &[Started, Closed]),
            by(EventType::ProgressOverrideRequested, &[Started, Closed], &[Created, Started, Closed]),
            otherwise("closed or less planned", &[Created, Planned, Started], &[Closed]),
            otherwise("more planned", &[Closed], &[Created, Started]),
            otherwise("removed, others of its phase stay", &[Created, Planned], &[]),
        ],
    }
};

/// Movements of stock.
pub const MOVEMENT: Machine<MovementStatus> = {
    use MovementStatus::{Canceled, Completed, Planned, Started};
    Machine {
        title: "Movement",
        steps: &[
            by(EventType::MovementPlanned, &[], &[Planned]),
            by(EventType::MovementCompleted, &[], &[Completed]),
            by(EventType::MovementUpdated, &[Planned, Started], &[Planned, Completed]),
            by(EventType::MovementCanceled, &[Planned, Started], &[Canceled]),
            by(EventType::MovementDeleted, &[Planned, Started, Canceled], &[]),
            by(EventType::WarehouseListClosed, &[Planned, Started], &[Completed, Canceled]),
        ],
    }
};

/// Lists follow from their movements.
pub const MOVEMENT_LIST: Machine<MovementStatus> = {
    use MovementStatus::{Canceled, Completed, Planned, Started};
    Machine {
        title: "Movement list",
        steps: &[
            by(EventType::WarehouseListCreated, &[], &[Planned, Completed]),
            by(EventType::CountSessionConfirmed, &[], &[Planned]),
            otherwise("no movement has begun", &[Started, Completed, Canceled], &[Planned]),
            otherwise("a movement has begun", &[Planned, Completed, Canceled], &[Started]),
            otherwise("no movement is open", &[Planned, Started, Canceled], &[Completed]),
            by(EventType::WarehouseListClosed, &[Planned, Started], &[Completed]),
            by(EventType::CountSessionApplied, &[Planned, Started, Completed, Canceled], &[Completed]),
        ],
    }
};

/// Counting sessions.
pub const COUNT_SESSION: Machine<CountSessionStatus> = {
    use CountSessionStatus::{Applied, Canceled, Completed, Planned, Processing, Started};
    Machine {
        title: "Counting session",
        steps: &[
            otherwise("planned", &[], &[Planned]),
            otherwise("deleted", &[Planned], &[]),
            by(EventType::CountSessionStarted, &[Planned], &[Started]),
            by(EventType::CountSessionCompleted, &[Started], &[Completed]),
            by(EventType::CountSessionResumed, &[Completed], &[Started]),
            by(EventType::CountSessionConfirmed, &[Completed], &[Processing, Applied]),
            by(EventType::CountSessionApplied, &[Processing], &[Applied]),
            by(EventType::CountSessionCanceled, &[Planned, Started, Completed], &[Canceled]),
        ],
    }
};

/// Assignments of a counting session.
pub const COUNT_ASSIGNMENT: Machine<CountAssignmentStatus> = {
    use CountAssignmentStatus::{Canceled, Completed, Planned, Started};
    Machine {
        title: "Counting assignment",
        steps: &[
            otherwise("assigned", &[], &[Planned]),
            by(EventType::AssignmentStarted, &[Planned], &[Started]),
            by(EventType::CountStarted, &[Planned], &[Started]),
            by(EventType::AssignmentCompleted, &[Planned, Started], &[Completed]),
            otherwise("canceled", &[Planned], &[Canceled]),
            by(EventType::CountSessionCanceled, &[Planned, Started], &[Canceled]),
        ],
    }
};

/// Count records.
pub const COUNT_RECORD: Machine<CountRecordStatus> = {
    use CountRecordStatus::{Completed, Confirmed, Discarded, Started, Submitted};
    Machine {
        title: "Count record",
        steps: &[
            by(EventType::CountStarted, &[], &[Started]),
            by(EventType::CountImported, &[], &[Completed]),
            by(EventType::PositionConfirmedEmpty, &[], &[Completed]),
            by(EventType::CountCompleted, &[Started], &[Completed]),
            by(EventType::CountCanceled, &[Started], &[]),
            by(EventType::CountDiscarded, &[Completed, Submitted], &[Discarded]),
            by(EventType::CountSessionConfirmed, &[Completed, Submitted], &[Confirmed, Discarded]),
            by(EventType::CountApplied, &[Confirmed], &[Confirmed]),
            by(EventType::CountSessionCanceled, &[Started], &[]),
            by(EventType::CountSessionCanceled, &[Completed, Submitted, Confirmed], &[Discarded]),
            otherwise("replaced by an import", &[Started, Completed, Submitted, Confirmed], &[Discarded]),
        ],
    }
};

/// Tasks.
pub const TASK: Machine<TaskStatus> = {
    use TaskStatus::{Canceled, Completed, Open, Pending};
    Machine {
        title: "Task",
        steps: &[
            by(EventType::TaskCreated, &[], &[Open]),
            by(EventType::TaskCompleted, &[Open, Pending], &[Completed]),
            by(EventType::TaskCanceled, &[Open, Pending, Completed], &[Canceled]),
            by(EventType::TaskSuspended, &[Open, Completed, Canceled], &[Pending]),
            by(EventType::TaskReopened, &[Pending, Completed, Canceled], &[Open]),
        ],
    }
};

/// All diagrams, one after the other.
pub fn diagrams() -> String {
    [
        WORK_ORDER.diagram(),
        JOB.diagram(),
        MOVEMENT.diagram(),
        MOVEMENT_LIST.diagram(),
        COUNT_SESSION.diagram(),
        COUNT_ASSIGNMENT.diagram(),
        COUNT_RECORD.diagram(),
        TASK.diagram(),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;

    /// The page of states has the diagrams that the tables give. With `UPDATE_PAGES=1` it is written anew.
    #[test]
    fn the_page_of_states_is_what_the_tables_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/states.md");
        let page = fs::read_to_string(path).unwrap_or_default();
        let intro = page.find("\n## ").map_or(page.as_str(), |at| &page[..=at]);
        let expected = format!("{intro}{}", diagrams());
        if env::var_os("UPDATE_PAGES").is_some() {
            fs::write(path, expected).unwrap();
        } else {
            assert_eq!(page, expected, "UPDATE_PAGES=1 writes docs/states.md anew");
        }
    }

    #[test]
    fn a_table_says_what_may_happen_in_a_state_and_what_it_may_become() {
        use CountSessionStatus::{Applied, Completed, Planned, Started};
        assert_eq!(COUNT_SESSION.before(EventType::CountSessionStarted), [Planned]);
        assert_eq!(COUNT_SESSION.after(EventType::CountSessionResumed), Some(Started));
        assert_eq!(COUNT_SESSION.after(EventType::CountSessionConfirmed), None, "it depends on what was counted");
        assert!(COUNT_SESSION.may_become(Completed, Applied) && !COUNT_SESSION.may_become(Planned, Applied));
    }

    #[test]
    fn what_is_no_word_allows_nothing_and_forbids_nothing() {
        let other = Word::Other("on hold".to_owned());
        assert!(!TASK.allows(&other, EventType::TaskCompleted) && !TASK.forbids(&other, EventType::TaskCanceled));
        assert!(TASK.forbids(&Word::Known(TaskStatus::Canceled), EventType::TaskCanceled));
        assert!(TASK.allows(&Word::Known(TaskStatus::Pending), EventType::TaskCompleted));
    }
}
