//! Random work of several transactions at once, compared with a model that keeps everything in maps.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::catalog::IndexDefinition;
use crate::error::code;
use crate::value::index_key;

const OPEN: usize = 3;

#[derive(Debug, Clone)]
enum Step {
    Insert(usize, u8, i64),
    Update(usize, u8, i64),
    Replace(usize, u8, i64),
    Remove(usize, u8),
    Commit(usize),
    Abort(usize),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let txn = 0..OPEN;
    let key = 0..6u8;
    let n = 0..5i64;
    prop_oneof![
        4 => (txn.clone(), key.clone(), n.clone()).prop_map(|(t, k, n)| Step::Insert(t, k, n)),
        4 => (txn.clone(), key.clone(), n.clone()).prop_map(|(t, k, n)| Step::Update(t, k, n)),
        2 => (txn.clone(), key.clone(), n).prop_map(|(t, k, n)| Step::Replace(t, k, n)),
        3 => (txn.clone(), key).prop_map(|(t, k)| Step::Remove(t, k)),
        4 => txn.clone().prop_map(Step::Commit),
        1 => txn.prop_map(Step::Abort),
        1 => Just(Step::Reopen),
    ]
}

/// Per key its number and which write it is of: a document written again is another version with the same content.
type State = BTreeMap<u8, (i64, usize)>;

/// What the model knows of an open transaction.
struct Open {
    txn: Txn,
    began: State,
    now: State,
    /// Keys and unique values it holds.
    keys: Vec<u8>,
    values: Vec<i64>,
}

struct Model {
    committed: State,
    open: Vec<Option<Open>>,
}

impl Model {
    fn begin(&mut self, w: &World, t: usize) {
        if self.open[t].is_none() {
            let committed = self.committed.clone();
            self.open[t] = Some(Open {
                txn: w.begin(),
                began: committed.clone(),
                now: committed,
                keys: Vec::new(),
                values: Vec::new(),
            });
        }
    }

    /// The error number a write must end with, if any. `new` is the unique value the document gets.
    fn expected(&self, t: usize, key: u8, new: Option<i64>, must_exist: bool) -> Option<u16> {
        let this = self.open[t].as_ref().expect("open");
        let others = || self.open.iter().enumerate().filter(|(i, _)| *i != t).filter_map(|(_, o)| o.as_ref());
        if !this.keys.contains(&key)
            && (others().any(|o| o.keys.contains(&key)) || this.began.get(&key) != self.committed.get(&key))
        {
            return Some(code::CONFLICT);
        }
        match (this.now.contains_key(&key), must_exist) {
            (false, true) => return Some(code::DOCUMENT_NOT_FOUND),
            (true, false) => return Some(code::UNIQUE_CONSTRAINT_VIOLATED),
            _ => {}
        }
        let value = new.filter(|n| this.now.get(&key).map(|d| d.0) != Some(*n))?;
        let holder = |state: &State| state.values().find(|d| d.0 == value).map(|d| d.1);
        if !this.values.contains(&value)
            && (others().any(|o| o.values.contains(&value)) || holder(&this.began) != holder(&self.committed))
        {
            return Some(code::CONFLICT);
        }
        holder(&this.now).map(|_| code::UNIQUE_CONSTRAINT_VIOLATED)
    }
}

