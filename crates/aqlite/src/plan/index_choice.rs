//! Which index answers the conditions on a collection.

use std::cmp::Ordering;
use std::sync::Arc;

use super::analyzers;
use super::expr::{Ex, Slot};
use super::inverted;
use super::optimize::{Rewrite, hint_gives_order};
use super::rules::{GEO, HASH_JOIN};
use super::{
    AccessPath, EarlyFilter, KeyPart, Lookup, Node, Pipeline, ScanNode, box_choice, estimates, geo_choice, geo_reading,
};
use crate::Result;
use crate::catalog::{Catalog, FieldPath, Index, IndexKind};
use crate::error::{Error, code};
use crate::lang::ast::BinaryOp;
use crate::txn::View;
use crate::value::SmolStr;

/// Gives the filters behind each collection loop to the loop: to an index where one fits, else tested during the scan.
pub(super) fn attach(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) -> Result<()> {
    for at in 0..pipeline.nodes.len() {
        let Some(Node::Scan(scan)) = pipeline.nodes.get(at) else { continue };
        let mut scan = (**scan).clone();
        let reads_places = rewrite.options.rule("use-indexes") && rewrite.options.rule(GEO) && !scan.no_index;
        if reads_places && geo_reading::apply(pipeline, at, &scan) {
            rewrite.note(GEO);
        }
        let mut conditions = Vec::new();
        // those behind one that writes must not be tested before it
        while let Some(Node::Filter(e)) = pipeline.nodes.get(at + 1).filter(|node| !node.writes()) {
            conditions.push((**e).clone());
            pipeline.nodes.remove(at + 1);
        }
        if rewrite.options.rule("use-indexes") && !scan.no_index {
            let order = Order::of(pipeline, at, scan.slot);
            let choice = || {
                choose(&scan, &conditions, order.as_ref(), rewrite.view)
                    .or_else(|| places(pipeline, at, &scan, &conditions, rewrite.view))
                    .filter(|choice| !choice.is_by_place() || rewrite.options.rule(GEO))
            };
            if let Some((access, only_here)) = inverted::choose(&scan, &conditions) {
                rewrite.note("use-indexes");
                check_analyzers(&scan, only_here.iter().map(|at| &conditions[*at]), rewrite.view.catalog())?;
                let mut position = 0;
                conditions.retain(|_| {
                    position += 1;
                    !only_here.contains(&(position - 1))
                });
                scan.access = AccessPath::Inverted(Arc::new(access));
            } else if let Some(choice) = choice() {
                rewrite.note(if choice.is_by_place() { GEO } else { "use-indexes" });
                if !choice.covered.is_empty() {
                    rewrite.note("remove-filter-covered-by-index");
                    rewrite.note("remove-unnecessary-calculations-2");
                }
                let mut position = 0;
                conditions.retain(|_| {
                    position += 1;
                    !choice.covered.contains(&(position - 1))
                });
                scan.access = AccessPath::Index { reverse: false, lookups: choice.lookups };
            } else {
                check_forced_hint(pipeline, at, &scan, &conditions)?;
            }
        }
        if !conditions.is_empty() {
            rewrite.note("move-filters-into-enumerate");
            rewrite.note("remove-unnecessary-calculations-2");
        }
        for condition in conditions {
            match early_filter(scan.slot, &condition) {
                Some(early) => scan.early.push(early),
                None => scan.filters.push(condition),
            }
        }
        if rewrite.options.rule(HASH_JOIN) && matches!(scan.access, AccessPath::Full { .. }) {
            scan.join = scan.early.iter().position(depends_on_rows);
            if scan.join.is_some() {
                rewrite.note(HASH_JOIN);
            }
        }
        pipeline.nodes[at] = Node::Scan(Arc::new(scan));
    }
    Ok(())
}

fn check_analyzers<'c>(scan: &ScanNode, mut conditions: impl Iterator<Item = &'c Ex>, catalog: &Catalog) -> Result<()> {
    let Some(database) = catalog.database_by_id(scan.collection.database) else { return Ok(()) };
    conditions.try_for_each(|condition| analyzers::check(condition, catalog, &database.name))
}

