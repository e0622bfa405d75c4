//! The catalogue of products: searching, creating, changing, the trash.

use reqwest::multipart::{Form, Part};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tracewright_testkit::{Service, answer, rows};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";

async fn started() -> (Service, String) {
    let service = Service::start().await;
    let token = service.token("lib", "library").await;
    (service, token)
}

fn codes(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["code"].as_str().unwrap()).collect()
}

async fn found(service: &Service, token: &str, query: &str) -> Vec<String> {
    let rows = rows(service, token, &format!("/product?{query}")).await;
    codes(&rows).into_iter().map(str::to_owned).collect()
}

async fn create(service: &Service, token: &str, form: Form) -> (StatusCode, Value) {
    answer(service.request(Method::POST, "/product", token).multipart(form)).await
}

/// The key of a new product with a code.
async fn product(service: &Service, token: &str, code: &str) -> String {
    let (status, body) = create(service, token, Form::new().text("code", code.to_owned())).await;
    assert_eq!(status, 201, "{body}");
    body["detail"]["_key"].as_str().unwrap().to_owned()
}

async fn patch(service: &Service, token: &str, key: &str, body: Value) -> (StatusCode, Value) {
    service.send(Method::PATCH, &format!("/product/{key}"), token, body).await
}

#[tokio::test]
async fn texts_match_by_wildcards_whatever_the_case() {
    let (service, token) = started().await;
    service
        .seed(
            "Product",
            json!([{"code": "ABX"}, {"code": "xab"}, {"code": "aXb"}, {"code": "a*"}, {"code": "ayb", "trash": true}]),
        )
        .await;
    assert_eq!(found(&service, &token, "search_string=AB*").await, ["ABX"]);
    assert_eq!(found(&service, &token, "search_string=*AB").await, ["xab"]);
    assert_eq!(found(&service, &token, "search_string=A%3FB").await, ["aXb"]);
    assert_eq!(found(&service, &token, r"search=a%5C*").await, ["a*"]);
    assert_eq!(found(&service, &token, "exclude_text=a*").await, ["xab"]);
    assert_eq!(found(&service, &token, "include_text=x&search_string=ab").await, ["ABX", "xab"]);
}

#[tokio::test]
async fn search_description_extends_the_texts_to_the_description() {
    let (service, token) = started().await;
    service.seed("Product", json!([{"code": "A", "description": "frame"}, {"code": "FRAME-1"}, {"code": "B"}])).await;
    assert_eq!(found(&service, &token, "search_string=frame").await, ["FRAME-1"]);
    assert_eq!(found(&service, &token, "search_string=frame&search_description=true").await, ["A", "FRAME-1"]);
    assert_eq!(found(&service, &token, "exclude_text=frame&search_description=true").await, ["B"]);
}

