//! What a change of processes writes, gathered before anything is written. Phases and steps that leave their process keep
//! their documents, because running jobs, records and uploads name them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::model::with_keys;
use crate::api::product::note_bom;
use crate::aql;
use crate::error::Result;
use crate::store::{Access, Query, Transaction, held};

/// Everything that a plan runs.
const QUERIES: [Query; 9] = [
    aql::process::BEFORE_WRITE,
    aql::process::PUT_PHASES,
    aql::process::PUT_STEPS,
    aql::process::TRASH_PHASES,
    aql::process::TRASH_STEPS,
    aql::process::UNLINK_PHASES,
    aql::process::UNLINK_OPERATIONS,
    aql::process::INSERT_LINKS,
    aql::process::INSERT_USES,
];

/// The collections of a change, held so that two at once come one after the other.
pub(crate) fn access() -> Access<'static> {
    Access::of(&QUERIES).and(&[aql::process::SET_PROCESS]).exclusive(&held::PROCESS)
}

/// A product and its process as they are stored.
#[derive(Debug, Deserialize)]
pub(in crate::api) struct Stored {
    pub product: Value,
    phases: Vec<Value>,
    steps: Vec<Value>,
    /// Links to components.
    pub lines: Vec<Value>,
    /// Links of the product, its phases and its steps to print templates.
    uses: Vec<Value>,
}

impl Stored {
    /// The products with these keys; those that do not exist are left out.
    pub(in crate::api) async fn read(trx: &Transaction, keys: &[&str]) -> Result<BTreeMap<String, Self>> {
        let rows: Vec<Self> = trx.rows(&aql::process::BEFORE_WRITE, json!({"product_keys": keys})).await?;
        Ok(rows.into_iter().map(|stored| (stored.key().to_owned(), stored)).collect())
    }

    pub(in crate::api) fn key(&self) -> &str {
        text(&self.product, "_key")
    }

    pub(in crate::api) fn is_trashed(&self) -> bool {
        self.product["trash"] == json!(true)
    }

    /// Its phases, in their order.
    pub(in crate::api) fn phases(&self) -> impl Iterator<Item = &Value> {
        let by_key: HashMap<&str, &Value> = self.phases.iter().map(|phase| (text(phase, "_key"), phase)).collect();
        keys(&self.product["process_phases"]).filter_map(move |key| by_key.get(key).copied())
    }

    /// The phase with a key.
    pub(super) fn phase(&self, key: &str) -> Option<&Value> {
        self.phases.iter().find(|phase| text(phase, "_key") == key)
    }

    /// The steps of a phase, in their order.
    pub(super) fn steps<'a>(&'a self, phase: &'a Value) -> impl Iterator<Item = &'a Value> {
        let by_key: HashMap<&str, &Value> = self.steps.iter().map(|step| (text(step, "_key"), step)).collect();
        keys(&phase["step_sequence"]).filter_map(move |key| by_key.get(key).copied())
    }

    /// Whether a step belongs to the process.
    pub(super) fn has_step(&self, key: &str) -> bool {
        self.steps.iter().any(|step| text(step, "_key") == key)
    }

    /// Keys of the print templates that an entity uses.
    pub(in crate::api) fn templates(&self, id: &str) -> BTreeSet<String> {
        let of_entity = self.uses.iter().filter(|used| text(used, "_from") == id);
        of_entity.filter_map(|used| text(used, "_to").strip_prefix("PrintTemplate/")).map(str::to_owned).collect()
    }
}

/// The keys in a list.
fn keys(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

pub(in crate::api) fn text<'a>(document: &'a Value, member: &str) -> &'a str {
    document[member].as_str().unwrap_or_default()
}

/// A print template that an entity uses from now on.
#[derive(Deserialize)]
struct Use {
    #[serde(rename = "_from")]
    from: String,
    #[serde(rename = "_to")]
    to: String,
}

/// What a change writes.
#[derive(Debug, Default)]
pub(in crate::api) struct Plan {
    phases: Vec<Value>,
    steps: Vec<Value>,
    trashed_phases: Vec<String>,
    trashed_steps: Vec<String>,
    /// Phases that are based on another operation from now on.
    rebased: Vec<String>,
    links: Vec<Value>,
    uses: Vec<Value>,
    processes: Vec<Value>,
    /// Steps whose files are copied, from which to which.
    pub files: Vec<(String, String)>,
}

impl Plan {
    /// A step is stored, in place of the one with its key.
    pub(super) fn step(&mut self, step: Value) {
        self.steps.push(step);
    }

