//! Files of a change that fails at its end, or whose process is killed there, and files that two processes change: all or nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use poem::http::StatusCode;
use poem::{Endpoint, Request, Response};
use reqwest::multipart::{Form, Part};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracewright_testkit::program::{self, Program, Running};
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

use crate::remote::{DatabaseServer, PASSWORD, forward, listen};
use crate::trail_support::changes;

/// What becomes of changes of files on their way to the database.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Open,
    /// New ones pass, and those that were stopped never do.
    Past,
    /// They do not begin.
    NoBegin,
    /// They are not committed.
    NoCommit,
    /// They are committed, and nobody hears of it.
    NoAnswer,
    /// They are refused, as by others who were faster.
    Refused,
}

/// Stands between a service and its database.
struct Gate {
    database: String,
    client: Client,
    way: Arc<watch::Sender<Way>>,
    /// How many have been stopped.
    stopped: Arc<watch::Sender<usize>>,
    /// The transactions that change files.
    filing: Mutex<BTreeSet<String>>,
}

impl Gate {
    async fn wait(&self) {
        self.stopped.send_modify(|number| *number += 1);
        self.way.subscribe().wait_for(|way| *way == Way::Open).await.unwrap();
    }
}

impl Endpoint for Gate {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let body = request.take_body().into_string().await?;
        let way = *self.way.borrow();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        // What seals changes is none of files.
        let begins = path.ends_with("/_api/transaction/begin") && body.contains(r#""Change""#);
        let begins = begins && !body.contains("ChangeChain");
        let id = path.rsplit('/').next().unwrap().to_owned();
        let commits = method == Method::PUT && self.filing.lock().unwrap().contains(&id);
        if (begins && way == Way::NoBegin) || (commits && way == Way::NoCommit) {
            self.wait().await;
        }
        if commits && way == Way::Refused {
            self.stopped.send_modify(|number| *number += 1);
            request.set_method(Method::DELETE);
            forward(&self.client, &self.database, &request, "".into()).await;
            let refusal = json!({"error": true, "code": 409, "errorNum": 1200, "errorMessage": "write-write conflict"});
            return Ok(Response::builder()
                .status(StatusCode::CONFLICT)
                .content_type("application/json")
                .body(refusal.to_string()));
        }
        let mut answer = forward(&self.client, &self.database, &request, body.into()).await;
        if begins {
            let body: Value = answer.take_body().into_json().await?;
            self.filing.lock().unwrap().insert(body["result"]["id"].as_str().unwrap_or_default().to_owned());
            answer.set_body(body.to_string());
        }
        if commits && way == Way::NoAnswer {
            self.wait().await;
        }
        Ok(answer)
    }
}

/// A database server behind a gate, and folders of files.
struct Plant {
    server: DatabaseServer,
    url: String,
    way: Arc<watch::Sender<Way>>,
    stopped: Arc<watch::Sender<usize>>,
    media: TempDir,
}

impl Plant {
    async fn new() -> Self {
        let server = DatabaseServer::start().await;
        let (way, stopped) = (Arc::new(watch::Sender::new(Way::Open)), Arc::new(watch::Sender::new(0)));
        let gate = Gate {
            database: server.url.clone(),
            client: Client::new(),
            way: Arc::clone(&way),
            stopped: Arc::clone(&stopped),
            filing: Mutex::default(),
        };
        Self { url: listen(gate).await, server, way, stopped, media: TempDir::new().unwrap() }
    }

    /// A service behind the gate, or beside it.
    async fn service(&self, url: &str) -> Service {
        let media = self.media.path().display().to_string();
        let settings = [
            ("database.url", url),
            ("database.name", "plant"),
            ("database.password", PASSWORD),
            ("admin_password", ADMIN_PASSWORD),
            ("media_root", &media),
        ];
        Service::start_with(&settings).await
    }

    /// A service behind the gate with a serial `s` that has these files, and the token of somebody who may change them.
    async fn with_files(&self, files: &[(&'static str, &'static str)]) -> (Service, String) {
        let service = self.service(&self.url).await;
        service.seed("Serial", json!([{"_key": "s"}])).await;
        let token = service.token("anna", "admin").await;
        assert_eq!(upload(&service, &token, files, false).await.unwrap(), 200);
        (service, token)
    }

