//! Plans that were made before. A program asks the same few hundred queries over and over, and only their parameters differ.
//!
//! A plan is kept with what its making rested on: the catalog, how large the collections were, the types of the parameters,
//! and whatever was asked about their values ([`super::bound`]). It is used where all of that is the same. Whether the user
//! and the transaction may use its collections is asked each time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::RwLock;

use super::bound::{Kind, Recipes, Trait};
use super::expr::Ex;
use super::outline::Outline;
use super::{Plan, estimates};
use crate::catalog::{Catalog, IndexKind};
use crate::exec::{QueryOptions, follow};
use crate::lang::{ByText, by_text};
use crate::storage::at_hand;
use crate::txn::{Txn, View};
use crate::value::{SmolStr, Value};

/// How many texts have plans. Those asked for once make room before those asked for again.
const TEXTS: usize = 512;
/// How many plans a text has.
const PLANS: usize = 8;
/// Longer texts are planned anew each time: they hold their values instead of parameters.
const LONGEST_TEXT: usize = 8 * 1024;
/// Bytes of the values on which a plan rests,
const LARGEST_VALUES: usize = 4 * 1024;
/// and of the constants that were computed for it: there are many plans.
const LARGEST_CONSTANTS: usize = 64 * 1024;
/// After this a plan is made anew: what indexes find may have changed.
const LIFE: Duration = Duration::from_secs(10);
/// So often it is looked whether collections have become larger or smaller.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// A text that has had so many plans, of which few were used again, gets no more.
const MADE_IN_VAIN: u32 = 32;

static KEPT: LazyLock<ByText<Arc<PlansOf>>> = LazyLock::new(|| by_text(TEXTS));

/// The plans of a text.
#[derive(Default)]
struct PlansOf {
    plans: RwLock<Vec<Kept>>,
    made: AtomicU32,
    used: AtomicU32,
}

/// A plan with all it rests on.
struct Kept {
    plan: Arc<Plan>,
    made: Instant,
    /// How old it was, in milliseconds, when it was last looked how large its collections are.
    looked_at: AtomicU32,
    full_count: bool,
    catalog: Weak<Catalog>,
    database: u64,
    /// How many documents each of its collections had.
    sizes: Vec<f64>,
    /// Names of the parameters, in the order of their numbers.
    parameters: Vec<SmolStr>,
    /// What follows from them.
    steps: Vec<Ex>,
    kinds: Vec<Kind>,
    rests_on: Vec<(usize, Trait, Value)>,
}

/// A plan with the values it is run with.
pub struct Ready {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The parameters and what follows from them.
    pub bound: Vec<Value>,
}

/// Forgets all plans.
pub fn forget() {
    KEPT.clear();
}

/// May a query with these options use plans of others?
pub fn is_for(text: &str, options: &QueryOptions) -> bool {
    text.len() <= LONGEST_TEXT && options.rules.is_empty() && options.profile == 0
}

/// A plan that was made before and counts for this run.
pub fn find(txn: &Txn, text: &str, parameters: &Value, options: &QueryOptions) -> Option<Ready> {
    let of = KEPT.get(text)?;
    let plans = of.plans.read();
    let found = plans.iter().rev().find_map(|kept| kept.ready(txn, parameters, options))?;
    of.used.fetch_add(1, Ordering::Relaxed);
    Some(found)
}

/// Is it worth making a plan for other values, too? Whoever is told so makes it.
pub fn wants(text: &str) -> bool {
    let of = plans_of(text);
    let (made, used) = (of.made.load(Ordering::Relaxed), of.used.load(Ordering::Relaxed));
    let is_wanted = made < MADE_IN_VAIN || made < used;
    if is_wanted {
        of.made.fetch_add(1, Ordering::Relaxed);
    }
    is_wanted
}

fn plans_of(text: &str) -> Arc<PlansOf> {
    KEPT.get(text).unwrap_or_else(|| {
        let of = Arc::new(PlansOf::default());
        KEPT.insert(text.into(), Arc::clone(&of));
        of
    })
}

