//! `COLLECT` and `RETURN DISTINCT` of attributes that an index is ordered by: the groups stand one behind the other in its
//! entries, so that no document is read and no table of groups is made. Where only the values count, the rest of a group
//! is leapt over.

use std::sync::Arc;

use super::Rewrite;
use super::projections::replace;
use crate::Result;
use crate::catalog::{Index, IndexKind};
use crate::plan::expr::{Ex, Slot};
use crate::plan::projection::Uses;
use crate::plan::rules::COLLECT_INDEX;
use crate::plan::{AccessPath, CollectNode, IndexCollectNode, KeyPart, Lookup, Node, Pipeline, ScanNode, SortNode};
use crate::value::SmolStr;

/// Replaces the first loop and the groups behind it.
pub(super) fn read_from_index(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) -> Result<()> {
    if !rewrite.options.rule(COLLECT_INDEX) {
        return Ok(());
    }
    let Some(at) = pipeline.nodes.iter().position(|node| !matches!(node, Node::Let(..) | Node::Filter(_))) else {
        return Ok(());
    };
    let Node::Scan(scan) = &pipeline.nodes[at] else { return Ok(()) };
    if scan.no_index || !scan.early.is_empty() || !scan.filters.is_empty() {
        return Ok(());
    }
    let Some(grouping) = grouping(pipeline, at, scan.slot, rewrite) else { return Ok(()) };
    let Some(choice) = choose(scan, &grouping, rewrite)? else { return Ok(()) };
    let node = index_collect(scan, &grouping, choice, rewrite);
    let sort = (grouping.collect.sorted && !is_ascending(&node.fields, node.lookup.equal.len()))
        .then(|| Node::Sort(Arc::new(by_criteria(&node.collect))));
    let is_distinct = grouping.is_distinct;
    let found = Node::IndexCollect(Arc::new(node));
    pipeline.nodes.splice(at..grouping.end, std::iter::once(found).chain(sort));
    if is_distinct && let [(slot, _)] = grouping.collect.groups.as_slice() {
        pipeline.output = Some(Ex::Slot(*slot));
    }
    rewrite.note("use-indexes");
    rewrite.note(COLLECT_INDEX);
    Ok(())
}

struct Grouping {
    collect: CollectNode,
    /// The attribute of each criterion.
    paths: Vec<Arc<[SmolStr]>>,
    /// What aggregates read of the documents.
    read: Vec<Arc<[SmolStr]>>,
    /// The first node behind.
    end: usize,
    is_distinct: bool,
}

/// The groups right behind a loop, if they are made of attributes of its documents.
fn grouping(pipeline: &Pipeline, at: usize, document: Slot, rewrite: &mut Rewrite<'_>) -> Option<Grouping> {
    let behind = &pipeline.nodes[at + 1..];
    let lets = behind.iter().take_while(|node| matches!(node, Node::Let(..))).count();
    let end = at + lets + 2;
    let (collect, is_distinct) = match &behind.get(lets)? {
        Node::Collect(collect) => ((**collect).clone(), false),
        Node::Distinct(value) => {
            let assigned = |slot: Slot| {
                behind[..lets].iter().find_map(|node| match node {
                    Node::Let(s, ex) if *s == slot => Some(&**ex),
                    _ => None,
                })
            };
            let value = match &**value {
                Ex::Slot(slot) => assigned(*slot)?,
                value => value,
            };
            (distinct(rewrite.new_slot("distinct"), value), true)
        }
        _ => return None,
    };
    // other assignments must have been read through
    let own = match (&behind[lets], is_distinct) {
        (Node::Distinct(value), true) => value.as_path().map(|(slot, _)| slot),
        _ => None,
    };
    let is_read = |slot: Slot| {
        let mut read = false;
        let nodes = &pipeline.nodes[end - usize::from(!is_distinct)..];
        for node in nodes {
            node.for_each_slot(&mut |s| read |= s == slot);
        }
        read || pipeline.output.as_ref().is_some_and(|output| output.reads(slot))
    };
    let is_dropped = |node: &Node| match node {
        Node::Let(slot, ex) => Some(*slot) == own || (ex.is_deterministic() && !is_read(*slot)),
        _ => false,
    };
    if !behind[..lets].iter().all(is_dropped) || collect.no_index || collect.into.is_some() || collect.groups.is_empty()
    {
        return None;
    }
    let mut paths = Vec::with_capacity(collect.groups.len());
    for (_, ex) in &collect.groups {
        match ex {
            Ex::Path(slot, path) if *slot == document => paths.push(Arc::clone(path)),
            _ => return None,
        }
    }
    let mut uses = Uses::default();
    collect.aggregates.iter().flat_map(|(_, _, args)| args).for_each(|arg| uses.of_ex(arg, document));
    (!uses.whole).then_some(Grouping { collect, paths, read: uses.paths, end, is_distinct })
}

