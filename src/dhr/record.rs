//! What a record says of one serial, in the order in which it says it.

use std::collections::HashMap;

use serde_json::Value;

use super::outline::Node;
use super::row::{Execution, Field, StoredSerial, Update};
use super::value::{self, BLANK};

/// Heading of the entries that belong to no phase.
const NO_PHASE: &str = "General";

/// The record of one serial.
pub(super) struct Record {
    pub serial_key: String,
    /// `product code - serial code`, for the top of later pages.
    pub tag: String,
    /// Labels and values of the header table.
    pub header: Vec<(&'static str, String)>,
    pub data: Vec<Group>,
    /// Absent when step data were not asked for or the serial has no work order.
    pub steps: Option<Vec<Step>>,
    /// Code, description and serial number of plain components.
    pub components: Vec<[String; 3]>,
    /// The other components, which have records of their own.
    pub detailed: Vec<String>,
}

/// The entries of a phase.
pub(super) struct Group {
    pub phase: String,
    pub entries: Vec<Entry>,
}

/// A value of a serial.
pub(super) struct Entry {
    pub label: String,
    pub value: String,
    pub updated: String,
    pub user: String,
    /// A line between fields of a form: it has a label only.
    pub is_separator: bool,
    /// Files of the entry and the folder they lie in.
    pub files: Vec<String>,
    pub folder: Option<String>,
}

/// A step that was executed.
pub(super) struct Step {
    pub phase: String,
    pub step: String,
    pub operator: String,
    pub time: String,
}

impl Record {
    pub(super) fn new(row: &StoredSerial, components: &[&Node], with_steps: bool) -> Self {
        let phases = Phases::of(row);
        let (product_code, description) =
            row.product.as_ref().map_or((&Value::Null, &Value::Null), |product| (&product.code, &product.description));
        let (work_order, project) =
            row.work_order.as_ref().map_or((&Value::Null, &Value::Null), |order| (&order.wo_code, &order.project_code));
        let header = vec![
            ("Code", value::text_or_blank(product_code)),
            ("Description", value::text_or_blank(description)),
            ("S/N", value::text_or_blank(&row.code)),
            ("Work Order", value::text_or_blank(work_order)),
            ("Project", value::text_or_blank(project)),
            ("Created", value::date_in_words(&row.created)),
            ("Released", value::date_in_words(&row.released)),
        ];
        let (detailed, plain): (Vec<&Node>, Vec<&Node>) = components.iter().partition(|node| node.is_detailed());
        Self {
            serial_key: row.serial_key.clone(),
            tag: format!("{} - {}", value::text_or_blank(product_code), value::text_or_blank(&row.code)),
            header,
            data: phases.groups(row),
            steps: (with_steps && row.work_order.is_some()).then(|| phases.steps(&row.executions)),
            components: plain.into_iter().map(|node| [code(node), description_of(node), number(node)]).collect(),
            detailed: detailed
                .into_iter()
                .map(|node| format!("{} - {} (S/N {})", code(node), description_of(node), number(node)))
                .collect(),
        }
    }
}

fn code(node: &Node) -> String {
    node.product_code.clone().unwrap_or_else(|| BLANK.to_owned())
}

fn description_of(node: &Node) -> String {
    node.product_description.clone().unwrap_or_else(|| BLANK.to_owned())
}

fn number(node: &Node) -> String {
    node.serial_code.clone().unwrap_or_else(|| BLANK.to_owned())
}

/// The phases of the work order in their sequence, and the names of all phases.
struct Phases<'a> {
    sequence: HashMap<&'a str, usize>,
    names: HashMap<&'a str, String>,
}

impl<'a> Phases<'a> {
    fn of(row: &'a StoredSerial) -> Self {
        let sequence = row.work_order.as_ref().and_then(|order| order.phase_sequence.as_array());
        let keys = sequence.into_iter().flatten().filter_map(Value::as_str);
        let mut places = HashMap::new();
        for (place, key) in keys.enumerate() {
            places.entry(key).or_insert(place);
        }
        let name = |phase: &'a super::row::Phase| Some((phase.key.as_str(), value::text(&phase.alias)?));
        Self { sequence: places, names: row.phases.iter().filter_map(name).collect() }
    }

