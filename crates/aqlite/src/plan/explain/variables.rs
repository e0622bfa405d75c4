//! The variables of an explanation: numbered in the order in which they come up, those without a name named by a number,
//! as ArangoDB does it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::plan::expr::Slot;
use crate::value::{SmolStr, Value};

/// Names that no query can give: the variable is shown as one without a name.
const HIDDEN: [&str; 5] = ["distinct", "path", "subquery", "CURRENT", "calculation"];

/// A variable as the nodes refer to it.
#[derive(Clone)]
pub(super) struct Variable {
    id: i64,
    name: SmolStr,
    /// Holds a document of a collection.
    from_collection: bool,
    /// The value, if it is always the same.
    constant: Option<Value>,
}

impl Variable {
    /// As a node shows it.
    pub(super) fn to_value(&self) -> Value {
        let mut pairs = vec![
            ("id", Value::Int(self.id)),
            ("name", Value::Str(self.name.clone())),
            ("isDataFromCollection", Value::Bool(self.from_collection)),
        ];
        if let Some(constant) = &self.constant {
            pairs.push(("constantValue", constant.clone()));
        }
        Value::from_pairs(pairs)
    }

    /// As an expression that reads it.
    pub(super) fn reference(&self) -> Value {
        Value::from_pairs([
            ("type", Value::from("reference")),
            ("typeID", Value::Int(45)),
            ("name", Value::Str(self.name.clone())),
            ("id", Value::Int(self.id)),
        ])
    }
}

/// The variables known so far.
pub(super) struct Variables<'a> {
    names: &'a [SmolStr],
    by_slot: FxHashMap<Slot, usize>,
    /// Attributes that a scan reads on their own: the document and the path in it.
    projected: FxHashMap<Slot, (Slot, Arc<[SmolStr]>)>,
    all: Vec<Variable>,
    next: i64,
}

impl<'a> Variables<'a> {
    pub(super) fn new(names: &'a [SmolStr]) -> Self {
        Self { names, by_slot: FxHashMap::default(), projected: FxHashMap::default(), all: Vec::new(), next: 0 }
    }

    fn number(&mut self) -> i64 {
        self.next += 1;
        self.next - 1
    }

    fn add(&mut self, name: Option<SmolStr>, from_collection: bool, constant: Option<Value>) -> Variable {
        let name = name.unwrap_or_else(|| self.number().to_string().into());
        let variable = Variable { id: self.number(), name, from_collection, constant };
        self.all.push(variable.clone());
        variable
    }

    /// A variable for a value that has no name in the query.
    pub(super) fn temporary(&mut self, constant: Option<Value>) -> Variable {
        self.add(None, false, constant)
    }

    /// The variable of a slot.
    pub(super) fn of(&mut self, slot: Slot) -> Variable {
        self.known(slot, false, None)
    }

    /// Takes note of an attribute that a scan reads on its own; the query speaks of the document.
    pub(super) fn project(&mut self, slot: Slot, document: Slot, path: &Arc<[SmolStr]>) {
        self.projected.insert(slot, (document, Arc::clone(path)));
    }

    /// The document and the path in it that a slot stands for.
    pub(super) fn projected(&self, slot: Slot) -> Option<(Slot, Arc<[SmolStr]>)> {
        self.projected.get(&slot).cloned()
    }

    /// The variable of a slot that takes the documents of a collection.
    pub(super) fn document(&mut self, slot: Slot) -> Variable {
        self.known(slot, true, None)
    }

    /// The variable of a slot that is given a value.
    pub(super) fn assigned(&mut self, slot: Slot, constant: Option<Value>) -> Variable {
        self.known(slot, false, constant)
    }

    fn known(&mut self, slot: Slot, from_collection: bool, constant: Option<Value>) -> Variable {
        if let Some(at) = self.by_slot.get(&slot) {
            return self.all[*at].clone();
        }
        let name =
            self.names.get(slot).filter(|name| !HIDDEN.contains(&name.as_str())).map(|name| match name.as_str() {
                "OLD" | "NEW" => format!("${name}").into(),
                _ => name.clone(),
            });
        let variable = self.add(name, from_collection, constant);
        self.by_slot.insert(slot, self.all.len() - 1);
        variable
    }

    /// All of them, the latest first.
    pub(super) fn list(&self) -> Value {
        Value::array(self.all.iter().rev().map(Variable::to_value).collect())
    }
}
