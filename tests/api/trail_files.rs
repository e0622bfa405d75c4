//! Who filed, replaced and removed files: what the changes say, and that files follow them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures_util::future::join_all;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

use crate::trail_support::{changes, difference};

/// A service with a serial `s`, a product `p` and a step `st`.
async fn started() -> (Service, String) {
    let service = Service::start_with(&[("admin_password", ADMIN_PASSWORD), ("upload_limit_bytes", "4000")]).await;
    service.seed("Serial", json!([{"_key": "s"}])).await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    service.seed("Step", json!([{"_key": "st"}])).await;
    let token = service.token("anna", "admin").await;
    (service, token)
}

fn path(service: &Service, file: &str) -> PathBuf {
    service.data_dir.path().join("media").join(file)
}

fn read(service: &Service, file: &str) -> Option<String> {
    std::fs::read_to_string(path(service, file)).ok()
}

fn content(text: &str) -> Value {
    json!({"size": text.len(), "sha256": format!("{:x}", Sha256::digest(text))})
}

fn file(path: &str, old: Option<&str>, new: Option<&str>) -> Value {
    difference(&format!("file {path}"), old.map(content), new.map(content))
}

/// Uploads files for the serial.
async fn upload(service: &Service, token: &str, files: &[(&'static str, &'static str)], reset: bool) -> u16 {
    let form = Form::new().text("bucket", "serial").text("object_key", "s").text("reset_folder", reset.to_string());
    let part = |form: Form, (name, text): &(&'static str, &'static str)| {
        form.part("contents", Part::text(*text).file_name(*name))
    };
    let request = service.request(Method::POST, "/files", token).multipart(files.iter().fold(form, part));
    answer(request).await.0.as_u16()
}

async fn delete(service: &Service, token: &str, names: &[&str]) -> u16 {
    let body = json!({"bucket": "serial", "object_key": "s", "filenames": names});
    service.send(Method::DELETE, "/files", token, body).await.0.as_u16()
}

/// Sends a file as the only part of a form.
async fn send(service: &Service, token: &str, (method, path): (Method, &str), part: &'static str, text: &str) -> u16 {
    let form = Form::new().part(part, Part::text(text.to_owned()).file_name("a.txt"));
    answer(service.request(method, path, token).multipart(form)).await.0.as_u16()
}

#[tokio::test]
async fn a_deleted_file_of_evidence_says_who_deleted_it_and_what_it_was() {
    let (service, token) = started().await;
    // Words in the names of secrets and long names are no reason to say less of a file.
    assert_eq!(upload(&service, &token, &[("password.pin", "seal broken"), ("b.txt", "b")], false).await, 200);
    let bob = service.token("bob", "attachment:file:delete").await;
    assert_eq!(delete(&service, &bob, &["password.pin", "password.pin"]).await, 200);
    assert_eq!((read(&service, "serial/s/password.pin"), read(&service, "serial/s/b.txt")), (None, Some("b".into())));
    let told = changes(&service).await;
    assert_eq!((told.len(), &told[1]["user_key"], &told[1]["concerns"]), (2, &json!("bob"), &json!(["Serial/s"])));
    assert_eq!(told[1]["changes"], json!([file("serial/s/password.pin", Some("seal broken"), None)]));
}

#[tokio::test]
async fn an_upload_says_what_came_what_it_replaced_and_what_went_for_it() {
    let (service, token) = started().await;
    assert_eq!(upload(&service, &token, &[("a.txt", "one"), ("b.txt", "two")], false).await, 200);
    assert_eq!(upload(&service, &token, &[("a.txt", "three")], true).await, 200);
    assert_eq!(upload(&service, &token, &[("a.txt", "three")], false).await, 200);
    let told = changes(&service).await;
    let of = |change: &Value| {
        let mut files = change["changes"].as_array().unwrap().clone();
        files.sort_by_key(|file| file["path"].as_str().unwrap().to_owned());
        files
    };
    let [a, b] = ["serial/s/a.txt", "serial/s/b.txt"];
    assert_eq!(of(&told[0]), [file(a, None, Some("one")), file(b, None, Some("two"))]);
    assert_eq!(of(&told[1]), [file(a, Some("one"), Some("three")), file(b, Some("two"), None)]);
    assert_eq!(told.len(), 2, "the same once more is no change");
    assert_eq!((read(&service, a), read(&service, b)), (Some("three".into()), None));
}

#[tokio::test]
async fn files_of_products_steps_and_media_are_told_with_what_they_belong_to() {
    let (service, token) = started().await;
    assert_eq!(send(&service, &token, (Method::POST, "/product/p/doc"), "new_doc", "x").await, 200);
    assert_eq!(send(&service, &token, (Method::POST, "/step/st/media"), "media_file", "y").await, 200);
    assert_eq!(send(&service, &token, (Method::POST, "/media/create"), "file", "z").await, 200);
    let told = changes(&service).await;
    let first = |change: &Value| (change["concerns"][0].clone(), change["changes"][0].clone());
    assert_eq!(first(&told[0]), (json!("Product/p"), file("product/p/doc/a.txt", None, Some("x"))));
    assert_eq!(first(&told[1]), (json!("Step/st"), file("step/st/a.txt", None, Some("y"))));
    let id = told[2]["concerns"][0].as_str().unwrap();
    let key = id.strip_prefix("Media/").unwrap().to_owned();
    assert_eq!(told[2]["changes"][0], file(&key, None, Some("z")));
    let delete = |path: String| service.send(Method::DELETE, Box::leak(path.into_boxed_str()), &token, Value::Null);
    for (path, expected) in [
        ("/product/p/doc/a.txt".to_owned(), file("product/p/doc/a.txt", Some("x"), None)),
        ("/step/st/media/a.txt".to_owned(), file("step/st/a.txt", Some("y"), None)),
        (format!("/media/{key}"), file(&key, Some("z"), None)),
    ] {
        assert_eq!(delete(path).await.0, 200);
        assert_eq!(changes(&service).await.last().unwrap()["changes"][0], expected);
    }
    assert!(read(&service, &key).is_none() && !path(&service, "product/p").exists());
}

