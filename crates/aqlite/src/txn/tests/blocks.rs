//! Scans over images give what scans over the tables give, whatever was written meanwhile.

use proptest::prelude::*;

use super::*;

/// Documents with their ids.
type Documents = Vec<(DocId, Value)>;

/// What the two ways through a collection find.
fn both(view: &View, collection: &Collection) -> (Documents, Documents) {
    let mut scan = view.scan(collection, false).expect("scans");
    let mut expected = Vec::new();
    while let Some((id, document)) = scan.next().expect("reads") {
        expected.push((id, document));
    }
    let mut blocks = view.blocks(collection).expect("counts").expect("is small enough");
    let path: Arc<[SmolStr]> = [SmolStr::new("n")].into();
    let mut found = Vec::new();
    while blocks.advance().expect("reads") {
        let document = blocks.document();
        if let Row::Stored(block, at) = blocks.row()
            && let Some(column) = block.column(&path)
        {
            assert_eq!(column[at], document.get("n"));
        }
        if let (Row::Stored(block, at), Value::Stored(stored)) = (blocks.row(), &document) {
            assert_eq!([0, at].map(|near| block.place(stored, near)), [Some(at); 2]);
            if let Some(texts) = block.texts() {
                assert_eq!(texts.get(at), Some(document.to_json().as_bytes()));
            }
        }
        found.push((revision_id(&document.get("_rev").to_text()).expect("a revision"), document));
    }
    (expected, found)
}

/// What is found piece by piece, where a collection can be cut.
fn in_pieces(view: &View, collection: &Collection) -> Option<Documents> {
    let pieces = view.pieces(collection, 4).expect("reads")?;
    let mut found = Vec::new();
    for (mut from, until) in pieces.all() {
        while from < until {
            let mut scan = pieces.scan(from, until);
            while scan.advance().expect("reads") {
                let document = scan.document();
                found.push((revision_id(&document.get("_rev").to_text()).expect("a revision"), document));
            }
            from = scan.end();
        }
    }
    Some(found)
}

fn assert_alike(view: &View, collection: &Collection) {
    let (expected, found) = both(view, collection);
    assert_eq!(found.len(), expected.len());
    assert_eq!(found, expected);
    if let Some(found) = in_pieces(view, collection) {
        assert_eq!(found, expected);
    }
}

#[derive(Debug, Clone)]
enum Step {
    Insert(usize),
    Update(u16),
    Remove(u16),
    /// Everything goes into the tables.
    Flush,
    Scan,
    /// A scan that sees what its own transaction wrote.
    ScanWithin(u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1..90usize).prop_map(Step::Insert),
        3 => any::<u16>().prop_map(Step::Update),
        3 => any::<u16>().prop_map(Step::Remove),
        3 => Just(Step::Flush),
        4 => Just(Step::Scan),
        1 => any::<u16>().prop_map(Step::ScanWithin),
    ]
}