#[tokio::test]
async fn tags_are_included_and_excluded_all_or_any() {
    let (service, token) = started().await;
    service.seed("Tag", json!([{"_key": "a", "name": "z"}, {"_key": "b", "name": "Y"}])).await;
    service
        .seed("Product", json!([{"_key": "ab", "code": "AB"}, {"_key": "a", "code": "A"}, {"_key": "n", "code": "N"}]))
        .await;
    let link = |product: &str, tag: &str| json!({"_from": format!("Product/{product}"), "_to": format!("Tag/{tag}")});
    service.seed("has_tag", json!([link("ab", "a"), link("ab", "b"), link("a", "a"), link("a", "gone")])).await;
    let tags = |name: &str| format!("{name}=a&{name}=b");
    assert_eq!(found(&service, &token, &tags("include_tags")).await, ["AB"]);
    assert_eq!(
        found(&service, &token, &format!("{}&include_tags_operator=ANY", tags("include_tags"))).await,
        ["A", "AB"]
    );
    assert_eq!(found(&service, &token, &tags("exclude_tags")).await, ["N"]);
    assert_eq!(
        found(&service, &token, &format!("{}&exclude_tags_operator=ALL", tags("exclude_tags"))).await,
        ["A", "N"]
    );
    assert_eq!(found(&service, &token, "tag_key=b").await, ["AB"]);
    let shown = rows(&service, &token, "/product?tag_key=b").await;
    let names: Vec<&Value> = shown[0]["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    assert_eq!(names, ["Y", "z"], "whole tags by name, whatever the case");
}

#[tokio::test]
async fn products_are_filtered_by_operation_activity_and_traceability() {
    let (service, token) = started().await;
    service.seed("Phase", json!([{"_key": "p1", "operation_key": "o1"}, {"_key": "p2", "operation_key": "o2"}])).await;
    service
        .seed(
            "Product",
            json!([
                {"code": "A", "process_phases": ["p1", "p2"], "traceability_level": "complete"},
                {"code": "B", "process_phases": ["p2"], "active": false},
                {"code": "C"},
            ]),
        )
        .await;
    assert_eq!(found(&service, &token, "has_operation_key=o1").await, ["A"]);
    assert_eq!(found(&service, &token, "has_operation_key=o2&active_only=false").await, ["A", "B"]);
    assert_eq!(found(&service, &token, "").await, ["A", "C"]);
    assert_eq!(found(&service, &token, "traceability_only=true").await, ["A"]);
}

#[tokio::test]
async fn pages_are_limited_and_limit_zero_means_all() {
    let (service, token) = started().await;
    service.seed("Product", json!([{"code": "A"}, {"code": "B"}, {"code": "C"}])).await;
    assert_eq!(found(&service, &token, "limit=1&offset=1").await, ["B"]);
    assert_eq!(found(&service, &token, "limit=0").await, ["A", "B", "C"]);
    for query in ["limit=10001", "limit=-1", "offset=-1", "include_tags_operator=SOME"] {
        assert_eq!(service.get(&format!("/product?{query}"), &token).await.0, 422, "{query}");
    }
}

#[tokio::test]
async fn rows_hold_what_is_stored_and_details_all_of_it() {
    let (service, token) = started().await;
    let stored = json!({
        "code": "A", "image": true, "counter_key": "c", "manage_inventory": true, "technical_batch_qt": 7, "trash": false,
    });
    service.seed("Product", json!([stored])).await;
    let base = &rows(&service, &token, "/product").await[0];
    assert_eq!(
        [&base["image"], &base["counter_key"], &base["manage_inventory"]],
        [&json!(true), &json!("c"), &json!(true)]
    );
    assert_eq!([&base["active"], &base["tags"]], [&json!(true), &json!([])]);
    assert!(base.get("technical_batch_qt").is_none());
    let details = &rows(&service, &token, "/product?details=true").await[0];
    assert_eq!(details["technical_batch_qt"], 7);
    assert_eq!(details["cost"], json!({"target": 0, "average": 0}));
    assert_eq!(details["kpi_window_type"], "count");
}

#[tokio::test]
async fn older_dialogs_join_their_criteria() {
    let (service, token) = started().await;
    service.seed("Tag", json!([{"_key": "a", "name": "a"}, {"_key": "b", "name": "b"}])).await;
    service.seed("Product", json!([{"_key": "1", "code": "AB"}, {"_key": "2", "code": "B"}, {"_key": "3", "code": "C", "active": false}])).await;
    service.seed("has_tag", json!([{"_from": "Product/2", "_to": "Tag/a"}])).await;
    let found = async |query: &str| {
        let rows = rows(&service, &token, &format!("/product/search?{query}")).await;
        codes(&rows).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found("").await, ["AB", "B"]);
    assert_eq!(found("text_to_include=A&tags_to_include=a").await, [""; 0]);
    assert_eq!(found("text_to_include=A&tags_to_include=a&global_operator=OR").await, ["AB", "B"]);
    assert_eq!(found("tags_to_include=a%20b").await, [""; 0]);
    assert_eq!(found("tags_to_include=a%20b&include_tags_operator=OR").await, ["B"]);
    assert_eq!(found("tags_to_exclude=a%20b").await, ["AB"]);
    assert_eq!(found("tags_to_exclude=a%20b&exclude_tags_operator=AND").await, ["AB", "B"]);
    assert_eq!(service.get("/product/search?global_operator=XOR", &token).await.0, 422);
}

#[tokio::test]
async fn a_new_product_has_every_default_and_its_picture() {
    let (service, token) = started().await;
    let (status, body) = create(&service, &token, Form::new().text("code", " P-1 ")).await;
    assert_eq!(
        (status, &body["status"], &body["message"]),
        (StatusCode::CREATED, &json!(200), &json!("Product created"))
    );
    let stored = &body["detail"];
    assert_eq!(stored["code"], "P-1");
    assert_eq!([&stored["image"], &stored["active"], &stored["trash"]], [&json!(false), &json!(true), &json!(false)]);
    assert_eq!([&stored["counter_key"], &stored["traceability_level"]], [&Value::Null, &Value::Null]);
    assert_eq!(stored["cost"], json!({"target": 0, "average": 0}));
    let form = Form::new()
        .text("code", "P-2")
        .text("traceability_level", "true")
        .text("counter_key", "")
        .part("image", Part::bytes(PNG).file_name("x.png"));
    let (status, body) = create(&service, &token, form).await;
    assert_eq!(status, 201, "{body}");
    assert_eq!([&body["detail"]["image"], &body["detail"]["traceability_level"]], [&json!(true), &json!("form_only")]);
    let key = body["detail"]["_key"].as_str().unwrap();
    let file = service.data_dir.path().join(format!("media/product/{key}/image.jpg"));
    assert_eq!(std::fs::read(file).unwrap(), PNG);
}

#[tokio::test]
async fn what_is_wrong_with_a_new_product_is_told_and_nothing_is_stored() {
    let (service, token) = started().await;
    let wrong = [
        Form::new().text("description", "no code"),
        Form::new().text("code", "  "),
        Form::new().text("code", "x".repeat(201)),
        Form::new().text("code", "a\u{7}b"),
        Form::new().text("code", "A").text("traceability_level", "some"),
        Form::new().text("code", "A").text("manage_inventory", "maybe"),
        Form::new().text("code", "A").text("counter_key", "unknown"),
        Form::new().text("code", "A").part("image", Part::bytes(&b"just text"[..]).file_name("x.png")),
    ];
    for form in wrong {
        let (status, body) = create(&service, &token, form).await;
        assert_eq!(status, 422, "{body}");
        assert!(body["detail"].is_array(), "{body}");
    }
    assert_eq!(found(&service, &token, "").await, [""; 0]);
    assert!(!service.data_dir.path().join("media/product").exists());
}

#[tokio::test]
async fn of_two_products_with_one_code_at_once_one_is_stored() {
    let (service, token) = started().await;
    let form = || Form::new().text("code", "A");
    let (one, other) = tokio::join!(create(&service, &token, form()), create(&service, &token, form()));
    let mut statuses = [one.0.as_u16(), other.0.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400]);
    let refused = if one.0 == 400 { one.1 } else { other.1 };
    let expected = json!({"status": 400, "message": "A product with the same code already exists"});
    assert_eq!(refused["detail"], expected);
    assert_eq!(found(&service, &token, "").await, ["A"]);
}

