//! Values that each run of a plan is given anew: its parameters, and what follows from them alone.
//!
//! A plan that is made once and run with other values must be the one that would be made for these. So whoever decides
//! something by such a value says what the decision rests on, and the plan counts only for values that agree in that.

use std::sync::Arc;

use parking_lot::Mutex;

use super::expr::Ex;
use crate::value::Value;

/// The place of such a value.
#[derive(Clone)]
pub struct Bound {
    /// Its number.
    pub at: usize,
    sheet: Arc<Sheet>,
}

/// All such values of a query that is planned.
#[derive(Default)]
pub struct Sheet(Mutex<Written>);

#[derive(Default)]
struct Written {
    /// Those that the plan is made with.
    values: Vec<Value>,
    /// How those behind the parameters follow from the ones before them.
    recipes: Vec<Ex>,
    rests_on: Vec<(usize, Trait)>,
    is_spoilt: bool,
}

/// What a decision rests on. Of what type a value is always counts, so it is not noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// The value itself.
    Itself,
    /// Whether it counts as true.
    Truth,
    /// Whether the list has a null.
    Nulls,
}

/// What a plan needs to be run with other values.
pub struct Recipes {
    /// How values follow from those before them.
    pub steps: Vec<Ex>,
    /// What its decisions rest on.
    pub rests_on: Vec<(usize, Trait)>,
}

impl Sheet {
    /// The sheet of a query with these parameters.
    pub fn new(parameters: Vec<Value>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Written { values: parameters, ..Written::default() })))
    }

    /// A parameter, by its number.
    pub fn parameter(self: &Arc<Self>, at: usize) -> Ex {
        Ex::Bound(Bound { at, sheet: Arc::clone(self) })
    }

    /// The values so far.
    pub fn values(&self) -> Vec<Value> {
        self.0.lock().values.clone()
    }

    /// The plan rests on this.
    pub fn rests_on(&self, at: usize, of_value: Trait) {
        let mut written = self.0.lock();
        if !written.rests_on.contains(&(at, of_value)) {
            written.rests_on.push((at, of_value));
        }
    }

    /// The plan counts for this run alone.
    pub fn spoil(&self) {
        self.0.lock().is_spoilt = true;
    }

    /// What is needed to run the plan again, unless it counts for this run alone. The values go: a plan that is kept does not
    /// keep what it was made with.
    pub fn finish(&self) -> Option<Recipes> {
        let mut written = self.0.lock();
        written.values = Vec::new();
        let steps = std::mem::take(&mut written.recipes);
        let rests_on = std::mem::take(&mut written.rests_on);
        (!written.is_spoilt).then_some(Recipes { steps, rests_on })
    }
}

impl Bound {
    /// The sheet it stands on.
    pub fn sheet(&self) -> &Arc<Sheet> {
        &self.sheet
    }

    /// Its value, in the run that the plan is made for.
    fn value(&self) -> Value {
        self.sheet.0.lock().values.get(self.at).cloned().unwrap_or_default()
    }

    /// A value that follows from this one and others on the sheet.
    pub fn follows(&self, recipe: Ex, value: Value) -> Ex {
        let mut written = self.sheet.0.lock();
        written.values.push(value);
        written.recipes.push(recipe);
        let at = written.values.len() - 1;
        drop(written);
        self.sheet.parameter(at)
    }
}

impl Ex {
    /// Is it known before the query runs?
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Const(_) | Self::Bound(_))
    }

    /// Its value, where that is known; the plan rests on it.
    pub fn known(&self) -> Option<Value> {
        match self {
            Self::Const(value) => Some(value.clone()),
            Self::Bound(bound) => {
                bound.sheet.rests_on(bound.at, Trait::Itself);
                Some(bound.value())
            }
            _ => None,
        }
    }

    /// The same for whoever looks at nothing but its type, or tells an error.
    pub fn of_known_type(&self) -> Option<Value> {
        match self {
            Self::Const(value) => Some(value.clone()),
            Self::Bound(bound) => Some(bound.value()),
            _ => None,
        }
    }

    /// Whether it counts as true, where that is known.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Const(value) => Some(value.truthy()),
            Self::Bound(bound) => {
                bound.sheet.rests_on(bound.at, Trait::Truth);
                Some(bound.value().truthy())
            }
            _ => None,
        }
    }

    /// Is it known to be null?
    pub fn is_null(&self) -> bool {
        self.of_known_type().is_some_and(|value| value.is_null())
    }

    /// Is it known to be a list without a null?
    pub fn is_without_nulls(&self) -> bool {
        if let Self::Bound(bound) = self {
            bound.sheet.rests_on(bound.at, Trait::Nulls);
        }
        self.of_known_type().is_some_and(|list| !has_nulls(&list))
    }

    /// A constant where it is known: for whoever needs nothing less.
    pub fn settled(self) -> Self {
        match self.known() {
            Some(value) => Self::Const(value),
            None => self,
        }
    }
}

fn has_nulls(list: &Value) -> bool {
    list.iter_array().any(|member| member.is_null())
}

impl Trait {
    /// Do two values agree in it?
    pub fn agrees(self, one: &Value, other: &Value) -> bool {
        match self {
            // an attribute that is null equals one that is missing, and may decide otherwise
            Self::Itself if one.is_array() || one.is_object() => one.to_json() == other.to_json(),
            Self::Itself => one == other,
            Self::Truth => one.truthy() == other.truthy(),
            Self::Nulls => has_nulls(one) == has_nulls(other),
        }
    }
}

/// What always counts of a value: its type, and roughly how long it is as a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    type_name: &'static str,
    is_whole: bool,
    size: u32,
}

impl Kind {
    /// Of a value.
    pub fn of(value: &Value) -> Self {
        let members = value.array_len().unwrap_or_default();
        Self {
            type_name: value.type_name(),
            is_whole: matches!(value, Value::Int(_)),
            // lists of 0, 1, 2 to 7, 8 to 31 ... members are alike
            size: (usize::BITS - members.leading_zeros() + 1) >> 1,
        }
    }
}
