//! `aqlited` as a process: its settings, its end, and moving data in and out.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::aqlited::{Server, aqlited, root, run};

#[test]
fn help_names_every_setting_and_command() {
    let help = String::from_utf8(run(&["--help"]).stdout).expect("text");
    for word in [
        "--data-dir",
        "--listen",
        "--root-password",
        "--jwt-secret",
        "--jwt-secret-file",
        "--log-level",
        "--ttl-interval",
        "--max-transaction-size",
        "--streaming-max-transaction-size",
        "--trusted-proxies",
        "--failed-logins",
        "--memory",
        "--query-memory-limit",
        "--global-memory-limit",
        "AQLITED_DATA_DIR",
        "import",
        "export",
        "check",
        "compact",
    ] {
        assert!(help.contains(word), "{word} is missing in {help}");
    }
}

#[test]
fn queries_have_half_of_what_caches_leave_of_the_memory() {
    let directory = tempfile::tempdir().expect("directory");
    let server = Server::start(directory.path(), &["--memory", "512M"]);
    let (_, options) = server.root("GET", "/_admin/options", &Value::Null);
    assert_eq!(options["query.global-memory-limit"], 192 << 20);
    assert_eq!(options["query.memory-limit"], 96 << 20);
    let too_little = run(&["--data-dir", "nowhere", "--memory", "63M"]);
    assert!(String::from_utf8_lossy(&too_little.stderr).contains("it has to be at least 64M"));
}

#[test]
fn limits_and_intervals_are_settings() {
    let directory = tempfile::tempdir().expect("directory");
    let arguments =
        "--ttl-interval 0.2 --max-transaction-size 64K --streaming-max-transaction-size 32k --global-memory-limit 8M";
    let server = Server::start(directory.path(), &arguments.split(' ').collect::<Vec<_>>());
    let (_, options) = server.root("GET", "/_admin/options", &Value::Null);
    assert_eq!(options["rocksdb.max-transaction-size"], 65_536);
    assert_eq!(options["transaction.streaming-max-transaction-size"], 32_768);
    assert_eq!(options["query.global-memory-limit"], 8_388_608);
    assert_eq!(options["query.memory-limit"], 4_194_304);
    server.root("POST", "/_api/collection", &json!({"name": "c"}));
    let index = json!({"type": "ttl", "fields": ["at"], "expireAfter": 0});
    server.root("POST", "/_api/index?collection=c", &index);
    assert_eq!(server.root("POST", "/_api/document/c", &json!({"at": 1})).0, 202);
    let count = || server.root("GET", "/_api/collection/c/count", &Value::Null).1["count"].clone();
    while count() != 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let big = json!({"query": "FOR i IN 1..1000 INSERT { text: REPEAT('x', 100) } INTO c"});
    assert_eq!(server.root("POST", "/_api/cursor", &big).1["errorNum"], 32);
    for wrong in [["--ttl-interval", "0"], ["--max-transaction-size", "9X"], ["--max-transaction-size", "0"]] {
        assert!(!run(&[&["--data-dir", "nowhere"], &wrong[..]].concat()).status.success(), "{wrong:?}");
    }
}

#[test]
fn behind_a_trusted_proxy_failed_logins_count_for_the_client_it_names() {
    let directory = tempfile::tempdir().expect("directory");
    let server = Server::start(directory.path(), &["--trusted-proxies", "127.0.0.1,10.0.0.0/8"]);
    let version = |client: &str, login: &str| {
        let authorization = format!("Basic {}\r\nx-forwarded-for: {client}", STANDARD.encode(login));
        Server::request(&server.address, &authorization, "GET", "/_api/version", &Value::Null).0
    };
    for _ in 0..10 {
        assert_eq!(version("192.0.2.1, 10.1.2.3", "root:wrong"), 401);
    }
    assert_eq!(version("192.0.2.1", "root:wrong"), 429);
    assert_eq!(version("192.0.2.2", "root:wrong"), 401);
    assert_eq!(version("192.0.2.1", "root:pw"), 200);
    assert!(!run(&["--data-dir", "nowhere", "--trusted-proxies", "somewhere"]).status.success());
}

