//! Parameters that find something: the pins of `plans.rs`, in which documents of the database stand for what was made up.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};
use tracewright::store::{COLLECTIONS, Query};
use tracewright_testkit::Service;

/// Documents that are kept of each collection: a portion.
const KEPT: usize = 1_000;
/// Elements of a list in another one.
const FEW: usize = 10;
/// What stands for the end of a page that is as long as it can be.
const ALL: u64 = 1_000_000;

/// What parameters name, by the beginning of their names. Of several collections it is the first that the query declares.
const NAMED: &[(&str, &[&str])] = &[
    ("assigned_to", &["User"]),
    ("assignee", &["User"]),
    ("assignment", &["InventoryCountAssignment"]),
    ("batch", &["Batch"]),
    ("below", &["Position"]),
    ("change", &["Change"]),
    ("closed_by", &["User"]),
    ("component", &["Product"]),
    ("container", &["Position"]),
    ("count_key", &["inventory_count_record"]),
    ("counter", &["Counter"]),
    ("created_by", &["User"]),
    ("custom_field", &["CustomField"]),
    ("department", &["Department"]),
    ("ends", &["Position"]),
    ("entity", &["Product"]),
    ("event", &["Event"]),
    // names no document
    ("event_group", &[]),
    ("field", &["CustomField"]),
    ("holder", &["Serial"]),
    ("inside", &["Position"]),
    ("issue", &["Issue"]),
    ("job", &["Job"]),
    ("like_holders", &["Serial"]),
    ("like_parts", &["Serial"]),
    ("like_products", &["Product"]),
    ("like_projects", &["WorkOrder"]),
    ("like_work_orders", &["WorkOrder"]),
    ("list", &["MovementList"]),
    ("media", &["Media"]),
    ("movement", &["movement"]),
    ("notification", &["Notification"]),
    ("operation_", &["Operation"]),
    ("operator", &["User"]),
    ("order", &["WorkOrder"]),
    ("owner", &["User"]),
    ("parent", &["Position", "Serial"]),
    ("phase", &["Phase"]),
    ("place", &["Position"]),
    ("position", &["Position"]),
    ("product", &["Product"]),
    ("queue", &["Queue"]),
    ("receipt", &["EventReceipt"]),
    ("recipient", &["Issue"]),
    ("record", &["StepExecutionData", "inventory_count_record", "is_in_position"]),
    ("root", &["Position"]),
    ("serial", &["Serial"]),
    ("session", &["InventoryCountSession", "WorkSession", "UserSession"]),
    ("source", &["event_source"]),
    ("spot", &["Position"]),
    ("step", &["Step"]),
    ("stock", &["is_in_position"]),
    ("tag", &["Tag"]),
    ("task", &["Task"]),
    ("template", &["PrintTemplate"]),
    ("token", &["Token"]),
    ("type_key", &["IssueType", "TaskType"]),
    ("user", &["User"]),
    ("wo_key", &["WorkOrder"]),
    ("work_order", &["WorkOrder"]),
];

/// What members of documents are called as parameters.
const ALIASES: &[(&str, &str)] = &[
    ("list_key", "movement_list_key"),
    ("order_key", "wo_key"),
    ("order_key", "work_order_key"),
    ("session_key", "inventory_count_session_key"),
    ("wo_key", "work_order_key"),
    ("work_order_key", "wo_key"),
];

/// Documents of each collection, those that most others name first.
pub struct Samples {
    of: HashMap<&'static str, Vec<Map<String, Value>>>,
    /// Elements of a list of keys or documents.
    many: usize,
}

/// A document that parameters are taken from.
#[derive(Clone, Copy)]
pub struct Anchor<'a> {
    pub collection: &'static str,
    pub number: usize,
    /// How long a list is.
    many: usize,
    query: &'a Query,
}

