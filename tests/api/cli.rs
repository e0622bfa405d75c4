//! The commands, by running the real program.

use serde_json::Value;
use tracewright_testkit::program::{ADMIN_PASSWORD, Program, free_address};

#[test]
fn help_names_every_command_and_the_exit_codes() {
    let program = Program::new();
    let help = program.run(&["--help"]).succeeded();
    for word in ["serve", "user", "check", "compact", "import", "export", "openapi", "--data-dir", "Exit codes"] {
        assert!(help.contains(word), "{word} is missing in {help}");
    }
    for command in [&["user", "add", "--help"][..], &["serve", "--help"], &["check", "--help"]] {
        program.run(command).succeeded();
    }
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let program = Program::new();
    assert_eq!(program.run(&["fly"]).code, 2);
    assert_eq!(program.run(&["user", "add", "anna"]).code, 2, "the scope is missing");
}

#[test]
fn openapi_prints_the_document() {
    let document: Value = serde_json::from_str(&Program::new().run(&["openapi"]).succeeded()).unwrap();
    assert_eq!(document["info"]["version"], "0.1.0");
}

/// The files and folders below a folder that others than the user may do something with.
#[cfg(unix)]
fn open_to_others(folder: &std::path::Path, beyond: u32) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.chain([folder.clone()]) {
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            if mode & beyond != 0 {
                found.push(format!("{} {mode:o}", path.display()));
            }
            if path.is_dir() && path != folder {
                folders.push(path);
            }
        }
    }
    found
}

#[cfg(unix)]
#[test]
fn nobody_else_on_the_machine_reads_data_or_backups() {
    let program = Program::new();
    let data = program.folder().join("data");
    // secrets may come from the settings, so that the service makes no file of its own for them
    let secrets = ["--jwt-secret", "0123456789abcdef0123456789abcdef", "--database-password", "engine-password"];
    program.serve(&[&["--demo"][..], &secrets].concat()).stop();
    assert_eq!(open_to_others(&data, 0o077), [""; 0]);
    program.run(&[&["export", "backup"][..], &secrets].concat()).succeeded();
    assert_eq!(open_to_others(&program.folder().join("backup"), 0o077), [""; 0]);
    program.run(&[&["export", "for-group", "--group-readable", "true"][..], &secrets].concat()).succeeded();
    let backup = program.folder().join("for-group");
    assert_eq!(open_to_others(&backup, 0o027), [""; 0]);
    assert!(open_to_others(&backup, 0o040).len() > 50, "the group reads it");
}

#[cfg(unix)]
#[test]
fn a_data_folder_that_others_can_read_is_closed_at_the_start_with_a_word() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::new();
    program.serve(&[]).stop();
    let data = program.folder().join("data");
    let widen =
        |path: &std::path::Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    widen(&data, 0o755);
    widen(&data.join("db"), 0o755);
    widen(&data.join("db/aqlite.redb"), 0o644);
    program.serve(&[]).stop();
    assert_eq!(open_to_others(&data, 0o077), [""; 0]);
    let log = std::fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("others could read") && log.contains("data"), "{log}");
}

