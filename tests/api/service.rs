//! The service around the operations: documents, health, errors of form, ids, compression.

use std::collections::HashSet;
use std::fmt;

use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use tracewright::store::{COLLECTIONS, Query};
use tracewright_testkit::{Service, answer};

#[tokio::test]
async fn hello_greets_with_and_without_the_prefix() {
    let service = Service::start().await;
    for path in ["/api/hello", "/hello"] {
        let (status, body) = answer(service.client.get(service.url(path))).await;
        assert_eq!((status.as_u16(), body), (200, json!("Hi!")));
    }
}

#[tokio::test]
async fn another_prefix_takes_the_place_of_api() {
    let service = Service::start_with(&[("root_path", "/trace/v1")]).await;
    assert_eq!(service.client.get(service.url("/trace/v1/hello")).send().await.unwrap().status(), 200);
    assert_eq!(service.client.get(service.url("/api/hello")).send().await.unwrap().status(), 404);
    let (_, document) = answer(service.client.get(service.url("/trace/v1/openapi.json"))).await;
    assert_eq!(document["servers"], json!([{"url": "/trace/v1"}]));
    let flow = &document["components"]["securitySchemes"]["OAuth2PasswordBearer"]["flows"]["password"];
    assert_eq!(flow["tokenUrl"], "/trace/v1/auth");
}

#[tokio::test]
async fn the_document_names_version_server_scheme_and_scopes() {
    let service = Service::start().await;
    let (status, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    assert_eq!(status, 200);
    assert_eq!(document["info"]["version"], "0.1.0");
    assert_eq!(document["servers"], json!([{"url": "/api"}]));
    let flow = &document["components"]["securitySchemes"]["OAuth2PasswordBearer"]["flows"]["password"];
    assert_eq!(flow["tokenUrl"], "/api/auth");
    assert_eq!(flow["scopes"]["operator"], "use the operator panel and make production declarations");
    assert!(flow["scopes"]["serial:read"].is_string());
    let parents = &document["paths"]["/serial-parents"]["get"];
    assert_eq!(parents["operationId"], "get_serial_parents_serial_parents_get");
    assert_eq!(parents["security"], json!([{"OAuth2PasswordBearer": ["serial:read"]}]));
    let invalid = &parents["responses"]["422"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(invalid, "#/components/schemas/HTTPValidationError");
    for schema in ["APIResponse", "AuthAPIResponse", "SerialTreeNode", "Body_start_user_session_session_post"] {
        assert!(document["components"]["schemas"][schema].is_object(), "{schema}");
    }
    assert!(document["paths"]["/hello"]["get"]["security"].is_null());
}

/// JSON in which no object has a member twice. Reading into a map would keep the last one and hide the others.
struct WithoutDoubles;

impl<'de> Deserialize<'de> for WithoutDoubles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk;

        impl<'de> Visitor<'de> for Walk {
            type Value = WithoutDoubles;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("JSON")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<WithoutDoubles, A::Error> {
                let mut names = HashSet::new();
                while let Some(name) = members.next_key::<String>()? {
                    members
                        .next_value::<WithoutDoubles>()
                        .map_err(|error| A::Error::custom(format!("{name}: {error}")))?;
                    if !names.insert(name.clone()) {
                        return Err(A::Error::custom(format!("{name} stands twice")));
                    }
                }
                Ok(WithoutDoubles)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<WithoutDoubles, A::Error> {
                while items.next_element::<WithoutDoubles>()?.is_some() {}
                Ok(WithoutDoubles)
            }

            fn visit_unit<E>(self) -> Result<WithoutDoubles, E> {
                Ok(WithoutDoubles)
            }

            fn visit_bool<E>(self, _: bool) -> Result<WithoutDoubles, E> {
                Ok(WithoutDoubles)
            }

            fn visit_i64<E>(self, _: i64) -> Result<WithoutDoubles, E> {
                Ok(WithoutDoubles)
            }

            fn visit_u64<E>(self, _: u64) -> Result<WithoutDoubles, E> {
                Ok(WithoutDoubles)
            }

            fn visit_f64<E>(self, _: f64) -> Result<WithoutDoubles, E> {
                Ok(WithoutDoubles)
            }

            fn visit_str<E>(self, _: &str) -> Result<WithoutDoubles, E> {
                Ok(WithoutDoubles)
            }
        }

        deserializer.deserialize_any(Walk)
    }
}

#[tokio::test]
async fn the_document_says_where_a_422_may_be_a_text() {
    let service = Service::start().await;
    let (_, document) = answer(service.client.get(service.url("/api/openapi.json"))).await;
    let mut texts = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            match operation["responses"]["422"]["content"]["application/json"]["schema"]["$ref"].as_str() {
                Some("#/components/schemas/ErrorResponse") => texts.push(format!("{method} {path}")),
                Some("#/components/schemas/HTTPValidationError") | None => {}
                Some(other) => panic!("{method} {path}: {other}"),
            }
        }
    }
    let expected = [
        "post /batch/temp-data",
        "put /batch/{batch_key}/serial-temp-links",
        "put /custom-data/{key}",
        "post /event",
        "post /event/bulk",
        "post /inventory/count-assignment",
        "post /inventory/count-record/import",
        "delete /inventory/count-session",
        "put /inventory/count-session/{session_key}",
        "delete /media/{media_key}",
        "post /product/import",
        "put /product/{product_key_or_code}/bom",
        "put /product/{product_key}/process/tasks",
    ];
    assert_eq!(texts, expected);
}

