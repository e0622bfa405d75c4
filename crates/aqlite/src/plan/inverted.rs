//! Filters that an inverted index answers, where the loop asks for it.
//!
//! What plain expressions say of attributes that are kept as they are is looked up and then tested like every filter: the
//! index finds at least what fulfils it. What only a search can say, because it is about tokens of texts, the index alone
//! answers, as `SEARCH` does.

use std::sync::Arc;

use super::expr::{Ex, Quantity, Slot};
use super::index_choice::{comparison, membership, serves};
use super::{InvertedAccess, ScanNode};
use crate::catalog::Index;
use crate::lang::ast::BinaryOp;
use crate::search::{Arrays, Link, SearchDefinition};
use crate::value::{SmolStr, Value};

/// A condition that the postings of an inverted index can be asked for.
pub(crate) enum Asked<'a> {
    /// All of these.
    All(Vec<Self>),
    /// One of these.
    Any(Vec<Self>),
    /// An attribute compared with a value.
    Compare(String, BinaryOp, &'a Ex),
    /// A value, or all or any of several, among the members of an attribute.
    Member(String, Option<bool>, &'a Ex),
    /// A text that begins so.
    Prefix(String, &'a Ex),
    /// A text like that.
    Like(String, &'a Ex),
    /// A number between two, each with whether it belongs to them.
    Between(String, [(&'a Ex, bool); 2]),
}

/// How well an index answers a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// It narrows what another one of the same attribute finds.
    Bound,
    /// It finds everything of a type.
    Weak,
    /// It finds little more than what fulfils it.
    Strong,
}

/// The index that the loop asks for first of those that serve, if it is an inverted one: with what it answers of the
/// conditions, and which of these nothing else can.
pub(super) fn choose(scan: &ScanNode, conditions: &[Ex]) -> Option<(InvertedAccess, Vec<usize>)> {
    let (names, _) = scan.hint.as_ref()?;
    for name in names {
        let named = |index: &&Arc<Index>| index.name == *name || index.id.to_string() == *name;
        let Some(index) = scan.collection.indexes.iter().find(named) else { continue };
        if let Some(definition) = index.search.as_ref().filter(|search| search.view == 0) {
            let found = answered(scan.slot, index, definition, conditions);
            if found.is_some() {
                return found;
            }
        } else if serves(scan, index, conditions) {
            return None;
        }
    }
    None
}

fn answered(
    slot: Slot,
    index: &Arc<Index>,
    definition: &SearchDefinition,
    conditions: &[Ex],
) -> Option<(InvertedAccess, Vec<usize>)> {
    let reader = Reader { slot, definition };
    let mut asked = Vec::new();
    let mut only_here = Vec::new();
    let mut strengths = Vec::new();
    for (at, condition) in conditions.iter().enumerate() {
        if let Some((_, strength)) = reader.plain(condition) {
            strengths.push(strength);
            asked.push((condition.clone(), false));
        } else if reader.is_search(condition) && reader.is_searchable(condition) {
            strengths.push(Strength::Strong);
            asked.push((condition.clone(), true));
            only_here.push(at);
        }
    }
    let best = strengths.iter().max().filter(|best| **best > Strength::Bound)?;
    // what finds nearly everything is worth nothing beside what finds little
    let useful = |strength: &Strength| strength == best || *strength == Strength::Bound;
    let kept = asked.into_iter().zip(&strengths).filter(|(_, strength)| useful(strength));
    let access = InvertedAccess { index: Arc::clone(index), conditions: kept.map(|(asked, _)| asked).collect() };
    Some((access, only_here))
}

/// What a condition asks, if it is a plain one.
pub(crate) fn asked<'a>(slot: Slot, definition: &SearchDefinition, condition: &'a Ex) -> Option<Asked<'a>> {
    Reader { slot, definition }.plain(condition).map(|(asked, _)| asked)
}

struct Reader<'d> {
    slot: Slot,
    definition: &'d SearchDefinition,
}

impl Reader<'_> {
    /// The settings of an attribute that is indexed, and its path as postings have it.
    fn covered(&self, names: &[SmolStr]) -> Option<(String, &Link)> {
        if names.is_empty() || names.iter().any(|name| name.contains(['.', '['])) {
            return None;
        }
        let path = names.join(".");
        let link = self.definition.link.at(&path).filter(|link| !link.only_below && link.store_values)?;
        Some((path, link))
    }

    /// An attribute that is compared as it is.
    fn value(&self, names: &[SmolStr]) -> Option<(String, &Link)> {
        // on the way to it there is no array that is expanded
        let ways = (1..=names.len()).all(|n| {
            let link = self.definition.link.at(&names[..n].join("."));
            link.is_some_and(|link| link.arrays != Arrays::Expanded)
        });
        self.covered(names).filter(|_| ways)
    }

    fn plain<'a>(&self, ex: &'a Ex) -> Option<(Asked<'a>, Strength)> {
        match ex {
            Ex::And(a, b) => match (self.plain(a), self.plain(b)) {
                (Some(a), Some(b)) => Some((Asked::All(vec![a.0, b.0]), a.1.max(b.1))),
                (a, b) => a.or(b),
            },
            Ex::Or(a, b) => {
                let (a, b) = (self.plain(a)?, self.plain(b)?);
                Some((Asked::Any(vec![a.0, b.0]), a.1.min(b.1)))
            }
            Ex::Binary(..) => self.member(ex).or_else(|| self.compared(ex)),
            Ex::ArrayCompare(quantity, BinaryOp::In, left, right) => {
                let all = match quantity {
                    Quantity::Any => false,
                    Quantity::All => true,
                    _ => return None,
                };
                let (path, link) = self.members(right)?;
                let usable = !left.reads(self.slot) && is_identity(link) && !is_null(left);
                usable.then_some((Asked::Member(path, Some(all), left), Strength::Strong))
            }
            Ex::Call(function, args) => self.call(function.name, args),
            _ => None,
        }
    }

    fn compared<'a>(&self, ex: &'a Ex) -> Option<(Asked<'a>, Strength)> {
        let (names, op, value) = comparison(self.slot, ex)?;
        let (path, link) = self.value(names)?;
        let strength = match (op, value) {
            // a text of another analyzer is found by its tokens, which a search says
            (BinaryOp::Eq | BinaryOp::In, value) if !is_identity(link) && may_be_text(value) => return None,
            // documents without the attribute are not in the index
            (BinaryOp::Eq | BinaryOp::In, value) if is_null(value) => return None,
            (BinaryOp::Ge, Ex::Const(Value::Null)) => return None,
            (BinaryOp::Eq | BinaryOp::In, _) => Strength::Strong,
            // so are they where it is less than something: such a bound only narrows another one
            (BinaryOp::Lt | BinaryOp::Le, Ex::Const(value)) if value.is_number() => Strength::Bound,
            (BinaryOp::Gt | BinaryOp::Ge, Ex::Const(value)) if value.is_number() => Strength::Strong,
            (BinaryOp::Gt | BinaryOp::Ge, _) => Strength::Weak,
            (BinaryOp::Ne, Ex::Const(Value::Null)) => Strength::Weak,
            _ => return None,
        };
        Some((Asked::Compare(path, op, value), strength))
    }

    /// An attribute whose members are found.
    fn members(&self, ex: &Ex) -> Option<(String, &Link)> {
        let within = Ex::Binary(BinaryOp::In, Box::new(Ex::Const(Value::Null)), Box::new(ex.clone()));
        let (names, expands, _) = membership(self.slot, &within)?;
        let (path, link) = self.covered(&names)?;
        let ways: Vec<Arrays> = (1..=names.len())
            .map(|n| self.definition.link.at(&names[..n].join(".")).map(|link| (link.arrays, link.track_positions)))
            .map(|way| way.filter(|(arrays, tracks)| *arrays != Arrays::Members || !tracks).map(|(arrays, _)| arrays))
            .collect::<Option<_>>()?;
        // the array that is expanded there is the one that is expanded here, and no other
        let fits = ways.iter().enumerate().all(|(at, arrays)| match arrays {
            Arrays::Members => true,
            Arrays::Expanded => at + 1 == expands,
            Arrays::Whole => at + 1 != expands,
        });
        fits.then_some((path, link))
    }

    fn member<'a>(&self, ex: &'a Ex) -> Option<(Asked<'a>, Strength)> {
        let Ex::Binary(BinaryOp::In, value, array) = ex else { return None };
        if value.reads(self.slot) {
            return None;
        }
        let (path, link) = self.members(array)?;
        let usable = (is_identity(link) || !may_be_text(value)) && !is_null(value);
        usable.then_some((Asked::Member(path, None, value), Strength::Strong))
    }

    fn call<'a>(&self, name: &str, args: &'a [Ex]) -> Option<(Asked<'a>, Strength)> {
        let (attribute, rest) = args.split_first()?;
        let (slot, names) = attribute.as_path()?;
        if slot != self.slot || rest.iter().any(|arg| arg.reads(self.slot)) {
            return None;
        }
        let (path, link) = self.value(names)?;
        let asked = match (name, rest) {
            ("STARTS_WITH", [prefix @ Ex::Const(Value::Str(_))]) if is_identity(link) => Asked::Prefix(path, prefix),
            ("LIKE", [pattern @ Ex::Const(Value::Str(_))]) if is_identity(link) => Asked::Like(path, pattern),
            ("IN_RANGE", [low, high, with_low, with_high]) => {
                let numbers = [low, high].iter().all(|e| matches!(e, Ex::Const(value) if value.is_number()));
                let (Ex::Const(with_low), Ex::Const(with_high)) = (with_low, with_high) else { return None };
                if !numbers {
                    return None;
                }
                Asked::Between(path, [(low, with_low.truthy()), (high, with_high.truthy())])
            }
            _ => return None,
        };
        Some((asked, Strength::Strong))
    }

    /// Is one of the first two arguments of a function a place that is indexed as one, and does no other one read it?
    fn is_place(&self, args: &[Ex]) -> bool {
        let place = |ex: &Ex| {
            let names = ex.as_path().filter(|(slot, _)| *slot == self.slot).map(|(_, names)| names);
            let link = names.and_then(|names| self.value(names)).map(|(_, link)| link);
            let number = link.and_then(|link| self.definition.analyzer(link.analyzers.first()?));
            number.is_some_and(|number| self.definition.analyzers[number].1.geo().is_some())
        };
        let reads = args.iter().filter(|arg| arg.reads(self.slot)).count();
        reads == 1 && args.iter().take(2).any(place)
    }

    /// Does a condition say what only a search can say?
    fn is_search(&self, ex: &Ex) -> bool {
        if let Ex::Call(function, _) = ex
            && SEARCHES.contains(&function.name)
        {
            return true;
        }
        let text = |attribute: &Ex| {
            let names = attribute.as_path().filter(|(slot, _)| *slot == self.slot).map(|(_, names)| names);
            names.and_then(|names| self.covered(names)).is_some_and(|(_, link)| !is_identity(link))
        };
        let compares = match ex {
            Ex::Binary(_, a, b) | Ex::ArrayCompare(_, _, a, b) => text(a) || text(b),
            Ex::Call(_, args) => args.iter().take(2).any(text),
            _ => false,
        };
        let mut any = compares;
        ex.for_each_child(&mut |child| any |= self.is_search(child));
        any
    }

    /// Can a search answer all of it?
    fn is_searchable(&self, ex: &Ex) -> bool {
        let covered = |ex: &Ex| match ex.as_path() {
            Some((slot, names)) => slot == self.slot && self.covered(names).is_some(),
            None => false,
        };
        match ex {
            ex if !ex.reads(self.slot) => true,
            Ex::And(a, b) | Ex::Or(a, b) => self.is_searchable(a) && self.is_searchable(b),
            Ex::Not(inner) => self.is_searchable(inner),
            Ex::Binary(op, a, b)
                if distance(*op, a, b)
                    .is_some_and(|(args, _, bound)| self.is_place(args) && !bound.reads(self.slot)) =>
            {
                true
            }
            Ex::Binary(op, a, b) => {
                let known = op.mirrored().is_some() || matches!(op, BinaryOp::In | BinaryOp::NotIn);
                known && ((covered(a) && !b.reads(self.slot)) || (covered(b) && !a.reads(self.slot)))
            }
            Ex::ArrayCompare(_, _, left, right) => covered(right) && !left.reads(self.slot),
            Ex::Call(function, args) => match (function.name, args.as_slice()) {
                ("ANALYZER" | "BOOST", [inner, ..]) => self.is_searchable(inner),
                ("GEO_CONTAINS" | "GEO_INTERSECTS" | "GEO_IN_RANGE", args) => self.is_place(args),
                ("MIN_MATCH", [parts @ .., _]) => parts.iter().all(|part| self.is_searchable(part)),
                (name, [attribute, rest @ ..]) => {
                    (SEARCHES.contains(&name) || BOTH.contains(&name))
                        && covered(attribute)
                        && rest.iter().all(|arg| !arg.reads(self.slot))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// Functions that ask for tokens,
const SEARCHES: [&str; 8] =
    ["ANALYZER", "BOOST", "EXISTS", "LEVENSHTEIN_MATCH", "MIN_MATCH", "NGRAM_MATCH", "PHRASE", "MINHASH_MATCH"];
/// and those that ask for them where the attribute has others than itself.
const BOTH: [&str; 3] = ["STARTS_WITH", "LIKE", "IN_RANGE"];

fn is_identity(link: &Link) -> bool {
    matches!(link.analyzers.as_slice(), [name] if name == "identity")
}

/// Is null, or one of several, which documents without the attribute fulfil?
fn is_null(value: &Ex) -> bool {
    matches!(value, Ex::Const(value) if value.is_null() || value.iter_array().any(|member| member.is_null()))
}

fn may_be_text(value: &Ex) -> bool {
    match value {
        Ex::Const(value) if value.is_array() => value.iter_array().any(|member| member.is_string()),
        Ex::Const(value) => value.is_string(),
        _ => true,
    }
}

/// `GEO_DISTANCE(…) < 100` in either order: the arguments, the comparison and the bound.
pub(crate) fn distance<'e>(op: BinaryOp, a: &'e Ex, b: &'e Ex) -> Option<(&'e [Ex], BinaryOp, &'e Ex)> {
    match (a, b) {
        (Ex::Call(function, args), bound) if function.name == "GEO_DISTANCE" => Some((args, op, bound)),
        (bound, Ex::Call(function, args)) if function.name == "GEO_DISTANCE" => Some((args, op.mirrored()?, bound)),
        _ => None,
    }
}
