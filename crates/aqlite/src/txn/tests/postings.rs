//! What writing a document costs the search over it, and that it is found by what it is whatever happened to it.

use proptest::prelude::*;

use super::*;
use crate::exec::{Prepared, QueryOptions, RunContext};
use crate::search::{Link, SearchDefinition, keys};
use crate::storage::{MemTable, Space, origin_from, prefixed};

/// What the view `v` finds of the collection `c`.
fn definition(w: &World, link: &str) -> SearchDefinition {
    let database = w.store.database("_system").unwrap();
    let view = database.view("v").cloned().unwrap_or_else(|| {
        let properties = r#"{"storedValues":[{"fields":["n"]}]}"#;
        w.store.create_view("_system", "v", properties.into(), None).unwrap()
    });
    w.store.define_link("_system", &view, Link::from_value(&v(link)).unwrap()).unwrap()
}

const TEXTS: &str = r#"{"fields":{"text":{"analyzers":["text_en"]},"n":{}}}"#;

fn linked(link: &str) -> World {
    let w = world();
    w.store.link("_system", "c", definition(&w, link)).unwrap();
    w
}

fn rows(txn: &mut Txn, query: &str) -> String {
    let prepared = Prepared::new(txn, query, &Value::Null, &QueryOptions::default()).unwrap();
    Value::array(prepared.run(txn, RunContext::default()).unwrap().rows).to_json()
}

/// The keys of the documents with a word in their text.
fn with_word(txn: &mut Txn, word: &str) -> String {
    let condition = format!("ANALYZER(d.text == '{word}', 'text_en')");
    rows(txn, &format!("FOR d IN v SEARCH {condition} SORT d._key RETURN d._key"))
}

/// How many entries of indexes are put and deleted.
fn index_writes(memtable: &mut MemTable) -> (usize, usize) {
    memtable.settle();
    let written = memtable.space(Space::Index);
    let put = written.iter().filter(|(_, value)| value.is_some()).count();
    (put, written.len() - put)
}