/// An equality with something that may be another one for every row of the loops around.
fn depends_on_rows(filter: &EarlyFilter) -> bool {
    let mut reads = false;
    filter.value.for_each_slot(&mut |_| reads = true);
    reads && filter.op == BinaryOp::Eq
}

/// Error 1577 where only certain indexes may be used and none of them serves the conditions or the order of a loop. As in
/// ArangoDB alternatives are answered by any indexes or none, and a loop that asks for nothing has nothing to serve.
fn check_forced_hint(pipeline: &Pipeline, at: usize, scan: &ScanNode, conditions: &[Ex]) -> Result<()> {
    let Some((names, true)) = &scan.hint else { return Ok(()) };
    let sort = match pipeline.nodes[at + 1..].iter().find(|n| !matches!(n, Node::Filter(_) | Node::Let(..))) {
        Some(Node::Sort(sort)) if Order::of(pipeline, at, scan.slot).is_some() => Some(sort),
        _ => None,
    };
    let asks = sort.is_some() || conditions.iter().any(|condition| condition.reads(scan.slot));
    let has_alternatives = conditions.iter().any(|condition| matches!(condition, Ex::Or(..)));
    if !asks || has_alternatives || sort.is_some_and(|sort| hint_gives_order(scan, sort)) {
        return Ok(());
    }
    let message = format!("AQL: could not use index hint to serve query; {}", names.join(", "));
    Err(Error::new(code::QUERY_FORCED_INDEX_HINT_UNUSABLE, message))
}

/// In which order the rows of a loop are wanted.
pub(super) struct Order {
    /// The attribute by which they are sorted first.
    first: Vec<SmolStr>,
    /// How many of them, where an index in this order can end the query with the last one of them.
    rows: Option<f64>,
}

impl Order {
    fn of(pipeline: &Pipeline, at: usize, slot: Slot) -> Option<Self> {
        let mut behind = pipeline.nodes[at + 1..].iter().skip_while(|n| matches!(n, Node::Filter(_) | Node::Let(..)));
        let Some(Node::Sort(sort)) = behind.next() else { return None };
        let first = match sort.keys.first()?.0.as_path()? {
            (s, path) if s == slot && !path.is_empty() => path.to_vec(),
            _ => return None,
        };
        let rows = match behind.find(|n| !matches!(n, Node::Let(..))) {
            Some(Node::Limit(limit)) if !limit.full_count && !pipeline.nodes[..at].iter().any(Node::is_loop) => {
                Some(limit.offset.saturating_add(limit.count) as f64)
            }
            _ => None,
        };
        Some(Self { first, rows })
    }

    /// Do the entries of a lookup, or of each of its runs, come in this order?
    fn is_given_by(&self, lookup: &Lookup) -> bool {
        let is_next = |field: &FieldPath| field.expand_after.is_none() && field.names == self.first;
        lookup.index.kind == IndexKind::Persistent
            && !lookup.index.expands()
            && lookup.index.fields.get(lookup.equal.len()).is_some_and(is_next)
    }
}

/// `document.path op value` can be tested on the stored bytes.
fn early_filter(slot: Slot, condition: &Ex) -> Option<EarlyFilter> {
    let (path, op, value) = comparison(slot, condition)?;
    if !value.is_deterministic() {
        return None;
    }
    Some(EarlyFilter { path: path.into(), op, value: value.clone() })
}

/// `slot.path op value` in either order.
pub(super) fn comparison(slot: Slot, condition: &Ex) -> Option<(&[SmolStr], BinaryOp, &Ex)> {
    let Ex::Binary(op, left, right) = condition else { return None };
    let own_path = |e: &'_ Ex| matches!(e.as_path(), Some((s, path)) if s == slot && !path.is_empty());
    let mirrored = op.mirrored();
    if own_path(left) && !right.reads(slot) && (mirrored.is_some() || matches!(op, BinaryOp::In | BinaryOp::NotIn)) {
        return Some((left.as_path()?.1, *op, right));
    }
    if let Some(mirrored) = mirrored
        && own_path(right)
        && !left.reads(slot)
    {
        return Some((right.as_path()?.1, mirrored, left));
    }
    None
}

