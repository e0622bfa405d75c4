//! Searches for a text that may stand anywhere: what they find by the search views is what they find by testing every
//! document, and they cost what they find.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use tracewright::api::texts::MOST_CANDIDATES;
use tracewright::api::wildcard;
use tracewright::store::Query;
use tracewright_testkit::plans::is_embedded;
use tracewright_testkit::{Service, answer};

/// Numbers that look random, the same in every run.
pub struct Random(pub u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// A text of a few parts that have much in common, whatever may be difficult about letters among them.
    pub fn text(&mut self) -> String {
        let parts = [
            "TORQUE",
            "torque",
            "Drehmoment",
            "moment",
            "SN-26-",
            "00",
            "0481",
            "48",
            "1",
            " ",
            "_",
            "-",
            "x",
            "é",
            "É",
            "e\u{301}",
            "ê\u{323}",
            "ß",
            "SS",
            "ss",
            "ẞ",
            "İ",
            "I",
            "ı",
            "ſ",
            "K",
            "k",
            "Σ",
            "σς",
            "👍",
            "👍🏽",
            "*",
            "?",
            "%",
            "\\",
            ".",
            "fi",
            "ﬁ",
            "Ünit",
            "ünit",
            "日本",
            "語",
            "한국",
            "\u{1112}\u{1161}",
            "żółć",
            "ЖУК",
        ];
        (0..=self.below(5)).map(|_| self.of(&parts)).collect()
    }

    /// A part of a text, or something else.
    fn search(&mut self, texts: &[String]) -> String {
        let text: Vec<char> = texts[self.below(texts.len())].chars().collect();
        let from = self.below(text.len());
        let part: String = text[from..from + self.below(text.len() - from + 1)].iter().collect();
        match self.below(6) {
            0 => part.to_uppercase(),
            1 => part.to_lowercase(),
            2 => self.text(),
            _ => part,
        }
    }
}

/// A search of the interface, and the same as a query that tests every document.
pub struct Search {
    pub path: &'static str,
    pub parameter: &'static str,
    pub collection: &'static str,
    /// Conditions on a document `d`, with the text as `@text`.
    pub condition: &'static str,
    /// The condition gets a regular expression.
    pub has_wildcards: bool,
    /// What holds for all documents that the search is about.
    pub among: &'static str,
}

const TASKS: Search = Search {
    path: "/task?limit=10000",
    parameter: "search",
    collection: "Task",
    condition: "CONTAINS(LOWER(d.title), LOWER(@text)) OR CONTAINS(LOWER(d.description), LOWER(@text))
        OR CONTAINS(LOWER(d.code), LOWER(@text))",
    has_wildcards: false,
    among: "true",
};

impl Search {
    /// The keys that the interface finds.
    async fn found(&self, service: &Service, token: &str, text: &str) -> BTreeSet<String> {
        let request = service.request(Method::GET, self.path, token).query(&[(self.parameter, text)]);
        let (status, body) = answer(request).await;
        assert_eq!(status, 200, "{} {text:?}: {body}", self.path);
        body.as_array().unwrap().iter().map(|row| row["_key"].as_str().unwrap().to_owned()).collect()
    }

    /// The keys of all documents that meet the condition.
    async fn tested(&self, service: &Service, text: &str) -> BTreeSet<String> {
        let query =
            format!("FOR d IN @@c FILTER {} FILTER @text == '' OR {} RETURN d._key", self.among, self.condition);
        let query = Query { params: &["@c", "text"], ..Query::undeclared("reference", query.leak()) };
        let expression = wildcard::regex(Some(text)).unwrap_or_default();
        let text = if self.has_wildcards { &expression } else { text };
        let params = json!({"@c": self.collection, "text": text});
        let rows: Vec<String> = service.app.store.rows(&query, params).await.unwrap();
        rows.into_iter().collect()
    }

    /// Compares both for many texts.
    pub async fn compare(&self, service: &Service, token: &str, random: &mut Random, texts: &[String], times: usize) {
        let mut partly = 0;
        for _ in 0..times {
            let text = random.search(texts);
            let (found, tested) = (self.found(service, token, &text).await, self.tested(service, &text).await);
            assert_eq!(found, tested, "{} {}={text:?}", self.path, self.parameter);
            partly += usize::from(!found.is_empty() && found.len() < texts.len() / 4);
        }
        assert!(partly > times / 5, "{} {}: {partly} of {times}", self.path, self.parameter);
    }
}

