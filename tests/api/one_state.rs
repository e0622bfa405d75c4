//! Answers that take several queries read one state of the database, whatever is written between the queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use poem::{Endpoint, Request, Response};
use serde_json::{Value, json};
use tracewright_testkit::dhr::record;
use tracewright_testkit::{Service, rows};

use crate::remote::{DatabaseServer, PASSWORD, forward, listen};

/// Stands between a service and its database. Before each query with a text in it a document is written.
struct Meddler {
    database: String,
    client: reqwest::Client,
    queries_with: &'static str,
    collection: &'static str,
    document: fn(usize) -> Value,
    written: Arc<AtomicUsize>,
}

impl Endpoint for Meddler {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
        let body = request.take_body().into_bytes().await?;
        if path.ends_with("/_api/cursor") && String::from_utf8_lossy(&body).contains(self.queries_with) {
            let number = self.written.fetch_add(1, Ordering::Relaxed);
            let url = format!("{}{}", self.database, path.replace("cursor", &format!("document/{}", self.collection)));
            let insert = self.client.post(url).basic_auth("root", Some(PASSWORD)).json(&(self.document)(number));
            assert!(insert.send().await.unwrap().status().is_success());
        }
        Ok(forward(&self.client, &self.database, &request, body.into()).await)
    }
}

/// A service in whose queries somebody meddles, and how often that was.
async fn meddled(
    server: &DatabaseServer,
    queries_with: &'static str,
    collection: &'static str,
    document: fn(usize) -> Value,
) -> (Service, Arc<AtomicUsize>) {
    let written = Arc::new(AtomicUsize::new(0));
    let meddler = Meddler {
        database: server.url.clone(),
        client: reqwest::Client::new(),
        queries_with,
        collection,
        document,
        written: Arc::clone(&written),
    };
    (DatabaseServer::service_at(&listen(meddler).await).await, written)
}

