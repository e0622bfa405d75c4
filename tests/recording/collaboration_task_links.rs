//! Events of tasks: what they are linked to, and how they go away.

use futures_util::future::join_all;
use serde_json::{Value, json};
use tracewright_testkit::{Service, rows};

use crate::collaboration_support::{document, documents, events, post, record, refuse, refuse_as, service};

/// A service with a type of tasks that may be linked to one product, any number of serials and other tasks, and must be
/// linked to a work order when it is completed.
async fn with_links() -> (Service, String) {
    let service = service().await;
    let setting = |kind: &str, enabled: bool, multiple: bool, required: bool| json!({"type": kind, "enabled": enabled, "allow_multiple": multiple, "required": required});
    let settings = json!([
        setting("product", true, false, false),
        setting("serial", true, true, false),
        setting("task", true, true, false),
        setting("work_order", true, false, true),
        setting("issue", false, true, true),
    ]);
    let types = json!([{"_key": "linked", "name": "L", "link_settings": settings}, {"_key": "bare", "name": "B"}]);
    service.seed("TaskType", types).await;
    service.seed("Issue", json!([{"_key": "i"}])).await;
    let token = service.token("u", "task").await;
    (service, token)
}

async fn create(service: &Service, token: &str, kind: &str) -> Value {
    record(service, token, "TASK_CREATED", json!({"task_type_key": kind})).await["task_key"].clone()
}

fn link(task: &Value, kind: &str, key: &str) -> Value {
    json!({"task_key": task, "link_type": kind, "link_key": key})
}

async fn links(service: &Service) -> Vec<String> {
    let links = documents(service, "task_rel").await;
    links.iter().map(|link| format!("{} {}", link["_from"], link["_to"]).replace('"', "")).collect()
}

#[tokio::test]
async fn a_task_is_linked_to_what_its_type_allows_once() {
    let (service, token) = with_links().await;
    let task = create(&service, &token, "linked").await;
    let bare = create(&service, &token, "bare").await;
    let gone = json!([{"_key": "gone", "code": "GONE", "task_type_key": "linked", "deleted": "2026-01-01"}]);
    service.seed("Task", gone).await;
    record(&service, &token, "TASK_LINKED", link(&task, "product", "p")).await;
    record(&service, &token, "TASK_LINKED", link(&task, "serial", "s")).await;
    let own = task.as_str().unwrap();
    for (members, word) in [
        (link(&task, "issue", "i"), "issue"),
        (link(&bare, "product", "p"), "product"),
        (link(&task, "serial", "none"), "Serial none not found"),
        (link(&task, "serial", "gone"), "Serial gone not found"),
        (link(&task, "task", "gone"), "Task gone not found"),
        (link(&task, "work_order", "none"), "Work order none not found"),
        (link(&task, "task", own), "itself"),
        (link(&task, "serial", "s"), "already"),
        (link(&task, "product", "q"), "one product only"),
        (link(&json!("none"), "product", "q"), "Task none not found"),
    ] {
        refuse(&service, &token, "TASK_LINKED", members, word).await;
    }
    for event_type in ["TASK_LINKED", "TASK_UNLINKED"] {
        let members = link(&task, "machine", "m");
        refuse_as("ValidationError", &service, &token, event_type, members, "link_type: ").await;
    }
    let found = documents(&service, "task_rel").await;
    let event = &events(&service, "TASK_LINKED").await[0];
    assert_eq!(found.len(), 2);
    assert_eq!((&found[0]["_from"], &found[0]["_to"]), (&json!(format!("Task/{own}")), &json!("Product/p")));
    assert_eq!((&found[0]["created"], &found[0]["created_by"]), (&event["timestamp"], &json!("u")));
    assert_eq!((&event["task_key"], &event["link_key"], &event["link_type"]), (&task, &json!("p"), &json!("product")));
}

#[tokio::test]
async fn links_count_and_go_away_in_both_directions() {
    let (service, token) = with_links().await;
    let (one, two) = (create(&service, &token, "linked").await, create(&service, &token, "linked").await);
    let (one_key, two_key) = (one.as_str().unwrap(), two.as_str().unwrap());
    record(&service, &token, "TASK_LINKED", link(&one, "task", two_key)).await;
    refuse(&service, &token, "TASK_LINKED", link(&two, "task", one_key), "already").await;
    refuse(&service, &token, "TASK_UNLINKED", link(&two, "product", "p"), "not linked").await;
    record(&service, &token, "TASK_UNLINKED", link(&two, "task", one_key)).await;
    assert!(links(&service).await.is_empty());
    refuse(&service, &token, "TASK_UNLINKED", link(&two, "task", one_key), "not linked").await;
    record(&service, &token, "TASK_LINKED", link(&two, "task", one_key)).await;
}