/// Keeps a plan that was made with these values, unless it is another one than `plain`, which was made for them alone. Tells
/// why it is not kept.
pub fn keep(
    txn: &Txn,
    text: &str,
    options: &QueryOptions,
    recipes: Recipes,
    plain: &Plan,
    made: &MadeWith<'_>,
) -> Result<(), &'static str> {
    if made.plan.constants > LARGEST_CONSTANTS {
        return Err("it has large constants");
    }
    let values = made.values;
    let rests_on: Vec<(usize, Trait, Value)> =
        recipes.rests_on.iter().map(|(at, of_value)| (*at, *of_value, values[*at].clone())).collect();
    if rests_on.iter().map(|(_, _, value)| value.memory()).sum::<usize>() > LARGEST_VALUES {
        return Err("it rests on large values");
    }
    if !is_ordinary(made.plan) {
        return Err("it warns, or a collection has an index that is asked in constants");
    }
    if Outline::of(made.plan) != Outline::of(plain) {
        return Err("it is another one than for the given values alone");
    }
    let kept = Kept {
        plan: Arc::clone(made.plan),
        made: Instant::now(),
        looked_at: AtomicU32::new(0),
        full_count: options.full_count,
        catalog: Arc::downgrade(txn.catalog()),
        database: txn.database().id,
        sizes: sizes(made.plan, &txn.view()),
        parameters: made.parameters.iter_object().map(|(name, _)| name.into()).collect(),
        steps: recipes.steps,
        kinds: values.iter().map(Kind::of).collect(),
        rests_on,
    };
    let of = plans_of(text);
    let mut plans = of.plans.write();
    plans.retain(|plan| plan.made.elapsed() <= LIFE);
    if plans.len() >= PLANS {
        plans.remove(0);
    }
    plans.push(kept);
    Ok(())
}

/// A plan with what it was made with.
pub struct MadeWith<'a> {
    /// The plan.
    pub plan: &'a Arc<Plan>,
    /// The parameters.
    pub parameters: &'a Value,
    /// Their values, and what follows from them.
    pub values: &'a [Value],
}

/// Some indexes are chosen by what is asked of them in constants.
fn is_ordinary(plan: &Plan) -> bool {
    let mut indexes = plan.collections.iter().flat_map(|(collection, _)| &collection.indexes);
    plan.warnings.is_empty()
        && !indexes
            .any(|index| matches!(index.kind, IndexKind::Geo { .. } | IndexKind::Mdi | IndexKind::Fulltext { .. }))
}

fn sizes(plan: &Plan, view: &View) -> Vec<f64> {
    plan.collections.iter().map(|(collection, _)| estimates::documents(view, collection)).collect()
}

/// Has a collection become a quarter larger or smaller? A few documents make no difference.
fn is_another_size(before: f64, now: f64) -> bool {
    (now - before).abs() > before / 4.0 + 100.0
}

impl Kept {
    /// The plan with the values of a run, if it counts for them.
    fn ready(&self, txn: &Txn, parameters: &Value, options: &QueryOptions) -> Option<Ready> {
        let is_same = self.full_count == options.full_count
            && self.database == txn.database().id
            && std::ptr::eq(self.catalog.as_ptr(), Arc::as_ptr(txn.catalog()))
            && self.parameters.len() == parameters.object_len().unwrap_or_default();
        if !is_same {
            return None;
        }
        let values: Option<Vec<Value>> = self.parameters.iter().map(|name| parameters.get_opt(name)).collect();
        let values = values.filter(|values| self.are_alike(values))?;
        let bound = follow(&self.steps, values, txn.store().memory())?;
        let counts = self.are_alike(&bound)
            && self.rests_on.iter().all(|(at, of_value, value)| of_value.agrees(value, &bound[*at]))
            && self.is_allowed(txn)
            && !self.is_outgrown(txn);
        counts.then(|| Ready { plan: Arc::clone(&self.plan), bound })
    }

    /// Are these values of the types that the first ones had?
    fn are_alike(&self, values: &[Value]) -> bool {
        values.iter().zip(&self.kinds).all(|(value, kind)| Kind::of(value) == *kind)
    }

    /// May its collections be used?
    fn is_allowed(&self, txn: &Txn) -> bool {
        self.plan.collections.iter().all(|(collection, is_written)| {
            let found = txn.collection_for_read(&collection.name).is_ok();
            found && (!is_written || txn.collection_for_write(&collection.name).is_ok())
        })
    }

    /// May another plan be made now?
    fn is_outgrown(&self, txn: &Txn) -> bool {
        let age = self.made.elapsed();
        let looked_at = Duration::from_millis(self.looked_at.load(Ordering::Relaxed).into());
        if age.saturating_sub(looked_at) < LOOK_AGAIN || (!at_hand::may_wait() && age <= LIFE) {
            return false;
        }
        let now = sizes(&self.plan, &txn.view());
        let is_outgrown = age > LIFE || self.sizes.iter().zip(now).any(|(before, now)| is_another_size(*before, now));
        if !is_outgrown {
            self.looked_at.store(age.as_millis() as u32, Ordering::Relaxed);
        }
        is_outgrown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_documents_make_no_other_size_and_a_quarter_does() {
        assert!(!is_another_size(0.0, 100.0));
        assert!(is_another_size(0.0, 101.0));
        assert!(!is_another_size(1e6, 1.2e6));
        assert!(is_another_size(1e6, 1.3e6) && is_another_size(1e6, 0.7e6));
    }
}
