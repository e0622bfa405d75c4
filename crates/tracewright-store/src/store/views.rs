//! Search views: created where missing, linked anew where they are not as they should be.
//!
//! A view finds documents by the runs of characters of their texts, in lower case as `LOWER()` makes it. A text that stands
//! anywhere in another one has runs that the other one has too, so that a search asks for a few runs and tests what it gets.

use std::collections::BTreeMap;

use arangors::Database;
use http::Method;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::schema::DUPLICATE_NAME;
use super::{Client, StoreError, VIEWS, View, send, written};

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
        let body = written(&NewAnalyzer::of(analyzer))?;
        send::<IgnoredAny>(client, database, Method::POST, "_api/analyzer", Some(body)).await?;
    }
    for view in missing {
        let mut properties = Properties { name: None, kind: None, links: links(view) };
        let body = written(&properties)?;
        let path = format!("_api/view/{}/properties", view.name);
        match send::<IgnoredAny>(client, database, Method::PATCH, &path, Some(body)).await {
            Err(error) if error.number() == Some(NOT_FOUND) => {}
            other => {
                other?;
                continue;
            }
        }
        (properties.name, properties.kind) = (Some(view.name), Some("arangosearch"));
        let body = written(&properties)?;
        match send::<IgnoredAny>(client, database, Method::POST, "_api/view", Some(body)).await {
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
        match send::<Existing>(client, database, Method::GET, &path, None).await {
            Ok(existing) if is_linked(view, &existing.links) => {}
            Err(error) if error.number() != Some(NOT_FOUND) => return Err(error),
            _ => missing.push(view),
        }
    }
    Ok(missing)
}

/// An analyzer as it is created.
#[derive(Serialize)]
struct NewAnalyzer {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    features: [&'static str; 0],
    properties: Pipeline,
}

#[derive(Serialize)]
struct Pipeline {
    pipeline: [Stage; 2],
}

#[derive(Serialize)]
#[serde(tag = "type", content = "properties", rename_all = "lowercase")]
enum Stage {
    Norm {
        locale: &'static str,
        case: &'static str,
        accent: bool,
    },
    #[serde(rename_all = "camelCase")]
    Ngram {
        min: usize,
        max: usize,
        preserve_original: bool,
        stream_type: &'static str,
        start_marker: &'static str,
        end_marker: &'static str,
    },
}

impl NewAnalyzer {
    /// Letters become small and keep their accents, as in the filters behind a search. Only whether a run is there is asked,
    /// so nothing else is kept of it.
    fn of(analyzer: Analyzer) -> Self {
        let norm = Stage::Norm { locale: "en", case: "lower", accent: true };
        let runs = Stage::Ngram {
            min: analyzer.length,
            max: analyzer.length,
            preserve_original: false,
            stream_type: "utf8",
            start_marker: "",
            end_marker: "",
        };
        Self { name: analyzer.name, kind: "pipeline", features: [], properties: Pipeline { pipeline: [norm, runs] } }
    }
}

/// What a view has, or is to have; its name and type where it is created.
#[derive(Serialize)]
struct Properties {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    links: Links,
}

/// What of a view is looked at.
#[derive(Deserialize)]
struct Existing {
    #[serde(default)]
    links: Links,
}

/// By the names of collections.
type Links = BTreeMap<String, Option<Link>>;

/// The link of a view to a collection.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Link {
    fields: BTreeMap<String, LinkedField>,
    include_all_fields: bool,
    in_background: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct LinkedField {
    #[serde(default)]
    analyzers: Vec<String>,
}

/// The link of a view to its collection. It is built while others write.
fn links(view: &View) -> Links {
    let analyzers = || view.analyzers().iter().map(|analyzer| analyzer.name.to_owned()).collect();
    let field = |field: &&str| ((*field).to_owned(), LinkedField { analyzers: analyzers() });
    let link = Link { fields: view.fields.iter().map(field).collect(), include_all_fields: false, in_background: true };
    BTreeMap::from([(view.collection.to_owned(), Some(link))])
}

/// Whether these links are those of the view. Names of analyzers may have that of their database before them.
fn is_linked(view: &View, links: &Links) -> bool {
    let Some(Some(Link { fields, .. })) = links.get(view.collection) else { return false };
    let has_analyzers = |field: &LinkedField| {
        let names = field.analyzers.iter().map(|name| name.rsplit("::").next().unwrap_or(name));
        let names: Vec<&str> = names.collect();
        names.len() == view.analyzers().len() && view.analyzers().iter().all(|known| names.contains(&known.name))
    };
    fields.len() == view.fields.len() && view.fields.iter().all(|field| fields.get(*field).is_some_and(has_analyzers))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(links: Value) -> Links {
        serde_json::from_value(links).unwrap()
    }

    const TASKS: View = View { name: "TaskTexts", collection: "Task", fields: &["code", "title"] };

    #[test]
    fn a_view_is_as_it_should_be_whoever_names_its_analyzers() {
        assert!(is_linked(&TASKS, &links(&TASKS)));
        let shown = json!({"Task": {"fields": {
            "title": {"analyzers": ["plant::tracewright_runs_of_5", "plant::tracewright_runs_of_3"]},
            "code": {"analyzers": ["tracewright_runs_of_3", "tracewright_runs_of_5"]},
        }}});
        assert!(is_linked(&TASKS, &read(shown)));
    }

    #[test]
    fn a_view_with_other_links_is_not_as_it_should_be() {
        for (place, value) in [
            ("/Task/fields/title/analyzers", json!(["tracewright_runs_of_3"])),
            ("/Task/fields/title", json!({})),
            ("/Task/fields", json!({})),
            ("/Task", json!(null)),
        ] {
            let mut other = json!(links(&TASKS));
            *other.pointer_mut(place).unwrap() = value;
            assert!(!is_linked(&TASKS, &read(other)), "{place}");
        }
        let mut more = json!(links(&TASKS));
        more["Task"]["fields"]["note"] = json!({"analyzers": ["identity"]});
        assert!(!is_linked(&TASKS, &read(more)));
    }
}