impl Samples {
    pub async fn of(service: &Service, many: usize) -> Self {
        const ALL_OF: Query = Query::undeclared("all", "FOR document IN @@collection RETURN document");
        let mut named: HashMap<String, usize> = HashMap::new();
        let mut samples = HashMap::new();
        for collection in COLLECTIONS {
            let documents = service.app.store.rows(&ALL_OF, json!({"@collection": collection})).await.unwrap();
            for document in &documents {
                count(document, &mut named);
            }
            samples.insert(*collection, documents);
        }
        let times = |document: &Value| {
            let times = |name: &str| named.get(document[name].as_str().unwrap()).copied().unwrap_or_default();
            times("_key") + times("_id")
        };
        let sample = |(collection, mut documents): (&'static str, Vec<Value>)| {
            documents.sort_by_cached_key(|document| std::cmp::Reverse(times(document)));
            documents.truncate(KEPT);
            let members = |document: Value| document.as_object().unwrap().clone();
            (collection, documents.into_iter().map(members).collect())
        };
        Self { of: samples.into_iter().map(sample).collect(), many }
    }

    /// The documents that a query's parameters can be taken from, one of each collection: of what it writes, then of what it reads.
    pub fn anchors<'a>(&self, query: &'a Query, params: &Value, number: usize) -> Vec<Anchor<'a>> {
        let bound = |name: &'static str| match name.strip_prefix('@') {
            Some(_) => COLLECTIONS.iter().copied().find(|collection| params[name] == **collection),
            None => Some(name),
        };
        let declared = query.writes.iter().chain(query.reads).filter_map(|name| bound(name));
        let mut anchors: Vec<Anchor<'a>> = Vec::new();
        for collection in declared {
            if anchors.iter().all(|anchor| anchor.collection != collection) {
                anchors.push(Anchor { collection, number, many: self.many, query });
            }
        }
        anchors
    }

    /// A case of a query with what the anchor says.
    pub fn params(&self, case: &Value, anchor: Anchor<'_>) -> Value {
        let said = |(name, pinned): (&String, &Value)| (name.clone(), self.value(name, pinned, anchor));
        complete(anchor.query, &case.as_object().unwrap().iter().map(said).collect())
    }

    fn value(&self, name: &str, pinned: &Value, anchor: Anchor<'_>) -> Value {
        match pinned {
            Value::Array(_) if name == "runs" => self.runs(anchor),
            Value::Array(items) => {
                let [item] = items.as_slice() else {
                    return items.iter().map(|item| self.value(name, item, anchor)).collect();
                };
                let declared = |name: &&str| anchor.query.writes.contains(name) || anchor.query.reads.contains(name);
                let of_name = named(name, anchor.query).filter(|name| item.is_object() && declared(name));
                let collection = of_name.unwrap_or(anchor.collection);
                let element = |number| {
                    let own = anchor.number + number;
                    self.value(name, item, Anchor { collection, number: own, many: FEW, ..anchor })
                };
                let mut seen = HashSet::new();
                (0..anchor.many).map(element).filter(|value| seen.insert(value.to_string())).collect()
            }
            Value::Object(members) if members.is_empty() => self.document(name, anchor),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), self.value(name, value, anchor))).collect()
            }
            Value::String(text) => self.text(name, text, anchor),
            Value::Number(_) if ["most", "products", "reach", "window"].contains(&name) => json!(ALL),
            Value::Number(_) if name == "last" && anchor.query.params.contains(&"limit") => json!(ALL),
            other => other.clone(),
        }
    }

    /// What a text that was made up stands for.
    fn text(&self, name: &str, pinned: &str, anchor: Anchor<'_>) -> Value {
        // the root of all positions is there
        if ["IN", "Position/IN"].contains(&pinned) {
            return pinned.into();
        }
        // a walk begins before the first key
        if name == "after" {
            return json!("");
        }
        if let Some((collection, _)) = pinned.split_once('/')
            && let Some(known) = COLLECTIONS.iter().find(|known| **known == collection)
        {
            let of_known = format!("{known}/");
            let end = |end: &str| {
                self.get(anchor)?.get(end).filter(|id| id.as_str().is_some_and(|id| id.starts_with(&of_known)))
            };
            let known_end = if name == "to" { end("_to") } else { end("_from").or_else(|| end("_to")) };
            return known_end
                .cloned()
                .unwrap_or_else(|| self.member(known, "_id", anchor).unwrap_or_else(|| pinned.into()));
        }
        if name.starts_with('@') || name == "attribute" || name.starts_with("sort_") || name == "order_by" {
            return pinned.into();
        }
        // what every text contains
        if name.contains("search") {
            return json!(if pinned.starts_with('^') { "^" } else { "" });
        }
        // spans are as long as can be
        if pinned == "2026" || pinned.starts_with("2026-01") {
            let is_beginning = ["from", "since", "min", "after", "recorded"].iter().any(|word| name.contains(word));
            return json!(if is_beginning { "2000-01-01" } else { "2100-01-01" });
        }
        let aliases = ALIASES.iter().filter(|(alias, _)| *alias == name).map(|(_, member)| *member);
        let of_anchor = self
            .get(anchor)
            .and_then(|document| std::iter::once(name).chain(aliases).find_map(|name| document.get(name)))
            .filter(|value| value.is_string());
        if let Some(value) = of_anchor.filter(|_| !name.starts_with('_')) {
            return value.clone();
        }
        if ["key", "keys", "id", "ids"].contains(&name) {
            return self.member(anchor.collection, "_key", anchor).unwrap_or_else(|| pinned.into());
        }
        let attribute = match name {
            _ if name.ends_with("wo_code") => "wo_code",
            _ if name.contains("code") => "code",
            _ if name.contains("name") => "name",
            _ => "_key",
        };
        let Some(collection) = named(name, anchor.query) else {
            let own = if attribute == "_key" { None } else { self.member(anchor.collection, attribute, anchor) };
            return own.unwrap_or_else(|| pinned.into());
        };
        self.member(collection, attribute, anchor).unwrap_or_else(|| pinned.into())
    }

    fn get(&self, anchor: Anchor<'_>) -> Option<&Map<String, Value>> {
        self.of[anchor.collection].get(anchor.number)
    }

    /// A member of a sample; of the anchor, where it is of that collection.
    fn member(&self, collection: &str, name: &str, anchor: Anchor<'_>) -> Option<Value> {
        let samples = self.of.get(collection)?;
        samples.get(anchor.number % samples.len().max(1))?.get(name).cloned()
    }

    /// A document to be stored, or members that replace those that it has.
    fn document(&self, name: &str, anchor: Anchor<'_>) -> Value {
        let declared = |collection: &&str| anchor.query.writes.contains(collection);
        let collection = named(name, anchor.query).filter(declared).unwrap_or(anchor.collection);
        let samples = &self.of[collection];
        let mut document = samples.get(anchor.number % samples.len().max(1)).cloned().unwrap_or_default();
        document.retain(|name, _| !["_key", "_id", "_rev"].contains(&name.as_str()));
        document.into()
    }

    /// Runs of a text that the anchor has.
    fn runs(&self, anchor: Anchor<'_>) -> Value {
        let texts = ["code", "wo_code", "alias", "description", "value", "name", "_key"];
        let text = self.get(anchor).and_then(|document| texts.iter().find_map(|name| document.get(*name)?.as_str()));
        let text: Vec<char> = text.unwrap_or_default().to_lowercase().chars().collect();
        let last = text.len().saturating_sub(3);
        let run = |start: usize| json!([text[start..].iter().take(3).collect::<String>()]);
        json!([run(0), run(last / 3), run(last * 2 / 3), run(last)])
    }
}