#[tokio::test]
async fn a_search_for_tasks_finds_what_testing_every_task_finds() {
    let service = Service::start().await;
    let token = service.token("u", "collaboration:task:read").await;
    let mut random = Random(1);
    let mut texts = Vec::new();
    for round in 0..2 {
        // What the second round writes is found together with what was there.
        let mut task = |number: usize| {
            let own: [String; 3] = std::array::from_fn(|_| random.text());
            texts.extend(own.clone());
            let [title, description, code] = own;
            let description = if number.is_multiple_of(3) { Value::Null } else { json!(description) };
            json!({"_key": format!("{round}-{number}"), "title": title, "description": description, "code": code,
                "task_type_key": "t", "status": "open"})
        };
        let tasks: Vec<Value> = (0..150).map(&mut task).collect();
        service.seed("Task", json!(tasks)).await;
        TASKS.compare(&service, &token, &mut random, &texts, 250).await;
    }
}

#[tokio::test]
async fn a_text_that_very_many_have_is_found_in_the_order_of_the_search() {
    let service = Service::start().await;
    let token = service.token("u", "collaboration:task:read").await;
    let task = |number: usize| {
        json!({"_key": format!("k{number:05}"), "title": "Check torque", "task_type_key": "t", "status": "open",
            "due_by": format!("2026-05-{:02}", 28 - number % 28)})
    };
    let all = MOST_CANDIDATES + 500;
    service.seed("Task", (0..all).map(task).collect()).await;
    let found = TASKS.found(&service, &token, "torque").await;
    assert_eq!(found.len(), all);
    let (_, page) = service.get("/task?search=torque&limit=3", &token).await;
    let due: Vec<&str> = page.as_array().unwrap().iter().map(|row| row["_key"].as_str().unwrap()).collect();
    assert_eq!(due, ["k00027", "k00055", "k00083"]);
}

#[tokio::test]
async fn a_search_reads_what_it_finds() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    let token = service.token("u", "collaboration:task:read").await;
    let task = |number: usize| {
        json!({"_key": format!("k{number}"), "code": format!("T{number:06}"), "title": format!("Check torque of unit {number}"),
            "description": "Measure, note, sign", "task_type_key": "t", "status": "open"})
    };
    service.seed("Task", (0..3_000).map(task).collect()).await;
    for (text, hits) in [("unit 1234", 1), ("002718", 1), ("bolt", 0), ("xyz", 0), ("unit 271", 11)] {
        let before = service.app.store.meter().scanned();
        let found = TASKS.found(&service, &token, text).await;
        let looked_at = service.app.store.meter().scanned() - before;
        assert_eq!(found.len(), hits, "{text}");
        assert!(looked_at < 100, "{text}: {looked_at}");
    }
}

#[tokio::test]
async fn a_database_that_has_documents_gets_its_views_at_the_start() {
    let service = Service::start().await;
    if !is_embedded(&service) {
        return;
    }
    service.seed("Task", json!([{"_key": "a", "title": "Torque", "task_type_key": "t"}])).await;
    let engine = |service: &Service, method, path: &str, body: &Value| {
        let path = format!("/_api/view/TaskTexts{path}");
        service.ask_engine(method, &path, body).unwrap().status().as_u16()
    };
    assert_eq!(engine(&service, Method::DELETE, "", &Value::Null), 200);
    let missing =
        |views: Vec<&'static tracewright::store::View>| views.iter().map(|view| view.name).collect::<Vec<_>>();
    assert_eq!(missing(service.app.store.missing().await.unwrap().views), ["TaskTexts"]);
    let service = service.restart(&[]).await;
    let token = service.token("u", "collaboration:task:read").await;
    assert_eq!(TASKS.found(&service, &token, "torque").await.len(), 1);
    // One that an earlier version made otherwise is made as it should be.
    let other = json!({"links": {"Task": {"fields": {"title": {"analyzers": ["identity"]}}}}});
    assert_eq!(engine(&service, Method::PUT, "/properties", &other), 200);
    assert_eq!(missing(service.app.store.missing().await.unwrap().views), ["TaskTexts"]);
    let service = service.restart(&[]).await;
    assert_eq!(missing(service.app.store.missing().await.unwrap().views), [""; 0]);
    let token = service.token("u", "collaboration:task:read").await;
    assert_eq!(TASKS.found(&service, &token, "torque").await.len(), 1);
}
