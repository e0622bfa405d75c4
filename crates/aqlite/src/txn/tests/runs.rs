//! What is found by values of an index is what stands there, whatever was written meanwhile.

use proptest::prelude::*;

use super::*;
use crate::catalog::{Index, IndexDefinition};
use crate::value::index_key;

/// Compares the run of every value with the range of it.
fn assert_right(view: &View, collection: &Collection, index: &Index) {
    for n in 0..NUMBERS {
        let mut values = Vec::new();
        index_key::encode(&Value::from(format!("n{n}")), &mut values);
        let mut upper = values.clone();
        index_key::increment(&mut upper);
        let mut expected = Vec::new();
        let mut range = view.range(collection, index, &values, Some(&upper), false).expect("reads");
        while let Some(id) = range.next().expect("reads") {
            expected.push((id, view.by_id(collection, id).expect("reads")));
        }
        for most in [2, usize::MAX] {
            let Some(mut run) = view.run(collection, index, &values).expect("reads") else { continue };
            let mut found = Vec::new();
            while found.len() < most
                && let Some(id) = run.next(view).expect("reads")
            {
                found.push((id, run.document(view, collection, id).expect("reads")));
            }
            assert_eq!(found, expected[..expected.len().min(most)], "n{n}");
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// So many documents with a value.
    Put(u8, u16),
    Remove(u16),
    /// Everything goes into the tables.
    Flush,
    Look,
    /// A look that sees what its own transaction wrote.
    LookWithin(u8),
}

const NUMBERS: u8 = 3;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..NUMBERS, 1..40u16).prop_map(|(n, count)| Step::Put(n, count)),
        2 => any::<u16>().prop_map(Step::Remove),
        3 => Just(Step::Flush),
        4 => Just(Step::Look),
        1 => (0..NUMBERS).prop_map(Step::LookWithin),
    ]
}

fn put(txn: &mut Txn, collection: &Arc<Collection>, n: u8) -> crate::value::SmolStr {
    txn.insert(collection, &v(&format!(r#"{{"n":"n{n}","more":1}}"#)), &options()).expect("writes").key
}

fn follow(steps: Vec<Step>) {
    let w = world();
    let fields = IndexDefinition::persistent(&["n", "more"]).expect("an index");
    let index = w.store.create_index("_system", "c", fields).expect("creates").0;
    let collection = w.collection("c");
    let mut keys = Vec::new();
    let mut held = Vec::new();
    for step in steps {
        let mut txn = w.begin();
        match step {
            Step::Put(n, count) => keys.extend((0..count).map(|_| put(&mut txn, &collection, n))),
            Step::Remove(random) if !keys.is_empty() => {
                let key = keys.swap_remove(random as usize % keys.len());
                txn.remove(&collection, &Value::Str(key), &options()).expect("removes");
            }
            Step::Remove(_) => {}
            Step::Flush => w.store.flush().expect("flushes"),
            Step::Look => {
                assert_right(&w.store.view(), &collection, &index);
                held.push(w.store.view());
            }
            Step::LookWithin(n) => {
                put(&mut txn, &collection, n);
                assert_right(&txn.view(), &collection, &index);
                continue;
            }
        }
        txn.commit(false).expect("commits");
    }
    // who began earlier still sees what was there then
    for view in held {
        assert_right(&view, &collection, &index);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 24 } else { 256 }))]

    #[test]
    fn runs_follow_what_is_written(steps in prop::collection::vec(step(), 1..40)) {
        follow(steps);
    }
}

#[test]
fn a_run_goes_on_behind_what_is_kept_of_it() {
    let steps = [Step::Put(0, 700), Step::Put(1, 3), Step::Flush, Step::Look, Step::Put(0, 1), Step::Flush, Step::Look];
    follow(steps.to_vec());
}
