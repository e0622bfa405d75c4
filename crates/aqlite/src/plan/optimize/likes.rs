//! `d.name LIKE "abc%"` is also `d.name >= "abc" AND d.name < "abc\uFFFF"`, which an index can answer, and
//! `d.name LIKE "abc"` is `d.name == "abc"`. As in ArangoDB only strings can be found this way, though `LIKE` itself
//! looks at the text of any value.

use rustc_hash::FxHashSet;

use super::{Rewrite, for_each_pipeline_ex};
use crate::lang::ast::BinaryOp;
use crate::plan::expr::{Ex, Slot};
use crate::plan::rules::LIKE_RANGE;
use crate::plan::{Node, Pipeline};
use crate::value::Value;

/// Vowels that are written before the consonant behind which they sort: what begins with one is no range.
fn sorts_behind_the_next(c: char) -> bool {
    matches!(c, '\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}' | '\u{19b5}'..='\u{19b7}' | '\u{19ba}')
        || matches!(c, '\u{aab5}' | '\u{aab6}' | '\u{aab9}' | '\u{aabb}' | '\u{aabc}')
}

/// A character that sorts behind all others.
const LAST: char = '\u{ffff}';

/// Adds ranges to the patterns that attributes of the documents of a collection are held to.
pub(super) fn add_ranges(pipeline: &mut Pipeline, rewrite: &mut Rewrite<'_>) {
    let documents: FxHashSet<Slot> = pipeline
        .nodes
        .iter()
        .filter_map(|node| match node {
            Node::Scan(scan) if !scan.no_index => Some(scan.slot),
            _ => None,
        })
        .collect();
    if documents.is_empty() {
        return;
    }
    let mut changed = false;
    for_each_pipeline_ex(pipeline, &mut |ex| changed |= rewrite_all(ex, &documents));
    if changed {
        rewrite.note(LIKE_RANGE);
    }
}

fn rewrite_all(ex: &mut Ex, documents: &FxHashSet<Slot>) -> bool {
    if let Some(replacement) = replacement(ex, documents) {
        *ex = replacement;
        return true;
    }
    let mut changed = false;
    ex.for_each_child_mut(&mut |child| changed |= rewrite_all(child, documents));
    changed
}

fn replacement(ex: &Ex, documents: &FxHashSet<Slot>) -> Option<Ex> {
    let Ex::Call(function, args) = ex else { return None };
    let [attribute @ Ex::Path(slot, _), pattern, rest @ ..] = args.as_slice() else {
        return None;
    };
    if function.name != "LIKE" || !documents.contains(slot) {
        return None;
    }
    let sensitive = match rest {
        [] => true,
        [insensitive] => insensitive.truth() == Some(false),
        _ => false,
    };
    let Some(Value::Str(pattern)) = pattern.known().filter(|_| sensitive) else { return None };
    let compare = |op, bound: String| Ex::Binary(op, Box::new(attribute.clone()), Box::new(Ex::Const(bound.into())));
    match literal_prefix(&pattern) {
        (text, false) => Some(compare(BinaryOp::Eq, text)),
        (prefix, true) if prefix.chars().next_back().is_none_or(sorts_behind_the_next) => None,
        (prefix, true) => {
            let above = compare(BinaryOp::Lt, format!("{prefix}{LAST}"));
            let range = Ex::And(Box::new(compare(BinaryOp::Ge, prefix)), Box::new(above));
            Some(Ex::And(Box::new(ex.clone()), Box::new(range)))
        }
    }
}

/// The text before the first wildcard, without its escapes, and whether there is a wildcard.
pub(crate) fn literal_prefix(pattern: &str) -> (String, bool) {
    let mut runs = literal_runs(pattern);
    let wildcard = runs.len() > 1;
    (runs.swap_remove(0), wildcard)
}

/// The texts before, between and behind the wildcards, without escapes.
pub(crate) fn literal_runs(pattern: &str) -> Vec<String> {
    let mut runs = Vec::new();
    let mut text = String::with_capacity(pattern.len());
    let mut escaped = false;
    for c in pattern.chars() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '%' | '_' if !escaped => {
                runs.push(std::mem::take(&mut text));
                continue;
            }
            // a backslash before a character without a meaning of its own stays
            _ if escaped && !r"\%_?+[(){}^$|.*".contains(c) => text.push('\\'),
            _ => {}
        }
        text.push(c);
        escaped = false;
    }
    runs.push(text);
    runs
}

#[cfg(test)]
mod tests {
    use super::{literal_prefix, literal_runs};

    #[test]
    fn escapes_are_resolved_up_to_the_first_wildcard() {
        for (pattern, text, wildcard) in [
            ("abc", "abc", false),
            ("ab%c", "ab", true),
            ("_", "", true),
            (r"a\%b_", "a%b", true),
            (r"a\\b", r"a\b", false),
            (r"a\x", r"a\x", false),
            (r"a\.b", "a.b", false),
            (r"a\", "a", false),
        ] {
            assert_eq!(literal_prefix(pattern), (String::from(text), wildcard), "{pattern}");
        }
        assert_eq!(literal_runs(r"%ab_c\%d%"), ["", "ab", "c%d", ""]);
    }
}