/// All parameters of a query: those that are not given are null, pages are as long as can be.
pub fn complete(query: &Query, given: &Map<String, Value>) -> Value {
    let absent = |param: &str| match param {
        "offset" => json!(0),
        "limit" => json!(ALL),
        _ => Value::Null,
    };
    let value = |param: &str| given.get(param).cloned().unwrap_or_else(|| absent(param));
    query.params.iter().map(|param| ((*param).to_owned(), value(param))).collect()
}

/// The collection of what a parameter names.
fn named(name: &str, query: &Query) -> Option<&'static str> {
    let (_, collections) =
        NAMED.iter().filter(|(named, _)| name.starts_with(named)).max_by_key(|(named, _)| named.len())?;
    let declared = |collection: &&&str| query.reads.contains(*collection) || query.writes.contains(*collection);
    collections.iter().find(declared).or(collections.first()).copied()
}

/// Counts how often each text stands in a document.
fn count(value: &Value, named: &mut HashMap<String, usize>) {
    match value {
        Value::String(text) => *named.entry(text.clone()).or_default() += 1,
        Value::Array(items) => items.iter().for_each(|item| count(item, named)),
        Value::Object(members) => {
            members.iter().filter(|(name, _)| !name.starts_with("_r")).for_each(|(_, member)| count(member, named));
        }
        _ => {}
    }
}