#[tokio::test]
async fn a_product_is_shown_with_everything_that_belongs_to_it() {
    let (service, token) = started().await;
    service.seed("Counter", json!([{"_key": "c", "name": "serials", "next_tick": 1, "template": ["#4"]}])).await;
    service.seed("PrintTemplate", json!([{"_key": "t", "name": "Label", "description": "small"}])).await;
    service.seed("Product", json!([{"_key": "p", "code": "P", "counter_key": "c", "trash": true}])).await;
    service.seed("can_use_print_template", json!([{"_from": "Product/p", "_to": "PrintTemplate/t"}])).await;
    let docs = service.data_dir.path().join("media/product/p/doc");
    std::fs::create_dir_all(&docs).unwrap();
    std::fs::write(docs.join("b.pdf"), "12").unwrap();
    std::fs::write(docs.join("a.pdf"), "1").unwrap();
    std::fs::write(docs.join("C.pdf"), "123").unwrap();
    let (status, shown) = service.get("/product/p", &token).await;
    assert_eq!(status, 200, "{shown}");
    let docs = json!([{"name": "a.pdf", "size": 1}, {"name": "b.pdf", "size": 2}, {"name": "C.pdf", "size": 3}]);
    assert_eq!(shown["docs"], docs);
    assert_eq!(shown["counter"]["name"], "serials");
    assert_eq!(shown["print_templates"], json!([{"_key": "t", "name": "Label", "description": "small"}]));
    assert_eq!(
        [&shown["img_name"], &shown["process_tasks"], &shown["trash"]],
        [&Value::Null, &json!([]), &json!(true)]
    );
    let (status, body) = service.get("/product/unknown", &token).await;
    assert_eq!((status.as_u16(), &body["detail"]["message"]), (404, &json!("Product unknown not found")));
}

#[tokio::test]
async fn a_change_leaves_what_is_absent_and_ignores_what_is_not_its_own() {
    let (service, token) = started().await;
    let key = product(&service, &token, "A").await;
    let change = json!({"description": "new", "technical_batch_qt": 5, "_key": "other", "updated": "never", "image": true, "docs": []});
    let (status, body) = patch(&service, &token, &key, change).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["message"], format!("Product A (KEY: {key}) updated"));
    let stored = &body["detail"];
    assert_eq!(
        [&stored["_key"], &stored["description"], &stored["image"]],
        [&json!(key), &json!("new"), &json!(false)]
    );
    assert_ne!(stored["updated"], "never");
    let (_, body) = patch(&service, &token, &key, json!({"description": null, "technical_batch_qt": null})).await;
    assert_eq!([&body["detail"]["description"], &body["detail"]["technical_batch_qt"]], [&Value::Null, &json!(0)]);
}