    /// A phase is stored, in place of the one with its key.
    pub(super) fn phase(&mut self, phase: Value) {
        self.phases.push(phase);
    }

    /// A new phase belongs to its product and is based on its operation.
    pub(super) fn link_phase(&mut self, phase_key: &str, product_key: &str, operation_key: &str) {
        let phase_id = format!("Phase/{phase_key}");
        self.links.push(json!({"_from": format!("Product/{product_key}"), "_to": phase_id, "type": "ProductPhase"}));
        self.links.push(operation_link(phase_key, operation_key));
    }

    /// A phase is based on another operation.
    pub(super) fn rebase(&mut self, phase_key: &str, operation_key: &str) {
        self.rebased.push(format!("Phase/{phase_key}"));
        self.links.push(operation_link(phase_key, operation_key));
    }

    /// A component is needed in a phase.
    pub(in crate::api) fn line(&mut self, line: &Value, phase_key: &str) {
        let mut copy = without_metadata(line);
        copy["_from"] = format!("Phase/{phase_key}").into();
        self.links.push(copy);
    }

    /// An entity uses print templates.
    pub(in crate::api) fn use_templates(&mut self, context: &str, id: &str, keys: impl IntoIterator<Item = String>) {
        let unique: BTreeSet<String> = keys.into_iter().collect();
        let used = |key| json!({"_from": id, "_to": format!("PrintTemplate/{key}"), "type": context});
        self.uses.extend(unique.into_iter().map(used));
    }

    /// A phase leaves its process with all its steps but those that another phase takes over.
    pub(super) fn drop_phase(&mut self, stored: &Stored, phase: &Value, taken_over: &HashSet<String>) {
        self.trashed_phases.push(text(phase, "_key").to_owned());
        let steps = stored.steps(phase).map(|step| text(step, "_key")).filter(|key| !taken_over.contains(*key));
        self.trashed_steps.extend(steps.map(str::to_owned));
    }

    /// A step leaves its process.
    pub(super) fn drop_step(&mut self, key: &str) {
        self.trashed_steps.push(key.to_owned());
    }

    /// The phases of a product, in order.
    pub(in crate::api) fn process(&mut self, product_key: &str, phases: &[String]) {
        self.processes.push(json!({"key": product_key, "phases": phases}));
    }

    /// Copies the phases of a product for another one, and returns the key of the copy of each.
    pub(in crate::api) fn copy_phases(&mut self, source: &Stored, product_key: &str) -> Vec<(String, String)> {
        let mut copies = Vec::new();
        for phase in source.phases() {
            let (old, new) = (text(phase, "_key"), Uuid::new_v4().to_string());
            let mut copy = without_metadata(phase);
            copy["_key"] = json!(new);
            copy["product_key"] = product_key.into();
            let steps: Vec<&Value> = source.steps(phase).collect();
            copy["step_sequence"] = steps.into_iter().map(|step| self.copy_step(source, step)).collect();
            self.phases.push(copy);
            self.link_phase(&new, product_key, text(phase, "operation_key"));
            self.use_templates("phase", &format!("Phase/{new}"), source.templates(&format!("Phase/{old}")));
            copies.push((old.to_owned(), new));
        }
        copies
    }

    /// Copies a step with its files, and returns the key of the copy. The fields of its form are new ones.
    fn copy_step(&mut self, source: &Stored, step: &Value) -> Value {
        let (old, new) = (text(step, "_key"), Uuid::new_v4().to_string());
        let mut copy = without_metadata(step);
        copy["_key"] = json!(new);
        copy["form_fields"] = fresh_fields(&step["form_fields"]);
        self.steps.push(copy);
        self.use_templates("step", &format!("Step/{new}"), source.templates(&format!("Step/{old}")));
        self.files.push((old.to_owned(), new.clone()));
        new.into()
    }