#[test]
fn a_setting_that_cannot_be_read_is_named_and_ends_with_1() {
    let outcome = Program::new().run(&["check", "--log-format", "yellow"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stderr.contains("`yellow` is neither `text` nor `json`"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("log_format"), "{}", outcome.stderr);
    let outcome = Program::new().run(&["check", "--database-url", "somewhere"]);
    assert!(outcome.stderr.contains("`embedded` or a URL such as"), "{}", outcome.stderr);
}

#[test]
fn a_port_that_is_taken_is_told_before_anything_is_created() {
    let program = Program::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for flag in ["--listen", "--database-embedded-listen"] {
        let outcome = program.run(&["serve", flag, &address]);
        assert_eq!(outcome.code, 1);
        assert!(outcome.stderr.contains(&format!("cannot listen on {address}")), "{}", outcome.stderr);
        assert!(!outcome.stdout.contains("One-time password"), "{}", outcome.stdout);
        assert!(!program.folder().join("data/db").exists(), "{flag}");
    }
}

#[test]
fn a_user_is_added_listed_and_gets_a_password() {
    let program = Program::new();
    let added = program.run(&["user", "add", "anna", "--scope", "operator quality", "--name", "Anna"]).succeeded();
    assert!(added.contains("One-time password: "), "{added}");
    let list = program.run(&["user", "list"]).succeeded();
    assert!(list.lines().any(|line| line.starts_with("anna ") && line.ends_with("operator quality")), "{list}");
    program.run_with_input(&["user", "passwd", "anna", "--password-stdin"], "Better-password-1\n").succeeded();

    let service = program.serve(&[]);
    let (status, body) = service.login("anna", "Better-password-1");
    assert_eq!((status, &body["detail"]["action"]), (200, &Value::from("start_session")), "{body}");
}

#[test]
fn a_new_password_of_less_than_ten_characters_is_refused_and_nothing_changes() {
    let program = Program::new();
    let started = program.run(&["user", "add", "first", "--scope", "operator", "--admin-password", "ninechars"]);
    assert_eq!(started.code, 1);
    assert!(started.stderr.contains("`admin_password`: a password has at least 10 characters"), "{}", started.stderr);
    program.run(&["user", "add", "anna", "--scope", "operator"]).succeeded();
    for args in [
        ["user", "passwd", "anna", "--password-stdin"].as_slice(),
        &["user", "add", "tea", "--scope", "operator", "--password-stdin"],
    ] {
        let outcome = program.run_with_input(args, "ninechars\n");
        assert_eq!(outcome.code, 1, "{}", outcome.stdout);
        assert!(outcome.stderr.contains("at least 10 characters"), "{}", outcome.stderr);
    }
    let list = program.run(&["user", "list"]).succeeded();
    assert!(!list.contains("tea") && !list.contains("first"), "{list}");
}

#[test]
fn a_one_time_password_leads_to_a_new_one() {
    let program = Program::new();
    let added = program.run(&["user", "add", "tea", "--scope", "reporting"]).succeeded();
    let password = added.lines().find_map(|line| line.strip_prefix("One-time password: ")).unwrap();
    let (status, body) = program.serve(&[]).login("tea", password);
    assert_eq!((status, &body["detail"]["action"]), (200, &Value::from("reset_password")), "{body}");
}

#[test]
fn the_first_start_prints_the_administrators_password_once_and_none_that_was_given() {
    let program = Program::new();
    let first = program.serve(&["--admin-password", ""]);
    let printed = program.printed();
    let password = printed.trim_end().strip_prefix("Administrator `cadmin` created. One-time password: ").unwrap();
    let (status, body) = first.login("cadmin", password);
    assert_eq!((status, &body["detail"]["action"]), (200, &Value::from("reset_password")), "{body}");
    first.stop();
    let second = program.serve(&["--admin-password", ""]);
    assert_eq!(program.printed(), "");
    second.stop();

    let given = Program::new();
    let (status, body) = given.serve(&[]).login("cadmin", ADMIN_PASSWORD);
    assert_eq!((status, &body["detail"]["action"]), (200, &Value::from("start_session")), "{body}");
    assert_eq!(given.printed(), "");
}

#[test]
fn a_user_name_that_is_taken_and_an_unknown_one_are_told() {
    let program = Program::new();
    program.run(&["user", "add", "anna", "--scope", "operator"]).succeeded();
    let twice = program.run(&["user", "add", "anna", "--scope", "operator"]);
    assert_eq!(twice.code, 1);
    assert!(twice.stderr.contains("taken") && twice.stderr.contains("user list"), "{}", twice.stderr);
    let unknown = program.run(&["user", "passwd", "nobody"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("no user `nobody`"), "{}", unknown.stderr);
    let scope = program.run(&["user", "add", "boss", "--scope", "everything"]);
    assert!(scope.stderr.contains("Choose from"), "{}", scope.stderr);
}

#[test]
fn users_can_be_managed_while_the_service_runs() {
    let program = Program::new();
    let service = program.serve(&[]);
    program
        .run_with_input(&["user", "add", "omar", "--scope", "operator", "--password-stdin"], "While-it-runs-1\n")
        .succeeded();
    assert_eq!(service.login("omar", "While-it-runs-1").0, 200);
}

#[test]
fn a_second_service_on_the_same_folder_is_told_what_to_do() {
    let program = Program::new();
    let _service = program.serve(&[]);
    let second = program.run(&["serve", "--listen", &free_address()]);
    assert_eq!(second.code, 1);
    assert!(second.stderr.contains("in use by another process"), "{}", second.stderr);
}

#[test]
fn check_is_content_before_and_after_the_first_start() {
    let program = Program::new();
    assert!(program.run(&["check"]).succeeded().contains("not there yet"));
    let service = program.serve(&[]);
    let running = program.run(&["check"]).succeeded();
    assert!(running.contains("all collections, indexes and views are there"), "{running}");
    service.stop();
    assert!(!program.run(&["check"]).succeeded().contains("PROBLEM"));
}

#[test]
fn check_asks_a_running_service_whose_engine_has_no_port() {
    let program = Program::new();
    let no_port = ["--database-embedded-listen", ""];
    let service = program.serve(&no_port);
    let check = || program.run(&[&["check"], &no_port[..]].concat());
    let running = check().succeeded();
    assert!(running.contains("open in the service that listens on"), "{running}");
    let elsewhere = program.run(&[&["check", "--listen", &free_address()], &no_port[..]].concat());
    assert_eq!(elsewhere.code, 1);
    assert!(elsewhere.stdout.contains("in use by another process"), "{}", elsewhere.stdout);
    service.stop();
    assert!(check().succeeded().contains("all collections, indexes and views are there"));
}

#[test]
fn check_finds_an_unwritable_media_folder() {
    let program = Program::new();
    let file = program.folder().join("a-file");
    std::fs::write(&file, "").unwrap();
    let outcome = program.run(&["check", "--media-root", file.join("media").to_str().unwrap()]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("PROBLEM  media folder"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("`media_root`"), "{}", outcome.stdout);
}

#[test]
fn check_finds_a_server_that_cannot_be_reached() {
    let url = format!("http://{}", free_address());
    let outcome = Program::new().run(&["check", "--database-url", &url]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("cannot be reached") && outcome.stdout.contains(&url), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("Connection refused"), "{}", outcome.stdout);
}

#[test]
fn check_finds_a_wrong_password() {
    let program = Program::new();
    let service = program.serve(&[]);
    let url = format!("http://{}", program.engine_address());
    let outcome = program.run(&["check", "--database-url", &url, "--database-password", "wrong"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("refused user `root`"), "{}", outcome.stdout);
    drop(service);
}

#[test]
fn check_finds_a_missing_index() {
    let program = Program::new();
    let service = program.serve(&[]);
    let indexes = service.engine("GET", "/_api/index?collection=Serial", None);
    let by_work_order = indexes["indexes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|index| index["fields"] == serde_json::json!(["wo_key", "released"]));
    let id = by_work_order.unwrap()["id"].as_str().unwrap();
    service.engine("DELETE", &format!("/_api/index/{id}"), None);
    let outcome = program.run(&["check"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("missing index Serial (wo_key, released)"), "{}", outcome.stdout);
}

#[test]
fn check_finds_a_database_that_does_not_exist() {
    let program = Program::new();
    let _service = program.serve(&[]);
    let outcome = program.run(&["check", "--database-name", "elsewhere"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("no database `elsewhere` yet"), "{}", outcome.stdout);
}

#[test]
fn a_running_request_is_finished_after_the_signal_and_the_exit_code_is_0() {
    let service = Program::new_serving();
    let mut request = service.half_sent_request();
    service.signal_to_stop();
    service.wait_until_closed();
    let answer = request.finish();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn every_request_is_one_json_line_in_the_log() {
    let program = Program::new();
    let service = program.serve(&["--log-format", "json"]);
    service.get("/api/hello");
    service.get("/api/serial-hierarchy?serial_key=x");
    let log = service.stop();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let requests: Vec<_> = lines.iter().filter(|line| line["message"] == "request").collect();
    let seen: Vec<_> = requests.iter().map(|line| (&line["method"], &line["route"], &line["status"])).collect();
    let json = |text: &str| Value::from(text);
    assert!(seen.contains(&(&json("GET"), &json("/hello"), &Value::from(200))), "{log}");
    assert!(seen.contains(&(&json("GET"), &json("/serial-hierarchy"), &Value::from(401))), "{log}");
    assert!(requests.iter().all(|line| line["request_id"].is_string() && line["ms"].is_number()), "{log}");
}

#[test]
fn an_export_can_be_imported_and_is_the_same_database() {
    let program = Program::new();
    let service = program.serve(&["--demo"]);
    let exported = program.run(&["export", "backup"]).succeeded();
    assert!(exported.contains("documents of"), "{exported}");
    let query = r#"{"query": "FOR serial IN Serial FILTER serial.code == 'LOT-2604-B' FOR unit IN 1..9 INBOUND serial contains COLLECT key = unit._key RETURN key"}"#;
    let before = service.engine("POST", "/_api/cursor", Some(query));
    service.stop();

    let other = Program::new();
    let backup = program.folder().join("backup");
    let imported = other.run(&["import", backup.to_str().unwrap()]).succeeded();
    assert_eq!(words(&exported)[..4], words(&imported)[..4], "{exported}{imported}");
    assert!(!other.run(&["check"]).succeeded().contains("PROBLEM"));
    let restored = other.serve(&[]);
    assert_eq!(restored.engine("POST", "/_api/cursor", Some(query))["result"], before["result"]);
    assert_eq!(before["result"].as_array().unwrap().len(), 42);
    assert_eq!(restored.login("marco", "tracewright-demo").0, 200);
}

#[test]
fn an_export_that_is_killed_leaves_no_folder_that_could_be_taken_for_a_backup() {
    let program = Program::new();
    program.serve(&["--demo"]).stop();
    let (backup, beside) = (program.folder().join("backup"), program.folder().join("backup.partial"));
    let files = || std::fs::read_dir(&beside).map_or(0, Iterator::count);
    let mut killed = 0;
    for moment in 0..10 {
        let mut export = program.spawn(&["export", "backup"]);
        while files() <= moment * 10 && export.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        export.kill().unwrap();
        export.wait().unwrap();
        if backup.exists() {
            // it was done before it could be killed
            Program::new().run(&["import", backup.to_str().unwrap()]).succeeded();
            std::fs::remove_dir_all(&backup).unwrap();
            continue;
        }
        killed += 1;
        let refused = Program::new().run(&["import", beside.to_str().unwrap()]);
        assert_eq!(refused.code, 1, "{} files", files());
        let again = program.run(&["export", "backup"]);
        assert!(again.code == 1 && again.stderr.contains("backup.partial"), "{}", again.stderr);
        std::fs::remove_dir_all(&beside).unwrap();
    }
    assert!(killed > 0);
    let exported = program.run(&["export", "backup"]).succeeded();
    assert_eq!(
        words(&Program::new().run(&["import", backup.to_str().unwrap()]).succeeded())[..4],
        words(&exported)[..4]
    );
}

#[test]
fn a_backup_that_lacks_a_file_or_a_part_of_one_is_refused_and_says_what_is_missing() {
    let program = Program::new();
    program.serve(&["--demo"]).stop();
    program.run(&["export", "backup"]).succeeded();
    let backup = program.folder().join("backup");
    let import = |args: &[&str]| Program::new().run(&[&["import", backup.to_str().unwrap()], args].concat());
    let refused = |name: &str, what: &str| {
        let outcome = import(&[]);
        assert!(
            outcome.code == 1 && outcome.stderr.contains(name),
            "{name} {what}: {}{}",
            outcome.stdout,
            outcome.stderr
        );
    };
    let mut names: Vec<_> = std::fs::read_dir(&backup).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.len() > 100, "{names:?}");
    for name in &names {
        let (path, name) = (backup.join(name), name.to_str().unwrap());
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        refused(name, "is missing");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        refused(name, "is cut");
        std::fs::write(&path, &bytes).unwrap();
    }
    let is_of_serials = |name: &&std::ffi::OsString| name.to_str().is_some_and(|name| name.starts_with("Serial_"));
    for name in names.iter().filter(is_of_serials) {
        std::fs::remove_file(backup.join(name)).unwrap();
    }
    let taken = import(&["--incomplete"]);
    assert!(taken.stderr.contains("with 300 documents"), "{}", taken.stderr);
    taken.succeeded();
}

#[test]
fn a_deep_check_misses_the_journal_of_what_was_recorded() {
    let program = Program::new();
    program.serve(&["--demo"]).stop();
    program.run(&["export", "backup"]).succeeded();
    let backup = program.folder().join("backup");
    for entry in std::fs::read_dir(&backup).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("Event_") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let other = Program::new();
    other.run(&["import", backup.to_str().unwrap(), "--incomplete"]).succeeded();
    let checked = other.run(&["check", "--deep"]);
    assert!(checked.code == 1 && checked.stdout.contains("Event: is empty"), "{}", checked.stdout);
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

#[test]
fn json_lines_are_exported_and_imported() {
    let program = Program::new();
    program.serve(&["--demo"]).stop();
    program.run(&["export", "lines", "--lines"]).succeeded();
    let serials = std::fs::read_to_string(program.folder().join("lines/Serial.jsonl")).unwrap();
    assert_eq!(serials.lines().count(), 300);
    let other = Program::new();
    other.run(&["import", program.folder().join("lines").to_str().unwrap()]).succeeded();
    assert_eq!(other.serve(&[]).login("wanda", "tracewright-demo").0, 200);
}

#[test]
fn documents_in_arangodumps_envelopes_are_read_and_existing_ones_replaced() {
    let program = Program::new();
    let dump = program.folder().join("dump");
    std::fs::create_dir(&dump).unwrap();
    let structure = r#"{"parameters": {"name": "Tag", "type": 2, "cid": "7"}, "indexes": [{"id": "0", "type": "primary", "fields": ["_key"]}]}"#;
    std::fs::write(dump.join("Tag_1.structure.json"), structure).unwrap();
    std::fs::write(dump.join("dump.json"), r#"{"database": "tracewright"}"#).unwrap();
    let lines = "{\"type\":2300,\"data\":{\"_key\":\"a\",\"name\":\"first\"}}\n{\"type\":2300,\"data\":{\"_key\":\"b\",\"name\":\"other\"}}\n";
    std::fs::write(dump.join("Tag_1.data.json"), lines).unwrap();
    program.run(&["import", "dump"]).succeeded();
    std::fs::write(dump.join("Tag_1.data.json"), lines.replace("first", "second")).unwrap();
    program.run(&["import", "dump"]).succeeded();
    let query = r#"{"query": "FOR tag IN Tag SORT tag._key RETURN tag.name"}"#;
    let tags = program.serve(&[]).engine("POST", "/_api/cursor", Some(query));
    assert_eq!(tags["result"], serde_json::json!(["second", "other"]));
}

#[test]
fn many_documents_come_with_what_indexes_and_views_find_and_replace_those_that_exist() {
    let program = Program::new();
    let folder = program.folder().join("lines");
    std::fs::create_dir(&folder).unwrap();
    let note = "x".repeat(50_000);
    let serials = |product: &str| -> String {
        let serial = |n| {
            format!("{{\"_key\":\"{n}\",\"code\":\"SN-{n:04}\",\"product_key\":\"{product}\",\"note\":\"{note}\"}}\n")
        };
        (0..200).map(serial).collect()
    };
    let query = r#"{"query": "FOR s IN SerialTexts SEARCH ANALYZER(s.code == '017', 'tracewright_runs_of_3') FOR t IN Serial FILTER t.code == s.code SORT t.code RETURN [t.code, t.product_key]"}"#;
    for product in ["p", "q"] {
        std::fs::write(folder.join("Serial.jsonl"), serials(product)).unwrap();
        let imported = program.run(&["import", "lines"]).succeeded();
        assert!(imported.starts_with("200 documents of 1 collections"), "{imported}");
        let service = program.serve(&[]);
        let found = service.engine("POST", "/_api/cursor", Some(query))["result"].clone();
        service.stop();
        let expected: Vec<_> = [17].into_iter().chain(170..180).map(|n| format!("SN-{n:04}")).collect();
        let found: Vec<_> = found.as_array().unwrap().iter().map(|row| (row[0].clone(), row[1].clone())).collect();
        assert_eq!(
            found,
            expected.iter().map(|code| (code.as_str().into(), product.into())).collect::<Vec<(Value, Value)>>()
        );
    }
}

#[test]
fn of_a_dump_of_all_databases_the_own_one_is_read_and_otherwise_the_choice_is_told() {
    let program = Program::new();
    let dump = program.folder().join("dump");
    for (folder, name) in [("_system", "_system"), ("PROGRESS_PROD", "PROGRESS_PROD"), ("7", "tracewright")] {
        let database = dump.join(folder);
        std::fs::create_dir_all(&database).unwrap();
        let description = format!(r#"{{"database": "{name}", "properties": {{"name": "{name}"}}}}"#);
        std::fs::write(database.join("dump.json"), description).unwrap();
        let structure = r#"{"parameters": {"name": "Tag", "type": 2}, "indexes": []}"#;
        std::fs::write(database.join("Tag_1.structure.json"), structure).unwrap();
        std::fs::write(database.join("Tag_1.data.json"), format!("{{\"_key\": \"a\", \"name\": \"{name}\"}}\n"))
            .unwrap();
    }
    let read = program.run(&["import", "dump"]).succeeded();
    assert!(read.contains("1 documents of 1 collections read from dump/7"), "{read}");
    let query = r#"{"query": "FOR tag IN Tag RETURN tag.name"}"#;
    let tags = program.serve(&[]).engine("POST", "/_api/cursor", Some(query));
    assert_eq!(tags["result"], serde_json::json!(["tracewright"]));

    let other = program.run(&["import", "dump", "--database-name", "plant", "--data-dir", "other"]);
    assert_eq!(other.code, 1);
    for told in ["none of them is `plant`", "tracewright import dump/PROGRESS_PROD", "tracewright import dump/7"] {
        assert!(other.stderr.contains(told), "{}", other.stderr);
    }
    assert!(!program.folder().join("other").exists(), "nothing is created");
}

#[test]
fn folders_that_cannot_be_used_say_what_to_do() {
    let program = Program::new();
    let empty = program.run(&["import", "."]);
    assert_eq!(empty.code, 1);
    assert!(empty.stderr.contains("nothing to import"), "{}", empty.stderr);
    let absent = program.run(&["import", "nowhere"]);
    assert!(absent.stderr.contains("nowhere: there is no such folder"), "{}", absent.stderr);
    let unborn = program.run(&["export", "new"]);
    assert_eq!(unborn.code, 1);
    assert!(unborn.stderr.contains("tracewright serve"), "{}", unborn.stderr);
    program.serve(&[]).stop();
    let full = program.run(&["export", "."]);
    assert_eq!(full.code, 1);
    assert!(full.stderr.contains("not empty"), "{}", full.stderr);
}

#[test]
fn export_and_import_work_on_a_server_too() {
    let program = Program::new();
    let service = program.serve(&["--demo"]);
    let password = std::fs::read_to_string(program.folder().join("data/database_password")).unwrap();
    let url = format!("http://{}", program.engine_address());
    let server = ["--database-url", &url, "--database-password", &password];
    let elsewhere = Program::new();
    let exported = elsewhere.run(&[&["export", "copy"][..], &server].concat()).succeeded();
    let into = ["import", "copy", "--database-name", "copy"];
    let imported = elsewhere.run(&[&into[..], &server].concat()).succeeded();
    assert_eq!(words(&exported)[..4], words(&imported)[..4], "{exported}{imported}");
    let checked = elsewhere.run(&[&["check", "--database-name", "copy"][..], &server].concat()).succeeded();
    assert!(!checked.contains("PROBLEM"), "{checked}");
    drop(service);
}

#[test]
fn a_deep_check_reads_everything_stored_and_its_exit_code_tells() {
    let program = Program::new();
    let service = program.serve(&["--demo"]);
    let running = program.run(&["check", "--deep"]);
    assert_eq!(running.code, 1);
    assert!(running.stdout.contains("PROBLEM  stored data"), "{}", running.stdout);
    assert!(running.stdout.contains("in use by another process"), "{}", running.stdout);
    service.stop();
    let fine = program.run(&["check", "--deep"]).succeeded();
    assert!(fine.contains("ok       stored data") && fine.contains("fit together"), "{fine}");

    let file = program.folder().join("data/db/aqlite.redb");
    let mut bytes = std::fs::read(&file).unwrap();
    let needle = b"_key";
    for at in 0..bytes.len() - needle.len() {
        if &bytes[at..at + needle.len()] == needle {
            bytes[at] ^= 1;
        }
    }
    std::fs::write(&file, bytes).unwrap();
    let damaged = program.run(&["check", "--deep"]);
    assert_eq!(damaged.code, 1);
    assert!(damaged.stdout.contains("PROBLEM  stored data"), "{}", damaged.stdout);
}

#[test]
fn the_files_of_a_server_are_neither_read_nor_made_smaller() {
    let program = Program::new();
    let server = ["--database-url", "http://127.0.0.1:9"];
    let check = program.run(&[&["check", "--deep"], &server[..]].concat());
    assert_eq!(check.code, 1);
    assert!(check.stdout.contains("looks after its files itself"), "{}", check.stdout);
    let compact = program.run(&[&["compact"], &server[..]].concat());
    assert_eq!(compact.code, 1);
    assert!(compact.stderr.contains("looks after its files itself"), "{}", compact.stderr);
}

#[test]
fn compact_makes_the_file_smaller_and_needs_the_service_stopped() {
    let program = Program::new();
    let service = program.serve(&["--demo"]);
    let running = program.run(&["compact"]);
    assert_eq!(running.code, 1);
    assert!(running.stderr.contains("in use by another process"), "{}", running.stderr);
    service.stop();
    let file = program.folder().join("data/db/aqlite.redb");
    let before = std::fs::metadata(&file).unwrap().len();
    let told = program.run(&["compact"]).succeeded();
    assert!(told.contains("before") && told.contains("after"), "{told}");
    assert!(std::fs::metadata(&file).unwrap().len() < before, "{told}");
    assert!(!program.run(&["check", "--deep"]).succeeded().contains("PROBLEM"));
}