#[tokio::test]
async fn a_change_without_a_body_changes_nothing() {
    let (service, token) = started().await;
    let key = product(&service, &token, "A").await;
    let (status, body) = answer(service.request(Method::PATCH, &format!("/product/{key}"), &token)).await;
    assert_eq!((status.as_u16(), &body["detail"]["code"]), (200, &json!("A")), "{body}");
    assert_eq!(answer(service.request(Method::PATCH, "/product/unknown", &token)).await.0, 404);
}

#[tokio::test]
async fn a_change_is_checked_before_anything_is_stored() {
    let (service, token) = started().await;
    let key = product(&service, &token, "A").await;
    product(&service, &token, "B").await;
    for wrong in [
        json!({"code": null}),
        json!({"code": " "}),
        json!({"traceability_level": "some"}),
        json!({"active": "perhaps"}),
        json!({"counter_key": "unknown"}),
        json!({"default_production_position_key": "unknown"}),
        json!({"metadata": [{"custom_field_key": "unknown"}]}),
    ] {
        let (status, body) = patch(&service, &token, &key, wrong.clone()).await;
        assert_eq!(status, 422, "{wrong}: {body}");
    }
    assert_eq!(patch(&service, &token, &key, json!({"code": "B"})).await.0, 400);
    assert_eq!(patch(&service, &token, "unknown", json!({"code": "C"})).await.0, 404);
    assert_eq!(service.get(&format!("/product/{key}"), &token).await.1["code"], "A");
}

#[tokio::test]
async fn an_old_reference_to_nothing_does_not_block_a_save() {
    let (service, token) = started().await;
    let stored = json!({"_key": "p", "code": "P", "counter_key": "gone", "metadata": [{"custom_field_key": "gone"}]});
    service.seed("Product", json!([stored])).await;
    let whole =
        json!({"code": "P", "description": "x", "counter_key": "gone", "metadata": [{"custom_field_key": "gone"}]});
    let (status, body) = service.send(Method::PUT, "/product/p", &token, whole).await;
    assert_eq!((status.as_u16(), &body["description"]), (200, &json!("x")), "{body}");
}

#[tokio::test]
async fn a_replacement_keeps_what_other_calls_own() {
    let (service, token) = started().await;
    let stored = json!({
        "_key": "p", "code": "P", "image": true, "process_phases": ["x"], "process_tasks": [{"task_type_key": "t"}],
        "created": "2026-01-01T00:00:00.000000+00:00", "technical_batch_qt": 9, "own": "kept",
    });
    service.seed("Product", json!([stored])).await;
    let sent = json!({
        "code": "P", "image": false, "process_phases": [], "created": null, "trash": true, "tags": [], "docs": [], "counter": {},
        "img_name": null, "print_templates": [],
    });
    let (status, body) = service.send(Method::PUT, "/product/p", &token, sent).await;
    assert_eq!(status, 200, "{body}");
    for (member, expected) in [
        ("image", json!(true)),
        ("process_phases", json!(["x"])),
        ("process_tasks", json!([{"task_type_key": "t"}])),
        ("created", json!("2026-01-01T00:00:00.000000+00:00")),
        ("own", json!("kept")),
        ("technical_batch_qt", json!(0)),
    ] {
        assert_eq!(body[member], expected, "{member}");
    }
    assert_ne!(body["trash"], json!(true));
    for member in ["docs", "tags", "counter", "img_name", "print_templates"] {
        assert!(body.get(member).is_none(), "{member} is stored");
    }
    let other = service.send(Method::PUT, "/product/p", &token, json!({"_key": "q", "code": "P"})).await;
    assert_eq!(other.0, 422);
    assert_eq!(service.send(Method::PUT, "/product/unknown", &token, json!({"_key": "q", "code": "P"})).await.0, 404);
}

#[tokio::test]
async fn a_replacement_may_name_the_revision_it_was_made_of() {
    let (service, token) = started().await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    let read = service.request(Method::GET, "/product/p", &token).send().await.unwrap();
    let tag = read.headers()["etag"].to_str().unwrap().to_owned();
    let put = |tag: String| {
        answer(service.request(Method::PUT, "/product/p", &token).header("if-match", tag).json(&json!({"code": "P"})))
    };
    assert_eq!(put(tag.clone()).await.0, 200);
    let (status, body) = put(tag).await;
    assert_eq!(status, 412);
    assert!(body["detail"]["_rev"].is_string() && body["detail"]["message"].is_string(), "{body}");
}