/// `value IN slot.tags` or `value IN slot.items[*].sku`: the path, where it expands, and the value.
pub(super) fn membership(slot: Slot, condition: &Ex) -> Option<(Vec<SmolStr>, usize, &Ex)> {
    let Ex::Binary(BinaryOp::In, value, array) = condition else { return None };
    if value.reads(slot) {
        return None;
    }
    match &**array {
        Ex::Expansion(x) if x.filter.is_none() && x.limit.is_none() && x.flatten == 0 => {
            let (s, base) = x.base.as_path()?;
            let tail: &[SmolStr] = match &x.projection {
                None => &[],
                Some(p) => match p.as_path()? {
                    (current, path) if current == x.current => path,
                    _ => return None,
                },
            };
            (s == slot && !base.is_empty()).then(|| (base.iter().chain(tail).cloned().collect(), base.len(), &**value))
        }
        e => match e.as_path()? {
            (s, path) if s == slot && !path.is_empty() => Some((path.to_vec(), path.len(), &**value)),
            _ => None,
        },
    }
}

/// The uses of indexes that find the documents of a loop.
pub(super) struct Choice {
    pub lookups: Vec<Lookup>,
    /// Conditions the lookups answer exactly.
    pub covered: Vec<usize>,
}

impl Choice {
    fn is_by_place(&self) -> bool {
        self.lookups.iter().any(|lookup| matches!(lookup.index.kind, IndexKind::Geo { .. }))
    }
}

/// A geo index that answers conditions on variables behind the loop.
fn places(pipeline: &Pipeline, at: usize, scan: &ScanNode, conditions: &[Ex], view: &View) -> Option<Choice> {
    let behind = geo_choice::conditions_behind(pipeline, at);
    let conditions: Vec<Ex> = conditions.iter().cloned().chain(behind).collect();
    let best = best_index(scan, &conditions, None, scan.admits_any_index(), view)?;
    matches!(best.lookup.index.kind, IndexKind::Geo { .. })
        .then(|| Choice { lookups: vec![best.lookup], covered: Vec::new() })
}

struct IndexCandidate {
    lookup: Lookup,
    covered: Vec<usize>,
    score: u32,
}

pub(super) fn choose(scan: &ScanNode, conditions: &[Ex], order: Option<&Order>, view: &View) -> Option<Choice> {
    let best = best_index(scan, conditions, order, scan.admits_any_index(), view);
    // an OR whose every branch has an index
    let by_or = (0..conditions.len()).find_map(|at| or_lookups(scan, conditions, at, order, view));
    let choice = match (best, by_or) {
        (Some(best), Some(by_or)) if reads_less(scan, &by_or.lookups, &best.lookup, order, view) => Some(by_or),
        (Some(best), _) => Some(Choice { lookups: vec![best.lookup], covered: best.covered }),
        (None, by_or) => by_or,
    };
    choice.filter(|choice| !order.is_some_and(|order| reads_less_in_order(scan, &choice.lookups, order, view)))
}

/// Do the lookups of an `OR` read clearly less than another one? Between bounds that nobody knows yet there may be
/// everything.
fn reads_less(scan: &ScanNode, by_or: &[Lookup], other: &Lookup, order: Option<&Order>, view: &View) -> bool {
    let is_unknown = |bound: &Option<(Ex, bool)>| bound.as_ref().is_some_and(|(value, _)| !value.is_known());
    let is_vague = other.equal.is_empty() && (is_unknown(&other.lower) || is_unknown(&other.upper));
    let documents = estimates::documents(view, &scan.collection);
    let present = if is_vague { documents } else { found(view, scan, other, order) };
    let found: f64 = by_or.iter().map(|lookup| found(view, scan, lookup, order)).sum();
    documents >= LEAST_DOCUMENTS && scan.hint.is_none() && 2.0 * found < present
}

/// Looking for more values than this may be dearer than reading documents that are not meant.
const MANY_VALUES: f64 = 100.0;