    fn name(&self, key: Option<&str>) -> String {
        let Some(key) = key else { return NO_PHASE.to_owned() };
        self.names.get(key).cloned().unwrap_or_else(|| key.to_owned())
    }

    /// No phase first, then the phases of the work order, then others as they appear.
    fn place(&self, key: Option<&str>) -> usize {
        key.map_or(0, |key| self.sequence.get(key).map_or(usize::MAX, |place| place + 1))
    }

    fn groups(&self, row: &StoredSerial) -> Vec<Group> {
        let fields: HashMap<&str, &Field> = row.fields.iter().map(|field| (field.key.as_str(), field)).collect();
        let updates: HashMap<&str, &Update> = row.updates.iter().map(|event| (event.key.as_str(), event)).collect();
        let mut groups: Vec<(Option<&str>, Vec<Entry>)> = Vec::new();
        let mut known: HashMap<Option<&str>, usize> = HashMap::new();
        for stored in row.data.iter().filter(|stored| stored.is_object()) {
            let phase = key_in(stored, "phase_key");
            let at = *known.entry(phase).or_insert_with(|| {
                groups.push((phase, Vec::new()));
                groups.len() - 1
            });
            groups[at].1.push(Entry::new(stored, &fields, &updates));
        }
        groups.sort_by_key(|(phase, _)| self.place(*phase));
        groups.into_iter().map(|(phase, entries)| Group { phase: self.name(phase), entries }).collect()
    }

    fn steps(&self, executions: &[Execution]) -> Vec<Step> {
        let phase = |execution: &'_ Execution| execution.phase_key.as_str().map(str::to_owned);
        let mut order: Vec<(&Execution, Option<String>)> =
            executions.iter().map(|execution| (execution, phase(execution))).collect();
        order.sort_by_cached_key(|(execution, phase)| {
            let times = (value::time(&execution.completed), value::time(&execution.batch_end));
            let place = self.place(phase.as_deref());
            (place, phase.clone(), times.0.is_none(), times.0, times.1, execution.step_key.to_string())
        });
        let step = |(execution, phase): (&Execution, Option<String>)| Step {
            phase: self.name(phase.as_deref()),
            step: value::text(&execution.step).unwrap_or_else(|| value::text_or_blank(&execution.step_key)),
            operator: execution.user.full_name(),
            time: value::minute(&execution.completed),
        };
        order.into_iter().map(step).collect()
    }
}

fn key_in<'a>(stored: &'a Value, member: &str) -> Option<&'a str> {
    stored.get(member).and_then(Value::as_str).filter(|key| !key.is_empty())
}