#[tokio::test]
async fn the_calls_of_a_page_that_saves_never_undo_each_other() {
    let (service, token) = started().await;
    service.seed("Tag", json!([{"_key": "t", "name": "t"}])).await;
    for round in 0..25 {
        let key = product(&service, &token, &format!("P-{round}")).await;
        let [own, image, doc] = ["", "/image", "/doc"].map(|rest| format!("/product/{key}{rest}"));
        let file = |part: &'static str, bytes: &'static [u8], name: &'static str| {
            Form::new().part(part, Part::bytes(bytes).file_name(name))
        };
        let connection = json!([{"type": "add", "tag_key": "t", "context": "product", "context_key": key}]);
        let answers = tokio::join!(
            service.send(Method::PUT, &own, &token, json!({"code": format!("P-{round}"), "description": "text"})),
            answer(service.request(Method::PUT, &image, &token).multipart(file("new_image", PNG, "x.png"))),
            answer(service.request(Method::POST, &doc, &token).multipart(file("new_doc", b"doc", "d.pdf"))),
            service.send(Method::POST, "/tag/update-connections", &token, connection),
        );
        for (status, body) in [answers.0, answers.1, answers.2, answers.3] {
            assert_eq!(status, 200, "{body}");
        }
        let (_, shown) = service.get(&own, &token).await;
        assert_eq!(
            [&shown["description"], &shown["image"], &shown["img_name"]],
            [&json!("text"), &json!(true), &json!("image.jpg")]
        );
        assert_eq!([shown["docs"].as_array().unwrap().len(), shown["tags"].as_array().unwrap().len()], [1, 1]);
    }
}

#[tokio::test]
async fn a_product_that_is_needed_does_not_go_to_the_trash() {
    let (service, token) = started().await;
    service
        .seed("Product", json!([{"_key": "a", "code": "A"}, {"_key": "b", "code": "B", "process_phases": ["ph"]}, {"_key": "c", "code": "C"}]))
        .await;
    service.seed("Phase", json!([{"_key": "ph", "product_key": "b", "alias": "x"}])).await;
    service.seed("requires", json!([{"_from": "Phase/ph", "_to": "Product/a", "type": "BomLine", "qt": 1}])).await;
    service
        .seed("WorkOrder", json!([{"wo_code": "W-1", "product_key": "c", "status": "started"}, {"wo_code": "W-2", "product_key": "c", "status": "closed"}]))
        .await;
    let (status, body) = service.send(Method::DELETE, "/product/a", &token, json!(null)).await;
    assert_eq!((status.as_u16(), &body["detail"]["product_codes"]), (409, &json!(["B"])));
    let (status, body) = patch(&service, &token, "c", json!({"trash": true})).await;
    assert_eq!((status.as_u16(), &body["detail"]["work_orders"]), (409, &json!(["W-1"])));
    let (status, body) = service.send(Method::DELETE, "/product/b", &token, json!(null)).await;
    assert_eq!((status.as_u16(), &body["message"]), (200, &json!("Product B (KEY: b) moved to trash")));
    assert_eq!(service.send(Method::DELETE, "/product/b", &token, json!(null)).await.0, 404);
    let (status, _) = service.send(Method::DELETE, "/product/a", &token, json!(null)).await;
    assert_eq!(status, 200, "only products that are not in the trash need their components");
}

#[tokio::test]
async fn a_product_comes_back_unless_its_code_was_given_away() {
    let (service, token) = started().await;
    let key = product(&service, &token, "A").await;
    assert_eq!(patch(&service, &token, &key, json!({"trash": true})).await.0, 200);
    let other = product(&service, &token, "A").await;
    assert_eq!(patch(&service, &token, &key, json!({"trash": false})).await.0, 400);
    assert_eq!(patch(&service, &token, &other, json!({"trash": true})).await.0, 200);
    assert_eq!(patch(&service, &token, &key, json!({"trash": false})).await.0, 200);
}

#[tokio::test]
async fn who_may_not_delete_cannot_trash_by_a_change() {
    let (service, token) = started().await;
    let key = product(&service, &token, "A").await;
    let editor = service.token("editor", "product:catalogue:update").await;
    let (status, body) = patch(&service, &editor, &key, json!({"trash": true})).await;
    assert_eq!((status.as_u16(), &body["detail"]["required_scope"]), (403, &json!("product:catalogue:delete")));
    assert_eq!(patch(&service, &editor, &key, json!({"active": false})).await.0, 200);
}
