//! The service around the operations: documents, health, errors of form, ids, compression.

use std::collections::HashSet;
use std::fmt;

use crate::common::{Service, answer};
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};

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
}

#[tokio::test]
async fn a_second_start_creates_nothing_and_changes_nothing() {
    let service = Service::start().await;
    let first = service.login("cadmin", crate::common::ADMIN_PASSWORD).await;
    let service = service.restart(&[("admin_password", "another")]).await;
    assert_eq!(service.get("/whoami", &first).await.0, 200, "the signing key and the token are still there");
    assert_eq!(service.auth("cadmin", "another").await.0, 401, "the password is set on the first start only");
    assert_eq!(service.auth("cadmin", crate::common::ADMIN_PASSWORD).await.0, 200);
}
