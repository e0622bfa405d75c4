//! Files attached to entities.

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::future::join_all;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

async fn start() -> (Service, String) {
    start_with(&[]).await
}

async fn start_with(settings: &[(&str, &str)]) -> (Service, String) {
    let mut all = vec![("admin_password", ADMIN_PASSWORD)];
    all.extend(settings);
    let service = Service::start_with(&all).await;
    service.seed("Issue", json!([{"_key": "i", "data": [{"form_field_key": "photo"}]}])).await;
    service.seed("Product", json!([{"_key": "p"}])).await;
    service.seed("WorkOrder", json!([{"_key": "w"}])).await;
    service.seed("Serial", json!([{"_key": "s"}])).await;
    service.seed("Task", json!([{"_key": "t"}])).await;
    service.seed("Batch", json!([{"_key": "b"}])).await;
    service
        .seed("Step", json!([{"_key": "st", "form_fields": [{"_key": "ff", "custom_field_key": "pictures"}]}]))
        .await;
    let fields = json!([
        {"_key": "pictures", "name": "pictures", "type": "files"}, {"_key": "scans", "name": "scans", "type": "files"},
        {"_key": "text", "name": "text", "type": "text"},
    ]);
    service.seed("CustomField", fields).await;
    let token = service.token("u", "operator").await;
    (service, token)
}

fn form(texts: &[(&'static str, &'static str)], files: &[(&'static str, &'static str)]) -> Form {
    let form = texts.iter().fold(Form::new(), |form, (name, value)| form.text(*name, *value));
    files.iter().fold(form, |form, (name, content)| form.part("contents", Part::text(*content).file_name(*name)))
}

async fn post(service: &Service, token: &str, form: Form) -> (u16, Value) {
    let (status, body) = answer(service.request(Method::POST, "/files", token).multipart(form)).await;
    (status.as_u16(), body)
}

async fn upload(service: &Service, token: &str, texts: &[(&'static str, &'static str)]) -> u16 {
    post(service, token, form(texts, &[("a.txt", "A")])).await.0
}

async fn delete(service: &Service, token: &str, body: Value) -> (u16, Value) {
    let (status, body) = service.send(Method::DELETE, "/files", token, body).await;
    (status.as_u16(), body)
}

fn media(service: &Service) -> PathBuf {
    service.data_dir.path().join("media")
}

/// Every file below the media root.
fn files(service: &Service) -> Vec<String> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                found.push(path.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    walk(&media(service), &media(service), &mut found);
    found.sort();
    found
}

#[tokio::test]
async fn files_are_stored_below_bucket_entity_and_subfolder() {
    let (service, token) = start().await;
    let whole = form(
        &[("bucket", "serial"), ("object_key", "s"), ("subfolder", "report/1")],
        &[("a.txt", "A"), ("Prüfung 1.pdf", "B")],
    );
    assert_eq!(post(&service, &token, whole).await, (200, Value::Null));
    assert_eq!(upload(&service, &token, &[("bucket", "task"), ("object_key", "t"), ("subfolder", "")]).await, 200);
    assert_eq!(files(&service), ["serial/s/report/1/Prüfung 1.pdf", "serial/s/report/1/a.txt", "task/t/a.txt"]);
    assert_eq!(fs::read_to_string(media(&service).join("serial/s/report/1/a.txt")).unwrap(), "A");
}

#[tokio::test]
async fn every_bucket_keeps_the_files_of_its_kind_of_entity() {
    let (service, token) = start().await;
    service.seed("User", json!([{"_key": "u", "username": "u"}])).await;
    for (bucket, key) in
        [("issue", "i"), ("product", "p"), ("traceability", "w"), ("user", "u"), ("serial", "s"), ("task", "t")]
    {
        let texts = [("bucket", bucket), ("object_key", key), ("subfolder", "null")];
        assert_eq!(upload(&service, &token, &texts).await, 200, "{bucket}");
        assert!(media(&service).join(bucket).join(key).join("a.txt").is_file(), "{bucket}");
        let body = json!({"bucket": bucket, "object_key": key, "filenames": ["a.txt"]});
        assert_eq!(delete(&service, &token, body).await, (200, Value::Null), "{bucket}");
    }
    assert!(files(&service).is_empty());
    let step = json!({"bucket": "step", "object_key": "st", "filenames": ["a.txt"]});
    assert_eq!(delete(&service, &token, step).await.0, 404);
}