    async fn until_stopped(&self) {
        let stopped = self.stopped.subscribe().wait_for(|number| *number > 0).await.map(|number| *number);
        assert!(stopped.unwrap() > 0);
    }

    fn folder(&self) -> PathBuf {
        self.media.path().join("serial/s")
    }
}

fn form(files: &[(&'static str, &'static str)], reset: bool) -> Form {
    let form = Form::new().text("bucket", "serial").text("object_key", "s").text("reset_folder", reset.to_string());
    files.iter().fold(form, |form, (name, text)| form.part("contents", Part::text(*text).file_name(*name)))
}

fn upload(service: &Service, token: &str, files: &[(&'static str, &'static str)], reset: bool) -> JoinHandle<u16> {
    let request = service.request(Method::POST, "/files", token).multipart(form(files, reset));
    tokio::spawn(async move { answer(request).await.0.as_u16() })
}

fn delete(service: &Service, token: &str, names: &[&str]) -> JoinHandle<u16> {
    let body = json!({"bucket": "serial", "object_key": "s", "filenames": names});
    let request = service.request(Method::DELETE, "/files", token).json(&body);
    tokio::spawn(async move { answer(request).await.0.as_u16() })
}

/// Everything in a folder, what is hidden too.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap);
    let text = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_else(|_| "a folder".to_owned());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), text(entry.path()))).collect()
}

