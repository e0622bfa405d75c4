//! A stored query with the facts of its header, and the collections that a transaction declares because of it.

use std::collections::BTreeSet;

use super::guards;
use super::held::Held;

/// A stored query: a constant of [`aql`](crate::aql).
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Path below `aql/` without the extension.
    pub name: &'static str,
    /// The file with its header and its fragments.
    pub text: &'static str,
    /// Its bind parameters; `@name` for a collection.
    pub params: &'static [&'static str],
    /// Collections it reads; `@name` for one that is bound.
    pub reads: &'static [&'static str],
    /// Collections it writes.
    pub writes: &'static [&'static str],
    /// Shape of a row.
    pub row: &'static str,
    /// How many lookups a row costs beside itself: calls of `DOCUMENT()` and subqueries in a loop.
    pub lookups: u8,
}

impl Query {
    /// A query that is not stored and declares nothing.
    pub const fn undeclared(name: &'static str, text: &'static str) -> Self {
        Self { name, text, params: &[], reads: &[], writes: &[], row: "", lookups: 0 }
    }
}

/// The collections a transaction declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access<'a> {
    /// Read only.
    pub read: BTreeSet<&'a str>,
    /// Written, together with other transactions.
    pub write: BTreeSet<&'a str>,
    /// Written by this transaction alone while it lasts, whoever else wants to.
    pub exclusive: BTreeSet<&'a str>,
    /// Written by this transaction alone among those of this process: they wait for their turn before they begin.
    pub in_turn: BTreeSet<&'a str>,
    /// Collections whose guard it touches before anything else.
    pub one_by_one: BTreeSet<&'a str>,
}

impl<'a> Access<'a> {
    /// What the headers of these queries declare. Bound collections (`@name`) are left to [`Access::writing`].
    pub fn of(queries: &[Query]) -> Self {
        Self::default().and(queries)
    }

    /// The same with what other queries declare.
    pub fn and(mut self, queries: &[Query]) -> Self {
        let named = |names: &'static [&'static str]| names.iter().copied().filter(|name| !name.starts_with('@'));
        for query in queries {
            self.read.extend(named(query.reads));
            self.write.extend(named(query.writes));
        }
        self.without_repetition()
    }

    /// The same with all that another one declares.
    pub fn joined(mut self, other: &Self) -> Self {
        self.read.extend(&other.read);
        self.write.extend(&other.write);
        self.exclusive.extend(&other.exclusive);
        self.in_turn.extend(&other.in_turn);
        self.one_by_one.extend(&other.one_by_one);
        self.without_repetition()
    }

    /// What is held alone is not declared as written too.
    fn without_repetition(mut self) -> Self {
        self.write.retain(|name| !self.exclusive.contains(name));
        self
    }

    /// Whether nothing is written.
    pub fn only_reads(&self) -> bool {
        self.write.is_empty() && self.exclusive.is_empty()
    }

    /// What no other transaction of this process writes meanwhile.
    pub(super) fn alone_here(&self) -> BTreeSet<&'a str> {
        self.exclusive.union(&self.in_turn).copied().collect()
    }

    /// Whether what it writes is among what another one writes alone in this process.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        let alone = other.alone_here();
        // Guards have no turns.
        let is_alone = |name: &&str| alone.contains(*name) || **name == *guards::COLLECTION;
        self.write.iter().chain(&self.exclusive).all(is_alone)
    }

    /// The same, reading these collections too.
    pub fn reading(mut self, collections: &[&'a str]) -> Self {
        self.read.extend(collections);
        self
    }

    /// The same, writing these collections too.
    pub fn writing(mut self, collections: &[&'a str]) -> Self {
        self.write.extend(collections);
        self.without_repetition()
    }

    /// The same, writing these collections alone among the transactions of this process. One of another process that checks
    /// the same collides with it on a document that both write, and begins again.
    pub fn in_turn(mut self, collections: &[&'a str]) -> Self {
        self.in_turn.extend(collections);
        self.writing(collections)
    }

    /// The same, and of two transactions of any processes that say so of one collection the later begins again: both touch a
    /// guard. Two that check and then write never both pass.
    pub fn one_by_one(mut self, collections: &[&'a str]) -> Self {
        self.one_by_one.extend(collections);
        self.write.insert(guards::COLLECTION);
        self.in_turn(collections)
    }

    /// The same, holding collections alone: whoever else writes one of them waits, in whatever process.
    pub fn exclusive(mut self, held: &Held) -> Self {
        self.exclusive.extend(held.collections);
        self.without_repetition()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn held(collections: &'static [&'static str]) -> Held {
        Held { operation: "test", collections }
    }

    #[test]
    fn queries_declare_their_collections_but_for_bound_ones() {
        let read = Query { reads: &["A", "@b"], ..Query::undeclared("read", "") };
        let write = Query { reads: &["C"], writes: &["@d", "E"], ..Query::undeclared("write", "") };
        let access = Access::of(&[read]).and(&[write]);
        assert_eq!(access.read, BTreeSet::from(["A", "C"]));
        assert_eq!(access.write, BTreeSet::from(["E"]));
    }

    #[test]
    fn what_one_of_two_holds_alone_both_together_hold_alone() {
        let alone = Access::default().exclusive(&held(&["A"])).writing(&["C"]);
        let shared = Access::default().writing(&["A", "B"]).exclusive(&held(&["C"]));
        for joined in [alone.clone().joined(&shared), shared.joined(&alone)] {
            assert_eq!(joined.write, BTreeSet::from(["B"]));
            assert_eq!(joined.exclusive, BTreeSet::from(["A", "C"]));
        }
    }

    #[test]
    fn an_exclusive_collection_is_not_declared_twice() {
        let access = Access::default().writing(&["A", "B"]).exclusive(&held(&["B", "C"])).writing(&["C"]);
        assert_eq!(access.write, BTreeSet::from(["A"]));
        assert_eq!(access.exclusive, BTreeSet::from(["B", "C"]));
    }

    #[test]
    fn what_is_written_in_turn_is_shared_in_the_database_and_has_a_guard_where_it_is_checked() {
        let access = Access::default().in_turn(&["A"]).one_by_one(&["B"]);
        assert_eq!(access.write, BTreeSet::from(["A", "B", "CodeGuard"]));
        assert_eq!(access.exclusive, BTreeSet::new());
        assert_eq!((access.alone_here(), access.one_by_one), (BTreeSet::from(["A", "B"]), BTreeSet::from(["B"])));
    }
}