#[tokio::test]
async fn a_file_lies_on_disk_while_it_arrives_and_goes_when_the_client_does() {
    let (service, token) = start().await;
    let waiting = media(&service).join(".incoming");
    let size = || -> u64 {
        let entries = fs::read_dir(&waiting).into_iter().flatten();
        entries.map(|entry| entry.unwrap().metadata().map_or(0, |it| it.len())).sum()
    };
    let head = "--b\r\ncontent-disposition: form-data; name=\"contents\"; filename=\"a.bin\"\r\n\r\n";
    let mut client = tokio::net::TcpStream::connect(service.address).await.unwrap();
    let request = format!(
        "POST /api/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
         content-type: multipart/form-data; boundary=b\r\ncontent-length: 20000000\r\n\r\n{head}"
    );
    client.write_all(request.as_bytes()).await.unwrap();
    client.write_all(&vec![b'x'; 8_000_000]).await.unwrap();
    // All but what a few buffers hold is in the file, though the request is not yet complete.
    while size() < 7_000_000 {
        tokio::task::yield_now().await;
    }
    drop(client);
    while size() > 0 {
        tokio::task::yield_now().await;
    }
    assert!(files(&service).is_empty());
}

#[tokio::test]
async fn what_a_crash_has_left_of_an_upload_goes_after_a_day() {
    let (service, token) = start().await;
    let waiting = media(&service).join(".incoming");
    fs::create_dir_all(&waiting).unwrap();
    for (name, hours) in [("old", 25), ("young", 23)] {
        let file = fs::File::create(waiting.join(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(hours)).unwrap();
    }
    assert_eq!(upload(&service, &token, &[("bucket", "task"), ("object_key", "t")]).await, 200);
    assert_eq!(files(&service), [".incoming/young", "task/t/a.txt"]);
}

#[tokio::test]
async fn the_parts_may_come_in_any_order() {
    let (service, token) = start().await;
    let form =
        Form::new().part("contents", Part::text("A").file_name("a.txt")).text("object_key", "t").text("bucket", "task");
    assert_eq!(post(&service, &token, form).await.0, 200);
    assert_eq!(files(&service), ["task/t/a.txt"]);
}

#[tokio::test]
async fn a_file_of_the_same_name_is_replaced_and_others_stay() {
    let (service, token) = start().await;
    let target = [("bucket", "task"), ("object_key", "t")];
    post(&service, &token, form(&target, &[("a.txt", "old"), ("b.txt", "B")])).await;
    post(&service, &token, form(&target, &[("a.txt", "new")])).await;
    assert_eq!(files(&service), ["task/t/a.txt", "task/t/b.txt"]);
    assert_eq!(fs::read_to_string(media(&service).join("task/t/a.txt")).unwrap(), "new");
}

#[tokio::test]
async fn reset_folder_clears_the_folder_but_not_those_below() {
    let (service, token) = start().await;
    let target = [("bucket", "product"), ("object_key", "p")];
    post(&service, &token, form(&target, &[("a.txt", "A"), ("b.txt", "B")])).await;
    upload(&service, &token, &[target[0], target[1], ("subfolder", "doc")]).await;
    let texts = [target[0], target[1], ("reset_folder", "true")];
    assert_eq!(post(&service, &token, form(&texts, &[("c.txt", "C")])).await.0, 200);
    assert_eq!(files(&service), ["product/p/c.txt", "product/p/doc/a.txt"]);
}

#[tokio::test]
async fn a_refused_request_stores_nothing_and_clears_nothing() {
    let (service, token) = start().await;
    upload(&service, &token, &[("bucket", "issue"), ("object_key", "i"), ("subfolder", "photo")]).await;
    let texts = [("bucket", "issue"), ("object_key", "i"), ("subfolder", "other"), ("reset_folder", "true")];
    assert_eq!(upload(&service, &token, &texts).await, 404);
    let texts = [("bucket", "issue"), ("object_key", "i"), ("subfolder", "photo"), ("reset_folder", "perhaps")];
    assert_eq!(upload(&service, &token, &texts).await, 422);
    assert_eq!(files(&service), ["issue/i/photo/a.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_one_place_come_and_go_at_once_without_a_failure() {
    let (service, token) = start().await;
    let (service, token) = (&service, token.as_str());
    let target = [("bucket", "task"), ("object_key", "t"), ("subfolder", "deep/er")];
    let [bucket, key, subfolder] = target;
    let writers = (0..8).map(|writer| async move {
        for round in 0..25 {
            let status = match (writer + round) % 3 {
                0 => upload(service, token, &target).await,
                1 => upload(service, token, &[bucket, key, subfolder, ("reset_folder", "true")]).await,
                _ => {
                    let body =
                        json!({"bucket": "task", "object_key": "t", "subfolder": "deep/er", "filenames": ["a.txt"]});
                    delete(service, token, body).await.0
                }
            };
            assert!(status == 200 || status == 404 && (writer + round) % 3 == 2, "{status}");
        }
    });
    join_all(writers).await;
    let left = files(service);
    assert!(left.is_empty() || left == ["task/t/deep/er/a.txt"], "{left:?}");
}

#[tokio::test]
async fn the_entity_must_exist() {
    let (service, token) = start().await;
    for bucket in ["issue", "product", "traceability", "user", "serial", "task"] {
        assert_eq!(upload(&service, &token, &[("bucket", bucket), ("object_key", "nobody")]).await, 404, "{bucket}");
    }
    assert_eq!(upload(&service, &token, &[("bucket", "step"), ("object_key", "st")]).await, 404);
    assert!(files(&service).is_empty());
}

#[tokio::test]
async fn a_subfolder_of_an_issue_is_one_of_its_fields() {
    let (service, token) = start().await;
    let issue = |subfolder| [("bucket", "issue"), ("object_key", "i"), ("subfolder", subfolder)];
    assert_eq!(upload(&service, &token, &issue("photo")).await, 200);
    assert_eq!(upload(&service, &token, &issue("photos")).await, 404);
    assert_eq!(upload(&service, &token, &[("bucket", "issue"), ("object_key", "i")]).await, 200);
}

#[tokio::test]
async fn a_subfolder_of_a_work_order_names_batch_step_and_fields() {
    let (service, token) = start().await;
    for (subfolder, status) in [
        ("b/st/pictures/ff", 200),
        ("b/st/pictures/other", 200),
        ("b/st/scans/ff", 404),
        ("b/st/text/other", 404),
        ("b/st/nothing/ff", 404),
        ("b/no/pictures/ff", 404),
        ("no/st/pictures/ff", 404),
        ("b/st/pictures", 404),
        ("b/st/pictures/ff/more", 404),
    ] {
        let texts = [("bucket", "traceability"), ("object_key", "w"), ("subfolder", subfolder)];
        assert_eq!(upload(&service, &token, &texts).await, status, "{subfolder}");
    }
}

#[tokio::test]
async fn metadata_of_a_product_needs_a_field_that_holds_files() {
    let (service, token) = start().await;
    for (subfolder, status) in
        [("meta/pictures", 200), ("meta/text", 404), ("meta/nothing", 404), ("meta", 404), ("doc", 200)]
    {
        let texts = [("bucket", "product"), ("object_key", "p"), ("subfolder", subfolder)];
        assert_eq!(upload(&service, &token, &texts).await, status, "{subfolder}");
    }
}

#[tokio::test]
async fn nothing_outside_the_folder_can_be_named() {
    let (service, token) = start().await;
    let deep: &'static str = Box::leak("x/".repeat(2_000).into_boxed_str());
    for subfolder in ["..", "../x", "a/../../x", "a//b", "a\\..\\b", "a\0b", "nul/x", deep] {
        let texts = [("bucket", "serial"), ("object_key", "s"), ("subfolder", subfolder)];
        assert_eq!(upload(&service, &token, &texts).await, 404, "{subfolder}");
    }
    for key in ["..", ".", "../serial/s"] {
        assert_eq!(upload(&service, &token, &[("bucket", "serial"), ("object_key", key)]).await, 404, "{key}");
    }
    let serial = [("bucket", "serial"), ("object_key", "s")];
    assert_eq!(post(&service, &token, form(&serial, &[("../../evil.txt", "x")])).await.0, 200);
    assert_eq!(files(&service), ["serial/s/evil.txt"]);
    for name in ["..", ".hidden", "../.hidden"] {
        assert_eq!(post(&service, &token, form(&serial, &[(name, "x")])).await.0, 422, "{name}");
    }

    fs::write(media(&service).join("secret"), "x").unwrap();
    for name in ["../../secret", "..", "", "/etc/passwd"] {
        let body = json!({"bucket": "serial", "object_key": "s", "filenames": [name]});
        assert_eq!(delete(&service, &token, body).await.0, 404, "{name}");
    }
    assert_eq!(files(&service), ["secret", "serial/s/evil.txt"]);
}

/// Uploads a file under a name as it stands in the body, which no client library has touched.
async fn upload_raw(service: &Service, token: &str, name: &str) -> u16 {
    let text =
        |part: &str, value: &str| format!("--b\r\ncontent-disposition: form-data; name=\"{part}\"\r\n\r\n{value}\r\n");
    let file =
        format!("--b\r\ncontent-disposition: form-data; name=\"contents\"; filename=\"{name}\"\r\n\r\nx\r\n--b--\r\n");
    let body = [text("bucket", "serial"), text("object_key", "s"), text("subfolder", "f"), file].concat();
    let request = service.request(Method::POST, "/files", token);
    let request = request.header("content-type", "multipart/form-data; boundary=b").body(body);
    answer(request).await.0.as_u16()
}

#[tokio::test]
async fn names_are_reduced_to_one_that_stays_in_the_folder_or_refused() {
    let (service, token) = start().await;
    let reduced = [
        ("/etc/passwd", "passwd"),
        ("C:/temp/a.txt", "a.txt"),
        ("%2e%2e%2fencoded", "%2e%2e%2fencoded"),
        ("a%5Cwindows", "a%5Cwindows"),
        ("~root", "~root"),
    ];
    for (name, stored) in reduced {
        assert_eq!(upload_raw(&service, &token, name).await, 200, "{name}");
        assert!(media(&service).join("serial/s/f").join(stored).is_file(), "{name}");
    }
    let long = "x".repeat(256);
    for name in ["..", ".", "a/..", "nul", "COM1.txt", "tab\there", &long] {
        assert_eq!(upload_raw(&service, &token, name).await, 422, "{name}");
    }
    assert!(upload_raw(&service, &token, "zero\0.txt").await >= 400);
    assert_eq!(files(&service).len(), reduced.len());
    assert!(files(&service).iter().all(|file| file.starts_with("serial/s/f/")), "{:?}", files(&service));
}

#[tokio::test]
async fn every_missing_part_is_told() {
    let (service, token) = start().await;
    let (status, body) = post(&service, &token, form(&[("bucket", "cellar")], &[])).await;
    assert_eq!(status, 422);
    let found: Vec<(&Value, &Value)> =
        body["detail"].as_array().unwrap().iter().map(|entry| (&entry["loc"][1], &entry["type"])).collect();
    let expected = [("contents", "missing"), ("bucket", "enum"), ("object_key", "missing")]
        .map(|(loc, kind)| (json!(loc), json!(kind)));
    assert_eq!(found, expected.iter().map(|(loc, kind)| (loc, kind)).collect::<Vec<_>>());
}

/// Place and type of every entry of a 422.
fn mistakes(body: &Value) -> Vec<(String, String)> {
    let entry = |entry: &Value| (entry["loc"].to_string(), entry["type"].as_str().unwrap().to_owned());
    body["detail"].as_array().unwrap_or_else(|| panic!("{body}")).iter().map(entry).collect()
}

fn expected(mistakes: &[(&str, &str)]) -> Vec<(String, String)> {
    mistakes.iter().map(|(loc, kind)| ((*loc).to_owned(), (*kind).to_owned())).collect()
}

#[tokio::test]
async fn every_mistake_of_an_upload_is_told_and_nothing_is_stored() {
    let (service, token) = start().await;
    let long: &'static str = Box::leak("x".repeat(5_000).into_boxed_str());
    let texts = [("object_key", long), ("bucket", "cellar"), ("reset_folder", "perhaps")];
    let (status, body) = post(&service, &token, form(&texts, &[("..", "A"), ("a.txt", "A"), ("nul", "A")])).await;
    assert_eq!(status, 422);
    let wanted = [
        (r#"["body","object_key"]"#, "string_too_long"),
        (r#"["body","contents",0]"#, "value_error"),
        (r#"["body","contents",2]"#, "value_error"),
        (r#"["body","bucket"]"#, "enum"),
        (r#"["body","reset_folder"]"#, "bool_parsing"),
    ];
    assert_eq!(mistakes(&body), expected(&wanted));
    assert!(files(&service).is_empty());
}

#[tokio::test]
async fn a_body_in_another_encoding_has_none_of_the_parts() {
    let (service, token) = start().await;
    let request = || service.request(Method::POST, "/files", &token);
    let wanted =
        ["contents", "bucket", "object_key"].map(|name| (format!(r#"["body","{name}"]"#), "missing".to_owned()));
    for request in [request(), request().json(&json!({"bucket": "task"})), request().body("bucket=task")] {
        let (status, body) = answer(request).await;
        assert_eq!((status.as_u16(), mistakes(&body)), (422, wanted.to_vec()));
    }
}

#[tokio::test]
async fn an_upload_beyond_the_limit_is_413_and_leaves_nothing() {
    let (service, token) = start_with(&[("upload_limit_bytes", "1000")]).await;
    let long = Box::leak("x".repeat(600).into_boxed_str());
    let target = [("bucket", "task"), ("object_key", "t")];
    assert_eq!(post(&service, &token, form(&target, &[("a", long), ("b", long)])).await.0, 413);
    assert!(files(&service).is_empty());
}

#[tokio::test]
async fn deleted_files_go_and_empty_folders_with_them() {
    let (service, token) = start().await;
    let texts = [("bucket", "serial"), ("object_key", "s"), ("subfolder", "photo")];
    post(&service, &token, form(&texts, &[("a.txt", "A"), ("b.txt", "B")])).await;
    let body =
        |names: &[&str]| json!({"bucket": "serial", "object_key": "s", "subfolder": "photo", "filenames": names});
    assert_eq!(delete(&service, &token, body(&["a.txt"])).await, (200, Value::Null));
    assert_eq!(files(&service), ["serial/s/photo/b.txt"]);
    assert_eq!(delete(&service, &token, body(&["b.txt", "b.txt"])).await.0, 200);
    assert!(!media(&service).join("serial/s").exists());
}

#[tokio::test]
async fn one_missing_file_keeps_all_of_them() {
    let (service, token) = start().await;
    upload(&service, &token, &[("bucket", "task"), ("object_key", "t")]).await;
    let names = json!(["a.txt", "first.txt", "second.txt"]);
    let body = json!({"bucket": "task", "object_key": "t", "subfolder": null, "filenames": names});
    let (status, body) = delete(&service, &token, body).await;
    assert_eq!(status, 404);
    assert!(body["detail"]["message"].as_str().unwrap().contains("first.txt"));
    assert!(body["detail"]["error"].is_string());
    assert_eq!(files(&service), ["task/t/a.txt"]);
}

#[tokio::test]
async fn deleting_needs_an_entity_and_a_body_in_form() {
    let (service, token) = start().await;
    let body = json!({"bucket": "task", "object_key": "nobody", "filenames": ["a"]});
    assert_eq!(delete(&service, &token, body).await.0, 404);
    let (status, body) = delete(&service, &token, json!({"bucket": "cellar", "filenames": ["a"]})).await;
    assert_eq!((status, body["detail"].as_array().unwrap().len()), (422, 2));
}

#[tokio::test]
async fn files_need_a_token_and_their_scopes() {
    let (service, _) = start().await;
    let target = [("bucket", "task"), ("object_key", "t")];
    let request = service.client.post(service.url("/api/files")).multipart(form(&target, &[("a", "A")]));
    let (status, body) = answer(request).await;
    assert_eq!((status.as_u16(), &body["detail"]), (401, &json!("Not authenticated")));
    let reporting = service.token("u", "reporting").await;
    let (status, body) = post(&service, &reporting, form(&target, &[("a", "A")])).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("attachment:file:upload")));
    let body = json!({"bucket": "task", "object_key": "t", "filenames": ["a"]});
    let (status, body) = delete(&service, &reporting, body).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("attachment:file:delete")));
    assert!(files(&service).is_empty());
}