#[test]
fn an_update_that_leaves_the_texts_alone_writes_one_posting_whatever_their_length() {
    let w = linked(r#"{"fields":{"text":{"analyzers":["text_en"]},"title":{"analyzers":["text_en"]}}}"#);
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"x","text":"one two three four five six seven","title":"eight nine"}"#).unwrap();
    for _ in 0..2 {
        let mut txn = w.begin();
        txn.update(&c, &"x".into(), &v(r#"{"state":"done"}"#), &options()).unwrap();
        // that tells the id; beside it what is kept of the document stays as it is
        assert_eq!(index_writes(&mut txn.memtable), (1, 0));
        assert_eq!(with_word(&mut txn, "five"), r#"["x"]"#);
        txn.commit(false).unwrap();
    }
    let mut txn = w.begin();
    txn.update(&c, &"x".into(), &v(r#"{"text":"one two three four five six eleven"}"#), &options()).unwrap();
    let (put, deleted) = index_writes(&mut txn.memtable);
    // the id, and a word for another; how many there are is the same
    assert_eq!((put, deleted), (2, 1));
    txn.commit(false).unwrap();
    let w = w.reopen();
    w.store.verify().unwrap();
    let mut txn = w.begin();
    for (word, found) in [("seven", "[]"), ("eleven", r#"["x"]"#), ("two", r#"["x"]"#)] {
        assert_eq!(with_word(&mut txn, word), found, "{word}");
    }
    assert_eq!(rows(&mut txn, "FOR d IN v RETURN d.state"), r#"["done"]"#);
}

#[test]
fn of_a_link_to_all_attributes_an_update_writes_the_postings_of_those_that_change() {
    let w = linked(r#"{"includeAllFields":true}"#);
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"x","a":1,"b":[1,2,3],"c":{"d":"e"},"n":5}"#).unwrap();
    let mut txn = w.begin();
    txn.update(&c, &"x".into(), &v(r#"{"a":2,"n":6}"#), &options()).unwrap();
    // the id, what is kept, `_rev`, `a` and `n`
    assert_eq!(index_writes(&mut txn.memtable), (5, 3));
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn attributes_whose_names_are_like_paths_are_not_mistaken_for_others() {
    let w = linked(r#"{"includeAllFields":true,"analyzers":["text_en"]}"#);
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"x","a":{"b":"one two"},"a.b":"three two"}"#).unwrap();
    for patch in [r#"{"a.b":"four"}"#, r#"{"a":{"b":"two two"}}"#, r#"{"n":1}"#, r#"{"a":null}"#] {
        let mut txn = w.begin();
        txn.update(&c, &"x".into(), &v(patch), &WriteOptions { keep_null: false, ..options() }).unwrap();
        txn.commit(false).unwrap();
        w.store.verify().unwrap();
    }
}

#[test]
fn a_transaction_that_changes_a_text_again_and_again_leaves_the_postings_of_the_last() {
    let w = linked(TEXTS);
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"x","text":"old"}"#).unwrap();
    let mut txn = w.begin();
    for text in ["new", "old", "newer", "old", "newest"] {
        txn.update(&c, &"x".into(), &v(&format!(r#"{{"text":"{text}"}}"#)), &options()).unwrap();
        assert_eq!(with_word(&mut txn, text), r#"["x"]"#);
        for other in ["old", "new", "newer", "newest"].into_iter().filter(|other| *other != text) {
            assert_eq!(with_word(&mut txn, other), "[]", "{other} after {text}");
        }
    }
    txn.remove(&c, &"x".into(), &options()).unwrap();
    txn.insert(&c, &v(r#"{"_key":"x","text":"old"}"#), &options()).unwrap();
    let mut other = w.begin();
    assert_eq!((with_word(&mut other, "old"), with_word(&mut txn, "old")), (r#"["x"]"#.into(), r#"["x"]"#.into()));
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
}

#[test]
fn a_posting_that_tells_another_id_is_found_by_a_check() {
    let w = linked(TEXTS);
    let c = w.collection("c");
    w.insert("c", r#"{"_key":"x","text":"one"}"#).unwrap();
    let mut txn = w.begin();
    txn.update(&c, &"x".into(), &v(r#"{"a":1}"#), &options()).unwrap();
    txn.commit(false).unwrap();
    w.store.verify().unwrap();
    let index = c.secondary().next().unwrap();
    let held = w.store.shared().current().get(Space::Primary, &prefixed(c.object(), b"x")).unwrap().unwrap();
    let posting = keys::document(index.object(), origin_from(&held).unwrap());
    w.store
        .change(move |draft| {
            draft.writes.put(Space::Index, posting.as_slice(), 7u64.to_be_bytes().as_slice());
            Ok(())
        })
        .unwrap();
    let problem = w.store.verify().unwrap_err().message;
    assert!(problem.contains(&format!("index {} of c/x does not fit", index.name)), "{problem}");
}

/// Steps of several transactions at once, some of which leave texts as they are.
#[derive(Debug, Clone)]
enum Step {
    Insert(usize, u8, u8),
    Text(usize, u8, u8),
    Other(usize, u8, u8),
    Replace(usize, u8, u8),
    Remove(usize, u8),
    Commit(usize),
    Abort(usize),
    Link(bool),
    Reopen,
}

const OPEN: usize = 2;
const WORDS: [&str; 4] = ["red", "green", "blue", "green red"];

fn step() -> impl Strategy<Value = Step> {
    let (txn, key, n) = (0..OPEN, 0..4u8, 0..4u8);
    let write = (txn.clone(), key.clone(), n);
    prop_oneof![
        4 => write.clone().prop_map(|(t, k, n)| Step::Insert(t, k, n)),
        3 => write.clone().prop_map(|(t, k, n)| Step::Text(t, k, n)),
        5 => write.clone().prop_map(|(t, k, n)| Step::Other(t, k, n)),
        2 => write.prop_map(|(t, k, n)| Step::Replace(t, k, n)),
        2 => (txn.clone(), key).prop_map(|(t, k)| Step::Remove(t, k)),
        4 => txn.clone().prop_map(Step::Commit),
        1 => txn.prop_map(Step::Abort),
        1 => any::<bool>().prop_map(Step::Link),
        1 => Just(Step::Reopen),
    ]
}

/// What is found by the postings is what a scan finds.
fn compare(txn: &mut Txn) {
    for word in ["red", "green", "blue"] {
        let scanned = format!("FOR d IN c FILTER CONTAINS(d.text, '{word}') SORT d._key RETURN d._key");
        assert_eq!(with_word(txn, word), rows(txn, &scanned), "{word}");
    }
    for n in 0..4 {
        let searched = rows(txn, &format!("FOR d IN v SEARCH d.n == {n} SORT d._key RETURN [d._key, d.n, d.text]"));
        let scanned = rows(txn, &format!("FOR d IN c FILTER d.n == {n} SORT d._key RETURN [d._key, d.n, d.text]"));
        assert_eq!(searched, scanned);
    }
    // what is kept in the index, and documents that are read behind a limit
    let searched = rows(txn, "FOR d IN v SORT d.n LIMIT 9 RETURN d._rev");
    let mut revisions = v(&searched).iter_array().map(|rev| rev.to_json()).collect::<Vec<_>>();
    let scanned = rows(txn, "FOR d IN c FILTER d.n != null || d.text != null RETURN d._rev");
    let mut expected = v(&scanned).iter_array().map(|rev| rev.to_json()).collect::<Vec<_>>();
    revisions.sort();
    expected.sort();
    assert_eq!(revisions, expected);
}

fn run(steps: Vec<Step>) {
    let mut w = linked(TEXTS);
    let mut open: Vec<Option<Txn>> = (0..OPEN).map(|_| None).collect();
    for step in steps {
        let c = w.collection("c");
        let key = |k: u8| Value::from(format!("k{k}"));
        let write = |open: &mut Vec<Option<Txn>>, t: usize, work: &dyn Fn(&mut Txn)| {
            let txn = open[t].get_or_insert_with(|| w.begin());
            work(txn);
            compare(txn);
        };
        // conflicts and missing documents are errors that change nothing
        match step {
            Step::Insert(t, k, n) => write(&mut open, t, &|txn| {
                let document = format!(r#"{{"_key":"k{k}","text":"{}","n":{n}}}"#, WORDS[n as usize]);
                let _ = txn.insert(&c, &v(&document), &options());
            }),
            Step::Text(t, k, n) => write(&mut open, t, &|txn| {
                let patch = format!(r#"{{"text":"{}"}}"#, WORDS[n as usize]);
                let _ = txn.update(&c, &key(k), &v(&patch), &options());
            }),
            Step::Other(t, k, n) => write(&mut open, t, &|txn| {
                let patch = [r#"{"a":1}"#, r#"{"n":1}"#, r#"{"a":2,"n":2}"#, r#"{"text":null}"#][n as usize];
                let _ = txn.update(&c, &key(k), &v(patch), &WriteOptions { keep_null: false, ..options() });
            }),
            Step::Replace(t, k, n) => write(&mut open, t, &|txn| {
                let document = [r#"{"text":"blue"}"#, r#"{"n":3}"#, "{}", r#"{"text":"red blue","n":0}"#][n as usize];
                let _ = txn.replace(&c, &key(k), &v(document), &options());
            }),
            Step::Remove(t, k) => write(&mut open, t, &|txn| {
                let _ = txn.remove(&c, &key(k), &options());
            }),
            Step::Commit(t) => {
                if let Some(txn) = open[t].take() {
                    txn.commit(false).unwrap();
                    w.store.verify().unwrap();
                    compare(&mut w.begin());
                }
            }
            Step::Abort(t) => drop(open[t].take()),
            Step::Link(again) => {
                open.fill_with(|| None);
                // without a search documents forget by which number it knew them
                let view = w.store.database("_system").unwrap().view("v").cloned().unwrap();
                w.store.unlink("_system", "c", &view).unwrap();
                if again {
                    w.store.link("_system", "c", definition(&w, TEXTS)).unwrap();
                }
                let mut txn = w.begin();
                let _ = txn.update(&w.collection("c"), &key(0), &v(r#"{"a":3}"#), &options());
                txn.commit(false).unwrap();
                w.store.link("_system", "c", definition(&w, TEXTS)).unwrap();
                w.store.verify().unwrap();
                compare(&mut w.begin());
            }
            Step::Reopen => {
                open.fill_with(|| None);
                w = w.reopen();
                w.store.verify().unwrap();
                compare(&mut w.begin());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn searches_find_what_scans_find_whatever_happens(steps in proptest::collection::vec(step(), 1..40)) {
        run(steps);
    }
}