fn expected(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

const OLD: [(&str, &str); 3] = [("a.txt", "A"), ("b.txt", "B"), ("d.txt", "D")];
const NEW: [(&str, &str); 3] = [("a.txt", "new"), ("b.txt", "new"), ("c.txt", "new")];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn where_one_of_several_files_cannot_come_to_its_place_none_does_and_no_change_is_told() {
    let plant = Plant::new().await;
    let (service, token) = plant.with_files(&OLD).await;
    plant.way.send_replace(Way::NoBegin);
    let uploading = upload(&service, &token, &NEW, true);
    plant.until_stopped().await;
    std::fs::create_dir(plant.folder().join("c.txt")).unwrap();
    plant.way.send_replace(Way::Open);
    assert_eq!(uploading.await.unwrap(), 503);
    let mut left = expected(&OLD);
    left.insert("c.txt".to_owned(), "a folder".to_owned());
    assert_eq!(files(&plant.folder()), left);
    assert_eq!(changes(&service).await.len(), 1, "of the files that were there before");
    std::fs::remove_dir(plant.folder().join("c.txt")).unwrap();
    assert_eq!(upload(&service, &token, &NEW, true).await.unwrap(), 200);
    assert_eq!(files(&plant.folder()), expected(&NEW));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn files_come_back_where_the_database_refuses_the_commit_and_go_when_it_takes_it() {
    let plant = Plant::new().await;
    let (service, token) = plant.with_files(&OLD).await;
    plant.way.send_replace(Way::Refused);
    assert_eq!(upload(&service, &token, &NEW, true).await.unwrap(), 503);
    assert_eq!(delete(&service, &token, &["a.txt", "d.txt"]).await.unwrap(), 503);
    assert_eq!(files(&plant.folder()), expected(&OLD));
    let before = *plant.stopped.borrow();
    let uploading = upload(&service, &token, &NEW, true);
    plant.stopped.subscribe().wait_for(|number| *number > before).await.unwrap();
    plant.way.send_replace(Way::Open);
    assert_eq!(uploading.await.unwrap(), 200, "a later attempt is not refused");
    assert_eq!(files(&plant.folder()), expected(&NEW));
    assert_eq!(changes(&service).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_processes_that_remove_a_file_one_says_so_and_the_other_that_it_was_gone() {
    let plant = Plant::new().await;
    let (one, token) = plant.with_files(&OLD).await;
    let other = plant.service(&plant.server.url).await;
    plant.way.send_replace(Way::NoBegin);
    let removing = delete(&one, &token, &["d.txt", "a.txt"]);
    plant.until_stopped().await;
    let bens = other.token("ben", "admin").await;
    assert_eq!(delete(&other, &bens, &["a.txt"]).await.unwrap(), 200);
    plant.way.send_replace(Way::Open);
    assert_eq!(removing.await.unwrap(), 404);
    assert_eq!(files(&plant.folder()), expected(&OLD[1..]), "what it would have removed beside is there");
    assert_eq!(changes(&one).await.len(), 2, "the upload, and one removal");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_file_that_another_process_has_stored_meanwhile_is_not_overwritten_unseen() {
    let plant = Plant::new().await;
    let (one, token) = plant.with_files(&OLD).await;
    let other = plant.service(&plant.server.url).await;
    plant.way.send_replace(Way::NoBegin);
    let uploading = upload(&one, &token, &NEW, false);
    plant.until_stopped().await;
    let bens = other.token("ben", "admin").await;
    assert_eq!(upload(&other, &bens, &[("b.txt", "theirs"), ("c.txt", "theirs")], false).await.unwrap(), 200);
    plant.way.send_replace(Way::Open);
    assert_eq!(uploading.await.unwrap(), 503);
    let theirs = [("a.txt", "A"), ("b.txt", "theirs"), ("c.txt", "theirs"), ("d.txt", "D")];
    assert_eq!(files(&plant.folder()), expected(&theirs));
}

/// Has a process killed while it changes files, and gives what it left and what there is when it was started again, with the
/// number of changes and the log.
async fn killed(way: Way) -> [BTreeMap<String, String>; 2] {
    let (plant, program) = (Plant::new().await, Program::new());
    let args = ["--database-url", &plant.url, "--database-password", PASSWORD, "--database-name", "plant"];
    let serve = || program.serve(&args);
    let running = serve();
    let ask = async |query: &str| -> Value {
        let url = format!("{}/_db/plant/_api/cursor", plant.server.url);
        let asked = Client::new().post(url).basic_auth("root", Some(PASSWORD)).json(&json!({"query": query}));
        asked.send().await.unwrap().json::<Value>().await.unwrap()["result"].clone()
    };
    ask("INSERT { _key: 's' } INTO Serial").await;
    let (status, login) = running.login("cadmin", program::ADMIN_PASSWORD);
    assert_eq!(status, 200, "{login}");
    let token = login["access_token"].as_str().unwrap().to_owned();
    let send = |running: &Running, files: &[(&'static str, &'static str)], reset: bool| {
        let url = running.url("/api/files");
        let request = Client::new().post(url).bearer_auth(&token).multipart(form(files, reset));
        tokio::spawn(async move { request.send().await.map(|answer| answer.status().as_u16()) })
    };
    assert_eq!(send(&running, &OLD, false).await.unwrap().unwrap(), 200);
    plant.way.send_replace(way);
    let cut = send(&running, &NEW, true);
    plant.until_stopped().await;
    let folder = program.folder().join("data/media/serial/s");
    let left = files(&folder);
    drop(running);
    assert!(cut.await.unwrap().is_err());
    plant.way.send_replace(Way::Past);
    let running = serve();
    let found = files(&folder);
    let number = ask("RETURN LENGTH(Change)").await;
    assert_eq!(number, if way == Way::NoAnswer { json!([2]) } else { json!([1]) });
    assert_eq!(send(&running, &[("e.txt", "E")], true).await.unwrap().unwrap(), 200);
    assert_eq!(files(&folder), expected(&[("e.txt", "E")]));
    assert!(running.stop().contains("files were being changed when their process was killed"));
    [left, found]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn files_of_a_killed_process_come_back_where_their_change_was_not_committed() {
    let [left, found] = killed(Way::NoCommit).await;
    assert_eq!(left.get("a.txt").map(String::as_str), Some("new"), "they change their places before the commit");
    assert_eq!(found, expected(&OLD));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn files_of_a_killed_process_stay_where_their_change_was_committed() {
    let [left, found] = killed(Way::NoAnswer).await;
    assert!(left.keys().any(|name| name.starts_with('.')), "what was there waits: {left:?}");
    assert_eq!(found, expected(&NEW));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_start_leaves_files_alone_that_another_process_is_changing() {
    let plant = Plant::new().await;
    let (one, token) = plant.with_files(&OLD).await;
    plant.way.send_replace(Way::NoCommit);
    let uploading = upload(&one, &token, &NEW, true);
    plant.until_stopped().await;
    let other = plant.service(&plant.server.url).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    plant.way.send_replace(Way::Open);
    assert_eq!(uploading.await.unwrap(), 200);
    assert_eq!(files(&plant.folder()), expected(&NEW));
    assert_eq!(changes(&other).await.len(), 2);
}