fn keys(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["_key"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_the_journal_shows_nothing_that_is_written_while_it_is_looked_up() {
    fn movement(number: usize) -> Value {
        json!({
            "_key": format!("new{number}"), "_from": "Position/OUT", "_to": "Position/IN", "type": "receipt",
            "product_key": "p", "status": "completed", "start": "2026-03-01T08:00:00.000000+00:00",
            "end": "2026-03-01T08:00:00.000000+00:00",
        })
    }
    let server = DatabaseServer::start().await;
    let (service, written) = meddled(&server, "IN movement", "movement", movement).await;
    let token = service.token("u", "warehouse").await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    let old = |number: usize| {
        let mut old = movement(number);
        old["_key"] = format!("old{number}").into();
        old["end"] = format!("2026-02-0{number}T08:00:00.000000+00:00").into();
        old
    };
    service.seed("movement", json!([old(1), old(2), old(3)])).await;
    for path in ["/movement?limit=3", "/movement?limit=3&product_search=p", "/movement?limit=3&position_to=IN"] {
        let before = written.load(Ordering::Relaxed);
        // What was written earlier has the same end and start: the greatest key first.
        let mut expected: Vec<String> = (0..before).map(|number| format!("new{number}")).collect();
        expected.sort_by(|one, other| other.cmp(one));
        expected.extend([3, 2, 1].map(|number| format!("old{number}")));
        assert_eq!(keys(&rows(&service, &token, path).await), expected[..3], "{path}");
        assert!(written.load(Ordering::Relaxed) > before + 1, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stock_is_searched_as_it_is_at_one_moment() {
    fn stock(number: usize) -> Value {
        json!({"_key": format!("new{number}"), "_from": "Product/p", "_to": "Position/IN", "quantity": 1, "serial_key": "s"})
    }
    let server = DatabaseServer::start().await;
    let (service, written) = meddled(&server, "IN is_in_position", "is_in_position", stock).await;
    let token = service.token("u", "warehouse").await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    service.seed("Serial", json!([{"_key": "s", "code": "S", "product_key": "p"}])).await;
    for path in ["/inventory?serial_search=s", "/inventory?position_search=in"] {
        let before = written.load(Ordering::Relaxed);
        assert_eq!(rows(&service, &token, path).await.len(), before, "{path}");
        assert!(written.load(Ordering::Relaxed) > before, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_of_serials_names_products_as_they_are_when_its_root_is_looked_up() {
    fn product(number: usize) -> Value {
        json!({"_key": number.to_string(), "code": "P"})
    }
    let server = DatabaseServer::start().await;
    // a text of every query of a tree
    let (service, written) = meddled(&server, "product_key", "Product", product).await;
    let token = service.token("u", "traceability").await;
    let serial =
        |number: usize| json!({"_key": format!("s{number}"), "product_key": number.to_string(), "deleted": false});
    service.seed("Serial", (0..9).map(serial).collect()).await;
    let link = |number: usize| json!({"_from": "Serial/s0", "_to": format!("Serial/s{number}"), "confirmed": true});
    service.seed("contains", (1..9).map(link).collect()).await;
    // a root has no way up to be looked for
    for (key, queries) in [("s0", 2), ("s1", 4)] {
        let before = written.load(Ordering::Relaxed);
        let tree = rows(&service, &token, &format!("/serial-hierarchy?serial_key={key}")).await.remove(0);
        let nodes = tree["children"].as_array().unwrap().iter().chain([&tree]);
        assert_eq!(nodes.filter(|node| node["product_code"] == "P").count(), before, "{key}: {tree}");
        assert_eq!(written.load(Ordering::Relaxed), before + queries, "{key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn units_lie_where_they_lay_when_it_was_looked_up_where_a_serial_was_used() {
    fn stock(number: usize) -> Value {
        json!({"_from": "Product/p", "_to": "Position/IN", "quantity": 1, "serial_key": format!("u{number}")})
    }
    let server = DatabaseServer::start().await;
    // a text of every query of these answers
    let (service, written) = meddled(&server, "IN Serial", "is_in_position", stock).await;
    let token = service.token("u", "traceability").await;
    let unit = |number: usize| json!({"_key": format!("u{number}"), "deleted": false});
    service.seed("Serial", (0..9).map(unit).collect()).await;
    service.seed("Serial", json!([{"_key": "c", "code": "C", "product_key": "p", "deleted": false}])).await;
    let link = |number: usize| json!({"_from": format!("Serial/u{number}"), "_to": "Serial/c"});
    service.seed("contains", (0..9).map(link).collect()).await;
    for path in ["/serial/c/where-used", "/where-used?code=c", "/where-used?product_key=p"] {
        let before = written.load(Ordering::Relaxed);
        let units = rows(&service, &token, path).await;
        assert_eq!(units.iter().filter(|unit| unit["state"] == "in_stock").count(), before, "{path}");
        assert_eq!((units.len(), written.load(Ordering::Relaxed)), (9, before + 3), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn linked_tasks_are_those_there_are_when_the_links_are_looked_up() {
    fn task(number: usize) -> Value {
        json!({"_key": number.to_string(), "status": "open"})
    }
    let server = DatabaseServer::start().await;
    let (service, written) = meddled(&server, "IN Task", "Task", task).await;
    let token = service.token("u", "task").await;
    service.seed("Task", json!([task(8)])).await;
    let link = |number: usize| json!({"_from": format!("Task/{number}"), "_to": "Product/p"});
    service.seed("task_rel", (0..9).map(link).collect()).await;
    for path in ["/task?product_key=p", "/task?product_key=p&status_open=true"] {
        let before = written.load(Ordering::Relaxed);
        // What is found by the first query is read by the second; one was there from the beginning.
        assert_eq!(rows(&service, &token, path).await.len(), before + 1, "{path}");
        assert_eq!(written.load(Ordering::Relaxed), before + 2, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn linked_issues_are_those_there_are_when_the_links_are_looked_up() {
    fn issue(number: usize) -> Value {
        json!({"_key": number.to_string(), "open": true, "created": "2026-03-01T08:00:00.000000+00:00"})
    }
    let server = DatabaseServer::start().await;
    let (service, written) = meddled(&server, "IN Issue", "Issue", issue).await;
    let token = service.token("u", "quality").await;
    service.seed("Issue", json!([issue(8)])).await;
    let link = |number: usize| json!({"_from": format!("Issue/{number}"), "_to": "Product/p"});
    service.seed("issue_rel", (0..9).map(link).collect()).await;
    // Issues are also linked to projects, which are no collection.
    let project = |number: usize| json!({"_from": format!("Issue/{number}"), "_to": "project/alpha"});
    service.seed("issue_rel", (0..9).map(project).collect()).await;
    for path in ["/issue?product_key=p", "/issue?product_key=p&with_links=true"] {
        let before = written.load(Ordering::Relaxed);
        // What is found by the first query is read by the second; one was there from the beginning.
        assert_eq!(rows(&service, &token, path).await.len(), before + 1, "{path}");
        assert_eq!(written.load(Ordering::Relaxed), before + 2, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_all_rows_is_of_one_moment_however_many_portions_it_takes() {
    type Numbered = fn(usize) -> Value;
    fn serial(number: usize) -> Value {
        json!({"_key": format!("new{number}"), "deleted": false, "created": "2026-01-01T00:00:00.000000+00:00"})
    }
    fn event(number: usize) -> Value {
        json!({"_key": format!("new{number}"), "event_type": "x", "timestamp": "2026-01-01T00:00:00.000000+00:00", "user_key": "u"})
    }
    let cases: [(&'static str, &'static str, Numbered, &str); 2] =
        [("IN Serial", "Serial", serial, "/serial?limit=0"), ("IN Event", "Event", event, "/event?limit=0&user_key=u")];
    for (queries_with, collection, document, path) in cases {
        let server = DatabaseServer::start().await;
        let (service, written) = meddled(&server, queries_with, collection, document).await;
        let token = service.token("u", "traceability").await;
        // what is there from the beginning has other keys
        let old = |number: usize| {
            let mut old = document(number);
            old["_key"] = format!("old{number:04}").into();
            old
        };
        service.seed(collection, (0..2_500).map(old).collect()).await;
        let before = written.load(Ordering::Relaxed);
        let found = rows(&service, &token, path).await;
        assert_eq!(found.len(), 2_500 + before, "{path}");
        assert_eq!(keys(&found).iter().collect::<std::collections::BTreeSet<_>>().len(), found.len(), "{path}");
        assert_eq!(written.load(Ordering::Relaxed), before + 4, "{path}: the keys and three portions");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_history_record_tells_what_was_there_when_it_was_begun() {
    fn product(number: usize) -> Value {
        json!({"_key": format!("new{number}"), "code": "MEDDLED"})
    }
    let server = DatabaseServer::start().await;
    // a text of the query that comes second
    let (service, written) = meddled(&server, "IN StepExecutionData", "Product", product).await;
    service.seed("Serial", json!([{"_key": "s", "code": "S", "product_key": "new0", "deleted": false}])).await;
    let first = record(&service, "/serial/s/dhr").await;
    assert_eq!(written.load(Ordering::Relaxed), 1);
    assert!(!first.contains("MEDDLED"), "{}", first.text());
    assert!(record(&service, "/serial/s/dhr").await.contains("MEDDLED"), "the next one tells it");
}
