//! A store with the documents twice: in `c` with indexes, in `p` without any but unique ones. What is written elsewhere goes
//! into `w` and `v`.

use aqlite::catalog::CollectionKind;
use aqlite::exec::{Prepared, QueryOptions, RunContext};
use aqlite::plan::RULES;
use aqlite::txn::{Txn, TxnOptions, WriteOptions};
use aqlite::value::Value;

use super::data::Data;
use super::queries::{Query, values};
use crate::common::{World, json};

/// The rows, or the number of the error.
pub type Found = Result<Vec<Value>, u16>;

/// What two ways to run a query differ in.
#[derive(Debug)]
pub struct Difference {
    pub way: String,
    pub expected: String,
    pub found: String,
}

/// Finds nothing but texts, as ArangoDB's does: it is switched on or off for all.
const LIKE: &str = "+replace-like-with-range";

pub struct Case {
    world: World,
    documents: Value,
}

impl Case {
    pub fn new(data: &Data) -> Self {
        let collections = ["c", "p", "w", "v"].map(|name| (name, CollectionKind::Document));
        let world = World::new(&collections);
        for index in &data.indexes {
            if index.contains("inverted") {
                let index = world.store.define_inverted("_system", &json(index)).expect("a definition");
                world.store.create_index("_system", "c", index).expect("creates");
                continue;
            }
            world.index("c", index);
            // what may not be written twice may be so nowhere
            if index.contains("unique") {
                world.index("p", index);
            }
        }
        let documents = values(&data.documents);
        let mut txn = begin(&world);
        for name in ["c", "p"] {
            let collection = txn.collection_for_write(name).expect("exists");
            for document in &documents {
                let written = txn.insert(&collection, document, &WriteOptions::default());
                written.unwrap_or_else(|e| panic!("{}: {e}", document.to_json()));
            }
        }
        txn.commit(false).expect("commits");
        if data.is_flushed {
            world.store.flush().expect("flushes");
        }
        Self { world, documents: Value::array(documents) }
    }

    /// Compares all ways to run a query that only reads.
    pub fn compare(&self, query: &Query) -> Result<usize, Difference> {
        let (text, parameters) = (query.text.as_str(), parameters(&query.parameters));
        let (named, plain) = (text.replace("@@c", "c"), text.replace("@@c", "p"));
        let expected = self.run(&plain, &parameters, &off("all"));
        let check = |way: &str, found: Found| same(query, &expected, &found, way);
        let mut ways = 0;
        let mut checked = |way: &str, found: Found| {
            ways += 1;
            check(way, found)
        };
        checked("all rules, no index", self.run(&plain, &parameters, &QueryOptions::default()))?;
        checked("all rules", self.run(&named, &parameters, &QueryOptions::default()))?;
        checked("no rule", self.run(&named, &parameters, &off("all")))?;
        for rule in self.rules(&named, &parameters) {
            checked(&format!("without {rule}"), self.run(&named, &parameters, &off(rule)))?;
        }
        let literal = query.with_literals().replace("@@c", "c");
        checked("literals", self.run(&literal, &Value::Null, &QueryOptions::default()))?;
        checked("as text", self.text(&literal))?;
        for turn in ["planned first", "planned before"] {
            checked(turn, self.kept(&named, &parameters))?;
        }
        let inline = text.replace("@@c", "@documents");
        let mut with_documents = parameters.to_object().unwrap_or_default();
        with_documents.insert("documents".into(), self.documents.clone());
        if !text.contains("_id") && !text.contains("OPTIONS") {
            checked("values", self.run(&inline, &Value::object(with_documents), &off("all")))?;
        }
        // the plan that is kept is used for others, too, and gives them what is theirs
        for turned in turned(&query.parameters) {
            let other = Query { parameters: turned, ..query.clone() };
            let values = self::parameters(&other.parameters);
            let afresh = self.run(&named, &values, &QueryOptions::default());
            let kept = self.kept(&named, &values);
            same(&other, &afresh, &kept, &format!("planned before, with {}", values.to_json()))?;
            ways += 1;
        }
        Ok(ways)
    }

