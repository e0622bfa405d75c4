//! Which rows are right, and what each of them does.

use std::collections::{BTreeSet, HashMap};

use poem_openapi::Enum;
use serde_json::{Map, Value};

use super::rows::{CODE, CONSUMPTION, COUNTER, DESCRIPTION, MANAGE_INVENTORY, PRODUCTION, Row, TAGS, TEMPLATES};
pub(super) use crate::aql::product::import_parts::{Products as Stored, Row as NamedDocuments};
use crate::aql::rows::KeyAndName as Named;
use crate::openapi::{Name, Note};

/// The first row of a file stands below the names of the columns.
const FIRST_LINE: usize = 2;

/// What a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename = "ProductImportAction", rename_all = "lowercase")]
pub(super) enum Action {
    /// It makes a new product.
    Create,
    /// It changes a product.
    Update,
    /// The product is like that already.
    Skip,
}

/// What a row changes.
#[derive(Debug)]
pub(super) struct Change {
    /// Of the product that exists; `None` for a new one.
    pub product_key: Option<String>,
    pub members: Map<String, Value>,
    /// Keys of its tags from now on; `None` leaves them.
    pub tags: Option<BTreeSet<String>>,
    /// Keys of its print templates from now on; `None` leaves them.
    pub templates: Option<BTreeSet<String>>,
}

/// A row and what was found out about it.
#[derive(Debug)]
pub(super) struct Verdict {
    /// Where it stands in the file.
    pub row: usize,
    pub code: String,
    pub action: Action,
    pub errors: Vec<String>,
    pub change: Change,
}

/// The rows of a file, checked.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub verdicts: Vec<Verdict>,
    /// Where each code stands first.
    codes: HashMap<String, usize>,
}

impl Checked {
    /// Checks further rows.
    pub(super) fn add(&mut self, rows: Vec<Row>, known: &NamedDocuments) {
        let index = Index::of(known);
        for row in rows {
            let mut verdict = judge(&row, &index);
            verdict.row = self.verdicts.len() + FIRST_LINE;
            let place = self.verdicts.len();
            if !verdict.code.is_empty() {
                match self.codes.get(&verdict.code) {
                    None => drop(self.codes.insert(verdict.code.clone(), place)),
                    Some(first) => {
                        let told = format!("The code {} stands more than once in the file", verdict.code);
                        verdict.errors.push(told.clone());
                        if let Some(first) = self.verdicts.get_mut(*first).filter(|first| !first.errors.contains(&told))
                        {
                            first.errors.push(told);
                        }
                    }
                }
            }
            self.verdicts.push(verdict);
        }
    }

    /// Whether any row is wrong.
    pub(super) fn has_errors(&self) -> bool {
        self.error_count() > 0
    }

    /// How many rows are wrong.
    pub(super) fn error_count(&self) -> usize {
        self.verdicts.iter().filter(|verdict| !verdict.errors.is_empty()).count()
    }

    /// How many rows do this.
    pub(super) fn count(&self, action: Action) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.action == action).count()
    }
}

/// What is known, by name.
struct Index<'a> {
    products: HashMap<&'a str, Vec<&'a Stored>>,
    tags: HashMap<&'a str, Vec<&'a str>>,
    templates: HashMap<&'a str, Vec<&'a str>>,
    counters: HashMap<&'a str, Vec<&'a str>>,
    positions: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Index<'a> {
    fn of(known: &'a NamedDocuments) -> Self {
        let by_name = |named: &'a [Named]| {
            let mut keys: HashMap<&str, Vec<&str>> = HashMap::new();
            for one in named {
                keys.entry(&one.name).or_default().push(&one.key);
            }
            keys
        };
        let mut products: HashMap<&str, Vec<&Stored>> = HashMap::new();
        for product in &known.products {
            products.entry(&product.code).or_default().push(product);
        }
        Self {
            products,
            tags: by_name(&known.tags),
            templates: by_name(&known.templates),
            counters: by_name(&known.counters),
            positions: by_name(&known.positions),
        }
    }
}

