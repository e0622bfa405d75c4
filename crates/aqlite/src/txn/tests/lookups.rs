//! What is looked up again is what the tables hold, whatever was written meanwhile.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Compares every look-up of documents and edges with what a scan finds.
fn assert_right(view: &View, documents: &Collection, edges: &Collection, keys: u8) {
    let mut by_key = ByKey::new();
    let mut scan = view.scan(documents, false).expect("scans");
    while let Some((id, document)) = scan.next().expect("reads") {
        by_key.insert(document.get("_key").to_text().to_string(), (id, document));
    }
    for key in (0..keys).map(|key| format!("k{key}")) {
        let found = view.find_key(documents, &key).expect("reads");
        assert_eq!(found.as_ref(), by_key.get(&key), "{key}");
    }
    let mut at_vertex = AtVertex::new();
    let mut scan = view.scan(edges, false).expect("scans");
    while let Some((id, edge)) = scan.next().expect("reads") {
        let (from, to) = (edge.get("_from").to_text(), edge.get("_to").to_text());
        at_vertex.entry((from.clone(), true)).or_default().push((id, to.clone()));
        at_vertex.entry((to, false)).or_default().push((id, from));
    }
    for (key, outbound) in (0..keys).flat_map(|key| [(key, true), (key, false)]) {
        let vertex = SmolStr::from(format!("c/k{key}"));
        assert_right_behind(view, documents, edges, (&vertex, outbound), (&by_key, &at_vertex));
        let mut scan = view.edges(edges, &vertex, outbound).expect("reads");
        let mut found = Vec::new();
        while let Some(edge) = scan.next() {
            let (id, other) = edge.expect("reads");
            if let Some(document) = scan.document(view, edges).expect("reads") {
                assert_eq!(Some(document), view.by_id(edges, id).expect("reads"));
            }
            found.push((id, other));
        }
        assert_eq!(found, at_vertex.get(&(vertex, outbound)).cloned().unwrap_or_default(), "k{key} {outbound}");
    }
}

type ByKey = BTreeMap<String, (DocId, Value)>;
type AtVertex = BTreeMap<(SmolStr, bool), Vec<(DocId, SmolStr)>>;

/// Compares what is found behind the edges of a vertex, in either direction, with what a scan finds.
fn assert_right_behind(
    view: &View,
    documents: &Collection,
    edges: &Collection,
    (vertex, outbound): (&str, bool),
    (by_key, at_vertex): (&ByKey, &AtVertex),
) {
    let mut scan = view.edges(edges, vertex, outbound).expect("reads");
    while let Some(edge) = scan.next() {
        let (_, other) = edge.expect("reads");
        let Some(known) = scan.known() else { continue };
        let key = other.strip_prefix("c/").expect("a vertex");
        let way_on = WayOn { collection: edges, outbound };
        let (document, is_end) = view.vertex_behind(&known, (documents, key), Some(way_on)).expect("reads");
        assert!(!is_end || !at_vertex.contains_key(&(other.clone(), outbound)), "{other} behind {vertex}");
        assert!(!view.is_end_behind(&known, way_on) || !at_vertex.contains_key(&(other.clone(), outbound)));
        assert_eq!(document.as_ref(), by_key.get(key).map(|(_, document)| document), "{other} behind {vertex}");
        for onward in [true, false, true] {
            let found = view.edges_behind(&known, edges, &other, onward).expect("reads");
            let found: Vec<_> = found.map(|edge| edge.expect("reads")).collect();
            let expected = at_vertex.get(&(other.clone(), onward)).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{other} behind {vertex}, {onward}");
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8),
    Remove(u8),
    Link(u8, u8),
    Unlink(u16),
    /// Everything goes into the tables.
    Flush,
    Look,
    /// A look that sees what its own transaction wrote.
    LookWithin(u8, u8),
}

const KEYS: u8 = 5;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..KEYS).prop_map(Step::Put),
        1 => (0..KEYS).prop_map(Step::Remove),
        3 => (0..KEYS, 0..KEYS).prop_map(|(a, b)| Step::Link(a, b)),
        2 => any::<u16>().prop_map(Step::Unlink),
        3 => Just(Step::Flush),
        4 => Just(Step::Look),
        1 => (0..KEYS, 0..KEYS).prop_map(|(a, b)| Step::LookWithin(a, b)),
    ]
}

fn put(txn: &mut Txn, collection: &Arc<Collection>, key: u8, n: usize) {
    let overwrite = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..options() };
    txn.insert(collection, &v(&format!(r#"{{"_key":"k{key}","n":{n}}}"#)), &overwrite).expect("writes");
}

fn link(txn: &mut Txn, collection: &Arc<Collection>, from: u8, to: u8) -> SmolStr {
    let edge = v(&format!(r#"{{"_from":"c/k{from}","_to":"c/k{to}"}}"#));
    txn.insert(collection, &edge, &options()).expect("links").key
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 32 } else { 256 }))]

    #[test]
    fn look_ups_follow_what_is_written(steps in prop::collection::vec(step(), 1..50)) {
        let w = world();
        let (documents, edges) = (w.collection("c"), w.collection("e"));
        let mut links: Vec<SmolStr> = Vec::new();
        let mut held = Vec::new();
        for (n, step) in steps.into_iter().enumerate() {
            let mut txn = w.begin();
            match step {
                Step::Put(key) => put(&mut txn, &documents, key, n),
                Step::Remove(key) => {
                    let _ = txn.remove(&documents, &Value::from(format!("k{key}")), &options());
                }
                Step::Link(from, to) => links.push(link(&mut txn, &edges, from, to)),
                Step::Unlink(random) if !links.is_empty() => {
                    let key = links.swap_remove(random as usize % links.len());
                    txn.remove(&edges, &Value::Str(key), &options()).expect("unlinks");
                }
                Step::Flush => w.store.flush().expect("flushes"),
                Step::Look => {
                    assert_right(&w.store.view(), &documents, &edges, KEYS);
                    held.push(w.store.view());
                }
                Step::LookWithin(from, to) => {
                    put(&mut txn, &documents, from, n);
                    link(&mut txn, &edges, from, to);
                    assert_right(&txn.view(), &documents, &edges, KEYS);
                    continue;
                }
                Step::Unlink(_) => {}
            }
            txn.commit(false).expect("commits");
        }
        // who began earlier still sees what was there then
        for view in held {
            assert_right(&view, &documents, &edges, KEYS);
        }
    }
}
