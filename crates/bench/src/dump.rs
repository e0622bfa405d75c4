//! The serials of the data set and their links as a dump, which `aqlited import` and `tracewright import` read.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::client::Failure;
use crate::data::{self, DOCUMENT, EDGE, PRODUCTS, TREE, edges_of, serial_key};

/// The collection of a database's analyzers with the digest of its name, by which its file is known.
const ANALYZERS: &str = "_analyzers_839c888a45b895a4783b6dbd338f0155";
/// What finds texts that stand anywhere in the codes of serials.
const ANALYZER: &str = "tracewright_runs_of_3";

/// The indexes that the service has on a collection.
fn indexes(collection: &str) -> &'static [&'static [&'static str]] {
    match collection {
        "Product" => &[&["code", "_key"], &["trash", "code"], &["counter_key"]],
        "Serial" => &[
            &["code", "_key"],
            &["wo_key", "released"],
            &["product_key", "created", "_key"],
            &["product_key", "code", "_key"],
            &["product_key", "released"],
            &["released", "_key"],
            &["created", "_key"],
            &["counter_key", "code"],
            &["data[*].value"],
        ],
        _ => &[&["batch_key", "confirmed"]],
    }
}

/// Writes a dump of products, serials in so many trees, and the links between them. With `views` the search view of serials
/// is part of it.
pub fn write(directory: &Path, database: &str, trees: usize, views: bool) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let dump = Dump { directory };
    dump.collection("Product", DOCUMENT, (0..PRODUCTS).map(data::product))?;
    dump.collection("Serial", DOCUMENT, (0..trees * TREE).map(data::serial))?;
    dump.collection("contains", EDGE, (0..trees).flat_map(|tree| edges_of(tree * TREE)).map(link))?;
    if views {
        dump.view()?;
    }
    dump.lines("dump.json", [json!({"database": database, "properties": {"name": database}})])
}

/// A link is known by the serial below it.
fn link((parent, child): (usize, usize)) -> Value {
    let mut link = data::contains((parent, child));
    link["_key"] = serial_key(child).into();
    link
}

struct Dump<'d> {
    directory: &'d Path,
}

impl Dump<'_> {
    fn collection(&self, name: &str, kind: u8, documents: impl Iterator<Item = Value>) -> Result<(), Failure> {
        let indexes: Vec<Value> =
            indexes(name).iter().map(|fields| json!({"type": "persistent", "fields": fields})).collect();
        let structure = json!({"parameters": {"name": name, "type": kind}, "indexes": indexes});
        self.lines(&format!("{name}.structure.json"), [structure])?;
        self.lines(&format!("{name}.data.json"), documents)
    }

    fn view(&self) -> Result<(), Failure> {
        let analyzer = json!({
            "_key": ANALYZER, "name": ANALYZER, "type": "pipeline", "features": [],
            "properties": {"pipeline": [
                {"type": "norm", "properties": {"locale": "en", "case": "lower", "accent": true}},
                {"type": "ngram", "properties": {
                    "min": 3, "max": 3, "preserveOriginal": false, "streamType": "utf8",
                    "startMarker": "", "endMarker": "",
                }},
            ]},
        });
        let structure = json!({"parameters": {"name": "_analyzers", "type": 2, "isSystem": true}, "indexes": []});
        let link = json!({"fields": {"code": {"analyzers": [ANALYZER]}}, "includeAllFields": false});
        let view = json!({"name": "SerialTexts", "type": "arangosearch", "links": {"Serial": link}});
        self.lines(&format!("{ANALYZERS}.structure.json"), [structure])?;
        self.lines(&format!("{ANALYZERS}.data.json"), [analyzer])?;
        self.lines("SerialTexts.view.json", [view])
    }

    fn lines(&self, name: &str, values: impl IntoIterator<Item = Value>) -> Result<(), Failure> {
        let path = self.directory.join(name);
        let write = || {
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            for value in values {
                serde_json::to_writer(&mut file, &value)?;
                file.write_all(b"\n")?;
            }
            file.flush()
        };
        write().map_err(|e| format!("{}: {e}", path.display()))
    }
}
