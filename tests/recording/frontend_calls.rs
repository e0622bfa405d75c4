//! Every call that the existing web apps make, with the parameters of the query that they send and the types of events that
//! they post. A journey notes what it calls; at its end all of this must have been called, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;

/// One line a call: method, path, and the names of parameters, or types of events.
const CALLS: &str = "
POST   /auth
POST   /session
GET    /whoami
DELETE /session/{key} force
PUT    /user/{key}/password
GET    /config
PUT    /config/{key}/file
PATCH  /config

GET    /user active_only
POST   /user
PATCH  /user/{key}
PUT    /user/{key}/image
DELETE /user/{key}
DELETE /user/{key}/password
GET    /department
GET    /api-token
GET    /user/api-tokens
DELETE /api-token/{key}
GET    /counter name key
POST   /counter
PUT    /counter/{key}
DELETE /counter/{key}
GET    /tag context context_key

GET    /product limit offset search_string search_description active_only tag_key traceability_only search
GET    /product/search text_to_include text_to_exclude tags_to_include tags_to_exclude global_operator \
       include_tags_operator exclude_tags_operator has_operation_key
POST   /product
POST   /product/copy
GET    /product/{key}
PATCH  /product/{key}
PUT    /product/{key}
POST   /product/{key}/doc
DELETE /product/{key}/doc/{name}
PUT    /product/{key}/image
DELETE /product/{key}/image
GET    /product/export format search_string
POST   /product/import
GET    /product/{key}/process
PUT    /product/{key}/process
GET    /product/{key}/process/tasks
PUT    /product/{key}/process/tasks
POST   /product/{key}/process/copy
POST   /product/{key}/counter/copy
GET    /product/{key}/bom
PUT    /product/{key}/bom
GET    /operation
POST   /operation
PATCH  /operation/{key}
DELETE /operation/{key}
POST   /operation/{key}/copy
GET    /step/{key}/media
POST   /step/{key}/media
DELETE /step/{key}/media/{name}
POST   /media/create
GET    /media/{key}
GET    /print-template context context_key
GET    /print-template/{key}
POST   /print-template
PUT    /print-template
DELETE /print-template/{key}
POST   /update-template-assignments
POST   /print-job

POST   /field
PUT    /field/{key}
GET    /list field_key search limit
POST   /list/{key}
DELETE /list/{key} value_key
GET    /issue-type active_only
POST   /issue-type
PATCH  /issue-type/{key}
GET    /issue issue_open with_links work_order_key
GET    /task-type active_only
POST   /task-type
GET    /task status_open status_pending status_completed status_canceled due_by_min
GET    /task/{key}
GET    /message recipient_id
GET    /event issue_key task_key serial_key order
POST   /files
GET    /serial-field
GET    /serial limit offset
POST   /notification/ticket
GET    /notification/{topic} ticket

GET    /position search limit
GET    /position/{key}
POST   /position
PATCH  /position/{key}
GET    /position-hierarchy position_key fixed_only
GET    /movement product_key position_from position_to position_filter_operator start_from limit list_key
GET    /movement/latest-positions position_type movement_type limit
GET    /movement-list open_only
POST   /movement-list
GET    /inventory limit
GET    /inventory/count-session
POST   /inventory/count-session
GET    /inventory/count-session/{key}
PUT    /inventory/count-session/{key}
POST   /inventory/count-assignment
DELETE /inventory/count-assignment
GET    /inventory/count-position-status session_key parent_key
GET    /inventory/count-record count_session_key position_key limit
POST   /inventory/count-record/import

POST   /work-order
GET    /work-order search open time_end_from
GET    /work-order/{key}
PATCH  /work-order/{key}
PATCH  /work-order/{key}/update-quantities
GET    /work-order/{key}/traceability
DELETE /work-order/{key}
GET    /work-order-search-opts
GET    /job work_order_key phase_key job_key
GET    /job/{key}
GET    /job/{key}/time
POST   /job/update
GET    /job-assignment user_key
POST   /job/{key}/heartbeat
GET    /work-session job_key
GET    /queue/site/{key}
PUT    /queue
PUT    /queue/operator/{key}
GET    /batch/{key}
GET    /batch/{key}/serials
POST   /batch/temp-data
PUT    /batch/{key}/serial-temp-links
GET    /wip job_key