#[tokio::test]
async fn no_object_of_the_document_has_a_member_twice() {
    let service = Service::start().await;
    let text = service.client.get(service.url("/api/openapi.json")).send().await.unwrap().text().await.unwrap();
    if let Err(error) = serde_json::from_str::<WithoutDoubles>(&text) {
        panic!("{error}");
    }
    assert!(serde_json::from_str::<WithoutDoubles>(r#"{"a": [{"b": 1, "b": 2}]}"#).is_err(), "doubles are noticed");
}

#[tokio::test]
async fn the_documentation_page_needs_no_other_host() {
    let service = Service::start().await;
    let page = service.client.get(service.url("/api/docs")).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("SwaggerUIBundle"));
    assert!(!page.contains("src=\"http"), "scripts are part of the page");
    assert!(!page.contains("rel=\"stylesheet\""), "styles are part of the page");
}

#[tokio::test]
async fn the_documentation_page_runs_what_stands_in_it_and_nothing_else() {
    let service = Service::start().await;
    let response = service.client.get(service.url("/api/docs")).send().await.unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    let policy = header("content-security-policy");
    for part in ["default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!((header("x-content-type-options"), header("referrer-policy")), ("nosniff".into(), "no-referrer".into()));
}

#[tokio::test]
async fn no_answer_is_guessed_at_and_none_that_is_personal_is_kept() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    for (path, token, expected) in [
        ("/whoami", Some(&token), Some("no-store")),
        ("/tag", Some(&token), Some("no-store")),
        ("/product/nowhere", Some(&token), Some("no-store")),
        ("/openapi.json", None, None),
        ("/whoami", None, None),
    ] {
        let request = service.client.get(service.url(&format!("/api{path}")));
        let request =
            token.map_or_else(|| request.try_clone().unwrap(), |token| request.try_clone().unwrap().bearer_auth(token));
        let response = request.send().await.unwrap();
        let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(header("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
        assert_eq!(header("cache-control").as_deref(), expected, "{path}");
    }
}

#[tokio::test]
async fn every_response_carries_a_request_id_of_its_own() {
    let service = Service::start().await;
    let mut ids = Vec::new();
    for path in ["/api/hello", "/nowhere", "/healthz"] {
        let response = service.client.get(service.url(path)).send().await.unwrap();
        ids.push(response.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_answer_in_the_common_shape() {
    let service = Service::start().await;
    let (status, body) = answer(service.client.get(service.url("/api/nowhere"))).await;
    assert_eq!((status.as_u16(), body), (404, json!({"detail": "Not Found"})));
    let (status, body) = answer(service.client.patch(service.url("/api/hello"))).await;
    assert_eq!((status.as_u16(), body), (405, json!({"detail": "Method Not Allowed"})));
}

#[tokio::test]
async fn an_answer_to_a_wrong_method_names_the_right_ones() {
    let service = Service::start().await;
    for (path, methods) in
        [("/api/hello", "GET"), ("/field/x", "PUT, DELETE"), ("/api/custom-data/x", "GET, PUT, DELETE")]
    {
        let answer = service.client.patch(service.url(path)).send().await.unwrap();
        let mut named: Vec<&str> = answer.headers()["allow"].to_str().unwrap().split(", ").collect();
        let mut expected: Vec<&str> = methods.split(", ").collect();
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!((answer.status().as_u16(), named), (405, expected), "{path}");
    }
}

#[tokio::test]
async fn every_mistake_in_the_parameters_is_told() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let (status, body) = service.get("/serial-hierarchy?include_expected_components=perhaps", &token).await;
    assert_eq!(status, 422);
    let entries: Vec<(Value, Value)> =
        body["detail"].as_array().unwrap().iter().map(|entry| (entry["loc"].clone(), entry["type"].clone())).collect();
    let expected = [
        (json!(["query", "serial_key"]), json!("missing")),
        (json!(["query", "include_expected_components"]), json!("bool_parsing")),
    ];
    assert_eq!(entries, expected);
}

#[tokio::test]
async fn booleans_may_be_numbers_and_an_empty_one_is_absent() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    for value in ["1", "0", "true", "False", ""] {
        let path = format!("/serial-hierarchy?serial_key=x&include_expected_components={value}");
        assert_eq!(service.get(&path, &token).await.0, 404, "{value}");
    }
}

#[tokio::test]
async fn bodies_that_are_missing_unreadable_or_of_another_type_are_told_apart() {
    let service = Service::start().await;
    let token = service.token("u", "admin").await;
    let post = |body: &'static str, content_type: &'static str| {
        answer(
            service.request(reqwest::Method::POST, "/session", &token).header("content-type", content_type).body(body),
        )
    };
    let (status, body) = post("", "application/json").await;
    assert_eq!(status, 422);
    assert_eq!(body["detail"][0]["loc"], json!(["body"]));
    assert_eq!(body["detail"][0]["type"], "missing");

    let (_, body) = post("{\"user_key\": ", "application/json").await;
    assert_eq!(body["detail"][0]["type"], "json_invalid");

    let (_, body) = post("{\"user_key\": 5}", "application/json").await;
    assert_eq!(body["detail"][0]["loc"], json!(["body", "user_key"]));
    assert_eq!(body["detail"][0]["type"], "string_type");

    let (status, body) = post("user_key", "text/plain").await;
    assert_eq!(status, 415);
    assert!(body["detail"].is_string());
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_413() {
    let service = Service::start_with(&[("upload_limit_bytes", "100")]).await;
    let token = service.token("u", "admin").await;
    let body = json!({"user_key": "x".repeat(200)});
    let (status, body) = service.send(reqwest::Method::POST, "/session", &token, body).await;
    assert_eq!(status, 413);
    assert!(body["detail"].is_string());
}

#[tokio::test]
async fn answers_of_500_bytes_are_compressed_and_smaller_ones_not() {
    let service = Service::start().await;
    let encoding = async |path: &str| {
        let client = reqwest::Client::builder().no_gzip().build().unwrap();
        let response = client.get(service.url(path)).header(ACCEPT_ENCODING, "gzip").send().await.unwrap();
        response.headers().get(CONTENT_ENCODING).map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(encoding("/api/openapi.json").await.as_deref(), Some("gzip"));
    assert_eq!(encoding("/api/hello").await, None);
}

#[tokio::test]
async fn http_2_without_tls_is_spoken() {
    let service = Service::start().await;
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let response = client.get(service.url("/api/hello")).send().await.unwrap();
    assert_eq!(response.version(), reqwest::Version::HTTP_2);
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn health_pages_stand_outside_the_api() {
    let service = Service::start().await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(service.client.get(service.url(path)).send().await.unwrap().status(), 200, "{path}");
        assert_eq!(service.client.get(service.url(&format!("/api{path}"))).send().await.unwrap().status(), 404);
    }
    let page = service.client.get(service.url("/metrics")).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("http_request_duration_seconds_count{method=\"GET\",route=\"/readyz\",status=\"200\"} 1"));
}

#[tokio::test]
async fn browsers_of_an_allowed_origin_may_read_errors_too() {
    let service = Service::start_with(&[("cors_allowed_origins", "http://factory.example")]).await;
    let request = service.client.get(service.url("/api/whoami")).header("origin", "http://factory.example");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 401);
    assert_eq!(response.headers()["access-control-allow-origin"], "http://factory.example");
    let exposed = response.headers()["access-control-expose-headers"].to_str().unwrap().to_owned();
    for name in [
        "x-request-id",
        "x-import-status",
        "x-error-count",
        "x-valid-count",
        "content-disposition",
        "x-next-offset",
        "x-event-key",
        "x-event-group",
        "x-event-repeated",
        "retry-after",
        "etag",
    ] {
        assert!(exposed.contains(name), "{exposed}");
    }
}

#[tokio::test]
async fn browsers_may_ask_before_they_send_and_are_told_what_is_allowed() {
    let service = Service::start_with(&[("cors_allowed_origins", "http://factory.example")]).await;
    let ask = |origin: &str| {
        let request = service.client.request(Method::OPTIONS, service.url("/api/files")).header("origin", origin);
        let request = request.header("access-control-request-method", "DELETE");
        request.header("access-control-request-headers", "authorization,content-type").send()
    };
    let allowed = ask("http://factory.example").await.unwrap();
    assert_eq!(allowed.status(), 200);
    assert!(allowed.headers()["access-control-allow-methods"].to_str().unwrap().contains("DELETE"));
    assert_eq!(allowed.headers()["access-control-allow-headers"], "authorization,content-type");
    let foreign = ask("http://elsewhere.example").await.unwrap();
    assert!(!foreign.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn requests_of_other_origins_are_answered_without_leave_to_read() {
    let service = Service::start_with(&[
        ("cors_allowed_origins", "http://factory.example"),
        ("admin_password", tracewright_testkit::ADMIN_PASSWORD),
    ])
    .await;
    // The service's own page names its origin where it changes something.
    let form = [("username", "cadmin"), ("password", tracewright_testkit::ADMIN_PASSWORD)];
    for origin in [service.url(""), "http://elsewhere.example".to_owned(), "null".to_owned()] {
        let request = service.client.post(service.url("/api/auth")).header("origin", &origin).form(&form);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{origin}");
        assert!(!response.headers().contains_key("access-control-allow-origin"), "{origin}");
        assert!(response.headers().get_all("vary").iter().any(|value| value == "origin"), "{origin}");
    }
    let unreadable = reqwest::header::HeaderValue::from_bytes(b"http://\xff").unwrap();
    let request = service.client.get(service.url("/api/hello")).header("origin", unreadable);
    assert_eq!(request.send().await.unwrap().status(), 200);
}

/// Every document of every collection but `Token`, which logins fill.
async fn everything(service: &Service) -> Vec<(&'static str, Vec<Value>)> {
    const ALL: Query = Query::undeclared("all", "FOR document IN @@collection SORT document._key RETURN document");
    let mut all = Vec::new();
    for collection in COLLECTIONS.iter().copied().filter(|name| *name != "Token") {
        all.push((collection, service.app.store.rows(&ALL, json!({"@collection": collection})).await.unwrap()));
    }
    all
}

#[tokio::test]
async fn the_first_start_creates_the_default_documents_and_no_others() {
    let service = Service::start().await;
    for (collection, mut documents) in everything(&service).await {
        for document in &mut documents {
            let members = document.as_object_mut().unwrap();
            members.retain(|name, _| {
                let own = ["_id", "_rev", "psw_hash", "created_at", "created", "reset_date", "touched_at"];
                !own.contains(&name.as_str())
            });
            if !["Config", "Counter", "CustomField", "Position"].contains(&collection) {
                members.remove("_key");
            }
        }
        let position = |key: &str, own: bool| {
            json!({
                "_key": key, "code": key, "owned": own, "available": own, "disposable": false, "extra": null,
                "fixed": true, "deleted": false,
            })
        };
        let expected = match collection {
            "Config" => json!([
                {"_key": "allow_independent_reordering_of_job_queues", "value": false},
                {"_key": "allow_serial_delete", "value": true},
                {"_key": "company_logo", "value": null},
                {"_key": "company_name", "value": "PROGRESS PLATFORM"},
                {"_key": "default_consumption_position", "value": "IN"},
                {
                    "_key": "default_operation_parameters", "parallel_job_allowed": true, "display_job_timer": false,
                    "step_check": false, "step_check_force_order": false, "production_batch_qt": 1,
                    "max_offline": 300, "std_processing_time": 60,
                },
                {"_key": "default_production_position", "value": "IN"},
                {"_key": "enable_inventory_management", "value": false},
                {"_key": "operator_cost", "value": 25},
                {"_key": "show_unassigned_jobs_to_operators", "value": true},
                {
                    "_key": "system_counters", "work_orders": "default", "warehouse_missions": "default",
                    "counting_sessions": "default", "positions": "default", "tasks": "default",
                },
            ]),
            // on which two processes collide that start on an empty database at once
            "CodeGuard" => json!([{}, {}]),
            "Counter" => json!([
                {"_key": "default", "name": "default", "next_tick": 1, "template": ["%y", "#6"], "frequency": "year"},
            ]),
            "CustomField" => json!([{
                "_key": "separator", "name": "Separator", "type": "separator", "default_label": null,
                "default_hint": null,
            }]),
            "Position" => json!([position("IN", true), position("OUT", false)]),
            "Queue" => json!([
                {"type": "s", "site_key": "0", "subqueue_target_key": null, "work_orders": [], "jobs": []},
            ]),
            "User" => json!([{
                "username": "cadmin", "name": "Utente", "surname": "Amministratore", "active": true, "trash": false,
                "scope": "admin production library operator quality warehouse task traceability reporting",
                "site_key": "0", "reset_password": false, "image_name": "utenteamministratore",
            }]),
            _ => json!([]),
        };
        assert_eq!(json!(documents), expected, "{collection}");
    }
}

#[tokio::test]
async fn a_second_start_creates_nothing_and_changes_nothing() {
    let service = Service::start().await;
    let first = service.login("cadmin", tracewright_testkit::ADMIN_PASSWORD).await;
    let changes = json!({"company_name": "Acme", "default_operation_parameters": {"max_offline": 1}});
    assert_eq!(service.send(Method::PATCH, "/config", &first, changes).await.0, 200);
    tracewright::trail::seal::seal(&service.app.store).await.unwrap();
    let before = everything(&service).await;
    let service = service.restart(&[("admin_password", "another")]).await;
    assert_eq!(everything(&service).await, before);
    assert_eq!(service.get("/whoami", &first).await.0, 200, "the signing key and the token are still there");
    assert_eq!(service.auth("cadmin", "another").await.0, 401, "the password is set on the first start only");
    assert_eq!(service.auth("cadmin", tracewright_testkit::ADMIN_PASSWORD).await.0, 200);
}

#[tokio::test]
async fn what_few_documents_have_is_indexed_without_the_others() {
    let service = Service::start().await;
    for (collection, field) in [("is_in_position", "locked_by"), ("Event", "wo_key")] {
        let path = format!("/_api/index?collection={collection}");
        let Some(answer) = service.ask_engine(Method::GET, &path, &Value::Null) else { return };
        let answer: Value = serde_json::from_slice(answer.body()).unwrap();
        let indexes = answer["indexes"].as_array().unwrap();
        let index = indexes.iter().find(|index| index["fields"] == json!([field])).unwrap();
        assert_eq!(index["sparse"], true, "{index}");
    }
}
