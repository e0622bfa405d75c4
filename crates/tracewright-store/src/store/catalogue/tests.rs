//! One test a complaint.

use super::*;

/// A good header and query, part by part.
struct Sample {
    params: &'static str,
    reads: &'static str,
    writes: &'static str,
    row: &'static str,
    more: &'static str,
    code: &'static str,
}

const GOOD: Sample = Sample {
    params: "key",
    reads: "Serial",
    writes: "-",
    row: "r",
    more: "",
    code: "FOR serial IN Serial\n  FILTER serial._key == @key\n  RETURN serial",
};

impl Sample {
    fn complaints(&self) -> Vec<String> {
        let Self { params, reads, writes, row, more, code } = self;
        let text = format!(
            "// Purpose: p\n// Params: {params}\n// Reads: {reads}\n// Writes: {writes}\n// Row: {row}\n{more}{code}\n"
        );
        let lines = fragments::expand("area/one", &text, |_| Err(io::ErrorKind::NotFound.into())).unwrap();
        check("area", "one", &lines, &Shared::default()).1.iter().map(ToString::to_string).collect()
    }

    /// Nothing is wrong with it.
    fn passes(&self) {
        assert_eq!(self.complaints(), [""; 0]);
    }

    /// These things are wrong with it.
    fn fails_all(&self, words: &[&str]) {
        let complaints = self.complaints();
        assert_eq!(complaints.len(), words.len(), "{complaints:?}");
        for words in words {
            assert!(complaints.iter().any(|complaint| complaint.contains(words)), "{complaints:?}");
        }
    }

    /// One thing is wrong with it, in this line and said in these words.
    fn fails(&self, line: usize, words: &str) {
        let complaints = self.complaints();
        let begin = format!("aql/area/one.aql:{line}: ");
        assert!(complaints.len() == 1 && complaints[0].starts_with(&begin), "{complaints:?}");
        assert!(complaints[0].contains(words), "{complaints:?}");
    }
}

#[test]
fn a_query_that_is_what_its_header_says_passes() {
    GOOD.passes();
    Sample { params: "@links", reads: "-", writes: "@links", code: "FOR l IN @@links\n  REMOVE l IN @@links", ..GOOD }
        .passes();
    Sample {
        reads: "Product, Serial, WorkOrder",
        params: "-",
        code: "RETURN LENGTH(Product) + LENGTH(Serial) + LENGTH(WorkOrder)",
        ..GOOD
    }
    .passes();
}

#[test]
fn a_parameter_is_declared_and_used() {
    Sample { params: "-", ..GOOD }.fails(7, "@key");
    Sample { params: "key, code", ..GOOD }.fails(2, "code is declared under `Params` and not used");
    Sample {
        params: "key, code",
        code: "FOR s IN Serial\n  // @code\n  FILTER s._key == @key AND s.c == \"@code\" RETURN s",
        ..GOOD
    }
    .fails(2, "code");
    Sample { params: "@links", reads: "-", writes: "-", code: "FOR l IN @@links RETURN l", ..GOOD }
        .fails(6, "@links stands neither");
}

#[test]
fn a_collection_is_known_and_declared() {
    Sample { reads: "Serial, Cereal", ..GOOD }
        .fails_all(&["Cereal is no collection", "Cereal is declared under `Reads` and not read"]);
    Sample { reads: "-", ..GOOD }.fails(6, "Serial stands neither");
    Sample { reads: "Serial, Product", ..GOOD }.fails(3, "Product is declared under `Reads` and not read");
    Sample { code: "FOR serial IN Cereal FILTER serial._key == @key FOR s IN Serial RETURN s", ..GOOD }
        .fails(6, "Cereal is neither a collection nor a variable");
}

#[test]
fn who_reads_a_view_reads_its_collection() {
    let code = "FOR task IN TaskTexts\n  SEARCH task.code == @key\n  RETURN task";
    Sample { reads: "Task", code, ..GOOD }.passes();
    Sample { code, ..GOOD }.fails_all(&["Task stands neither", "Serial is declared under `Reads` and not read"]);
}

#[test]
fn a_search_names_attributes_of_its_view() {
    let code = "FOR task IN TaskTexts\n  SEARCH task.code == @key OR task.status == @key\n  RETURN task.status";
    Sample { reads: "Task", code, ..GOOD }.fails(7, "status is no attribute of TaskTexts");
}

