//! Queries of the console: rows, plans, figures, mistakes, limits, and their end before their end.

use std::time::Duration;

use tracewright_testkit::{ADMIN_PASSWORD, Service};

use crate::console_support::Plant;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// A query that nobody lives to see the end of, with a text to find it by.
const ENDLESS: &str = "FOR endless IN 1..1000000000000 FILTER endless < 0 RETURN endless";

/// Waits until `found` says so.
async fn until(what: &str, mut found: impl AsyncFnMut() -> bool) {
    for _ in 0..200 {
        if found().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} never happens");
}

/// Whether an endless query is at work at the database.
async fn is_at_work(plant: &Plant) -> bool {
    let settings = &plant.service.app.settings.database;
    let current = plant.service.ask_engine(Method::GET, "/_api/query/current", &Value::Null);
    let entries: Vec<Value> = if let Some(answer) = current {
        serde_json::from_slice(answer.body()).unwrap()
    } else {
        let url = format!("{}/_db/{}/_api/query/current", settings.url, settings.name);
        let request = plant.service.client.get(url).basic_auth("root", settings.password.as_ref());
        request.send().await.unwrap().json().await.unwrap()
    };
    entries.iter().any(|entry| entry["query"].as_str().unwrap().contains("FOR endless"))
}

/// An endless query, asked with a token.
fn endless(plant: &Plant, token: &str) -> tokio::task::JoinHandle<(u16, Value)> {
    let request =
        plant.service.request(Method::POST, "/aql", token).json(&json!({"query": ENDLESS, "query_id": "long"}));
    tokio::spawn(async move {
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_with_warnings_and_figures_and_members_in_their_order() {
    for plant in Plant::both().await {
        let query =
            "FOR s IN Serial FILTER s.product_key == @p SORT s.code RETURN {z: s.code, a: {y: 1, b: 1 / 0}, m: [null]}";
        let (status, body) = plant.ask(json!({"query": query, "bind_vars": {"p": "p"}, "query_id": "mine"})).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(body["query_id"], "mine");
        assert_eq!(body["rows"][1], json!({"z": "B", "a": {"y": 1, "b": null}, "m": [null]}));
        assert_eq!((&body["truncated"], &body["plan"], &body["stages"]), (&json!(false), &json!(null), &json!(null)));
        assert_eq!(body["warnings"][0], json!({"code": 1562, "message": "division by zero"}));
        let stats = &body["stats"];
        assert_eq!((&stats["scanned_full"], &stats["scanned_index"]), (&json!(0), &json!(2)));
        assert!(stats["execution_seconds"].as_f64().unwrap() >= 0.0 && stats["peak_memory_bytes"].is_u64(), "{stats}");
        let request = plant
            .service
            .request(Method::POST, "/aql", &plant.token)
            .json(&json!({"query": "RETURN {z: 1, a: {y: 2, b: 3}}"}));
        let text = request.send().await.unwrap().text().await.unwrap();
        assert!(text.contains(r#""rows":[{"z":1,"a":{"y":2,"b":3}}]"#), "{text}");
        let (_, body) = plant.query("RETURN 1").await;
        assert_eq!(body["query_id"].as_str().unwrap().len(), 20, "one is given");
        let collection = json!({"query": "FOR d IN @@c RETURN d._key", "bind_vars": {"@c": "contains"}});
        assert_eq!(plant.ask(collection).await.1["rows"], json!(["l"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_beyond_the_limit_are_left_out_and_the_answer_says_so() {
    for plant in Plant::both().await {
        for (limit, rows, truncated) in [(3, 3, false), (2, 2, true), (1, 1, true)] {
            let (_, body) = plant.ask(json!({"query": "FOR s IN Serial RETURN s._key", "limit": limit})).await;
            assert_eq!(body["rows"].as_array().unwrap().len(), rows, "{body}");
            assert_eq!(body["truncated"], truncated, "{body}");
        }
        // Endless as it is, its first rows are there at once.
        let (status, body) =
            plant.ask(json!({"query": "FOR endless IN 1..1000000000000 RETURN endless", "limit": 2_500})).await;
        assert_eq!((status.as_u16(), body["rows"].as_array().unwrap().len()), (200, 2_500));
        assert_eq!((&body["rows"][2_499], &body["truncated"]), (&json!(2_500), &json!(true)));
        assert_eq!(body["stats"], json!(null), "it has not come to its end");
        until("the end of what nobody reads", async || !is_at_work(&plant).await).await;
        let large = "FOR i IN 1..9000 RETURN REPEAT('x', 10000)";
        let (status, body) = plant.ask(json!({"query": large, "limit": 10_000})).await;
        assert_eq!((status.as_u16(), &body["truncated"]), (200, &json!(true)));
        let rows = body["rows"].as_array().unwrap().len();
        assert!(
            (1_600..5_000).contains(&rows),
            "{rows} rows of 10 kB: 16 MiB and the batch in which they are exceeded"
        );
        for limit in [0, 10_001] {
            assert_eq!(plant.ask(json!({"query": "RETURN 1", "limit": limit})).await.0, 422, "{limit}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_explained_query_tells_its_plan_and_runs_nothing() {
    for plant in Plant::both().await {
        let query = "FOR s IN Serial FILTER s.code == 'A' LET n = (FOR l IN contains FILTER l._from == s._id RETURN 1) RETURN n";
        let (status, body) = plant.ask(json!({"query": query, "explain": true})).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!((&body["rows"], &body["stats"]), (&json!([]), &json!(null)));
        let plan = &body["plan"];
        let node = plan["nodes"].as_array().unwrap().iter().find(|node| node["collection"] == "Serial").unwrap();
        assert_eq!((&node["type"], &node["indexes"][0]["fields"][0]), (&json!("IndexNode"), &json!("code")), "{node}");
        assert!(node["estimated_rows"].is_number() && node["rows"].is_null() && node["seconds"].is_null(), "{node}");
        assert_eq!(node["dependencies"].as_array().unwrap().len(), 1);
        let mut inner = plan["nodes"].as_array().unwrap().iter().flat_map(|node| node["subquery"].as_array().unwrap());
        assert!(inner.any(|node| node["collection"] == "contains"), "{plan}");
        assert!(plan["estimated_cost"].is_number() && !plan["rules"].as_array().unwrap().is_empty());
        let names: Vec<&Value> = plan["collections"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(json!(names), json!(["Serial", "contains"]));
        let (status, body) = plant.ask(json!({"query": ENDLESS, "explain": true})).await;
        assert_eq!(status, 200, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profiled_query_tells_what_each_node_did() {
    for plant in Plant::both().await {
        let query = "FOR s IN Serial FILTER s.product_key == 'p' FILTER s.code != 'A' RETURN s._key";
        let (status, body) = plant.ask(json!({"query": query, "profile": true, "limit": 1})).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!((&body["rows"], &body["truncated"]), (&json!(["b"]), &json!(false)));
        let nodes = body["plan"]["nodes"].as_array().unwrap();
        let last = nodes.last().unwrap();
        assert_eq!((&last["type"], &last["rows"]), (&json!("ReturnNode"), &json!(1)), "{last}");
        for node in nodes {
            for figure in ["calls", "rows", "filtered", "seconds", "estimated_rows"] {
                assert!(node[figure].is_number(), "{figure}: {node}");
            }
        }
        assert!(body["stages"]["executing"].is_number() && body["stats"]["scanned_index"] == 2, "{body}");
        // All of it is measured, whatever is shown.
        let (_, body) = plant.ask(json!({"query": "FOR i IN 1..50 RETURN i", "profile": true, "limit": 7})).await;
        assert_eq!((body["rows"].as_array().unwrap().len(), &body["truncated"]), (7, &json!(true)));
        assert_eq!(body["plan"]["nodes"].as_array().unwrap().last().unwrap()["rows"], 50);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_have_number_message_and_place() {
    for plant in Plant::both().await {
        for (query, number, place) in [
            ("FOR s IN Serial RETRUN s", 1501, json!([1, 17])),
            ("FOR s IN Serial\n  RETURN s.\n", 1501, json!([2, 11])),
            ("FOR s IN Nowhere RETURN s", 1203, json!([null, null])),
            ("RETURN NONSENSE(1)", 1540, json!([null, null])),
            ("RETURN ABS(1, 2, 3)", 1541, json!([null, null])),
            ("RETURN @missing", 1551, json!([null, null])),
        ] {
            for explain in [false, true] {
                let (status, body) = plant.ask(json!({"query": query, "explain": explain})).await;
                let detail = &body["detail"];
                assert_eq!((status.as_u16(), &detail["error_num"]), (400, &json!(number)), "{query}: {body}");
                let message = detail["message"].as_str().unwrap();
                if place[0].is_number() {
                    assert!(
                        message.contains(&format!("at position {}:{}", detail["line"], detail["column"])),
                        "{message}"
                    );
                    assert_eq!(detail["line"], place[0], "{query}: {message}");
                } else {
                    assert_eq!(json!([detail["line"], detail["column"]]), place, "{query}: {message}");
                }
                assert!(!message.contains("AQL console"), "{message}");
            }
        }
        let (status, body) = plant.ask(json!({"query": "RETURN 1", "bind_vars": {"unused": 1}})).await;
        assert_eq!((status.as_u16(), &body["detail"]["error_num"]), (400, &json!(1552)), "{body}");
        for body in
            [json!({}), json!({"query": ""}), json!({"query": 1}), json!({"query": "RETURN 1", "bind_vars": [1]})]
        {
            assert_eq!(plant.ask(body.clone()).await.0, 422, "{body}");
        }
        for id in ["", "a b", "ä", "schema", &"x".repeat(65)] {
            assert_eq!(plant.ask(json!({"query": "RETURN 1", "query_id": id})).await.0, 422, "{id}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_stopped_by_its_user_and_by_administrators_and_nobody_else() {
    for plant in Plant::both().await {
        let (service, token) = (&plant.service, &plant.token);
        let other = service.token("other", "data:aql:read").await;
        let admin = service.token("boss", "admin").await;
        for stopper in [token, &admin] {
            let asked = endless(&plant, token);
            until("the query", async || is_at_work(&plant).await).await;
            let (status, body) = service.send(Method::DELETE, "/aql/long", &other, json!({})).await;
            assert_eq!((status.as_u16(), body), (404, json!({"detail": {"message": "No query long runs"}})));
            assert!(is_at_work(&plant).await);
            let (status, body) = service.send(Method::DELETE, "/aql/long", stopper, json!({})).await;
            assert_eq!((status.as_u16(), body), (200, json!({"query_id": "long", "stopped": true})));
            let (status, body) = asked.await.unwrap();
            assert_eq!((status, &body["detail"]["error_num"]), (410, &json!(1500)), "{body}");
            assert!(body["detail"]["message"].as_str().unwrap().contains("stopped"));
            until("its end", async || !is_at_work(&plant).await).await;
        }
        let (status, _) = service.send(Method::DELETE, "/aql/long", token, json!({})).await;
        assert_eq!(status, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_used_once_at_a_time() {
    for plant in Plant::both().await {
        let asked = endless(&plant, &plant.token);
        until("the query", async || is_at_work(&plant).await).await;
        let (status, body) = plant.ask(json!({"query": "RETURN 1", "query_id": "long"})).await;
        assert_eq!(status, 409, "{body}");
        let other = plant.service.token("other", "data:aql:read").await;
        let body = json!({"query": "RETURN 1", "query_id": "long"});
        assert_eq!(
            plant.service.send(Method::POST, "/aql", &other, body.clone()).await.0,
            200,
            "the name of another user"
        );
        plant.service.send(Method::DELETE, "/aql/long", &plant.token, json!({})).await;
        asked.await.unwrap();
        assert_eq!(plant.ask(body).await.0, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_ends_its_query() {
    for plant in Plant::both().await {
        let mut stream = TcpStream::connect(plant.service.address).await.unwrap();
        let body = json!({"query": ENDLESS, "query_id": "long"}).to_string();
        let head = format!(
            "POST /api/aql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            plant.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        until("the query", async || is_at_work(&plant).await).await;
        drop(stream);
        until("its end", async || !is_at_work(&plant).await).await;
        assert_eq!(plant.ask(json!({"query": "RETURN 1", "query_id": "long"})).await.0, 200, "its name is free");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_tells_what_can_be_read() {
    for plant in Plant::both().await {
        let (status, body) = plant.service.get("/aql/schema", &plant.token).await;
        assert_eq!(status, 200, "{body}");
        let collections = body["collections"].as_array().unwrap();
        let names: Vec<&str> = collections.iter().filter_map(|one| one["name"].as_str()).collect();
        assert!(["Change", "Token", "User"].iter().all(|secret| !names.contains(secret)) && names.is_sorted());
        assert_eq!(names.len(), tracewright::store::COLLECTIONS.len() - 3);
        let one = |name: &str| collections.iter().find(|one| one["name"] == name).unwrap();
        let serial = one("Serial");
        assert_eq!((&serial["type"], &serial["count"]), (&json!("document"), &json!(3)));
        let types = |name: &str| {
            serial["attributes"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()["types"].clone()
        };
        assert_eq!(types("code"), json!(["string"]));
        assert_eq!((types("data"), types("data[*].value")), (json!(["array"]), json!(["number"])));
        let indexes = serial["indexes"].as_array().unwrap();
        assert!(indexes.iter().any(|index| index["fields"] == json!(["code", "_key"]) && index["unique"] == false));
        let contains = one("contains");
        assert_eq!(
            (&contains["type"], &contains["from"], &contains["to"]),
            (&json!("edge"), &json!(["Batch", "Serial"]), &json!(["Serial"]))
        );
        let functions = body["functions"].as_array().unwrap();
        let function = |name: &str| functions.iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(function("ABS"), &json!({"name": "ABS", "min_arguments": 1, "max_arguments": 1}));
        assert_eq!(function("CONCAT")["max_arguments"], json!(null));
        assert!(body["keywords"].as_array().unwrap().contains(&json!("FILTER")));
        let limits = json!({"rows": 10_000, "bytes": 16_777_216, "seconds": 30.0, "memory_bytes": 134_217_728});
        assert_eq!((&body["limits"], &body["hidden"]), (&limits, &json!(["Change", "Token", "User"])));
    }
}

/// A service whose queries may take little.
async fn strict(limits: &[(&str, &str)]) -> (Service, String) {
    let mut settings = vec![("admin_password", ADMIN_PASSWORD)];
    settings.extend(limits);
    let service = Service::start_with(&settings).await;
    let token = service.token("ada", "data:aql:read").await;
    (service, token)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_takes_too_long_is_ended() {
    let (service, token) = strict(&[("aql.seconds", "0.2")]).await;
    let (status, body) = service.send(Method::POST, "/aql", &token, json!({"query": ENDLESS})).await;
    assert_eq!((status.as_u16(), &body["detail"]["error_num"]), (410, &json!(1500)), "{body}");
    assert!(body["detail"]["message"].as_str().unwrap().contains("aql.seconds"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_needs_too_much_memory_is_ended() {
    let (service, token) = strict(&[("aql.memory_bytes", "1000000")]).await;
    let query = "LET list = (FOR i IN 1..100000 RETURN {i, text: CONCAT('number ', i)}) RETURN LENGTH(list)";
    let (status, body) = service.send(Method::POST, "/aql", &token, json!({"query": query})).await;
    assert_eq!((status.as_u16(), &body["detail"]["error_num"]), (400, &json!(32)), "{body}");
    assert!(body["detail"]["message"].as_str().unwrap().contains("aql.memory_bytes"), "{body}");
    let (_, body) = service.get("/aql/schema", &token).await;
    assert_eq!(body["limits"]["memory_bytes"], 1_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_asked_by_two_services_lets_either_stop_a_query() {
    let plant = Plant::remote().await;
    let settings = &plant.service.app.settings;
    let secret = std::fs::read_to_string(plant.service.data_dir.path().join("jwt_secret")).unwrap();
    let other = Service::start_with(&[
        ("database.url", &settings.database.url),
        ("database.password", settings.database.password.as_deref().unwrap()),
        ("database.name", &settings.database.name),
        ("jwt_secret", secret.trim()),
    ])
    .await;
    let asked = endless(&plant, &plant.token);
    until("the query", async || is_at_work(&plant).await).await;
    let body = json!({"query": "RETURN 1"});
    assert_eq!(other.send(Method::POST, "/aql", &plant.token, body).await.0, 200, "both know the account");
    let (status, _) = other.send(Method::DELETE, "/aql/long", &plant.token, json!({})).await;
    assert_eq!(status, 200);
    let (status, body) = asked.await.unwrap();
    assert_eq!((status, &body["detail"]["error_num"]), (410, &json!(1500)), "{body}");
}