/// Is a page full sooner when the documents are read in its order, whether they are meant or not? Only where at least
/// every second one is meant: where those stand in the order, nobody can tell.
fn reads_less_in_order(scan: &ScanNode, lookups: &[Lookup], order: &Order, view: &View) -> bool {
    let gives_order = |index: &Arc<Index>| !index.sparse && order.is_given_by(&Lookup::whole(index));
    let Some(rows) = order.rows else { return false };
    if scan.hint.is_some() || !scan.collection.indexes.iter().any(gives_order) {
        return false;
    }
    let (mut cost, mut meant) = (0.0, 0.0);
    for lookup in lookups {
        let values = estimates::values(lookup);
        // one value may have far fewer documents than others
        if !lookup.equal.is_empty() && values <= MANY_VALUES {
            return false;
        }
        let is_ordered = order.is_given_by(lookup);
        let unbounded = Lookup { lower: None, upper: None, ..lookup.clone() };
        let found = found(view, scan, if is_ordered { &unbounded } else { lookup }, Some(order));
        cost += values + if is_ordered { rows } else { found };
        meant += found;
    }
    let documents = estimates::documents(view, &scan.collection);
    documents >= LEAST_DOCUMENTS && 2.0 * meant >= documents && 4.0 * rows + MANY_VALUES < cost
}

/// How many documents a lookup finds. Bounds are looked at where another index may give the order of the rows: it matters
/// most then whether few documents lie between them.
fn found(view: &View, scan: &ScanNode, lookup: &Lookup, order: Option<&Order>) -> f64 {
    let is_worth_counting = order.is_some_and(|order| order.rows.is_some() && !order.is_given_by(lookup));
    let counted = if is_worth_counting { estimates::counted(view, &scan.collection, lookup) } else { None };
    counted.unwrap_or_else(|| estimates::found(view, &scan.collection, lookup))
}

/// In smaller collections the estimates are not asked: there it matters little which index is taken.
const LEAST_DOCUMENTS: f64 = 1000.0;

/// The index that finds the fewest documents, as far as that can be told; of those that find about as few, the one that
/// answers most of the conditions, and of equally good ones one that gives the order of the rows too.
fn best_index(
    scan: &ScanNode,
    conditions: &[Ex],
    order: Option<&Order>,
    any: bool,
    view: &View,
) -> Option<IndexCandidate> {
    let mut candidates: Vec<IndexCandidate> = Vec::new();
    let mut is_hinted = false;
    for index in &scan.collection.indexes {
        // the first that is named is wanted most
        let hinted = scan
            .hint
            .as_ref()
            .and_then(|(names, _)| names.iter().rev().position(|n| *n == index.name || index.id.to_string() == *n));
        if !any && hinted.is_none() {
            continue;
        }
        let Some(mut candidate) = candidate(scan, index, conditions) else { continue };
        let equal = &candidate.lookup.equal;
        let next = index.fields.get(equal.len()).filter(|_| equal.iter().all(|part| matches!(part, KeyPart::Equal(_))));
        if order.is_some_and(|order| next.is_some_and(|next| next.names == order.first)) {
            candidate.score += 1;
        }
        if let Some(place) = hinted {
            is_hinted = true;
            candidate.score = candidate.score.saturating_add(10_000 * (place as u32 + 1));
        }
        candidates.push(candidate);
    }
    if candidates.len() > 1 && !is_hinted && estimates::documents(view, &scan.collection) >= LEAST_DOCUMENTS {
        keep_most_selective(scan, &mut candidates, order, view);
    }
    // of equal ones the first
    candidates.into_iter().rev().max_by_key(|candidate| candidate.score)
}