#[test]
fn attributes_and_variables_may_be_called_like_collections() {
    Sample { code: "FOR s IN Serial FILTER s.contains == @key RETURN { Product: s.wip }", ..GOOD }.passes();
    Sample { code: "LET found = (FOR s IN Serial RETURN s) FOR s IN found FILTER s.x == @key RETURN s", ..GOOD }
        .passes();
}

#[test]
fn what_is_written_is_declared_as_written() {
    let insert = Sample { params: "s", reads: "Serial", code: "INSERT @s INTO Serial", ..GOOD };
    insert.fails(6, "Serial is written and does not stand under `Writes`");
    Sample { reads: "-", writes: "Serial", ..insert }.passes();
    Sample { reads: "-", writes: "Serial", ..GOOD }.fails(4, "Serial is declared under `Writes` and not written");
    let code = "FOR s IN Serial\n  UPDATE s WITH { a: s.b IN @key } IN contains";
    Sample { code, ..GOOD }.fails_all(&["contains stands neither", "contains is written"]);
    Sample { writes: "contains", code, ..GOOD }.passes();
    let code = "UPSERT { a: @key }\nINSERT { a: @key }\nUPDATE { b: 1 }\nIN Serial";
    Sample { reads: "-", writes: "Serial", code, ..GOOD }.passes();
}

#[test]
fn with_names_what_a_traversal_meets_in_its_direction() {
    let outwards = Sample {
        reads: "Serial, contains",
        code: "WITH Serial\nFOR s IN 1..9 OUTBOUND @key contains\n  RETURN s",
        ..GOOD
    };
    outwards.passes();
    let inwards = "WITH Serial\nFOR s IN 1..9 INBOUND @key contains\n  RETURN s";
    Sample { code: inwards, ..outwards }.fails(7, "the traversal can meet Batch, which `WITH` does not name");
    let both = "WITH Serial\nFOR s IN 1..9 ANY @key contains\n  RETURN s";
    Sample { code: both, ..outwards }.fails(7, "Batch");
    let own = "WITH Serial\nFOR s IN 1..9 OUTBOUND @key INBOUND contains\n  RETURN s";
    Sample { code: own, ..outwards }.fails(7, "Batch");
    let start = "WITH Serial\nFOR s IN 1..9 OUTBOUND CONCAT(\"Batch/\", @key) contains\n  RETURN s";
    Sample { code: start, ..outwards }.fails(7, "Batch");
    let path = "WITH Serial\nFOR s IN INBOUND SHORTEST_PATH @key TO @key contains\n  RETURN s";
    Sample { code: path, ..outwards }.fails(7, "Batch");
}

#[test]
fn a_traversal_names_its_edge_collections() {
    let code = "WITH Serial\nFOR s IN 1..9 OUTBOUND @key GRAPH \"all\"\n  RETURN s";
    Sample { code, ..GOOD }.fails(7, "edge collections");
}

#[test]
fn with_names_what_document_is_asked_for() {
    let code = "FOR s IN Serial\n  FILTER s._key == @key\n  RETURN DOCUMENT(CONCAT(\"Product/\", s.product_key))";
    let sample = Sample { reads: "Serial, Product", more: "// Lookups: 1\n", code, ..GOOD };
    sample.fails(9, "`DOCUMENT()` can meet Product, which `WITH` does not name");
    Sample { reads: "Serial", ..sample }.fails_all(&["Product stands neither", "can meet Product"]);
}

#[test]
fn a_header_says_what_a_row_costs() {
    let code = "WITH Serial\nFOR id IN @key\n  RETURN DOCUMENT(id)";
    let sample = Sample { code, ..GOOD };
    sample.fails(1, "`// Lookups: 1`");
    Sample { more: "// Lookups: 2\n", ..sample }.fails(6, "`// Lookups: 1`");
    Sample { more: "// Lookups: 1\n", ..sample }.passes();
    Sample { more: "// Lookups: 0\n", ..GOOD }.fails(6, "left out");
}

#[test]
fn document_is_called_where_with_says_what_it_can_meet() {
    let code = "FOR s IN Serial\n  FILTER s._key == @key\n  RETURN DOCUMENT(s.product_id)";
    let sample = Sample { more: "// Lookups: 1\n", code, ..GOOD };
    sample.fails(9, "`WITH` names the collections");
    let code = "WITH Product\nFOR s IN Serial\n  FILTER s._key == @key\n  RETURN DOCUMENT(s.product_id)";
    Sample { reads: "Product, Serial", code, ..sample }.passes();
}