fn run(steps: Vec<Step>, scan_cache: usize) {
    let w = world_with(&StoreOptions { scan_cache, ..StoreOptions::default() });
    let collection = w.collection("c");
    let mut keys: Vec<SmolStr> = Vec::new();
    let mut held: Vec<(View, usize)> = Vec::new();
    let mut n = 0;
    for step in steps {
        let chosen = |random: u16| random as usize % keys.len();
        match step {
            Step::Insert(count) => {
                let mut txn = w.begin();
                for _ in 0..count {
                    n += 1;
                    let written = txn.insert(&collection, &v(&format!(r#"{{"n":{n}}}"#)), &options()).expect("inserts");
                    keys.push(written.key.clone());
                }
                txn.commit(false).expect("commits");
            }
            Step::Update(random) if !keys.is_empty() => {
                let mut txn = w.begin();
                n += 1;
                let change = v(&format!(r#"{{"n":"{n}, a text that is not stored in place"}}"#));
                txn.update(&collection, &Value::Str(keys[chosen(random)].clone()), &change, &options())
                    .expect("updates");
                txn.commit(false).expect("commits");
            }
            Step::Remove(random) if !keys.is_empty() => {
                let mut txn = w.begin();
                let key = keys.swap_remove(chosen(random));
                txn.remove(&collection, &Value::Str(key), &options()).expect("removes");
                txn.commit(false).expect("commits");
            }
            Step::ScanWithin(random) if !keys.is_empty() => {
                let mut txn = w.begin();
                txn.remove(&collection, &Value::Str(keys[chosen(random)].clone()), &options()).expect("removes");
                txn.insert(&collection, &v(r#"{"n":-1}"#), &options()).expect("inserts");
                assert_alike(&txn.view(), &collection);
            }
            Step::Flush => w.store.flush().expect("flushes"),
            Step::Scan => {
                assert_alike(&w.store.view(), &collection);
                held.push((w.store.view(), keys.len()));
            }
            _ => {}
        }
    }
    // who began earlier still sees what was there then
    for (view, count) in held {
        assert_alike(&view, &collection);
        assert_eq!(both(&view, &collection).1.len(), count);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 24 } else { 128 }))]

    #[test]
    fn an_image_follows_what_is_written(steps in prop::collection::vec(step(), 1..40)) {
        run(steps, 64 << 20);
    }

    #[test]
    fn where_there_is_no_room_nothing_is_lost(steps in prop::collection::vec(step(), 1..30)) {
        run(steps, 40_000);
    }
}

#[test]
fn a_collection_that_would_not_find_room_has_no_image() {
    let w = world_with(&StoreOptions { scan_cache: 100, ..StoreOptions::default() });
    let collection = w.collection("c");
    assert!(w.store.view().blocks(&collection).unwrap().is_some());
    for _ in 0..2 {
        w.insert("c", "{}").unwrap();
    }
    w.store.flush().unwrap();
    assert!(w.store.view().blocks(&collection).unwrap().is_none());
}

#[test]
fn a_block_that_was_not_read_between_two_writes_is_not_shared_by_what_stands_before_and_after() {
    let w = world();
    let collection = w.collection("c");
    let keys: Vec<SmolStr> = (0..100).map(|n| w.insert("c", &format!(r#"{{"n":{n}}}"#)).unwrap().key.clone()).collect();
    let remove = |key: &SmolStr| {
        let mut txn = w.begin();
        txn.remove(&collection, &Value::Str(key.clone()), &options()).unwrap();
        txn.commit(false).unwrap();
        w.store.flush().unwrap();
    };
    w.store.flush().unwrap();
    assert_alike(&w.store.view(), &collection);
    remove(&keys[1]);
    let held = w.store.view();
    remove(&keys[2]);
    assert_eq!(both(&w.store.view(), &collection).1.len(), 98);
    assert_eq!(both(&held, &collection).1.len(), 99);
}

#[test]
fn a_truncated_and_a_renamed_collection_are_scanned_as_they_are() {
    let w = world();
    for n in 0..50 {
        w.insert("c", &format!(r#"{{"n":{n}}}"#)).unwrap();
    }
    w.store.flush().unwrap();
    let before = w.store.view();
    let collection = w.collection("c");
    assert_alike(&before, &collection);
    w.store.rename_collection("_system", "c", "d").unwrap();
    let renamed = w.collection("d");
    assert_alike(&w.store.view(), &renamed);
    assert_eq!(both(&w.store.view(), &renamed).1.len(), 50);
    w.store.truncate_collection("_system", "d").unwrap();
    w.store.flush().unwrap();
    assert_eq!(both(&w.store.view(), &w.collection("d")).1.len(), 0);
    assert_eq!(both(&before, &collection).1.len(), 50);
}

#[test]
fn a_scan_gives_no_document_twice_when_others_cut_the_collection_elsewhere() {
    let w = world_with(&StoreOptions { scan_cache: 40_000, ..StoreOptions::default() });
    let collection = w.collection("c");
    w.store.create_collection("_system", CollectionDefinition::new("large", CollectionKind::Document)).unwrap();
    for n in 0..400 {
        w.insert("c", &format!(r#"{{"n":{n}}}"#)).unwrap();
        w.insert("large", &format!(r#"{{"n":{n},"text":"{}"}}"#, "x".repeat(60))).unwrap();
    }
    w.store.flush().unwrap();
    let view = w.store.view();
    // it takes all the room, so that the scan keeps nothing of what it reads
    both(&view, &w.collection("large"));
    let mut scan = view.blocks(&collection).unwrap().unwrap();
    for _ in 0..50 {
        assert!(scan.advance().unwrap());
    }
    // by now there is room
    assert_alike(&view, &collection);
    let mut rest = 0;
    while scan.advance().unwrap() {
        rest += 1;
    }
    assert_eq!(rest, 350);
}

#[test]
fn pieces_are_all_of_a_collection_whatever_is_known_of_it() {
    for (scan_cache, is_cut_at_first) in [(64 << 20, false), (60_000, true), (100, true)] {
        let w = world_with(&StoreOptions { scan_cache, ..StoreOptions::default() });
        let collection = w.collection("c");
        let mut txn = w.begin();
        for n in 0..900 {
            txn.insert(&collection, &v(&format!(r#"{{"n":{n}}}"#)), &options()).unwrap();
        }
        txn.commit(false).unwrap();
        w.store.flush().unwrap();
        let view = w.store.view();
        // what the next scan can keep is read by one that keeps it
        assert_eq!(in_pieces(&view, &collection).is_some(), is_cut_at_first);
        if let Ok(Some(mut scan)) = view.blocks(&collection) {
            while scan.advance().unwrap() {}
        }
        assert_eq!(in_pieces(&view, &collection).map(|found| found.len()), Some(900));
        let mut txn = w.begin();
        txn.insert(&collection, &v("{}"), &options()).unwrap();
        assert_eq!(in_pieces(&txn.view(), &collection).map(|found| found.len()), Some(901));
    }
}