/// Leaves those out that find more than twice as many documents as another one, by estimates. One that answers all that the
/// other one answers finds no more, whatever the estimates tell of it, and may give the order of the rows too.
fn keep_most_selective(scan: &ScanNode, candidates: &mut Vec<IndexCandidate>, order: Option<&Order>, view: &View) {
    let found: Vec<f64> = candidates.iter().map(|candidate| found(view, scan, &candidate.lookup, order)).collect();
    let Some((best, least)) = found.iter().copied().enumerate().min_by(|one, other| one.1.total_cmp(&other.1)) else {
        return;
    };
    let answered = candidates[best].covered.clone();
    let mut found = found.into_iter();
    candidates.retain(|candidate| {
        let is_few = found.next().is_some_and(|found| found <= 2.0 * least.max(1.0));
        is_few || answered.iter().all(|condition| candidate.covered.contains(condition))
    });
}

/// The attributes of an edge that its edge index finds, and how good that is.
const ENDS: [&str; 2] = ["_from", "_to"];
const EDGE_SCORE: u32 = 500;

fn is_end(field: &FieldPath) -> bool {
    matches!(field.names.as_slice(), [name] if ENDS.contains(&name.as_str()))
}

/// Does an index answer one of the conditions of a loop?
pub(super) fn serves(scan: &ScanNode, index: &Arc<Index>, conditions: &[Ex]) -> bool {
    candidate(scan, index, conditions).is_some()
}

fn candidate(scan: &ScanNode, index: &Arc<Index>, conditions: &[Ex]) -> Option<IndexCandidate> {
    match index.kind {
        IndexKind::Primary => {
            single_field(scan, index, conditions, &["_key", "_id"], 1000).or_else(|| key_range(scan, index, conditions))
        }
        IndexKind::Edge => single_field(scan, index, conditions, &ENDS, EDGE_SCORE),
        IndexKind::Geo { .. } => {
            let (lookup, score) = geo_choice::lookup(scan.slot, index, conditions)?;
            Some(IndexCandidate { lookup, covered: Vec::new(), score })
        }
        IndexKind::Mdi => {
            let (lookup, score) = box_choice::lookup(scan.slot, index, conditions)?;
            Some(IndexCandidate { lookup, covered: Vec::new(), score })
        }
        // the first holds times, not what the documents hold, the next one nothing, and the last is read where it is named
        IndexKind::Ttl { .. } | IndexKind::Fulltext { .. } | IndexKind::Search => None,
        IndexKind::Persistent => fields(scan, index, conditions),
    }
}

