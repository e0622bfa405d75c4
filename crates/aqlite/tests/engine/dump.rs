//! Data that is written out and brought in again is the same, in every format.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::server::Server;
use aqlite::dump::{
    self, ExportOptions, ImportOptions, export_directory, export_lines, import_directory, import_lines,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A database with documents, edges, a graph and indexes.
fn fill(server: &Server) {
    server.root(Method::POST, "/_api/database", &json!({"name": "plant"}));
    let graph =
        json!({"name": "bom", "edgeDefinitions": [{"collection": "contains", "from": ["part"], "to": ["part"]}]});
    server.root(Method::POST, "/_db/plant/_api/gharial", &graph);
    let index = json!({"type": "persistent", "fields": ["serial"], "unique": true, "name": "by_serial"});
    server.root(Method::POST, "/_db/plant/_api/index?collection=part", &index);
    server.root(Method::POST, "/_db/plant/_api/index?collection=part", &json!({"type": "geo", "fields": ["place"]}));
    server.query_in(
        "plant",
        "FOR n IN 1..12000 INSERT { _key: TO_STRING(n), serial: n, type: 2300, data: { n } } INTO part",
    );
    server.query_in("plant", "FOR n IN 2..500 INSERT { _from: 'part/1', _to: CONCAT('part/', n) } INTO contains");
}

const PARTS: &str = "FOR p IN part SORT p.serial RETURN UNSET(p, '_rev')";
const REACHED: &str = "RETURN LENGTH(FOR v IN 1..1 OUTBOUND 'part/1' GRAPH 'bom' RETURN 1)";

fn exported(server: &Server, options: &ExportOptions) -> TempDir {
    let directory = tempfile::tempdir().expect("directory");
    let options = ExportOptions { database: "plant".into(), ..options.clone() };
    let summary = export_directory(&server.engine, directory.path(), &options, &mut ()).expect("exported");
    assert_eq!((summary.collections, summary.documents), (3, 12_500));
    directory
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("gzip");
    encoder.finish().expect("gzip")
}

fn write(directory: &Path, name: &str, content: impl AsRef<[u8]>) {
    fs::write(directory.join(name), content).expect("written");
}

#[test]
fn a_dump_brings_back_documents_edges_graphs_and_indexes_in_every_form() {
    let server = Server::start();
    fill(&server);
    for (compress, envelope, large) in
        [(false, false, 0), (true, false, u64::MAX), (false, true, u64::MAX), (true, true, 0)]
    {
        let directory = exported(&server, &ExportOptions { compress, envelope, ..ExportOptions::default() });
        let other = Server::start();
        let options = ImportOptions { large, ..ImportOptions::default() };
        import_directory(&other.engine, directory.path(), &options, &mut ()).expect("imported");
        assert_eq!(other.query_in("plant", PARTS), server.query_in("plant", PARTS));
        assert_eq!(other.query_in("plant", REACHED), json!([499]));
        let (_, indexes) = other.root(Method::GET, "/_db/plant/_api/index?collection=part", &Value::Null);
        let types: Vec<_> = indexes["indexes"].as_array().expect("list").iter().map(|i| i["type"].clone()).collect();
        assert_eq!(types, [json!("primary"), json!("persistent"), json!("geo")]);
        assert_eq!(indexes["indexes"][1]["name"], "by_serial");
    }
}

#[test]
fn a_dump_brings_back_analyzers_and_views() {
    let server = Server::start();
    server.collection("c", 9);
    let cut = json!({"name": "cut", "type": "delimiter", "properties": {"delimiter": "-"}, "features": ["frequency"]});
    server.root(Method::POST, "/_api/analyzer", &cut);
    let link = json!({"includeAllFields": true, "fields": {"code": {"analyzers": ["cut"]}}});
    let view = json!({"name": "v", "type": "arangosearch", "commitIntervalMsec": 5, "links": {"c": link}});
    server.root(Method::POST, "/_api/view", &view);
    let index = json!({"type": "inverted", "name": "i", "fields": [{"name": "code", "analyzer": "cut"}]});
    server.root(Method::POST, "/_api/index?collection=c", &index);
    let alias = json!({"name": "w", "type": "search-alias", "indexes": [{"collection": "c", "index": "i"}]});
    server.root(Method::POST, "/_api/view", &alias);
    server.query("INSERT { _key: 'x', code: 'a-b' } INTO c");
    let shown = |server: &Server| {
        let mut view = server.root(Method::GET, "/_api/view/v/properties", &Value::Null).1;
        let view = view.as_object_mut().expect("an object");
        view.retain(|name, _| !matches!(name.as_str(), "id" | "globallyUniqueId"));
        json!([view, server.root(Method::GET, "/_api/analyzer/cut", &Value::Null).1])
    };
    for (compress, envelope, large) in [(false, false, u64::MAX), (true, true, 0)] {
        let directory = tempfile::tempdir().expect("directory");
        let options = ExportOptions { compress, envelope, include_system: compress, ..ExportOptions::default() };
        export_directory(&server.engine, directory.path(), &options, &mut ()).expect("exported");
        let other = Server::start();
        let options = ImportOptions { large, ..ImportOptions::default() };
        import_directory(&other.engine, directory.path(), &options, &mut ()).expect("imported");
        assert_eq!(shown(&other), shown(&server));
        let search = "FOR d IN v SEARCH ANALYZER(d.code == 'b', 'cut') OR d.n == 3 SORT d._key RETURN d._key";
        assert_eq!(other.query(search), json!(["3", "x"]));
        assert_eq!(other.query("FOR d IN w SEARCH d.code == 'b' RETURN d._key"), json!(["x"]));
        let again = ImportOptions { overwrite: true, ..options };
        import_directory(&other.engine, directory.path(), &again, &mut ()).expect("imported again");
        assert_eq!(other.query(search), json!(["3", "x"]));
    }
}

#[test]
fn an_empty_collection_is_filled_with_what_its_indexes_and_views_find() {
    let server = Server::start();
    server.collection("c", 0);
    server.root(Method::POST, "/_api/index?collection=c", &json!({"type": "persistent", "fields": ["n"]}));
    let view = json!({"name": "v", "type": "arangosearch", "links": {"c": {"includeAllFields": true}}});
    server.root(Method::POST, "/_api/view", &view);
    let directory = tempfile::tempdir().expect("directory");
    let (first, second) = (directory.path().join("c.0.data.json"), directory.path().join("c.1.data.json.gz"));
    write(directory.path(), "c.0.data.json", "{\"_key\":\"a\",\"n\":1}\n{\"_key\":\"b\",\"n\":2}\n");
    write(directory.path(), "c.1.data.json.gz", gzip("{\"type\":2300,\"data\":{\"_key\":\"a\",\"n\":3}}\n"));
    let files = [first, second];
    let fill = |large| {
        let options = ImportOptions { large, ..ImportOptions::default() };
        let filled = dump::fill(&server.engine, ("_system", "c"), &files, &options, &mut ()).expect("no error");
        filled.map(|summary| summary.documents)
    };
    assert_eq!(fill(u64::MAX), None, "there are too few");
    assert_eq!(fill(0), Some(3));
    assert_eq!(server.query("FOR d IN c FILTER d.n >= 1 SORT d.n RETURN d._key"), json!(["b", "a"]));
    assert_eq!(server.query("FOR d IN v SEARCH d.n == 3 RETURN d._key"), json!(["a"]));
    assert_eq!(server.query("FOR d IN v SEARCH d.n == 1 RETURN d._key"), json!([]));
    assert_eq!(fill(0), None, "it has documents");
}

#[test]
fn a_dump_brings_back_the_rules_of_a_collection() {
    let server = Server::start();
    let rules = json!({
        "name": "c",
        "waitForSync": true,
        "keyOptions": {"type": "autoincrement", "increment": 10, "offset": 3},
        "schema": {"rule": {"required": ["n"]}, "level": "strict", "message": "n is missing"},
        "computedValues": [{"name": "twice", "expression": "RETURN @doc.n * 2", "overwrite": true}]
    });
    server.root(Method::POST, "/_api/collection", &rules);
    server.query("INSERT { n: 1 } INTO c");
    let directory = tempfile::tempdir().expect("directory");
    export_directory(&server.engine, directory.path(), &ExportOptions::default(), &mut ()).expect("exported");
    let other = Server::start();
    import_directory(&other.engine, directory.path(), &ImportOptions::default(), &mut ()).expect("imported");
    let shown = |server: &Server| {
        let properties = server.root(Method::GET, "/_api/collection/c/properties", &Value::Null).1;
        ["waitForSync", "keyOptions", "schema", "computedValues"].map(|name| properties[name].clone())
    };
    assert_eq!(shown(&other), shown(&server));
    assert_eq!(other.query("INSERT { n: 4 } INTO c RETURN [NEW._key, NEW.twice]"), json!([["13", 8]]));
    assert_eq!(other.error("INSERT { } INTO c"), 1620);
}

#[test]
fn a_dump_can_go_into_another_database() {
    let server = Server::start();
    fill(&server);
    let directory = exported(&server, &ExportOptions::default());
    let options = ImportOptions { database: Some("copy".into()), ..ImportOptions::default() };
    import_directory(&server.engine, directory.path(), &options, &mut ()).expect("imported");
    assert_eq!(server.query_in("copy", "RETURN LENGTH(part)"), json!([12_000]));
}

#[test]
fn collections_that_exist_are_replaced_only_when_asked_to() {
    let server = Server::start();
    fill(&server);
    let directory = exported(&server, &ExportOptions::default());
    server.query_in("plant", "FOR p IN part FILTER p.serial > 10 REMOVE p IN part");
    let refused = import_directory(&server.engine, directory.path(), &ImportOptions::default(), &mut ());
    assert_eq!(refused.expect_err("refused").num, 1207);
    assert_eq!(server.query_in("plant", "RETURN LENGTH(part)"), json!([10]));
    let options = ImportOptions { overwrite: true, ..ImportOptions::default() };
    import_directory(&server.engine, directory.path(), &options, &mut ()).expect("imported");
    assert_eq!(server.query_in("plant", "RETURN LENGTH(part)"), json!([12_000]));
}

#[test]
fn the_layouts_of_all_versions_of_arangodump_are_read() {
    let directory = tempfile::tempdir().expect("directory");
    let database = directory.path().join("line1");
    fs::create_dir(&database).expect("directory");
    write(&database, "dump.json", r#"{"database":"line1","properties":{"name":"line1"}}"#);
    let structure = |name: &str, kind: u8| {
        format!(
            r#"{{"parameters":{{"name":"{name}","type":{kind}}},"indexes":[{{"type":"primary","fields":["_key"]}}]}}"#
        )
    };
    // envelopes of old versions, with a removal
    write(&database, "a_0cc1.structure.json", structure("a", 2));
    let old = r#"{"type":2300,"key":"x","data":{"_key":"x","v":1}}
{"type":2300,"data":{"_key":"y","v":2}}
{"type":2302,"data":{"_key":"x"}}
"#;
    write(&database, "a_0cc1.data.json", old);
    // several numbered, compressed files of new versions
    write(&database, "b_92eb.structure.json", structure("b", 3));
    write(&database, "b_92eb.0.data.json.gz", gzip("{\"_key\":\"e\",\"_from\":\"a/x\",\"_to\":\"a/y\"}\n"));
    write(&database, "b_92eb.1.data.json.gz", gzip("{\"_key\":\"f\",\"_from\":\"a/y\",\"_to\":\"a/x\",\"data\":1}\n"));
    // what belongs to the other server stays there
    write(&database, "_users_41.structure.json", structure("_users", 2));
    write(&database, "_users_41.data.json", "{\"_key\":\"1\",\"user\":\"stranger\"}\n");

    for large in [0, u64::MAX] {
        let server = Server::start();
        let options = ImportOptions { large, ..ImportOptions::default() };
        let summary = import_directory(&server.engine, directory.path(), &options, &mut ()).expect("imported");
        assert_eq!((summary.collections, summary.documents), (2, 3));
        assert_eq!(server.query_in("line1", "FOR d IN a RETURN [d._key, d.v]"), json!([["y", 2]]));
        assert_eq!(
            server.query_in("line1", "FOR e IN b SORT e._key RETURN [e._key, e.data]"),
            json!([["e", null], ["f", 1]])
        );
    }
}

#[test]
fn what_is_wrong_with_a_load_in_one_go_is_told_with_its_file_and_line_and_nothing_stays() {
    let server = Server::start();
    let directory = tempfile::tempdir().expect("directory");
    let unique =
        r#"{"parameters":{"name":"a","type":2},"indexes":[{"type":"persistent","fields":["u"],"unique":true}]}"#;
    write(directory.path(), "a_0cc1.structure.json", unique);
    write(directory.path(), "dump.json", "{}");
    write(directory.path(), "a_0cc1.0.data.json", "{\"_key\":\"x\",\"u\":1}\n");
    write(directory.path(), "a_0cc1.1.data.json", "{\"_key\":\"y\",\"u\":2}\n\n{\"_key\":\"z\",\"u\":1}\n");
    let options = ImportOptions { large: 0, ..ImportOptions::default() };
    let error = import_directory(&server.engine, directory.path(), &options, &mut ()).expect_err("refused");
    assert_eq!(error.num, 1210);
    assert!(error.message.starts_with("a_0cc1.1.data.json, line 3: "), "{error}");
    assert!(error.message.ends_with("conflicting key: x"), "{error}");
    assert_eq!(server.query_in("_system", "FOR d IN a RETURN d._key"), json!([]));
    let twice = "{\"_key\":\"a\"}\n\n{\"_key\":\"a\"}\n";
    let error = import_lines(&server.engine, twice.as_bytes(), 0, "c", &options, &mut ()).expect_err("refused");
    assert!(error.num == 1210 && error.message.contains("line 3"), "{error}");
    assert_eq!(server.query_in("_system", "FOR d IN c RETURN d._key"), json!([]));
}

fn databases(server: &Server) -> Value {
    server.root(http::Method::GET, "/_api/database", &Value::Null).1["result"].clone()
}

/// A dump of these databases with a directory each; the collection `a` of each holds a document with its name.
fn dump_of(databases: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().expect("directory");
    for name in databases {
        let database = directory.path().join(name);
        fs::create_dir(&database).expect("directory");
        write(&database, "a_0cc1.structure.json", r#"{"parameters":{"name":"a","type":2},"indexes":[]}"#);
        write(&database, "a_0cc1.data.json", format!("{{\"_key\":\"{name}\"}}\n"));
        write(&database, "dump.json", "{}");
    }
    directory
}

#[test]
fn every_database_of_a_dump_of_several_comes_back_under_its_own_name() {
    let server = Server::start();
    // Old versions do not say the name: the directory does.
    let directory = dump_of(&["line1", "line2"]);
    write(&directory.path().join("line2"), "dump.json", r#"{"database":"second"}"#);
    let summary = import_directory(&server.engine, directory.path(), &ImportOptions::default(), &mut ());
    assert_eq!(summary.expect("imported").collections, 2);
    assert_eq!(server.query_in("line1", "FOR d IN a RETURN d._key"), json!(["line1"]));
    assert_eq!(server.query_in("second", "FOR d IN a RETURN d._key"), json!(["line2"]));
}

#[test]
fn of_a_dump_of_several_databases_one_can_be_chosen() {
    let server = Server::start();
    let directory = dump_of(&["line1", "line2"]);
    let into = |name: &str| ImportOptions { database: Some(name.into()), ..ImportOptions::default() };
    import_directory(&server.engine, directory.path(), &into("line2"), &mut ()).expect("imported");
    assert_eq!(server.query_in("line2", "FOR d IN a RETURN d._key"), json!(["line2"]));
    assert_eq!(databases(&server), json!(["_system", "line2"]));
    let refused = import_directory(&server.engine, directory.path(), &into("line3"), &mut ()).expect_err("refused");
    assert!(refused.message.contains("the databases line1, line2; none of them is line3"), "{}", refused.message);
    assert_eq!(databases(&server), json!(["_system", "line2"]));
    // The only one there is may be called anything.
    import_directory(&server.engine, dump_of(&["line1"]).path(), &into("copy"), &mut ()).expect("imported");
    assert_eq!(server.query_in("copy", "FOR d IN a RETURN d._key"), json!(["line1"]));
}

#[test]
fn json_lines_come_back_as_they_went() {
    let server = Server::start();
    fill(&server);
    for compress in [false, true] {
        let directory = tempfile::tempdir().expect("directory");
        let options = ExportOptions {
            database: "plant".into(),
            collections: vec!["part".into()],
            compress,
            ..ExportOptions::default()
        };
        export_lines(&server.engine, directory.path(), &options, &mut ()).expect("exported");
        let name = if compress { "part.jsonl.gz" } else { "part.jsonl" };
        let file = fs::File::open(directory.path().join(name)).expect("file");
        let other = Server::start();
        let options = ImportOptions { database: Some("plant".into()), ..ImportOptions::default() };
        let summary = import_lines(&other.engine, file, 0, "part", &options, &mut ()).expect("imported");
        assert_eq!(summary.documents, 12_000);
        assert_eq!(other.query_in("plant", PARTS), server.query_in("plant", PARTS));
    }
}

#[test]
fn a_key_that_exists_follows_the_rule_for_duplicates() {
    use aqlite::txn::OverwriteMode::{Conflict, Ignore, Replace, Update};
    for (mode, expected) in [(Ignore, json!([[1, null]])), (Replace, json!([[null, 2]])), (Update, json!([[1, 2]]))] {
        let server = Server::start();
        let options = ImportOptions { on_duplicate: mode, ..ImportOptions::default() };
        let bring = |text: &'static str| {
            import_lines(&server.engine, text.as_bytes(), 0, "c", &options, &mut ()).expect("imported")
        };
        bring("{\"_key\":\"a\",\"x\":1}\n");
        bring("{\"_key\":\"a\",\"y\":2}\n");
        assert_eq!(server.query_in("_system", "FOR d IN c RETURN [d.x, d.y]"), expected);
    }
    let server = Server::start();
    let options = ImportOptions { on_duplicate: Conflict, ..ImportOptions::default() };
    let twice = "{\"_key\":\"a\"}\n\n{\"_key\":\"a\"}\n";
    let error = import_lines(&server.engine, twice.as_bytes(), 0, "c", &options, &mut ()).expect_err("refused");
    assert_eq!(error.num, 1210);
    assert!(error.message.contains("line 3"), "{error}");
}

#[test]
fn a_line_that_is_no_document_is_named() {
    let server = Server::start();
    for (text, line) in [("{\"a\":1}\n{\"a\":", "line 2"), ("[1]\n", "line 1")] {
        let error = import_lines(&server.engine, text.as_bytes(), 0, "c", &ImportOptions::default(), &mut ());
        let error = error.expect_err("refused");
        assert!(error.message.contains(line), "{error}");
    }
}

#[test]
fn a_directory_without_a_dump_is_an_error() {
    let server = Server::start();
    let directory = tempfile::tempdir().expect("directory");
    assert!(import_directory(&server.engine, directory.path(), &ImportOptions::default(), &mut ()).is_err());
    fill(&server);
    let full = exported(&server, &ExportOptions::default());
    let options = ExportOptions { database: "plant".into(), ..ExportOptions::default() };
    assert!(export_directory(&server.engine, full.path(), &options, &mut ()).is_err());
}