const WRITES: Sample = Sample { reads: "Tag", writes: "Serial", ..GOOD };

#[test]
fn nothing_reads_what_the_query_has_written() {
    let code =
        "LET a = (FOR t IN Tag FILTER t._key == @key UPDATE t WITH { a: 1 } IN Tag)\nFOR s IN Serial\n  RETURN s";
    Sample { reads: "Serial", writes: "Tag", code, ..GOOD }.passes();
    let code = "LET a = (INSERT { a: @key } INTO Serial)\nFOR t IN Tag\n  FOR s IN Serial\n    RETURN s";
    Sample { code, ..WRITES }.fails(8, "Serial is used after it was changed");
    let code = "FOR s IN Serial\n  LET a = (FOR t IN Tag\n    UPDATE @key WITH { a: t } IN Serial)\n  RETURN a";
    Sample { code, more: "// Lookups: 1\n", ..WRITES }.fails(9, "Serial is changed in a subquery");
    let code = "LET a = (INSERT { a: @key } INTO @@c)\nFOR t IN @@c\n  RETURN t";
    Sample { params: "key, @c", reads: "-", writes: "@c", code, ..GOOD }.fails(7, "@c is used after");
}

#[test]
fn no_traversal_and_no_document_follows_on_a_change() {
    let code = "WITH Serial\nLET a = (INSERT { a: @key } INTO Tag)\nFOR s IN OUTBOUND @key contains\n  RETURN s";
    let sample = Sample { reads: "Serial, contains", writes: "Tag", code, ..GOOD };
    sample.fails(8, "a traversal after a change");
    let code = "WITH Serial\nLET a = (INSERT { a: @key } INTO Tag)\nRETURN DOCUMENT(CONCAT(\"Serial/\", @key))";
    Sample { reads: "Serial", code, ..sample }.fails(8, "DOCUMENT() after a change");
}

#[test]
fn rows_of_a_changed_list_come_in_any_order_and_the_header_says_so() {
    let code = "FOR s IN @key\n  INSERT s INTO Serial\n  RETURN NEW";
    let sample = Sample { reads: "-", code, ..WRITES };
    sample.fails(1, "in any order");
    Sample { row: "the serial, in any order", ..sample }.passes();
    Sample { code: "FOR s IN @key\n  INSERT s INTO Serial", ..sample }.passes();
    Sample { code: "INSERT @key INTO Serial\nRETURN NEW", ..sample }.passes();
    let code = "FOR s IN Serial FILTER s._key == @key UPDATE s WITH { a: 1 } IN Serial RETURN NEW";
    Sample { code, ..sample }.passes();
}

#[test]
fn revisions_are_the_databases() {
    let sample = Sample { reads: "-", code: "INSERT { a: @key, _rev: \"1\" } INTO Serial", ..WRITES };
    sample.fails(6, "revisions");
}

#[test]
fn what_came_after_version_3_9_is_refused() {
    for (text, words) in [
        ("sha256(@key)", "SHA256() came with version 3.11"),
        ("PARSE_KEY(@key)", "PARSE_KEY() came with version 3.12"),
        ("@key[? FILTER CURRENT > 1]", "[? ...] came with version 3.10"),
        ("[1] AT LEAST (1) == @key", "AT LEAST came with version 3.10"),
    ] {
        let code = format!("RETURN {text}");
        Sample { reads: "-", code: code.leak(), ..GOOD }.fails(6, words);
    }
    Sample { reads: "-", code: "RETURN { value: @key.value, random: TYPENAME(@key) }", ..GOOD }.passes();
    let code = "UPSERT FILTER CURRENT.a == @key\nINSERT { a: 1 } UPDATE { a: 2 } IN Serial";
    Sample { reads: "-", writes: "Serial", code, ..GOOD }.fails(6, "UPSERT FILTER came with version 3.12");
}

#[test]
fn options_are_known_to_version_3_9() {
    let code = "INSERT { a: @key } INTO Serial OPTIONS { overwriteMode: \"replace\", versionAttribute: \"v\" }";
    Sample { reads: "-", writes: "Serial", code, ..GOOD }.fails(6, "versionAttribute is no option");
    let code = "INSERT { a: @key } INTO Serial OPTIONS { keepNull: true, \"mergeObjects\": false }";
    Sample { reads: "-", writes: "Serial", code, ..GOOD }.passes();
}

