//! What a change of processes writes, gathered before anything is written. Phases and steps that leave their process keep
//! their documents, because running jobs, records and uploads name them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::model::{StepDocument, with_keys};
use crate::api::product::note_bom;
pub(in crate::api) use crate::aql::process::before_write::Row as Stored;
use crate::aql::process::{
    self, BEFORE_WRITE, INSERT_LINKS, INSERT_USES, PUT_PHASES, PUT_STEPS, SET_PROCESS, TRASH_PHASES, TRASH_STEPS,
    UNLINK_OPERATIONS, UNLINK_PHASES, before_write, insert_links, insert_uses, put_phases, put_steps, set_process,
    trash_phases, trash_steps, unlink_operations, unlink_phases,
};
use crate::aql::rows::{ProcessOrder, TemplateAssignment};
use crate::error::Result;
use crate::store::{Access, Query, Transaction, held, typed};

/// Everything that a plan runs.
const QUERIES: [Query; 9] = [
    BEFORE_WRITE,
    PUT_PHASES,
    PUT_STEPS,
    TRASH_PHASES,
    TRASH_STEPS,
    UNLINK_PHASES,
    UNLINK_OPERATIONS,
    INSERT_LINKS,
    INSERT_USES,
];

/// The collections of a change, held so that two at once come one after the other.
pub(crate) fn access() -> Access<'static> {
    Access::of(&QUERIES).and(&[SET_PROCESS]).exclusive(&held::PROCESS)
}

impl Stored {
    /// The products with these keys; those that do not exist are left out.
    pub(in crate::api) async fn read(trx: &Transaction, keys: &[&str]) -> Result<BTreeMap<String, Self>> {
        let rows = process::before_write(trx, before_write::Params { product_keys: keys.into() }).await?;
        Ok(rows.into_iter().map(|stored| (stored.key().to_owned(), stored)).collect())
    }

    pub(in crate::api) fn key(&self) -> &str {
        text(&self.product, "_key")
    }

    pub(in crate::api) fn is_trashed(&self) -> bool {
        self.head().trash == true
    }

    /// What is read of the product.
    pub(super) fn head(&self) -> Head {
        Head::deserialize(&self.product).unwrap_or_default()
    }

    /// Keys of its phases, where there is a list of them.
    fn order(&self) -> Option<Vec<Option<&str>>> {
        Order::deserialize(&self.product).unwrap_or_default().process_phases
    }

    /// Its phases, in their order.
    pub(in crate::api) fn phases(&self) -> impl Iterator<Item = &Value> {
        let by_key: HashMap<&str, &Value> = self.phases.iter().map(|phase| (text(phase, "_key"), phase)).collect();
        let order = self.order().into_iter().flatten().flatten();
        order.filter_map(move |key| by_key.get(key).copied())
    }

    /// The phase with a key.
    pub(super) fn phase(&self, key: &str) -> Option<&Value> {
        self.phases.iter().find(|phase| text(phase, "_key") == key)
    }

    /// The steps of a phase, in their order.
    pub(super) fn steps<'a>(&'a self, phase: &'a Value) -> impl Iterator<Item = &'a Value> {
        let by_key: HashMap<&str, &Value> = self.steps.iter().map(|step| (text(step, "_key"), step)).collect();
        let order = Sequence::deserialize(phase).unwrap_or_default().step_sequence;
        order.into_iter().flatten().flatten().filter_map(move |key| by_key.get(key).copied())
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

/// What is read of a product, as it is stored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Head {
    trash: Value,
    pub code: Value,
    pub counter_key: Value,
}

/// The order of the phases of a product.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Order<'a> {
    #[serde(borrow)]
    process_phases: Option<Vec<Option<&'a str>>>,
}

/// The order of the steps of a phase.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Sequence<'a> {
    #[serde(borrow)]
    step_sequence: Option<Vec<Option<&'a str>>>,
}

pub(in crate::api) fn text<'a>(document: &'a Value, member: &str) -> &'a str {
    document[member].as_str().unwrap_or_default()
}

/// A link of a phase.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum NewLink {
    /// Of a product to its phase, or of a phase to its operation.
    Phase {
        #[serde(rename = "_from")]
        from: String,
        #[serde(rename = "_to")]
        to: String,
        #[serde(rename = "type")]
        kind: &'static str,
    },
    /// A copied line of a bill of materials, with all that it holds.
    Line(Value),
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
    links: Vec<NewLink>,
    uses: Vec<TemplateAssignment>,
    processes: Vec<ProcessOrder>,
    /// Steps whose files are copied, from which to which.
    pub files: Vec<(String, String)>,
}