#[test]
fn how_many_logins_may_fail_is_a_setting() {
    let directory = tempfile::tempdir().expect("directory");
    let (some, any) = (directory.path().join("some"), directory.path().join("any"));
    let statuses = |data: &Path, most: &str| {
        let server = Server::start(data, &["--failed-logins", most]);
        let version = |login: &str| {
            let authorization = format!("Basic {}", STANDARD.encode(login));
            Server::request(&server.address, &authorization, "GET", "/_api/version", &Value::Null).0
        };
        for _ in 0..12 {
            version("root:wrong");
        }
        (version("root:wrong"), version("root:pw"))
    };
    assert_eq!(statuses(&some, "3"), (429, 200));
    assert_eq!(statuses(&any, "0"), (401, 200));
}

#[test]
fn a_log_level_set_while_it_runs_is_followed() {
    let directory = tempfile::tempdir().expect("directory");
    let server = Server::start(directory.path(), &[]);
    let logged = |what: &str| {
        let path = format!("/_admin/log/entries?upto=debug&search={what}");
        server.root("GET", &path, &Value::Null).1["total"].as_i64().expect("a number")
    };
    server.root("GET", "/_api/version?before", &Value::Null);
    server.root("PUT", "/_admin/log/level", &json!({"requests": "DEBUG"}));
    server.root("PUT", "/_admin/log/structured", &json!({"url": true, "username": true}));
    server.root("GET", "/_api/version?after", &Value::Null);
    assert_eq!(logged("version?before"), 0);
    assert!(logged("version?after") > 0 && logged("username=%22root%22") > 0);
    server.root("DELETE", "/_admin/log/level", &Value::Null);
    server.root("GET", "/_api/version?later", &Value::Null);
    assert_eq!(logged("version?later"), 0);
}

