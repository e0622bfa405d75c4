//! Functions that treat arrays as sets.
//!
//! Where ArangoDB returns the contents of a hash table, the elements come in the order in which they lie there.

use indexmap::{IndexMap, IndexSet};

use crate::Result;
use crate::seeded::{Seeded, SeededSet};
use crate::value::{Member, Value};

use super::array::array_expected;
use super::hash::hash_value;
use super::numeric::number;
use super::{Function, Host, MANY, hash_order, pure};

/// The functions of this file.
pub const FUNCTIONS: &[Function] = &[
    pure("COUNT_DISTINCT", 1, 1, count_distinct),
    pure("INTERSECTION", 2, MANY, intersection),
    pure("JACCARD", 2, 2, jaccard),
    pure("MINUS", 2, MANY, minus),
    pure("OUTERSECTION", 2, MANY, outersection),
    pure("REMOVE_VALUES", 2, 2, remove_values),
    pure("SORTED_UNIQUE", 1, 1, sorted_unique),
    pure("UNION_DISTINCT", 2, MANY, union_distinct),
    pure("UNIQUE", 1, 1, unique),
];

type Set = IndexSet<Member, Seeded>;
type Counts = IndexMap<Member, usize, Seeded>;

fn members(list: &Value) -> impl Iterator<Item = Member> {
    list.iter_array().map(Member)
}

/// The elements of a set as a hash table lists them.
fn listed(set: &Set) -> impl Iterator<Item = &Member> {
    let hashes: Vec<u64> = set.iter().map(|Member(value)| hash_value(value)).collect();
    hash_order::listed(&hashes, hash_order::ROOMY).into_iter().filter_map(|i| set.get_index(i))
}

fn values<'a>(members: impl Iterator<Item = &'a Member>) -> Value {
    members.map(|Member(value)| value.clone()).collect::<Vec<_>>().into()
}

/// Keeps the first of equal elements.
pub(super) fn deduplicate(items: &mut Vec<Value>) {
    let mut seen = SeededSet::default();
    items.retain(|item| seen.insert(Member(item.clone())));
}

fn unique(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "UNIQUE");
    }
    Ok(values(members(&args[0]).collect::<Set>().iter()))
}

fn count_distinct(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "COUNT_DISTINCT");
    }
    Ok(members(&args[0]).collect::<SeededSet<_>>().len().into())
}

fn sorted_unique(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "SORTED_UNIQUE");
    }
    Ok(sort_unique(args[0].iter_array().collect()).into())
}

/// Sorted, the first of those that sort alike kept.
pub(super) fn sort_unique(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_by(Value::compare);
    items.dedup_by(|later, earlier| later.compare(earlier).is_eq());
    items
}

fn union_distinct(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_array) {
        return host.wrong_type("UNION_DISTINCT");
    }
    let all: Set = args.iter().flat_map(members).collect();
    Ok(values(listed(&all)))
}

fn intersection(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_array) {
        return array_expected(host, "INTERSECTION");
    }
    let first: Set = members(&args[0]).collect();
    let others: Vec<SeededSet<Member>> = args[1..].iter().map(|list| members(list).collect()).collect();
    let common = listed(&first).filter(|item| others.iter().all(|other| other.contains(*item)));
    Ok(values(common))
}

fn outersection(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_array) {
        return array_expected(host, "OUTERSECTION");
    }
    let mut counts = Counts::default();
    for item in args.iter().flat_map(members) {
        *counts.entry(item).or_default() += 1;
    }
    let all: Set = counts.keys().cloned().collect();
    let once = listed(&all).filter(|item| counts.get(*item) == Some(&1));
    Ok(values(once))
}

fn minus(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_array) {
        return host.wrong_type("MINUS");
    }
    let taken: SeededSet<Member> = args[1..].iter().flat_map(members).collect();
    let first: Set = members(&args[0]).collect();
    Ok(values(listed(&first).filter(|item| !taken.contains(*item))))
}

fn remove_values(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[1].is_null() {
        return Ok(args[0].clone());
    }
    if args[0].is_null() {
        return Ok(Vec::new().into());
    }
    if !args[0].is_array() || !args[1].is_array() {
        return host.wrong_type("REMOVE_VALUES");
    }
    let taken: SeededSet<Value> = args[1].iter_array().collect();
    Ok(args[0].iter_array().filter(|item| !taken.contains(item)).collect::<Vec<_>>().into())
}

fn jaccard(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_array) {
        return array_expected(host, "JACCARD");
    }
    let left: SeededSet<Member> = members(&args[0]).collect();
    let right: SeededSet<Member> = members(&args[1]).collect();
    let common = left.intersection(&right).count();
    let all = left.len() + right.len() - common;
    Ok(if all == 0 { Value::Int(1) } else { number(common as f64 / all as f64) })
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check;

    #[test]
    fn sets_from_hash_tables_come_last_first() {
        check(&[
            ("UNION_DISTINCT", "[[1,2,3],[1,2]]", "[3,2,1]"),
            ("INTERSECTION", "[[1,2,3,4],[2,3,4],[3,4,5]]", "[4,3]"),
            ("MINUS", "[[1,2,3,4],[3,4]]", "[2,1]"),
            ("OUTERSECTION", "[[1,2,3],[2,3,4],[3,4,5]]", "[5,1]"),
        ]);
    }

    #[test]
    fn unique_keeps_the_first_of_equal_elements() {
        check(&[
            ("UNIQUE", r#"[[1,"1",1.0,[],[null]]]"#, r#"[1,"1",[],[null]]"#),
            ("SORTED_UNIQUE", "[[3,1,2,3]]", "[1,2,3]"),
            ("COUNT_DISTINCT", "[[1,1,null,null]]", "2"),
            ("COUNT_DISTINCT", r#"[[{},{"a":null}]]"#, "2"),
        ]);
    }

    #[test]
    fn similarity_of_nothing_with_nothing_is_one() {
        check(&[
            ("JACCARD", "[[],[]]", "1"),
            ("JACCARD", "[[1,1,2,2,2,3],[2,2,3,4]]", "0.5"),
            ("JACCARD", "[1,[]]", "warning 1563"),
        ]);
    }
}
