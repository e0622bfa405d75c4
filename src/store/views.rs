//! Search views: created where missing, linked anew where they are not as they should be.
//!
//! A view finds documents by the runs of characters of their texts, in lower case as `LOWER()` makes it. A text that stands
//! anywhere in another one has runs that the other one has too, so that a search asks for a few runs and tests what it gets.

use arangors::Database;
use http::Method;
use serde_json::{Map, Value, json};

use super::schema::DUPLICATE_NAME;
use super::{Client, StoreError, VIEWS, View, send};

/// What makes runs of characters of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Analyzer {
    /// Its name. Analyzers do not change: one that makes other runs has another name.
    pub name: &'static str,
    /// How many characters its runs have.
    pub length: usize,
}

/// Short runs tell codes apart.
pub const CODES: Analyzer = Analyzer { name: "tracewright_runs_of_3", length: 3 };
/// Longer ones tell sentences apart, whose words have most short runs in common.
pub const SENTENCES: Analyzer = Analyzer { name: "tracewright_runs_of_5", length: 5 };

/// Attributes that hold sentences. The other ones hold codes.
const WITH_SENTENCES: [&str; 2] = ["description", "title"];

impl View {
    /// What its texts are found by, the longest runs first.
    pub fn analyzers(&self) -> &'static [Analyzer] {
        let has_sentences = self.fields.iter().any(|field| WITH_SENTENCES.contains(field));
        if has_sentences { &[SENTENCES, CODES] } else { &[CODES] }
    }

    /// The view of a collection.
    pub fn of(collection: &str) -> Option<&'static Self> {
        VIEWS.iter().find(|view| view.collection == collection)
    }
}

const NOT_FOUND: u16 = 1203;

/// Creates the analyzers and views that are missing, and gives views the links they should have.
pub(super) async fn create(client: &Client, database: &Database<Client>) -> Result<(), StoreError> {
    let missing = missing(client, database).await?;
    if missing.is_empty() {
        return Ok(());
    }
    for analyzer in [CODES, SENTENCES] {
        // One that exists is answered as it is.
        let body = analyzer_body(analyzer);
        send::<Value>(client, database, Method::POST, "_api/analyzer", Some(&body)).await?;
    }
    for view in missing {
        let mut body = json!({"links": links(view)});
        let path = format!("_api/view/{}/properties", view.name);
        match send::<Value>(client, database, Method::PATCH, &path, Some(&body)).await {
            Err(error) if error.number() == Some(NOT_FOUND) => {}
            other => {
                other?;
                continue;
            }
        }
        body["name"] = view.name.into();
        body["type"] = "arangosearch".into();
        match send::<Value>(client, database, Method::POST, "_api/view", Some(&body)).await {
            // Another instance that starts at the same time may have been faster.
            Err(error) if error.number() == Some(DUPLICATE_NAME) => {}
            other => drop(other?),
        }
    }
    Ok(())
}

/// The views that are missing or have other links.
pub(super) async fn missing(client: &Client, database: &Database<Client>) -> Result<Vec<&'static View>, StoreError> {
    let mut missing = Vec::new();
    for view in VIEWS {
        let path = format!("_api/view/{}/properties", view.name);
        match send::<Value>(client, database, Method::GET, &path, None).await {
            Ok(existing) if is_linked(view, &existing["links"]) => {}
            Err(error) if error.number() != Some(NOT_FOUND) => return Err(error),
            _ => missing.push(view),
        }
    }
    Ok(missing)
}

/// Letters become small and keep their accents, as in the filters behind a search. Only whether a run is there is asked, so
/// nothing else is kept of it.
fn analyzer_body(analyzer: Analyzer) -> Value {
    json!({
        "name": analyzer.name,
        "type": "pipeline",
        "features": [],
        "properties": {"pipeline": [
            {"type": "norm", "properties": {"locale": "en", "case": "lower", "accent": true}},
            {"type": "ngram", "properties": {
                "min": analyzer.length, "max": analyzer.length, "preserveOriginal": false, "streamType": "utf8",
                "startMarker": "", "endMarker": "",
            }},
        ]},
    })
}

/// The link of a view to its collection. It is built while others write.
fn links(view: &View) -> Value {
    let analyzers: Vec<&str> = view.analyzers().iter().map(|analyzer| analyzer.name).collect();
    let fields: Map<String, Value> =
        view.fields.iter().map(|field| ((*field).to_owned(), json!({"analyzers": analyzers}))).collect();
    let mut links = Map::new();
    links
        .insert(view.collection.to_owned(), json!({"fields": fields, "includeAllFields": false, "inBackground": true}));
    Value::Object(links)
}

/// Whether these links are those of the view. Names of analyzers may have that of their database before them.
fn is_linked(view: &View, links: &Value) -> bool {
    let Some(fields) = links[view.collection]["fields"].as_object() else { return false };
    let has_analyzers = |field: &Value| {
        let names = field["analyzers"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let names: Vec<&str> = names.map(|name| name.rsplit("::").next().unwrap_or(name)).collect();
        names.len() == view.analyzers().len() && view.analyzers().iter().all(|known| names.contains(&known.name))
    };
    fields.len() == view.fields.len() && view.fields.iter().all(|field| fields.get(*field).is_some_and(has_analyzers))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: View = View { name: "TaskTexts", collection: "Task", fields: &["code", "title"] };

    #[test]
    fn a_view_is_as_it_should_be_whoever_names_its_analyzers() {
        assert!(is_linked(&TASKS, &links(&TASKS)));
        let shown = json!({"Task": {"fields": {
            "title": {"analyzers": ["plant::tracewright_runs_of_5", "plant::tracewright_runs_of_3"]},
            "code": {"analyzers": ["tracewright_runs_of_3", "tracewright_runs_of_5"]},
        }}});
        assert!(is_linked(&TASKS, &shown));
    }

    #[test]
    fn a_view_with_other_links_is_not_as_it_should_be() {
        for (place, value) in [
            ("/Task/fields/title/analyzers", json!(["tracewright_runs_of_3"])),
            ("/Task/fields/title", json!({})),
            ("/Task/fields", json!({})),
            ("/Task", json!(null)),
        ] {
            let mut other = links(&TASKS);
            *other.pointer_mut(place).unwrap() = value;
            assert!(!is_linked(&TASKS, &other), "{place}");
        }
        let mut more = links(&TASKS);
        more["Task"]["fields"]["note"] = json!({"analyzers": ["identity"]});
        assert!(!is_linked(&TASKS, &more));
    }
}