fn distinct(slot: Slot, value: &Ex) -> CollectNode {
    let groups = vec![(slot, value.clone())];
    CollectNode { groups, aggregates: Vec::new(), count: None, into: None, sorted: false, no_index: false }
}

struct Choice {
    lookup: Lookup,
    fields: Vec<usize>,
    depth: usize,
}

/// The index whose entries have the groups one behind the other, where it is worth to read it.
fn choose(scan: &ScanNode, grouping: &Grouping, rewrite: &Rewrite<'_>) -> Result<Option<Choice>> {
    match &scan.access {
        // what is found anyway is read in the entries alone
        AccessPath::Index { lookups, reverse } => {
            let [lookup] = lookups.as_slice() else { return Ok(None) };
            let is_run = lookup.area.is_none()
                && (!reverse || grouping.collect.sorted)
                && lookup.equal.iter().all(|part| matches!(part, KeyPart::Equal(_)));
            Ok(if is_run { fitting(lookup.clone(), grouping) } else { None })
        }
        AccessPath::Full { .. } => {
            let is_named = |index: &Index| scan.hint.as_ref().is_some_and(|(names, _)| names.contains(&index.name));
            let usable = |index: &&Arc<Index>| !index.sparse && (scan.admits_any_index() || is_named(index));
            for index in scan.collection.indexes.iter().filter(usable) {
                let Some(choice) = fitting(Lookup::whole(index), grouping) else { continue };
                if is_named(index) || is_worth(scan, &choice, grouping, rewrite)? {
                    return Ok(Some(choice));
                }
            }
            Ok(None)
        }
        AccessPath::Inverted(_) => Ok(None),
    }
}

fn fitting(lookup: Lookup, grouping: &Grouping) -> Option<Choice> {
    let index = &lookup.index;
    if index.kind != IndexKind::Persistent || index.expands() {
        return None;
    }
    let fixed = lookup.equal.len();
    let field_of = |path: &Arc<[SmolStr]>| index.fields.iter().position(|field| field.names.as_slice() == &**path);
    let fields: Vec<usize> = grouping.paths.iter().map(field_of).collect::<Option<_>>()?;
    // those that are not fixed follow each other
    let depth = fields.iter().map(|field| field + 1).chain([fixed]).max()?;
    let follow = (fixed..depth).all(|field| fields.contains(&field));
    let reads_entries = grouping.read.iter().all(|path| index.tells(path));
    (follow && reads_entries).then_some(Choice { lookup, fields, depth })
}

/// Reading a whole index is worth it where something is computed of every entry, for that spares the documents, or where
/// there are so few groups that finding each one is cheaper than reading everything, as ArangoDB reckons it.
fn is_worth(scan: &ScanNode, choice: &Choice, grouping: &Grouping, rewrite: &Rewrite<'_>) -> Result<bool> {
    let index = &choice.lookup.index;
    if (index.unique && choice.depth == index.fields.len()) || grouping.collect.lists_rows() {
        return Ok(false);
    }
    if grouping.collect.count.is_some() || !grouping.collect.aggregates.is_empty() {
        return Ok(true);
    }
    let documents = rewrite.view.count(&scan.collection)? as f64;
    let distinct = rewrite.view.selectivity_of(&scan.collection, index, choice.depth)?;
    Ok(distinct * documents.ln() < 1.0)
}

fn index_collect(scan: &ScanNode, grouping: &Grouping, choice: Choice, rewrite: &mut Rewrite<'_>) -> IndexCollectNode {
    let name = rewrite.names[scan.slot].clone();
    let projections: Vec<_> = grouping
        .read
        .iter()
        .map(|path| (rewrite.new_slot(&format!("{name}.{}", path.join("."))), Arc::clone(path)))
        .collect();
    let mut collect = grouping.collect.clone();
    for arg in collect.aggregates.iter_mut().flat_map(|(_, _, args)| args) {
        replace(arg, scan.slot, &projections);
    }
    IndexCollectNode {
        slot: scan.slot,
        collection: Arc::clone(&scan.collection),
        lookup: choice.lookup,
        collect,
        fields: choice.fields,
        depth: choice.depth,
        projections,
    }
}

/// Do the criteria come in the order of the index? Those that are fixed may stand anywhere.
fn is_ascending(fields: &[usize], fixed: usize) -> bool {
    let free: Vec<usize> = fields.iter().copied().filter(|field| *field >= fixed).collect();
    free.is_sorted()
}

fn by_criteria(collect: &CollectNode) -> SortNode {
    let keys = collect.groups.iter().map(|(slot, _)| (Ex::Slot(*slot), true)).collect();
    SortNode { keys, live: Vec::new(), keep: None, counts: false, with_equals: false, sorted: 0 }
}