/// Primary and edge indexes: equality or `IN` on one of two attributes.
fn single_field(
    scan: &ScanNode,
    index: &Arc<Index>,
    conditions: &[Ex],
    names: &[&'static str],
    score: u32,
) -> Option<IndexCandidate> {
    for (at, condition) in conditions.iter().enumerate() {
        let Some(([name], op, value)) = comparison(scan.slot, condition) else { continue };
        let Some(field) = names.iter().find(|n| *n == name) else { continue };
        let (part, score) = match op {
            BinaryOp::Eq => (KeyPart::Equal(value.clone()), score),
            BinaryOp::In => (KeyPart::In(value.clone()), score - 50),
            _ => continue,
        };
        let lookup = Lookup { field: SmolStr::new_static(field), equal: vec![part], ..Lookup::whole(index) };
        return Some(IndexCandidate { lookup, covered: vec![at], score });
    }
    None
}

/// Ranges of keys are those of their bytes, as the primary index has them: the worst way that is better than none.
fn key_range(scan: &ScanNode, index: &Arc<Index>, conditions: &[Ex]) -> Option<IndexCandidate> {
    let key = FieldPath { names: vec![SmolStr::new_static("_key")], expand_after: None };
    let mut lookup = Lookup { field: SmolStr::new_static("_key"), ..Lookup::whole(index) };
    let mut covered = Vec::new();
    bounds(scan.slot, &key, conditions, false, &mut lookup, &mut covered);
    let score = u32::from(lookup.lower.is_some()) + u32::from(lookup.upper.is_some());
    (score > 0).then_some(IndexCandidate { lookup, covered, score })
}

/// Persistent indexes: equalities on leading fields, then perhaps bounds on the next one.
fn fields(scan: &ScanNode, index: &Arc<Index>, conditions: &[Ex]) -> Option<IndexCandidate> {
    let mut lookup = Lookup::whole(index);
    let mut covered = Vec::new();
    let mut score = 0;
    for field in &index.fields {
        if let Some((at, part, exact)) = equality(scan.slot, field, conditions, index.sparse) {
            score += match part {
                // most documents have none of an attribute that is asked for so
                KeyPart::Equal(ref value) if value.is_null() => 4,
                KeyPart::Equal(_) => 20,
                KeyPart::In(_) => 15,
            };
            lookup.equal.push(part);
            if exact {
                covered.push(at);
            }
            continue;
        }
        if field.expand_after.is_none() {
            bounds(scan.slot, field, conditions, index.sparse, &mut lookup, &mut covered);
            score += 5 * (u32::from(lookup.lower.is_some()) + u32::from(lookup.upper.is_some()));
        }
        break;
    }
    if score == 0 {
        return None;
    }
    // a document without the array has no entries: it is found by its members alone
    if index.fields.iter().skip(lookup.equal.len()).any(|field| field.expand_after.is_some()) {
        return None;
    }
    // it finds the end of an edge as well as the edge index does; what it knows besides makes it the better one
    if index.fields.first().is_some_and(is_end) {
        score += match lookup.equal.first() {
            Some(KeyPart::Equal(_)) => EDGE_SCORE - 20,
            Some(KeyPart::In(_)) => EDGE_SCORE - 50 - 15,
            None => 0,
        };
    }
    // a document without the attribute is not in a sparse index: every field must be known not to be null
    if index.sparse && lookup.equal.len() + usize::from(lookup.lower.is_some()) < index.fields.len() {
        return None;
    }
    if index.unique && lookup.equal.len() == index.fields.len() {
        score += 200;
    }
    Some(IndexCandidate { lookup, covered, score })
}

pub(super) fn equality(
    slot: Slot,
    field: &FieldPath,
    conditions: &[Ex],
    sparse: bool,
) -> Option<(usize, KeyPart, bool)> {
    // another condition may say that it is not null, so that it does not matter what is compared with
    let may_be_null = sparse && !conditions.iter().any(|condition| excludes_null(slot, field, condition));
    let mut found: Option<(usize, KeyPart, bool)> = None;
    for (at, condition) in conditions.iter().enumerate() {
        let part = if let Some(expand_after) = field.expand_after {
            match membership(slot, condition) {
                Some((path, expands, value)) if path == field.names && expands == expand_after + 1 => {
                    (KeyPart::Equal(value.clone()), false)
                }
                _ => continue,
            }
        } else {
            match comparison(slot, condition) {
                Some((path, BinaryOp::Eq, value)) if path == field.names.as_slice() => {
                    (KeyPart::Equal(value.clone()), true)
                }
                Some((path, BinaryOp::In, value)) if path == field.names.as_slice() => {
                    (KeyPart::In(value.clone()), true)
                }
                _ => match same_attribute_or(slot, condition) {
                    Some((path, values)) if path == field.names.as_slice() => (KeyPart::In(Ex::Array(values)), true),
                    _ => continue,
                },
            }
        };
        if may_be_null && !never_null(&part.0) {
            continue;
        }
        let better = found.as_ref().is_none_or(|(_, p, _)| matches!((p, &part.0), (KeyPart::In(_), KeyPart::Equal(_))));
        if better {
            found = Some((at, part.0, part.1));
        }
    }
    found
}

/// Is a condition false wherever the attribute is null or missing?
fn excludes_null(slot: Slot, field: &FieldPath, condition: &Ex) -> bool {
    let Some((path, op, value)) = comparison(slot, condition) else { return false };
    field.expand_after.is_none()
        && path == field.names.as_slice()
        && match op {
            // null is the least of all values
            BinaryOp::Gt => true,
            BinaryOp::Ge => value.is_known() && !value.is_null(),
            BinaryOp::Ne => value.is_null(),
            _ => false,
        }
}

fn never_null(part: &KeyPart) -> bool {
    match part {
        KeyPart::Equal(value) => value.is_known() && !value.is_null(),
        KeyPart::In(list) => list.is_without_nulls(),
    }
}

/// `d.a == 1 OR d.a == 2` is `d.a IN [1, 2]`.
fn same_attribute_or(slot: Slot, condition: &Ex) -> Option<(&[SmolStr], Vec<Ex>)> {
    let mut branches = Vec::new();
    alternatives(condition, &mut branches);
    if branches.len() < 2 {
        return None;
    }
    let mut values = Vec::new();
    let mut common: Option<&[SmolStr]> = None;
    for branch in branches {
        let (path, op, value) = comparison(slot, branch)?;
        if op != BinaryOp::Eq || common.is_some_and(|c| c != path) {
            return None;
        }
        common = Some(path);
        values.push(value.clone());
    }
    common.map(|path| (path, values))
}

fn alternatives<'a>(ex: &'a Ex, out: &mut Vec<&'a Ex>) {
    match ex {
        Ex::Or(a, b) => {
            alternatives(a, out);
            alternatives(b, out);
        }
        e => out.push(e),
    }
}