POST   /event JOB_STARTED JOB_PAUSED JOB_RESUMED ACTIVE_BATCH_CHANGED STEP_COMPLETED STEP_EDITED \
       SERIAL_CREATED SERIAL_UPDATED SERIAL_LINKED SERIAL_UNLINKED \
       MOVEMENT_COMPLETED MOVEMENT_UPDATED MOVEMENT_REVERSED WAREHOUSE_LIST_CLOSED \
       COUNT_SESSION_STARTED COUNT_STARTED COUNT_CANCELED COUNT_COMPLETED COUNT_DISCARDED COUNT_SESSION_COMPLETED \
       COUNT_SESSION_RESUMED COUNT_SESSION_CONFIRMED POSITION_CONFIRMED_EMPTY ASSIGNMENT_STARTED ASSIGNMENT_COMPLETED \
       ISSUE_CREATED ISSUE_UPDATED ISSUE_CLOSED ISSUE_REOPENED ISSUE_DELETED \
       MESSAGE_POSTED MESSAGE_UPDATED MESSAGE_DELETED \
       TASK_CREATED TASK_UPDATED TASK_COMPLETED TASK_CANCELED TASK_SUSPENDED TASK_REOPENED TASK_LINKED TASK_UNLINKED \
       TASK_DELETED
POST   /event/bulk MOVEMENT_COMPLETED
";

/// A call with what is sent along.
struct Known {
    method: &'static str,
    path: Vec<&'static str>,
    words: BTreeSet<&'static str>,
}

impl Known {
    fn of(line: &'static str) -> Self {
        let mut words = line.split_whitespace();
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        Self { method, path: path.split('/').collect(), words: words.collect() }
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path.join("/"))
    }

    /// How many parts of a path are other ones in each call; `None` when it is another path.
    fn places(&self, path: &[&str]) -> Option<usize> {
        let is_place = |part: &str| part.starts_with('{');
        let fits =
            self.path.len() == path.len() && self.path.iter().zip(path).all(|(own, part)| is_place(own) || own == part);
        fits.then(|| self.path.iter().filter(|part| is_place(part)).count())
    }
}

fn known() -> Vec<Known> {
    // A backslash at the end of a line joins it to the next one, as everywhere in this language.
    CALLS.lines().filter(|line| !line.trim().is_empty()).map(Known::of).collect()
}

/// What a journey has called.
#[derive(Debug, Default)]
pub struct Made(BTreeMap<String, BTreeSet<String>>);

impl Made {
    /// Notes a call; refuses one that no page makes.
    pub fn note(&mut self, method: &Method, path: &str, event_type: Option<&str>) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let parts: Vec<&str> = path.split('/').collect();
        let calls = known();
        let fitting = calls.iter().filter(|call| call.method == method.as_str());
        let call = fitting.filter_map(|call| call.places(&parts).map(|places| (places, call))).min_by_key(|one| one.0);
        let (_, call) = call.unwrap_or_else(|| panic!("no page calls {method} {path}"));
        let names = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split('=').next().unwrap());
        let made = self.0.entry(call.name()).or_default();
        for word in names.chain(event_type) {
            assert!(call.words.contains(word), "no page sends {word} with {method} {path}");
            made.insert(word.to_owned());
        }
    }

    /// What of the pages was left out.
    pub fn missing(&self) -> Vec<String> {
        let nothing = BTreeSet::new();
        known()
            .iter()
            .flat_map(|call| {
                let made = self.0.get(&call.name());
                let words = made.unwrap_or(&nothing);
                let unsent = call.words.iter().filter(|word| !words.contains(**word));
                let lacks: Vec<String> = unsent.map(|word| format!("{} with {word}", call.name())).collect();
                if made.is_none() { vec![call.name()] } else { lacks }
            })
            .collect()
    }
}

#[test]
fn a_call_that_was_left_out_is_named_and_one_that_no_page_makes_is_refused() {
    let mut made = Made::default();
    made.note(&Method::GET, "/counter?name=a", None);
    made.note(&Method::GET, "/user/api-tokens", None);
    made.note(&Method::POST, "/event", Some("JOB_STARTED"));
    let missing = made.missing();
    assert!(missing.contains(&"GET /counter with key".to_owned()), "{missing:?}");
    assert!(!missing.iter().any(|call| call == "GET /user/api-tokens" || call == "POST /event with JOB_STARTED"));
    assert!(missing.contains(&"POST /event with STEP_EDITED".to_owned()));
    assert!(missing.contains(&"DELETE /counter/{key}".to_owned()));
    let unknown = std::panic::catch_unwind(move || made.note(&Method::DELETE, "/task/t", None));
    assert!(unknown.is_err(), "tasks are deleted by an event");
}