    /// Compares what a query writes, and what is found afterwards; nothing of it is kept.
    pub fn compare_writes(&self, query: &Query, behind: &[Query]) -> Result<usize, Difference> {
        let expected = self.write(PLAIN, query, &off("all"), &[]);
        let mut options = vec![("all rules".to_owned(), QueryOptions::default()), ("no rule".to_owned(), off("all"))];
        let rules = self.rules(&INDEXED.in_text(query), &parameters(&query.parameters));
        options.extend(rules.into_iter().map(|rule| (format!("without {rule}"), off(rule))));
        for (at, (way, options)) in options.iter().enumerate() {
            let behind = if at == 0 { behind } else { &[] };
            let found = self.write(INDEXED, query, options, behind);
            same_writes(query, &expected, &found, way)?;
            if at == 0 && found.rows.is_ok() {
                for (next, found) in behind.iter().zip(found.behind) {
                    let expected = self.write(PLAIN, query, &off("all"), std::slice::from_ref(next)).behind.remove(0);
                    same(next, &expected, &found, &format!("{} behind it", next.text))?;
                }
            }
        }
        let kept = self.write_kept(query);
        same_writes(query, &expected, &kept, "planned before")?;
        Ok(options.len() + 1)
    }

    /// The rules that change something of a query, and one of the others in turn.
    fn rules(&self, text: &str, parameters: &Value) -> Vec<&'static str> {
        let txn = begin(&self.world);
        let plan = Prepared::afresh(&txn, text, parameters, &QueryOptions::default());
        let mut rules = plan.map(|prepared| prepared.plan().rules.clone()).unwrap_or_default();
        rules.push(RULES[text.len() % RULES.len()]);
        rules.retain(|rule| !LIKE.ends_with(rule));
        rules
    }

    fn run(&self, text: &str, parameters: &Value, options: &QueryOptions) -> Found {
        let mut txn = begin(&self.world);
        rows(&mut txn, text, parameters, options)
    }

    fn text(&self, text: &str) -> Found {
        self.world.text(text).map(|rows| json(&rows).iter_array().collect()).map_err(|e| e.num)
    }

    /// With a plan that may have been made before.
    fn kept(&self, text: &str, parameters: &Value) -> Found {
        let context = RunContext::default();
        let run = self.world.run_with(text, parameters, &QueryOptions::default(), context);
        run.map(|outcome| outcome.rows).map_err(|e| e.num)
    }

    /// Nothing of it is kept.
    fn write(&self, on: Collections, query: &Query, options: &QueryOptions, behind: &[Query]) -> Written {
        let mut txn = begin(&self.world);
        let rows = rows(&mut txn, &on.in_text(query), &parameters(&query.parameters), options);
        written(&mut txn, on, rows, behind, options)
    }

    fn write_kept(&self, query: &Query) -> Written {
        let mut txn = begin(&self.world);
        let (text, parameters, options) =
            (INDEXED.in_text(query), parameters(&query.parameters), QueryOptions::default());
        let mut run = || {
            let prepared = Prepared::new(&txn, &text, &parameters, &options)?;
            prepared.run(&mut txn, RunContext::default())
        };
        let rows = run().map(|outcome| outcome.rows).map_err(|e| e.num);
        written(&mut txn, INDEXED, rows, &[], &options)
    }

    /// Lets queries write for good, one after the other, and compares what that gives and every index with its documents.
    pub fn keep(&self, queries: &[Query]) {
        for query in queries {
            for on in [INDEXED, PLAIN] {
                let options = if on.0 == PLAIN.0 { off("all") } else { QueryOptions::default() };
                let parameters = parameters(&query.parameters);
                // what fails leaves nothing behind
                let _ = self.world.run_with(&on.in_text(query), &parameters, &options, RunContext::default());
            }
        }
        self.world.store.verify().expect("every index agrees with its documents");
        let left = |on| written(&mut begin(&self.world), on, Ok(Vec::new()), &[], &off("all")).left;
        assert_eq!(shown(&left(INDEXED)), shown(&left(PLAIN)), "after {queries:#?}");
    }
}