/// The key of the only thing of a name; else an error is noted.
fn only(kind: &str, name: &str, keys: &HashMap<&str, Vec<&str>>, errors: &mut Vec<String>) -> Option<String> {
    match keys.get(name).map(Vec::as_slice) {
        Some([key]) => return Some((*key).to_owned()),
        Some([_, _, ..]) => errors.push(format!("There are several {kind}s called {name}")),
        _ => errors.push(format!("Unknown {kind} {name}")),
    }
    None
}

/// The keys of the things that a cell lists.
fn all(
    kind: &str,
    row: &Row,
    column: usize,
    keys: &HashMap<&str, Vec<&str>>,
    errors: &mut Vec<String>,
) -> Option<BTreeSet<String>> {
    Some(row.list(column)?.into_iter().filter_map(|name| only(kind, name, keys, errors)).collect())
}

fn judge(row: &Row, index: &Index) -> Verdict {
    let mut errors = Vec::new();
    let code = row.text(CODE).to_owned();
    if code.is_empty() {
        errors.push("The code is missing".to_owned());
    }
    let mut members = Map::new();
    errors.extend(Name::parse(&code).err().map(|mistake| format!("code: {mistake}")));
    errors.extend(Note::parse(row.text(DESCRIPTION)).err().map(|mistake| format!("description: {mistake}")));
    let mut reference = |member: &str, kind: &str, column: usize, keys: &HashMap<&str, Vec<&str>>| {
        if row.0.get(column).is_some_and(Option::is_some) {
            let name = row.text(column);
            let key = if name.is_empty() { None } else { only(kind, name, keys, &mut errors) };
            members.insert(member.to_owned(), key.into());
        }
    };
    reference("counter_key", "counter", COUNTER, &index.counters);
    reference("default_consumption_position_key", "position", CONSUMPTION, &index.positions);
    reference("default_production_position_key", "position", PRODUCTION, &index.positions);
    if row.0.get(DESCRIPTION).is_some_and(Option::is_some) {
        let text = row.text(DESCRIPTION);
        members.insert("description".to_owned(), if text.is_empty() { Value::Null } else { text.into() });
    }
    if row.0.get(MANAGE_INVENTORY).is_some_and(Option::is_some) {
        match row.text(MANAGE_INVENTORY).to_lowercase().as_str() {
            "true" | "1" => drop(members.insert("manage_inventory".to_owned(), true.into())),
            "false" | "0" | "" => drop(members.insert("manage_inventory".to_owned(), false.into())),
            other => errors.push(format!("manage_inventory must be true, false, 1, 0 or empty, not {other}")),
        }
    }
    let tags = all("tag", row, TAGS, &index.tags, &mut errors);
    let templates = all("print template", row, TEMPLATES, &index.templates, &mut errors);
    let mut change = Change { product_key: None, members, tags, templates };
    let action = match index.products.get(code.as_str()).map(Vec::as_slice) {
        Some([stored]) => change.against(stored),
        Some([_, _, ..]) => {
            errors.push(format!("There are several products with the code {code}"));
            Action::Skip
        }
        _ => Action::Create,
    };
    Verdict { row: 0, code, action, errors, change }
}

impl Change {
    /// Leaves only what the product does not have already.
    fn against(&mut self, stored: &Stored) -> Action {
        self.product_key = Some(stored.key.clone());
        let as_is = |name: &str| match name {
            "description" => stored.description.as_deref().filter(|text| !text.is_empty()).into(),
            "counter_key" => stored.counter_key.as_deref().into(),
            "manage_inventory" => Value::Bool(stored.manage_inventory),
            "default_consumption_position_key" => stored.default_consumption_position_key.as_deref().into(),
            _ => stored.default_production_position_key.as_deref().into(),
        };
        let has = |stored: &[String], wanted: &BTreeSet<String>| {
            stored.iter().collect::<BTreeSet<_>>() == wanted.iter().collect()
        };
        self.members.retain(|name, value| *value != as_is(name));
        self.tags = self.tags.take().filter(|tags| !has(&stored.tags, tags));
        self.templates = self.templates.take().filter(|templates| !has(&stored.templates, templates));
        let nothing = self.members.is_empty() && self.tags.is_none() && self.templates.is_none();
        if nothing { Action::Skip } else { Action::Update }
    }
}
