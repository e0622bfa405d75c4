//! What the nodes of a pipeline read and define.

use std::sync::Arc;

use super::expr::{Ex, Slot};
use super::{AccessPath, CollectNode, Node, PathCondition, Pipeline, ScanNode};
use crate::catalog::Index;

impl Pipeline {
    /// May it give more than one row?
    pub fn has_loop(&self) -> bool {
        let is_loop = |node: &Node| {
            matches!(node, Node::List(_) | Node::Scan(_) | Node::Search(_) | Node::Traverse(_) | Node::Paths(_))
        };
        self.nodes.iter().any(is_loop)
    }

    /// Calls `f` for every slot read anywhere in the pipeline.
    pub fn for_each_slot(&self, f: &mut dyn FnMut(Slot)) {
        for node in &self.nodes {
            node.for_each_slot(f);
        }
        if let Some(output) = &self.output {
            output.for_each_slot(f);
        }
    }

    /// Same input, same result, and nothing is changed.
    pub fn is_deterministic(&self) -> bool {
        let mut all = self.output.as_ref().is_none_or(Ex::is_deterministic);
        for node in &self.nodes {
            all &= !node.is_modification();
            node.for_each_ex(&mut |e| all &= e.is_deterministic());
        }
        all
    }

    /// Writes data, here or in a subquery.
    pub fn modifies(&self) -> bool {
        self.output.as_ref().is_some_and(Ex::modifies) || self.nodes.iter().any(Node::writes)
    }
}

/// Aggregates that list what came in.
const LISTS: [&str; 2] = ["PUSH", "UNIQUE"];

impl CollectNode {
    /// Calls `f` for every expression.
    pub(crate) fn for_each_ex<'a>(&'a self, f: &mut dyn FnMut(&'a Ex)) {
        self.groups.iter().for_each(|(_, e)| f(e));
        self.aggregates.iter().for_each(|(_, _, args)| args.iter().for_each(&mut *f));
        self.into.iter().for_each(|(_, e)| f(e));
    }

    fn for_each_ex_mut(&mut self, f: &mut dyn FnMut(&mut Ex)) {
        self.groups.iter_mut().for_each(|(_, e)| f(e));
        self.aggregates.iter_mut().for_each(|(_, _, args)| args.iter_mut().for_each(&mut *f));
        self.into.iter_mut().for_each(|(_, e)| f(e));
    }

    /// Does it show in which order its rows came?
    pub(super) fn lists_rows(&self) -> bool {
        self.into.is_some() || self.aggregates.iter().any(|(_, aggregate, _)| LISTS.contains(&aggregate.name))
    }

    fn defines(&self) -> Vec<Slot> {
        let groups = self.groups.iter().map(|(slot, _)| *slot);
        let aggregates = self.aggregates.iter().map(|(slot, _, _)| *slot);
        groups.chain(aggregates).chain(self.count).chain(self.into.iter().map(|(slot, _)| *slot)).collect()
    }
}