#[tokio::test]
async fn of_two_links_at_once_where_one_is_allowed_one_is_made() {
    let (service, token) = with_links().await;
    let task = create(&service, &token, "linked").await;
    let both = ["p", "q"].map(|key| post(&service, &token, "TASK_LINKED", link(&task, "product", key)));
    let mut statuses: Vec<u16> = join_all(both).await.iter().map(|(status, _)| status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
    assert_eq!(links(&service).await.len(), 1);
}

#[tokio::test]
async fn a_task_is_completed_with_the_links_that_are_required_and_enabled() {
    let (service, token) = with_links().await;
    let task = create(&service, &token, "linked").await;
    refuse(&service, &token, "TASK_COMPLETED", json!({"task_key": task}), "work order").await;
    assert_eq!(document(&service, "Task", &task).await["status"], "open");
    let from = format!("Task/{}", task.as_str().unwrap());
    service.seed("task_rel", json!([{"_from": "WorkOrder/o1", "_to": from}])).await;
    record(&service, &token, "TASK_COMPLETED", json!({"task_key": task})).await;
}

#[tokio::test]
async fn a_fresh_task_is_removed_with_its_links_files_and_creation() {
    let (service, token) = with_links().await;
    let (task, other) = (create(&service, &token, "linked").await, create(&service, &token, "linked").await);
    let (key, other_key) = (task.as_str().unwrap(), other.as_str().unwrap());
    let rel = |from: &str, to: &str| json!({"_from": format!("Task/{from}"), "_to": format!("Task/{to}")});
    service.seed("task_rel", json!([rel(key, other_key), rel(other_key, key)])).await;
    let folder = service.data_dir.path().join("media/task").join(key);
    std::fs::create_dir_all(&folder).unwrap();
    let answer = record(&service, &token, "TASK_DELETED", json!({"task_key": task})).await;
    assert_eq!(answer["mode"], "hard");
    assert!(answer["message"].is_string());
    assert_eq!(documents(&service, "Task").await.len(), 1);
    assert!(links(&service).await.is_empty());
    assert!(!folder.exists());
    let found = rows(&service, &token, &format!("/event?task_key={key}")).await;
    let types: Vec<&Value> = found.iter().map(|event| &event["event_type"]).collect();
    assert_eq!(types, ["TASK_DELETED"]);
    assert_eq!(events(&service, "TASK_CREATED").await.len(), 1, "that of the other task");
}

#[tokio::test]
async fn a_task_with_a_history_is_hidden() {
    let (service, token) = with_links().await;
    for history in ["event", "context", "message", "session"] {
        let task = create(&service, &token, "linked").await;
        let key = task.as_str().unwrap();
        match history {
            "event" => drop(record(&service, &token, "TASK_SUSPENDED", json!({"task_key": task})).await),
            "context" => {
                let members = json!({"issue_data": {}, "context_type": "task", "context_key": task});
                record(&service, &token, "ISSUE_CREATED", members).await;
            }
            "message" => {
                let members = json!({"recipient": format!("Task/{key}"), "content": "Hi"});
                record(&service, &token, "MESSAGE_POSTED", members).await;
            }
            _ => service.seed("WorkSession", json!([{"_key": "ws", "task_key": task}])).await,
        }
        let answer = record(&service, &token, "TASK_DELETED", json!({"task_key": task})).await;
        assert_eq!(answer["mode"], "soft", "{history}");
        let hidden = document(&service, "Task", &task).await;
        let event = events(&service, "TASK_DELETED").await.pop().unwrap();
        assert_eq!((&hidden["deleted"], &hidden["deleted_by"]), (&event["timestamp"], &event["_key"]), "{history}");
        assert_eq!(service.get(&format!("/task/{key}"), &token).await.0, 404);
        for event_type in ["TASK_COMPLETED", "TASK_CANCELED", "TASK_SUSPENDED", "TASK_REOPENED", "TASK_DELETED"] {
            refuse(&service, &token, event_type, json!({"task_key": task}), "not found").await;
        }
        refuse(&service, &token, "TASK_UPDATED", json!({"task_key": task, "title": "x"}), "not found").await;
        for event_type in ["TASK_LINKED", "TASK_UNLINKED"] {
            refuse(&service, &token, event_type, link(&task, "product", "p"), "not found").await;
        }
    }
}