fn document(key: u8, n: i64) -> Value {
    v(&format!(r#"{{"_key":"k{key}","n":{n},"u":{n},"t":[{n},{}]}}"#, n + 1))
}

fn check_view(w: &World, view: &View, state: &State) {
    let c = w.collection("c");
    assert_eq!(view.count(&c).unwrap(), state.len() as u64);
    let mut seen = BTreeMap::new();
    let mut scan = view.scan(&c, false).unwrap();
    while let Some((id, d)) = scan.next().unwrap() {
        let key: u8 = d.get("_key").to_text()[1..].parse().unwrap();
        assert_eq!(view.id_of_key(&c, &d.get("_key").to_text()).unwrap(), Some(id));
        seen.insert(key, d.get("n").as_i64().unwrap());
    }
    let wanted: BTreeMap<_, _> = state.iter().map(|(k, d)| (*k, d.0)).collect();
    assert_eq!(seen, wanted);
    for index in c.secondary() {
        for n in 0..6i64 {
            let mut lower = Vec::new();
            index_key::encode(&Value::Int(n), &mut lower);
            let mut upper = lower.clone();
            index_key::increment(&mut upper);
            let mut range = view.range(&c, index, &lower, Some(&upper), n % 2 == 0).unwrap();
            let mut found = 0;
            while let Some(id) = range.next().unwrap() {
                let d = view.by_id(&c, id).unwrap().expect("an index entry has its document");
                let field = &index.fields[0];
                assert!(field.values(&d).contains(&Value::Int(n)));
                found += 1;
            }
            let expands = index.expands();
            assert_eq!(found, wanted.values().filter(|m| **m == n || (expands && **m + 1 == n)).count());
        }
    }
}

fn run(steps: Vec<Step>, unique: bool) {
    let mut w = world();
    for (fields, is_unique) in [("n", false), ("t[*]", false), ("u", true)] {
        let definition = IndexDefinition::persistent(&[fields]).unwrap();
        if !is_unique {
            w.store.create_index("_system", "c", definition).unwrap();
        } else if unique {
            w.store.create_index("_system", "c", definition.unique()).unwrap();
        }
    }
    let mut model = Model { committed: State::new(), open: (0..OPEN).map(|_| None).collect() };
    for (write, step) in steps.into_iter().enumerate() {
        match step {
            Step::Insert(t, key, n) | Step::Update(t, key, n) | Step::Replace(t, key, n) => {
                model.begin(&w, t);
                let is_insert = matches!(step, Step::Insert(..));
                let expected = model.expected(t, key, unique.then_some(n), !is_insert);
                let c = w.collection("c");
                let open = model.open[t].as_mut().expect("open");
                let (doc, selector) = (document(key, n), Value::from(format!("k{key}")));
                let result = match step {
                    Step::Insert(..) => open.txn.insert(&c, &doc, &options()),
                    Step::Update(..) => open.txn.update(&c, &selector, &doc, &options()),
                    _ => open.txn.replace(&c, &selector, &doc, &options()),
                };
                assert_eq!(result.err().map(|e| e.num), expected, "{step:?}");
                if expected.is_none() {
                    open.keys.push(key);
                    if open.now.insert(key, (n, write)).map(|d| d.0) != Some(n) {
                        open.values.push(n);
                    }
                }
            }
            Step::Remove(t, key) => {
                model.begin(&w, t);
                let expected = model.expected(t, key, None, true);
                let c = w.collection("c");
                let open = model.open[t].as_mut().expect("open");
                let result = open.txn.remove(&c, &Value::from(format!("k{key}")), &options());
                assert_eq!(result.err().map(|e| e.num), expected, "{step:?}");
                if expected.is_none() {
                    open.keys.push(key);
                    open.now.remove(&key);
                }
            }
            Step::Commit(t) => {
                if let Some(open) = model.open[t].take() {
                    check_view(&w, &open.txn.view(), &open.now);
                    open.txn.commit(false).unwrap();
                    for key in open.keys {
                        match open.now.get(&key) {
                            Some(n) => model.committed.insert(key, *n),
                            None => model.committed.remove(&key),
                        };
                    }
                }
            }
            Step::Abort(t) => model.open[t] = None,
            Step::Reopen => {
                model.open.iter_mut().for_each(|open| *open = None);
                w = w.reopen();
            }
        }
        for open in model.open.iter().flatten() {
            check_view(&w, &open.txn.view(), &open.now);
        }
        check_view(&w, &w.store.view(), &model.committed);
    }
    drop(model);
    w.store.verify().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn concurrent_transactions_do_what_the_model_does(steps in prop::collection::vec(step(), 1..40)) {
        run(steps, false);
    }

    #[test]
    fn unique_indexes_do_what_the_model_does(steps in prop::collection::vec(step(), 1..40)) {
        run(steps, true);
    }
}