impl Plan {
    /// A step is stored, in place of the one with its key.
    pub(super) fn step(&mut self, step: &StepDocument<'_>) -> Result<()> {
        self.steps.push(typed::bound(step)?);
        Ok(())
    }

    /// A phase is stored, in place of the one with its key.
    pub(super) fn phase(&mut self, phase: &impl Serialize) -> Result<()> {
        self.phases.push(typed::bound(phase)?);
        Ok(())
    }

    /// A new phase belongs to its product and is based on its operation.
    pub(super) fn link_phase(&mut self, phase_key: &str, product_key: &str, operation_key: &str) {
        let phase_id = format!("Phase/{phase_key}");
        let from = format!("Product/{product_key}");
        self.links.push(NewLink::Phase { from, to: phase_id, kind: "ProductPhase" });
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
        self.links.push(NewLink::Line(copy));
    }

    /// An entity uses print templates.
    pub(in crate::api) fn use_templates(&mut self, context: &str, id: &str, keys: impl IntoIterator<Item = String>) {
        let unique: BTreeSet<String> = keys.into_iter().collect();
        let used = |key| TemplateAssignment {
            from: id.to_owned(),
            to: format!("PrintTemplate/{key}"),
            r#type: context.into(),
        };
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
        self.processes.push(ProcessOrder { key: product_key.to_owned(), phases: phases.to_vec() });
    }

    /// Copies the phases of a product for another one, and returns the key of the copy of each.
    pub(in crate::api) fn copy_phases(&mut self, source: &Stored, product_key: &str) -> Vec<(String, String)> {
        let mut copies = Vec::new();
        for phase in source.phases() {
            let (old, new) = (text(phase, "_key"), Uuid::new_v4().to_string());
            let mut copy = without_metadata(phase);
            copy["_key"] = new.as_str().into();
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
        copy["_key"] = new.as_str().into();
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
        if !ids.is_empty() {
            process::unlink_phases(trx, unlink_phases::Params { phase_ids: (&ids).into() }).await?;
        }
        if !self.rebased.is_empty() {
            let params = unlink_operations::Params { phase_ids: (&self.rebased).into() };
            process::unlink_operations(trx, params).await?;
        }
        if !self.steps.is_empty() {
            process::put_steps(trx, put_steps::Params { steps: &self.steps }).await?;
        }
        if !self.phases.is_empty() {
            process::put_phases(trx, put_phases::Params { phases: &self.phases }).await?;
        }
        if !self.trashed_steps.is_empty() {
            process::trash_steps(trx, trash_steps::Params { keys: (&self.trashed_steps).into(), now }).await?;
        }
        if !self.trashed_phases.is_empty() {
            process::trash_phases(trx, trash_phases::Params { keys: (&self.trashed_phases).into(), now }).await?;
        }
        if !self.links.is_empty() {
            let links = self.links.iter().map(typed::bound).collect::<Result<Vec<_>, _>>()?;
            process::insert_links(trx, insert_links::Params { links: &links }).await?;
        }
        if !self.processes.is_empty() {
            process::set_process(trx, set_process::Params { processes: &self.processes, now }).await?;
        }
        if self.uses.is_empty() {
            return Ok(());
        }
        let used = process::insert_uses(trx, insert_uses::Params { uses: &self.uses }).await?;
        for insert_uses::Row { from, to } in used {
            trx.replaced(Some(from), "print template", Value::Null, to);
        }
        Ok(())
    }

    /// Notes what is written: the products before their phases and steps, so that each of many is named. The links of phases
    /// say nothing that the documents do not say.
    fn note(&self, trx: &Transaction, before: &[&Stored], now: &str) {
        let product_of: HashMap<&str, &Stored> = before.iter().map(|stored| (stored.key(), *stored)).collect();
        for process in &self.processes {
            let ProcessOrder { key, phases } = process;
            let earlier = product_of.get(key.as_str()).and_then(|stored| stored.order()).unwrap_or_default();
            // One difference a product, not one a phase.
            trx.replaced(Some(format!("Product/{key}")), "process_phases", earlier, phases.clone());
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
        for line in self.links.iter().filter_map(NewLink::line) {
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

impl NewLink {
    fn line(&self) -> Option<&Value> {
        match self {
            Self::Line(line) => Some(line),
            Self::Phase { .. } => None,
        }
    }
}

fn operation_link(phase_key: &str, operation_key: &str) -> NewLink {
    let (from, to) = (format!("Phase/{phase_key}"), format!("Operation/{operation_key}"));
    NewLink::Phase { from, to, kind: "PhaseOperation" }
}

/// Fields of a form under new keys.
pub(super) fn fresh_fields(fields: &Value) -> Value {
    let mut fields = if fields.is_array() { fields.clone() } else { Value::Array(Vec::new()) };
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