#[tokio::test]
async fn a_refused_upload_or_deletion_leaves_no_change_and_the_files() {
    let (service, token) = started().await;
    assert_eq!(upload(&service, &token, &[("a.txt", "A")], false).await, 200);
    std::fs::create_dir_all(path(&service, "product/p/doc/a.txt")).unwrap();
    let long: &'static str = Box::leak("x".repeat(4001).into_boxed_str());
    assert_eq!(upload(&service, &token, &[("a.txt", long)], true).await, 413);
    assert_eq!(upload(&service, &token, &[("..", "x")], true).await, 422);
    assert_eq!(delete(&service, &token, &["a.txt", "b.txt"]).await, 404);
    for (path, part, status) in [
        ("/product/none/doc", "new_doc", 404),
        ("/product/p/doc", "other", 422),
        ("/product/p/doc", "new_doc", 500), // a folder lies there
        ("/step/none/media", "media_file", 404),
        ("/media/create", "other", 422),
    ] {
        assert_eq!(send(&service, &token, (Method::POST, path), part, "x").await, status, "{path}");
    }
    assert_eq!(send(&service, &token, (Method::PUT, "/product/p/image"), "new_image", "no picture").await, 422);
    assert_eq!(send(&service, &token, (Method::PATCH, "/media/none"), "file", "x").await, 404);
    for path in ["/product/p/image", "/product/p/doc/a.txt", "/step/st/media/a.txt", "/media/none"] {
        assert_eq!(service.send(Method::DELETE, path, &token, Value::Null).await.0, 404, "{path}");
    }
    assert_eq!(changes(&service).await.len(), 1);
    assert_eq!(read(&service, "serial/s/a.txt").as_deref(), Some("A"));
}

#[tokio::test]
async fn files_stay_as_they_are_when_nobody_can_be_told_to_have_changed_them() {
    let (service, token) = started().await;
    assert_eq!(upload(&service, &token, &[("a.txt", "A"), ("b.txt", "B")], false).await, 200);
    let Some(answer) = service.ask_engine(Method::DELETE, "/_api/collection/Change", &Value::Null) else { return };
    assert_eq!(answer.status(), 200);
    assert_eq!(upload(&service, &token, &[("a.txt", "new"), ("c.txt", "C")], true).await, 500);
    assert_eq!(delete(&service, &token, &["a.txt"]).await, 500);
    assert_eq!(send(&service, &token, (Method::POST, "/product/p/doc"), "new_doc", "x").await, 500);
    let mut names: Vec<_> = std::fs::read_dir(path(&service, "serial/s"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!((names, read(&service, "serial/s/a.txt")), (vec!["a.txt".into(), "b.txt".into()], Some("A".into())));
    assert!(!path(&service, "product").exists());
}

#[tokio::test]
async fn every_one_of_many_deleted_files_is_named() {
    let (service, token) = started().await;
    std::fs::create_dir_all(path(&service, "serial/s")).unwrap();
    let names: Vec<String> = (0..150).map(|n| format!("{n:03}.txt")).collect();
    for name in &names {
        std::fs::write(path(&service, "serial/s").join(name), name).unwrap();
    }
    assert_eq!(delete(&service, &token, &names.iter().map(String::as_str).collect::<Vec<_>>()).await, 200);
    let expected: Vec<Value> = names.iter().map(|name| file(&format!("serial/s/{name}"), Some(name), None)).collect();
    let told = changes(&service).await;
    assert_eq!((&told[0]["changes"], &told[0]["more_changes"]), (&json!(expected), &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_files_that_many_change_at_once_fit_together() {
    let (service, token) = started().await;
    let (service, token) = (&service, token.as_str());
    let writers = ["p", "q", "r", "s", "t"].map(|text| async move {
        for round in 0..12 {
            match round % 4 {
                3 => assert!(matches!(delete(service, token, &["a.txt"]).await, 200 | 404)),
                _ => assert_eq!(upload(service, token, &[("a.txt", text), ("b.txt", text)], round == 2).await, 200),
            }
        }
    });
    join_all(writers).await;
    let mut there: BTreeMap<String, Value> = BTreeMap::new();
    let told = changes(service).await;
    for change in told.iter().flat_map(|change| change["changes"].as_array().unwrap()) {
        let name = change["path"].as_str().unwrap().strip_prefix("file ").unwrap().to_owned();
        let before = there.insert(name, change["new"].clone()).unwrap_or_default();
        assert_eq!(change["old"], before, "each change begins where the one before ended");
    }
    for (name, last) in there {
        assert_eq!(read(service, &name).map(|text| content(&text)).unwrap_or_default(), last, "{name}");
    }
}
