//! Files that belong to a change of the database are in their places when it is committed, and not before.

use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::BoxFuture;

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tracewright::store::{Access, AfterCommit};
use tracewright_testkit::{Service, answer};

const OLD: &[u8] = b"\x89PNG\r\n\x1a\nthe old one";
const NEW: &[u8] = b"\x89PNG\r\n\x1a\nthe new one";

/// Every file below a folder with its content, hidden ones left out: what somebody could read.
fn readable(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            found.extend(readable(&path));
        } else {
            found.push((path.clone(), std::fs::read(&path).unwrap_or_default()));
        }
    }
    found.sort();
    found
}

/// Whether a file below a folder is hidden: received, and not in its place.
fn has_hidden(folder: &Path) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        entry.file_name().to_string_lossy().starts_with('.') || (entry.path().is_dir() && has_hidden(&entry.path()))
    })
}

fn set_schema(service: &Service, collection: &str, schema: &Value) {
    let path = format!("/_api/collection/{collection}/properties");
    let answer = service.ask_engine(Method::PUT, &path, &json!({"schema": schema})).expect("the embedded engine");
    assert_eq!(answer.status(), 200, "{collection}");
}

/// Sends a request that changes a collection while somebody else holds it alone: as long as it waits, every file that can
/// be read is the one that was there. Then the change fails, and all is as it was.
async fn waits_and_fails(service: &Service, collection: &'static str, request: RequestBuilder) {
    let media = service.data_dir.path().join("media");
    let before = readable(&media);
    let rule = json!({"rule": {"required": ["nobody_has_this"]}, "level": "strict", "message": "no"});
    set_schema(service, collection, &rule);
    let mut request = Some(request);
    let access = Access::of(&[]).in_turn(&[collection]);
    let waiting = tracewright::transaction!(service.app.store, access, |_trx| {
        let sent = request.take().map(|request| tokio::spawn(answer(request)));
        for _ in 0..400 {
            assert_eq!(readable(&media), before, "nothing is seen of a change that is not committed");
            if has_hidden(&media) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(has_hidden(&media), "the file was received");
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(readable(&media), before, "nothing is seen of a change that is not committed");
        Ok(sent)
    });
    let (status, body) = waiting.unwrap().unwrap().await.unwrap();
    assert_eq!(status, 500, "{body}");
    assert_eq!(readable(&media), before);
    assert!(!has_hidden(&media), "nothing is left of the file");
    set_schema(service, collection, &Value::Null);
}

fn form(part: &'static str, content: &'static [u8]) -> Form {
    Form::new().part(part, Part::bytes(content).file_name("x.png"))
}

fn put(service: &Service, path: &str) -> PathBuf {
    let file = service.data_dir.path().join("media").join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, OLD).unwrap();
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_a_picture_of_a_change_that_fails() {
    let service = Service::start().await;
    if service.app.store.engine().is_none() {
        return;
    }
    let token = service.token("u", "admin").await;
    service.seed("Product", json!([{"_key": "p", "code": "P"}])).await;
    let user = json!([{"_key": "x", "username": "x", "name": "Ada", "surname": "X", "scope": ""}]);
    service.seed("User", user).await;
    service.seed("Media", json!([{"_key": "m", "name": "m.png", "content_type": "image/png"}])).await;
    let files = ["product/p/image.jpg", "user/x.jpg"].map(|path| put(&service, path));
    let request = |method, path: &str| service.request(method, path, &token);
    let changes = [
        ("User", request(Method::PUT, "/user/x/image").multipart(form("new_image", NEW))),
        ("Product", request(Method::PUT, "/product/p/image").multipart(form("new_image", NEW))),
        ("Product", request(Method::POST, "/product").multipart(form("image", NEW).text("code", "Q"))),
        ("Config", request(Method::PUT, "/config/company_logo/file").multipart(form("file", NEW))),
        ("Media", request(Method::POST, "/media/create").multipart(form("file", NEW))),
        ("Media", request(Method::PATCH, "/media/m").multipart(form("file", NEW))),
    ];
    for (collection, change) in changes {
        waits_and_fails(&service, collection, change).await;
    }
    // And a change that does not fail is seen.
    for (path, file) in [("/user/x/image", &files[1]), ("/product/p/image", &files[0])] {
        let (status, body) = answer(request(Method::PUT, path).multipart(form("new_image", NEW))).await;
        assert_eq!(status, 200, "{body}");
        assert_eq!(std::fs::read(file).unwrap(), NEW);
    }
}

/// Notes how the transaction ended that it was given to.
struct Ending(Arc<Mutex<Vec<&'static str>>>);

impl Ending {
    fn note(&mut self, ending: &'static str) {
        self.0.lock().unwrap().push(ending);
    }
}

impl AfterCommit for Ending {
    fn about_to_commit(&mut self) -> BoxFuture<'_, tracewright::error::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn refused(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { self.note("refused") })
    }

    fn committed(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { self.note("committed") })
    }

    fn uncertain(mut self: Box<Self>) {
        self.note("uncertain");
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.note("dropped");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_during_the_commit_does_not_keep_its_files_from_their_places() {
    let service = Service::start().await;
    let (endings, is_at_end) = (Arc::default(), AtomicBool::new(false));
    let mut call = Box::pin(async {
        tracewright::transaction!(service.app.store, Access::of(&[]).writing(&["Tag"]), |trx| {
            trx.after_commit(Ending(Arc::clone(&endings)));
            is_at_end.store(true, Ordering::Relaxed);
            Ok(())
        })
    });
    // The block is at its end and the commit under way when the caller is dropped.
    poll_fn(|context| {
        let polled = call.as_mut().poll(context);
        if is_at_end.load(Ordering::Relaxed) { Poll::Ready(()) } else { polled.map(drop) }
    })
    .await;
    drop(call);
    for _ in 0..400 {
        if !endings.lock().unwrap().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(endings.lock().unwrap()[0], "committed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_prepared_for_a_change_that_fails_is_taken_back() {
    let service = Service::start().await;
    let endings = Arc::default();
    let failed: tracewright::error::Result<()> =
        tracewright::transaction!(service.app.store, Access::of(&[]).writing(&["Tag"]), |trx| {
            trx.after_commit(Ending(Arc::clone(&endings)));
            Err(tracewright::error::Error::rule("no"))
        });
    assert!(failed.is_err());
    assert_eq!(*endings.lock().unwrap(), ["dropped"]);
}