#[test]
fn a_log_level_that_is_none_is_told_with_what_was_said() {
    let output = run(&["--data-dir", "nowhere", "--log-level", "aqlite=loud"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("'aqlite=loud'"));
}

#[test]
fn without_a_data_directory_it_says_what_is_missing() {
    let output = aqlited().env_remove("AQLITED_DATA_DIR").output().expect("runs");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--data-dir"));
}

#[test]
fn asked_to_stop_it_finishes_what_runs() {
    let directory = tempfile::tempdir().expect("directory");
    let mut server = Server::start(directory.path(), &[]);
    let address = server.address.clone();
    let running = std::thread::spawn(move || {
        let query = json!({"query": "RETURN SLEEP(2)"});
        Server::request(&address, &root(), "POST", "/_api/cursor", &query)
    });
    let current = || server.root("GET", "/_api/query/current", &Value::Null).1.as_array().map_or(0, Vec::len);
    while current() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    server.terminate();
    assert_eq!(running.join().expect("thread").0, 201);
    assert!(server.process.wait().expect("ends").success());
}

#[test]
fn a_key_from_a_file_signs_the_tokens() {
    let directory = tempfile::tempdir().expect("directory");
    let key = directory.path().join("key");
    fs::write(&key, " a key of thirty-two bytes or more \n").expect("written");
    let arguments = ["--jwt-secret-file", key.to_str().expect("path")];
    let login = json!({"username": "root", "password": "pw"});
    let token = {
        let server = Server::start(&directory.path().join("data"), &arguments);
        server.root("POST", "/_open/auth", &login).1["jwt"].as_str().expect("token").to_owned()
    };
    // the next process knows the token: the key is the same
    let server = Server::start(&directory.path().join("data"), &arguments);
    let answer = Server::request(&server.address, &format!("bearer {token}"), "GET", "/_api/version", &Value::Null);
    assert_eq!(answer.0, 200);
}

#[test]
fn the_log_can_be_read_over_http() {
    let directory = tempfile::tempdir().expect("directory");
    let server = Server::start(directory.path(), &[]);
    let (_, body) = server.root("GET", "/_admin/log/entries?search=listening", &Value::Null);
    assert_eq!(body["total"], 1, "{body}");
    assert_eq!(body["messages"][0]["level"], "INFO");
    let (_, columns) = server.root("GET", "/_admin/log?size=1", &Value::Null);
    assert_eq!(columns["text"].as_array().map(Vec::len), Some(1));
    assert_eq!(server.root("GET", "/_admin/log/entries?level=error", &Value::Null).1["total"], 0);
    let guest = format!("Basic {}", STANDARD.encode("guest:pw"));
    server.root("POST", "/_api/user", &json!({"user": "guest", "passwd": "pw"}));
    server.root("PUT", "/_api/user/guest/database/_system", &json!({"grant": "ro"}));
    assert_eq!(Server::request(&server.address, &guest, "GET", "/_admin/log", &Value::Null).0, 403);
}

fn data(directory: &TempDir) -> String {
    directory.path().join("data").to_str().expect("path").to_owned()
}

#[test]
fn data_is_exported_and_imported_on_the_command_line() {
    let directory = tempfile::tempdir().expect("directory");
    let lines = directory.path().join("parts.jsonl");
    fs::write(&lines, "{\"_key\":\"a\",\"n\":1}\n{\"_key\":\"b\",\"n\":2}\n").expect("written");
    let (first, second) = (data(&directory), format!("{}-2", data(&directory)));
    let dump = format!("{}-dump", data(&directory));
    let lines = lines.to_str().expect("path");
    let imported = run(&["import", lines, "--data-dir", &first, "--database", "plant"]);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    assert!(String::from_utf8_lossy(&imported.stderr).contains("imported 2 documents"));
    assert!(run(&["export", &dump, "--data-dir", &first, "--database", "plant", "--compress"]).status.success());
    let again = run(&["import", &dump, "--data-dir", &second, "--root-password", "pw", "--quiet"]);
    assert!(again.status.success() && again.stderr.is_empty(), "{}", String::from_utf8_lossy(&again.stderr));
    let server = Server::start(Path::new(&second), &[]);
    let query = json!({"query": "FOR p IN parts SORT p.n RETURN [p._key, p.n]"});
    let (_, body) = server.root("POST", "/_db/plant/_api/cursor", &query);
    assert_eq!(body["result"], json!([["a", 1], ["b", 2]]));
}

#[test]
fn a_data_directory_in_use_is_not_exported() {
    let directory = tempfile::tempdir().expect("directory");
    let _server = Server::start(Path::new(&data(&directory)), &[]);
    let target = format!("{}-dump", data(&directory));
    let output = run(&["export", &target, "--data-dir", &data(&directory)]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot open the data directory"));
}

#[test]
fn check_and_compact_work_on_the_files_and_the_exit_code_tells() {
    let directory = tempfile::tempdir().expect("directory");
    let data_dir = directory.path().to_str().expect("text");
    let lines = directory.path().join("parts.jsonl");
    fs::write(&lines, format!("{{\"text\": \"a needle {}\"}}\n", "x".repeat(500)).repeat(2000)).expect("writes");
    let source = lines.to_str().expect("text");
    let imported = run(&["import", source, "--data-dir", data_dir, "--root-password", "pw", "--quiet"]);
    assert!(imported.status.success());
    let server = Server::start(directory.path(), &[]);
    for command in ["check", "compact"] {
        let refused = run(&[command, "--data-dir", data_dir]);
        assert!(!refused.status.success());
        assert!(String::from_utf8_lossy(&refused.stderr).contains("in use"), "{refused:?}");
    }
    assert_eq!(server.root("PUT", "/_api/collection/parts/truncate", &Value::Null).0, 200);
    assert_eq!(server.root("POST", "/_api/document/parts", &json!({"text": "a needle"})).0, 202);
    server.terminate();
    let mut server = server;
    assert!(server.process.wait().expect("ends").success());

    let file = directory.path().join("aqlite.redb");
    let before = fs::metadata(&file).expect("a file").len();
    let compacted = run(&["compact", "--data-dir", data_dir]);
    assert!(compacted.status.success(), "{compacted:?}");
    assert!(String::from_utf8_lossy(&compacted.stdout).contains("before"), "{compacted:?}");
    assert!(fs::metadata(&file).expect("a file").len() < before);
    let checked = run(&["check", "--data-dir", data_dir]);
    assert!(checked.status.success(), "{checked:?}");
    assert!(String::from_utf8_lossy(&checked.stdout).contains("fit together"), "{checked:?}");

    let mut bytes = fs::read(&file).expect("reads");
    let needle = b"a needle";
    for at in 0..bytes.len() - needle.len() {
        if &bytes[at..at + needle.len()] == needle {
            bytes[at] ^= 1;
        }
    }
    fs::write(&file, bytes).expect("writes");
    assert!(!run(&["check", "--data-dir", data_dir]).status.success());
}