/// What stands for `@@c` and `@@w`.
#[derive(Clone, Copy)]
struct Collections(&'static str, &'static str);

const INDEXED: Collections = Collections("c", "w");
const PLAIN: Collections = Collections("p", "v");

impl Collections {
    fn in_text(self, query: &Query) -> String {
        query.text.replace("@@c", self.0).replace("@@w", self.1)
    }
}

/// What a query has left.
struct Written {
    rows: Found,
    /// The documents of both collections.
    left: Found,
    behind: Vec<Found>,
}

fn written(txn: &mut Txn, on: Collections, rows: Found, behind: &[Query], options: &QueryOptions) -> Written {
    if rows.is_err() {
        return Written { rows, left: Ok(Vec::new()), behind: Vec::new() };
    }
    let state = [on.0, on.1].map(|name| format!("(FOR d IN {name} SORT d._key RETURN UNSET(d, '_id', '_rev'))"));
    let left = self::rows(txn, &format!("RETURN [{}]", state.join(", ")), &Value::Null, &off("all"));
    let behind =
        behind.iter().map(|query| self::rows(txn, &on.in_text(query), &parameters(&query.parameters), options));
    Written { rows, left, behind: behind.collect() }
}

fn begin(world: &World) -> Txn {
    let implicit = TxnOptions { allow_implicit: true, ..TxnOptions::default() };
    world.store.begin(&world.database(), implicit).expect("begins")
}

fn rows(txn: &mut Txn, text: &str, parameters: &Value, options: &QueryOptions) -> Found {
    let prepared = Prepared::afresh(txn, text, parameters, options).map_err(|e| e.num)?;
    prepared.run(txn, RunContext::default()).map(|outcome| outcome.rows).map_err(|e| e.num)
}

fn off(rule: &str) -> QueryOptions {
    QueryOptions { rules: vec![format!("-{rule}").into(), LIKE.into()], ..QueryOptions::default() }
}

pub fn parameters(values: &[String]) -> Value {
    let names: Vec<String> = (0..values.len()).map(|at| format!("p{at}")).collect();
    Value::from_pairs(names.iter().map(String::as_str).zip(values.iter().map(|text| json(text))))
}

/// Other values for the same parameters: each has that of the next one, all have one.
fn turned(values: &[String]) -> Vec<Vec<String>> {
    if values.len() < 2 {
        return Vec::new();
    }
    let mut next = values.to_vec();
    next.rotate_left(1);
    vec![next, vec![values[0].clone(); values.len()]]
}

pub fn shown(found: &Found) -> String {
    match found {
        Ok(rows) => rows.iter().map(Value::to_json).collect::<Vec<_>>().join("\n"),
        Err(num) => format!("error {num}"),
    }
}

pub fn same(query: &Query, expected: &Found, found: &Found, way: &str) -> Result<(), Difference> {
    let is_same = match (expected, found) {
        (Ok(expected), Ok(found)) => {
            expected.len() == found.len()
                && expected.iter().zip(found).all(|(a, b)| {
                    if query.shows_one_of_equals { a.compare(b).is_eq() } else { a.to_json() == b.to_json() }
                })
        }
        (expected, found) => shown(expected) == shown(found),
    };
    if is_same {
        return Ok(());
    }
    Err(Difference { way: way.to_owned(), expected: shown(expected), found: shown(found) })
}

fn same_writes(query: &Query, expected: &Written, found: &Written, way: &str) -> Result<(), Difference> {
    same(query, &expected.rows, &found.rows, way)?;
    same(query, &expected.left, &found.left, &format!("{way}: what is left"))
}