impl Entry {
    fn new(stored: &Value, fields: &HashMap<&str, &Field>, updates: &HashMap<&str, &Update>) -> Self {
        let field = key_in(stored, "custom_field_key").and_then(|key| fields.get(key));
        let kind = field.and_then(|field| field.kind.as_str());
        let label = stored.get("label").and_then(value::text);
        let default_label = || field.and_then(|field| value::text(&field.default_label));
        let name = || field.and_then(|field| value::text(&field.name));
        let value = stored.get("value").unwrap_or(&Value::Null);
        let updated = key_in(stored, "last_updated");
        let event = updated.and_then(|key| updates.get(key));
        // Where no event is known the value may be a time itself.
        let time = event.map_or_else(
            || updated.and_then(crate::clock::parse).map_or_else(|| BLANK.to_owned(), value::to_the_minute),
            |event| value::minute(&event.timestamp),
        );
        let holds_files = kind == Some("files");
        Self {
            label: label.or_else(default_label).or_else(name).unwrap_or_else(|| BLANK.to_owned()),
            value: value::field_value(kind, value),
            updated: time,
            user: event.map_or_else(|| BLANK.to_owned(), |event| event.user.full_name()),
            is_separator: kind == Some("separator"),
            files: if holds_files { value::file_names(value).map(str::to_owned).collect() } else { Vec::new() },
            folder: key_in(stored, "form_field_key").map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(row: Value) -> Record {
        Record::new(&serde_json::from_value(row).unwrap(), &[], true)
    }

    #[test]
    fn entries_stand_by_phase_general_first_then_in_sequence_then_others() {
        let entry = |phase: Value, label: &str| json!({"phase_key": phase, "label": label, "value": 1});
        let record = record(json!({
            "work_order": {"phase_sequence": ["p1", "p2"]},
            "phases": [{"_key": "p1", "alias": "First"}, {"_key": "p2", "alias": "Second"}],
            "data": [
                entry(json!("x"), "a"), entry(json!("p2"), "b"), entry(json!("p1"), "c"), entry(json!(null), "d"),
                entry(json!("p2"), "e"), json!("no entry"),
            ],
        }));
        let groups: Vec<(&str, Vec<&str>)> = record
            .data
            .iter()
            .map(|group| (group.phase.as_str(), group.entries.iter().map(|entry| entry.label.as_str()).collect()))
            .collect();
        let expected = [("General", vec!["d"]), ("First", vec!["c"]), ("Second", vec!["b", "e"]), ("x", vec!["a"])];
        assert_eq!(groups, expected);
    }

    #[test]
    fn a_label_is_the_entrys_else_the_fields_default_else_its_name() {
        let fields = json!([
            {"_key": "f", "name": "Name", "default_label": "Default", "type": "text"},
            {"_key": "g", "name": "Name", "default_label": null, "type": "text"},
        ]);
        let data = json!([
            {"custom_field_key": "f", "label": "Own"}, {"custom_field_key": "f", "label": ""},
            {"custom_field_key": "g"}, {"custom_field_key": "gone"},
        ]);
        let record = record(json!({"fields": fields, "data": data}));
        let labels: Vec<&str> = record.data[0].entries.iter().map(|entry| entry.label.as_str()).collect();
        assert_eq!(labels, ["Own", "Default", "Name", "-"]);
    }

    #[test]
    fn time_and_user_of_a_value_are_those_of_its_event() {
        let updates = json!([{"_key": "e", "timestamp": "2026-05-04T08:00:30+00:00", "user": {"name": "Anna"}}]);
        let data = json!([{"last_updated": "e"}, {"last_updated": "gone"}, {"last_updated": "2026-05-05T09:30:00Z"}]);
        let record = record(json!({"updates": updates, "data": data}));
        let told: Vec<(&str, &str)> =
            record.data[0].entries.iter().map(|entry| (entry.updated.as_str(), entry.user.as_str())).collect();
        assert_eq!(told, [("2026-05-04 08:00", "Anna"), ("-", "-"), ("2026-05-05 09:30", "-")]);
    }

    #[test]
    fn steps_stand_by_phase_in_sequence_and_by_time() {
        let step = |phase: &str, step: &str, completed: Value| json!({"phase_key": phase, "step": step, "completed": completed});
        let record = record(json!({
            "work_order": {"phase_sequence": ["p1", "p2"]},
            "phases": [{"_key": "p1", "alias": "First"}],
            "executions": [
                step("p2", "c", json!("2026-05-04T08:00:00Z")), step("p1", "none", json!(null)),
                step("p1", "b", json!("2026-05-04T08:02:00Z")), step("p1", "a", json!("2026-05-04T10:01:00+02:00")),
            ],
        }));
        let steps: Vec<(&str, &str)> =
            record.steps.as_ref().unwrap().iter().map(|step| (step.phase.as_str(), step.step.as_str())).collect();
        assert_eq!(steps, [("First", "a"), ("First", "b"), ("First", "none"), ("p2", "c")]);
    }

    #[test]
    fn blanks_of_the_header_are_dashes_and_missing_dates_are_said() {
        let header = record(json!({"serial_key": "s"})).header;
        let values: Vec<&str> = header.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["-", "-", "-", "-", "-", "Not specified", "Not specified"]);
    }

    #[test]
    fn steps_need_a_work_order() {
        assert!(record(json!({})).steps.is_none());
        assert!(record(json!({"work_order": {}})).steps.is_some());
    }
}