/// An `OR` answered by one lookup a branch, which may answer some of the other conditions too; the `OR` itself is still
/// tested.
fn or_lookups(scan: &ScanNode, conditions: &[Ex], at: usize, order: Option<&Order>, view: &View) -> Option<Choice> {
    let condition = &conditions[at];
    let mut branches = Vec::new();
    alternatives(condition, &mut branches);
    if branches.len() < 2 {
        return None;
    }
    if let Some((path, values)) = same_attribute_or(scan.slot, condition) {
        let in_condition =
            Ex::Binary(BinaryOp::In, Box::new(Ex::Path(scan.slot, path.into())), Box::new(Ex::Array(values)));
        return best_index(scan, std::slice::from_ref(&in_condition), None, true, view)
            .map(|c| Choice { covered: c.covered.iter().map(|_| at).collect(), lookups: vec![c.lookup] });
    }
    let mut lookups = Vec::new();
    for branch in branches {
        let mut parts = Vec::new();
        super::optimize::conjuncts(branch.clone(), &mut parts);
        // without an index for the branch itself all that the other conditions leave would be read
        best_index(scan, &parts, None, true, view)?;
        parts.extend(conditions.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other.clone()));
        lookups.push(best_index(scan, &parts, order, true, view)?.lookup);
    }
    Some(Choice { lookups, covered: Vec::new() })
}

pub(super) fn bounds(
    slot: Slot,
    field: &FieldPath,
    conditions: &[Ex],
    sparse: bool,
    lookup: &mut Lookup,
    covered: &mut Vec<usize>,
) {
    for (at, condition) in conditions.iter().enumerate() {
        let Some((path, op, value)) = comparison(slot, condition) else { continue };
        if path != field.names.as_slice() {
            continue;
        }
        let side = match op {
            BinaryOp::Gt => (&mut lookup.lower, false),
            // what is not null is greater
            BinaryOp::Ne if sparse && value.is_null() => (&mut lookup.lower, false),
            BinaryOp::Ge => (&mut lookup.lower, true),
            BinaryOp::Lt => (&mut lookup.upper, false),
            BinaryOp::Le => (&mut lookup.upper, true),
            _ => continue,
        };
        if sparse && matches!(op, BinaryOp::Gt | BinaryOp::Ge) && !excludes_null(slot, field, condition) {
            continue;
        }
        let (bound, inclusive) = side;
        match (&*bound, value) {
            (None, _) => {
                *bound = Some((value.clone(), inclusive));
                covered.push(at);
            }
            // of two known bounds the narrower one says what both say
            (Some((known, known_inclusive)), value) if known.is_known() && value.is_known() => {
                let (Some(known), Some(value)) = (known.known(), value.known()) else { continue };
                let narrower = match value.compare(&known) {
                    Ordering::Equal => *known_inclusive && !inclusive,
                    Ordering::Less => matches!(op, BinaryOp::Lt | BinaryOp::Le),
                    Ordering::Greater => !matches!(op, BinaryOp::Lt | BinaryOp::Le),
                };
                if narrower {
                    *bound = Some((Ex::Const(value), inclusive));
                }
                covered.push(at);
            }
            _ => {}
        }
    }
}