#[test]
fn a_wrong_header_is_the_only_complaint() {
    Sample { writes: "", ..GOOD }.fails(4, "says nothing");
}

/// A folder of queries and what the build makes of it.
fn built(files: &[(&str, &str)]) -> (Vec<String>, tempfile::TempDir) {
    let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (name, text) in files {
        let path = source.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let complaints = build(source.path(), target.path(), SERVICE).unwrap();
    (complaints.iter().map(ToString::to_string).collect(), target)
}

const HEADER: &str = "// Purpose: every [tag]\n// Params: -\n// Reads: Tag\n// Writes: -\n// Row: the tag\n";

#[test]
fn queries_are_written_whole_and_as_constants_and_fragments_are_none() {
    let query = format!("{HEADER}// Include: tags\nFOR tag IN tags\n  RETURN tag\n");
    let fragment = "// Gives: tags.\nLET tags = (FOR tag IN Tag RETURN tag)\n";
    let (complaints, target) = built(&[("tag/list_all.aql", &query), ("fragments/tags.aql", fragment)]);
    assert_eq!(complaints, [""; 0]);
    let text = fs::read_to_string(target.path().join("aql/tag/list_all.aql")).unwrap();
    assert_eq!(text, query.replace("// Include: tags\n", fragment));
    assert!(!target.path().join("aql/fragments").exists());
    let catalogue = fs::read_to_string(target.path().join("catalogue.rs")).unwrap();
    for part in [
        "pub mod tag {",
        r#"#[doc = " Every \\[tag]."]"#,
        "pub const LIST_ALL: Query = Query {",
        r#"name: "tag/list_all","#,
        "params: &[],",
        r#"reads: &["Tag"],"#,
        r#"row: "the tag","#,
        "lookups: 0,",
        "    tag::LIST_ALL,",
    ] {
        assert!(catalogue.contains(part), "{part} is missing:\n{catalogue}");
    }
}

#[test]
fn a_complaint_names_the_file_and_the_line_also_of_a_fragment() {
    let query = format!("{HEADER}// Include: tags\nFOR tag IN tags\n  RETURN tag\n");
    let (complaints, _target) = built(&[("tag/list.aql", &query), ("fragments/tags.aql", "\nLET tags = Serial\n")]);
    assert!(
        complaints
            .contains(&"aql/fragments/tags.aql:2: Serial stands neither under `Reads` nor under `Writes`".to_owned()),
        "{complaints:?}"
    );
    let (complaints, _target) = built(&[("tag/list.aql", &query)]);
    assert!(complaints.len() == 1 && complaints[0].starts_with("aql/tag/list.aql:6: fragment tags"), "{complaints:?}");
}

const TYPED: &str = "// Purpose: tags\n// Params: key: String, names: [String]?\n// Reads: Tag\n// Writes: -\n// Gives: all\n\
                     // Row: Tag\nFOR tag IN Tag\n  FILTER tag._key == @key OR tag.name IN @names\n  RETURN tag\n";
const ROWS: &str = "// A tag.\nTag = { _key: String, colors?: [{ name: String? }] }\n";

#[test]
fn a_typed_query_is_a_function_with_its_types() {
    let (complaints, target) = built(&[("tag/type.aql", TYPED), ("rows", ROWS)]);
    assert_eq!(complaints, [""; 0]);
    let catalogue = fs::read_to_string(target.path().join("catalogue.rs")).unwrap();
    for part in [
        "pub const TYPE: Query = Query {",
        "pub mod r#type {",
        "pub struct Params<'a> {",
        "pub key: &'a str,",
        "pub names: Option<crate::store::typed::Texts<'a>>,",
        "pub async fn r#type(source: &impl crate::store::Source, params: r#type::Params<'_>) -> \
         crate::error::Result<Vec<crate::aql::rows::Tag>> {",
        "crate::store::typed::all(source, &TYPE, crate::store::typed::bound(&params)).await",
        "pub struct Tag {",
        "#[serde(rename = \"_key\")]",
        "pub colors: Option<Vec<Colors>>,",
        "pub struct Colors {",
    ] {
        assert!(catalogue.contains(part), "{part} is missing:\n{catalogue}");
    }
}

#[test]
fn words_and_keys_of_the_model_are_taken_as_they_are_and_read_whatever_stands_there() {
    let text = "// Purpose: p\n// Params: key: Key<Product>, among: [TaskStatus]?, keys: [Key<Job>], more: Quantity\n\
                // Reads: Tag\n// Writes: -\n// Gives: all\n// Row: { key: Key<Product>, status: TaskStatus?, at: Time }\n\
                FOR tag IN Tag FILTER tag._key IN [@key, @among, @keys, @more] RETURN { key: 1, status: 2, at: 3 }\n";
    let (complaints, target) = built(&[("tag/list.aql", text)]);
    assert_eq!(complaints, [""; 0]);
    let catalogue = fs::read_to_string(target.path().join("catalogue.rs")).unwrap();
    for part in [
        "pub key: &'a tracewright_model::Key<tracewright_model::collection::Product>,",
        "pub among: Option<&'a [tracewright_model::TaskStatus]>,",
        "pub keys: crate::store::typed::Texts<'a>,",
        "pub more: f64,",
        "pub key: tracewright_model::Key<tracewright_model::collection::Product>,",
        "pub status: Option<tracewright_model::Word<tracewright_model::TaskStatus>>,",
        "pub at: String,",
    ] {
        assert!(catalogue.contains(part), "{part} is missing:\n{catalogue}");
    }
    let row = "// A status.\nTaskStatus = { a: Int }\n";
    let (complaints, _target) = built(&[("tag/list.aql", text), ("rows", row)]);
    assert!(complaints[0].starts_with("aql/rows:1: a row is a comment"), "{complaints:?}");
}

#[test]
fn the_types_of_a_query_are_held_to_the_shared_rows_and_to_each_other() {
    let (complaints, _target) = built(&[("tag/list.aql", TYPED)]);
    assert_eq!(complaints, ["aql/tag/list.aql:5: Tag is neither a scalar nor a row of aql/rows"]);
    let own = TYPED.replace("Row: Tag", "Row: { key: String }");
    let (complaints, _target) = built(&[("tag/list.aql", &own), ("rows", ROWS)]);
    assert_eq!(complaints, ["aql/rows:1: no query names Tag"]);
    let twice = TYPED.replace("Row: Tag", "Row: { a: { tag: { x: Int } }, tag: { y: Int } }");
    let (complaints, _target) = built(&[("tag/list.aql", &twice)]);
    assert!(complaints.len() == 1 && complaints[0].contains("two objects would be called Tag"), "{complaints:?}");
    let borrowed =
        TYPED.replace("names: [String]?", "names: { a: String }").replace("Row: Tag", "Row: { names: { a: String } }");
    let (complaints, _target) = built(&[("tag/list.aql", &borrowed)]);
    assert!(complaints.len() == 1 && complaints[0].contains("two objects would be called Names"), "{complaints:?}");
    let answer = TYPED.replace("Row: Tag", "Row: Answer { key: String }");
    let (complaints, target) = built(&[("tag/list.aql", &answer)]);
    assert_eq!(complaints, [""; 0]);
    let catalogue = fs::read_to_string(target.path().join("catalogue.rs")).unwrap();
    assert!(catalogue.contains("crate::store::typed::all_as::<list::Row, T>("), "{catalogue}");
}

#[test]
fn a_query_that_writes_is_run_in_a_transaction() {
    let text = "// Purpose: p\n// Params: @c: Collection\n// Reads: -\n// Writes: @c\n// Gives: none\n// Row: -\n\
                FOR d IN @@c REMOVE d IN @@c\n";
    let (complaints, target) = built(&[("tag/clear.aql", text)]);
    assert_eq!(complaints, [""; 0]);
    let catalogue = fs::read_to_string(target.path().join("catalogue.rs")).unwrap();
    for part in ["clear(trx: &crate::store::Transaction, params: clear::Params<'_>)", "rename = \"@c\"", "Result<()>"] {
        assert!(catalogue.contains(part), "{part} is missing:\n{catalogue}");
    }
}

#[test]
fn a_file_is_called_like_a_constant() {
    let query = format!("{HEADER}FOR tag IN Tag RETURN tag\n");
    let (complaints, _target) = built(&[("tag/List-All.aql", &query)]);
    assert!(complaints.len() == 1 && complaints[0].contains("tag/List-All.aql is not called"), "{complaints:?}");
}