    /// Writes everything in the transaction. `before` are the products that are there already.
    pub(in crate::api) async fn write(&self, trx: &Transaction, before: &[&Stored], now: &str) -> Result<()> {
        self.note(trx, before, now);
        let ids: Vec<String> = self.trashed_phases.iter().map(|key| format!("Phase/{key}")).collect();
        let writes = [
            (aql::process::UNLINK_PHASES, !ids.is_empty(), json!({"phase_ids": ids})),
            (aql::process::UNLINK_OPERATIONS, !self.rebased.is_empty(), json!({"phase_ids": self.rebased})),
            (aql::process::PUT_STEPS, !self.steps.is_empty(), json!({"steps": self.steps})),
            (aql::process::PUT_PHASES, !self.phases.is_empty(), json!({"phases": self.phases})),
            (
                aql::process::TRASH_STEPS,
                !self.trashed_steps.is_empty(),
                json!({"keys": self.trashed_steps, "now": now}),
            ),
            (aql::process::TRASH_PHASES, !ids.is_empty(), json!({"keys": self.trashed_phases, "now": now})),
            (aql::process::INSERT_LINKS, !self.links.is_empty(), json!({"links": self.links})),
            (aql::process::SET_PROCESS, !self.processes.is_empty(), json!({"processes": self.processes, "now": now})),
        ];
        for (query, is_needed, params) in writes {
            if is_needed {
                trx.run(&query, params).await?;
            }
        }
        if self.uses.is_empty() {
            return Ok(());
        }
        let used: Vec<Use> = trx.rows(&aql::process::INSERT_USES, json!({"uses": self.uses})).await?;
        for Use { from, to } in used {
            trx.replaced(Some(from), "print template", Value::Null, to);
        }
        Ok(())
    }

    /// Notes what is written: the products before their phases and steps, so that each of many is named. The links of phases
    /// say nothing that the documents do not say.
    fn note(&self, trx: &Transaction, before: &[&Stored], now: &str) {
        let product_of: HashMap<&str, &Stored> = before.iter().map(|stored| (stored.key(), *stored)).collect();
        for process in &self.processes {
            let key = text(process, "key");
            let earlier = product_of.get(key).map(|stored| &stored.product["process_phases"]);
            let earlier = earlier.filter(|phases| phases.is_array()).cloned().unwrap_or_else(|| json!([]));
            // One difference a product, not one a phase.
            trx.replaced(Some(format!("Product/{key}")), "process_phases", earlier, process["phases"].clone());
        }
        self.note_lines(trx, before);
        let trashed = |id: String| trx.replaced(Some(id), "trashed", Value::Null, now);
        self.trashed_phases.iter().for_each(|key| trashed(format!("Phase/{key}")));
        self.trashed_steps.iter().for_each(|key| trashed(format!("Step/{key}")));
        let phases = before.iter().flat_map(|stored| &stored.phases);
        note_documents(trx, "Phase", phases, &self.phases);
        note_documents(trx, "Step", before.iter().flat_map(|stored| &stored.steps), &self.steps);
    }

    /// Notes the lines that have gone with their phases, and those that are new.
    fn note_lines(&self, trx: &Transaction, before: &[&Stored]) {
        let product_of: HashMap<String, &str> = self
            .phases
            .iter()
            .map(|phase| (format!("Phase/{}", text(phase, "_key")), text(phase, "product_key")))
            .collect();
        let mut lines: BTreeMap<&str, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
        let gone: HashSet<String> = self.trashed_phases.iter().map(|key| format!("Phase/{key}")).collect();
        for stored in before {
            let own = stored.lines.iter().filter(|line| gone.contains(text(line, "_from")));
            lines.entry(stored.key()).or_default().0.extend(own);
        }
        for line in self.links.iter().filter(|link| text(link, "type") == "BomLine") {
            let product = product_of.get(text(line, "_from")).copied().unwrap_or_default();
            lines.entry(product).or_default().1.push(line);
        }
        for (product_key, (old, new)) in lines {
            note_bom(trx, product_key, old, new);
        }
    }
}

/// Notes documents that are stored in place of those with their keys.
fn note_documents<'s>(
    trx: &Transaction,
    collection: &str,
    before: impl Iterator<Item = &'s Value>,
    documents: &[Value],
) {
    let before: HashMap<&str, &Value> = before.map(|document| (text(document, "_key"), document)).collect();
    for document in documents {
        let key = text(document, "_key");
        let earlier = before.get(key).copied().unwrap_or(&Value::Null);
        trx.wrote(format!("{collection}/{key}"), earlier, document);
    }
}

fn operation_link(phase_key: &str, operation_key: &str) -> Value {
    json!({"_from": format!("Phase/{phase_key}"), "_to": format!("Operation/{operation_key}"), "type": "PhaseOperation"})
}

/// Fields of a form under new keys.
pub(super) fn fresh_fields(fields: &Value) -> Value {
    let mut fields = if fields.is_array() { fields.clone() } else { json!([]) };
    for field in fields.as_array_mut().into_iter().flatten() {
        field["_key"] = Value::Null;
    }
    with_keys(fields)
}

/// A document without what the database gives, to be stored as another one.
pub(in crate::api) fn without_metadata(document: &Value) -> Value {
    let mut copy = document.clone();
    if let Some(members) = copy.as_object_mut() {
        members.retain(|name, _| !matches!(name.as_str(), "_id" | "_key" | "_rev" | "trashed"));
    }
    copy
}
