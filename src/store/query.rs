//! A stored query with the facts of its header, and the collections that a transaction declares because of it.

use std::collections::BTreeSet;

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
    /// Written by this transaction alone while it lasts.
    pub exclusive: BTreeSet<&'a str>,
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
        self
    }

    /// The same with all that another one declares.
    pub fn joined(mut self, other: &Self) -> Self {
        self.read.extend(&other.read);
        self.write.extend(other.write.difference(&self.exclusive.clone()));
        let alone: Vec<&'a str> = other.exclusive.iter().copied().collect();
        self.exclusive(&alone)
    }

    /// Whether nothing is written.
    pub fn only_reads(&self) -> bool {
        self.write.is_empty() && self.exclusive.is_empty()
    }

    /// Whether what it writes is among what another one holds alone.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        self.write.is_subset(&other.exclusive) && self.exclusive.is_subset(&other.exclusive)
    }

    /// The same, reading these collections too.
    pub fn reading(mut self, collections: &[&'a str]) -> Self {
        self.read.extend(collections);
        self
    }

    /// The same, writing these collections too.
    pub fn writing(mut self, collections: &[&'a str]) -> Self {
        self.write.extend(collections);
        self
    }

    /// The same, holding these collections alone: two transactions that check and then write never both pass.
    pub fn exclusive(mut self, collections: &[&'a str]) -> Self {
        for name in collections {
            self.write.remove(*name);
            self.exclusive.insert(name);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let alone = Access::default().exclusive(&["A"]).writing(&["C"]);
        let shared = Access::default().writing(&["A", "B"]).exclusive(&["C"]);
        for joined in [alone.clone().joined(&shared), shared.joined(&alone)] {
            assert_eq!(joined.write, BTreeSet::from(["B"]));
            assert_eq!(joined.exclusive, BTreeSet::from(["A", "C"]));
        }
    }

    #[test]
    fn an_exclusive_collection_is_not_declared_twice() {
        let access = Access::default().writing(&["A", "B"]).exclusive(&["B", "C"]);
        assert_eq!(access.write, BTreeSet::from(["A"]));
        assert_eq!(access.exclusive, BTreeSet::from(["B", "C"]));
    }
}