impl ScanNode {
    /// The index whose keys tell all that is read.
    pub fn read_in_keys(&self) -> Option<&Index> {
        match &self.access {
            AccessPath::Index { lookups, .. } if self.from_entries && !self.projections.is_empty() => {
                match lookups.as_slice() {
                    [lookup] if lookup.index.stored_values.is_empty() => Some(&lookup.index),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Do the entries hold the values of all that is read?
    pub fn holds_values(&self) -> bool {
        let AccessPath::Index { lookups, .. } = &self.access else { return false };
        self.from_entries && lookups.iter().all(|lookup| !lookup.index.stored_values.is_empty())
    }

    /// May an index be used that the loop does not ask for?
    pub fn admits_any_index(&self) -> bool {
        !matches!(self.hint, Some((_, true)))
    }
}

impl Node {
    /// Writes data.
    pub fn is_modification(&self) -> bool {
        matches!(self, Self::Modify(_) | Self::Upsert(_))
    }

    /// Writes data, itself or in a subquery: nothing else is moved from one side of it to the other, and it runs for every
    /// row that comes to it.
    pub fn writes(&self) -> bool {
        let mut any = self.is_modification();
        self.for_each_ex(&mut |ex| any |= ex.modifies());
        any
    }

    /// Can give more or fewer rows than it gets, or in another order, or only after all of them.
    pub fn is_loop(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Scan(_)
                | Self::Search(_)
                | Self::Traverse(_)
                | Self::Paths(_)
                | Self::IndexCollect(_)
        )
    }

    /// Calls `f` for every slot the node reads.
    pub fn for_each_slot(&self, f: &mut dyn FnMut(Slot)) {
        self.for_each_ex(&mut |e| e.for_each_slot(f));
        if let Self::Upsert(n) = self {
            n.find.for_each_slot(f);
        }
    }

    /// Calls `f` for every expression of the node.
    pub fn for_each_ex<'a>(&'a self, f: &mut dyn FnMut(&'a Ex)) {
        match self {
            Self::List(n) => f(&n.source),
            Self::Scan(n) => {
                if let AccessPath::Index { lookups, .. } = &n.access {
                    for lookup in lookups {
                        lookup.for_each_ex(f);
                    }
                }
                if let AccessPath::Inverted(access) = &n.access {
                    access.conditions.iter().for_each(|(e, _)| f(e));
                }
                n.early.iter().for_each(|e| f(&e.value));
                n.filters.iter().for_each(f);
            }
            Self::Search(n) => f(&n.condition),
            Self::Materialize(n) => [&n.link, &n.id].into_iter().for_each(f),
            Self::Traverse(n) => {
                f(&n.start);
                f(&n.min);
                f(&n.max);
                if let Some((_, prune)) = &n.prune {
                    f(prune);
                }
                n.indexes.iter().flat_map(|index| &index.values).for_each(&mut *f);
                for condition in &n.conditions {
                    f(condition.test());
                }
                n.filters.iter().for_each(f);
            }
            Self::Paths(n) => [&n.start, &n.target, &n.min, &n.max].into_iter().for_each(f),
            Self::Filter(e) | Self::Let(_, e) | Self::Distinct(e) => f(e),
            Self::Sort(n) => n.keys.iter().for_each(|(e, _)| f(e)),
            Self::Limit(_) => {}
            Self::Collect(n) => n.for_each_ex(f),
            Self::IndexCollect(n) => {
                n.lookup.for_each_ex(f);
                n.collect.for_each_ex(f);
            }
            Self::Window(n) => {
                n.range_value.iter().for_each(&mut *f);
                n.aggregates.iter().for_each(|(_, _, args)| args.iter().for_each(&mut *f));
            }
            Self::Modify(n) => n.key.iter().chain(&n.doc).for_each(f),
            Self::Upsert(n) => {
                f(&n.insert);
                f(&n.update);
            }
        }
    }

    /// The mutable counterpart of [`Node::for_each_ex`].
    pub fn for_each_ex_mut(&mut self, f: &mut dyn FnMut(&mut Ex)) {
        match self {
            Self::List(n) => f(&mut Arc::make_mut(n).source),
            Self::Scan(n) => {
                let n = Arc::make_mut(n);
                if let AccessPath::Index { lookups, .. } = &mut n.access {
                    for lookup in lookups {
                        lookup.for_each_ex_mut(f);
                    }
                }
                if let AccessPath::Inverted(access) = &mut n.access {
                    Arc::make_mut(access).conditions.iter_mut().for_each(|(e, _)| f(e));
                }
                n.early.iter_mut().for_each(|e| f(&mut e.value));
                n.filters.iter_mut().for_each(f);
            }
            Self::Search(n) => f(&mut Arc::make_mut(n).condition),
            Self::Materialize(n) => {
                let n = Arc::make_mut(n);
                [&mut n.link, &mut n.id].into_iter().for_each(f);
            }
            Self::Traverse(n) => {
                let n = Arc::make_mut(n);
                f(&mut n.start);
                f(&mut n.min);
                f(&mut n.max);
                if let Some((_, prune)) = &mut n.prune {
                    f(prune);
                }
                n.indexes.iter_mut().flat_map(|index| &mut index.values).for_each(&mut *f);
                for condition in &mut n.conditions {
                    f(condition.test_mut());
                }
                n.filters.iter_mut().for_each(f);
            }
            Self::Paths(n) => {
                let n = Arc::make_mut(n);
                [&mut n.start, &mut n.target, &mut n.min, &mut n.max].into_iter().for_each(f);
            }
            Self::Filter(e) | Self::Let(_, e) | Self::Distinct(e) => f(Arc::make_mut(e)),
            Self::Sort(n) => Arc::make_mut(n).keys.iter_mut().for_each(|(e, _)| f(e)),
            Self::Limit(_) => {}
            Self::Collect(n) => Arc::make_mut(n).for_each_ex_mut(f),
            Self::IndexCollect(n) => {
                let n = Arc::make_mut(n);
                n.lookup.for_each_ex_mut(f);
                n.collect.for_each_ex_mut(f);
            }
            Self::Window(n) => {
                let n = Arc::make_mut(n);
                n.range_value.iter_mut().for_each(&mut *f);
                n.aggregates.iter_mut().for_each(|(_, _, args)| args.iter_mut().for_each(&mut *f));
            }
            Self::Modify(n) => {
                let n = Arc::make_mut(n);
                n.key.iter_mut().chain(&mut n.doc).for_each(f);
            }
            Self::Upsert(n) => {
                let n = Arc::make_mut(n);
                f(&mut n.insert);
                f(&mut n.update);
            }
        }
    }

    /// The slots the node fills.
    pub fn defines(&self) -> Vec<Slot> {
        match self {
            Self::List(n) => vec![n.slot],
            Self::Scan(n) => std::iter::once(n.slot).chain(n.projections.iter().map(|(slot, _)| *slot)).collect(),
            Self::Search(n) => std::iter::once(n.slot)
                .chain(n.scorers.iter().map(|(slot, _)| *slot))
                .chain(n.terms)
                .chain(n.projections.iter().map(|(slot, _)| *slot))
                .chain(n.place.into_iter().flat_map(|(link, place)| [link, place]))
                .collect(),
            Self::Materialize(n) => vec![n.slot],
            Self::Traverse(n) => {
                let pruned = n.prune.as_ref().and_then(|(slot, _)| *slot);
                [n.vertex, n.edge, n.path, pruned].into_iter().flatten().collect()
            }
            Self::Paths(n) => std::iter::once(n.first).chain(n.second).collect(),
            Self::Let(slot, _) => vec![*slot],
            Self::Collect(n) => n.defines(),
            Self::IndexCollect(n) => {
                n.collect.defines().into_iter().chain(n.projections.iter().map(|(slot, _)| *slot)).collect()
            }
            Self::Window(n) => n.aggregates.iter().map(|(s, _, _)| *s).collect(),
            Self::Modify(n) => n.old.into_iter().chain(n.new).collect(),
            Self::Upsert(n) => vec![n.old, n.new],
            Self::Filter(_) | Self::Sort(_) | Self::Limit(_) | Self::Distinct(_) => Vec::new(),
        }
    }
}

impl PathCondition {
    /// The condition itself.
    pub fn test(&self) -> &Ex {
        match self {
            Self::EveryVertex { test, .. }
            | Self::EveryEdge { test, .. }
            | Self::VertexAt { test, .. }
            | Self::EdgeAt { test, .. } => test,
        }
    }

    fn test_mut(&mut self) -> &mut Ex {
        match self {
            Self::EveryVertex { test, .. }
            | Self::EveryEdge { test, .. }
            | Self::VertexAt { test, .. }
            | Self::EdgeAt { test, .. } => test,
        }
    }
}
