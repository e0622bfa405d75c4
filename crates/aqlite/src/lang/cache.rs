//! Syntax trees of texts that were read before: a program asks the same few hundred queries over and over, and only their
//! parameters differ. A tree depends on nothing but its text, so nothing ever makes one wrong.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use quick_cache::UnitWeighter;
use quick_cache::sync::{Cache, DefaultLifecycle};

use super::ast::Query;
use super::parser::parse;
use crate::error::Result;
use crate::seeded::Seeded;

/// How many trees are kept. Those asked for once make room before those asked for again.
const KEPT: usize = 512;
/// Longer texts are read anew each time: they hold their values instead of parameters.
const LONGEST: usize = 8 * 1024;

static TREES: LazyLock<ByText<Arc<Kept>>> = LazyLock::new(|| by_text(KEPT));

/// What is kept of a text.
struct Kept {
    tree: Arc<Query>,
    /// How often it is not tried to answer it at once before it is tried again; [`UNKNOWN`] until it was seen to be light.
    passes: AtomicU32,
    /// How often it was tried in vain.
    failures: AtomicU32,
    /// How often it was brief since it last was not.
    brief_runs: AtomicU32,
    /// How often it was taken for brief in vain.
    disappointments: AtomicU32,
}

/// What is kept of texts of queries. They are hashed several times a query, and who chooses them may run any.
pub(crate) type ByText<T> = Cache<Box<str>, T, UnitWeighter, Seeded>;

/// Room for so many texts.
pub(crate) fn by_text<T: Clone>(texts: usize) -> ByText<T> {
    Cache::with(texts, texts as u64, UnitWeighter, Seeded, DefaultLifecycle::default())
}

const UNKNOWN: u32 = u32::MAX;
/// After an attempt in vain it is tried again behind so many others, after the next one behind twice as many.
const PASSES: u32 = 16;
/// So often they become twice as many.
const DOUBLINGS: u32 = 12;
/// What was brief so often will be brief again, and twice as often when it was not.
const BRIEF_RUNS: u32 = 8;

/// How a query has run so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Too seldom to say, or it took its time.
    Unknown,
    /// It never took long lately.
    Brief,
    /// So little was to be done that it may be worth the attempt to answer it at once: it was light the last time, and if that
    /// did not help, some time has passed since.
    Light,
}

/// Forgets all trees.
pub fn forget() {
    TREES.clear();
}

/// Reads a query, or finds it read.
pub fn parsed(text: &str) -> Result<Arc<Query>> {
    if text.len() > LONGEST {
        return parse(text).map(Arc::new);
    }
    if let Some(kept) = TREES.get(text) {
        return Ok(Arc::clone(&kept.tree));
    }
    let tree = Arc::new(parse(text)?);
    let kept = Kept {
        tree: Arc::clone(&tree),
        passes: AtomicU32::new(UNKNOWN),
        failures: AtomicU32::new(0),
        brief_runs: AtomicU32::new(0),
        disappointments: AtomicU32::new(0),
    };
    TREES.insert(text.into(), Arc::new(kept));
    Ok(tree)
}

/// How a query has run so far.
pub fn weight(text: &str) -> Weight {
    let Some(kept) = TREES.get(text) else { return Weight::Unknown };
    match kept.passes.load(Ordering::Relaxed) {
        0 => return Weight::Light,
        UNKNOWN => {}
        passes => kept.passes.store(passes - 1, Ordering::Relaxed),
    }
    if kept.brief_runs.load(Ordering::Relaxed) >= kept.brief_runs_wanted() { Weight::Brief } else { Weight::Unknown }
}

impl Kept {
    fn brief_runs_wanted(&self) -> u32 {
        BRIEF_RUNS << self.disappointments.load(Ordering::Relaxed).min(DOUBLINGS)
    }
}

/// A query has run where it could take its time.
pub fn has_run(text: &str, was_light: bool, was_brief: bool) {
    let Some(kept) = TREES.get(text) else { return };
    if was_light {
        let _ = kept.passes.compare_exchange(UNKNOWN, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
    match kept.brief_runs.load(Ordering::Relaxed) {
        runs if was_brief => kept.brief_runs.store((runs + 1).min(kept.brief_runs_wanted()), Ordering::Relaxed),
        _ => kept.brief_runs.store(0, Ordering::Relaxed),
    }
}

/// It was taken for brief, and was: an attempt in vain is forgotten.
pub fn was_brief(text: &str) {
    if let Some(kept) = TREES.get(text) {
        forget_one(&kept.disappointments);
    }
}

/// It was taken for brief, in vain.
pub fn was_not_brief(text: &str) {
    if let Some(kept) = TREES.get(text) {
        kept.disappointments.fetch_add(1, Ordering::Relaxed);
        kept.brief_runs.store(0, Ordering::Relaxed);
    }
}

/// It was answered at once: an attempt in vain is forgotten.
pub fn was_told_at_once(text: &str) {
    if let Some(kept) = TREES.get(text) {
        forget_one(&kept.failures);
    }
}

fn forget_one(failures: &AtomicU32) {
    let so_far = failures.load(Ordering::Relaxed);
    if so_far > 0 {
        failures.store(so_far - 1, Ordering::Relaxed);
    }
}

/// It was tried to answer it at once, in vain.
pub fn was_not_light(text: &str) {
    if let Some(kept) = TREES.get(text) {
        let failures = kept.failures.fetch_add(1, Ordering::Relaxed);
        kept.passes.store(PASSES << failures.min(DOUBLINGS), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_once_and_a_mistake_each_time() {
        let text = "FOR d IN 1..@last RETURN d /* of this test alone */";
        let first = parsed(text).unwrap();
        assert!(Arc::ptr_eq(&first, &parsed(text).unwrap()));
        assert_eq!(*first, parse(text).unwrap());
        assert!(parsed("FOR d IN").is_err());
        assert!(parsed("FOR d IN").is_err());
    }

    #[test]
    fn what_was_light_is_tried_and_less_often_when_that_fails() {
        let text = "RETURN 1 /* which may be light */";
        let is_light = |text| weight(text) == Weight::Light;
        assert!(!is_light(text));
        parsed(text).unwrap();
        assert!(!is_light(text));
        has_run(text, true, true);
        assert!(is_light(text));
        let passes = |text| (0..1000).take_while(|_| !is_light(text)).count();
        was_not_light(text);
        assert_eq!(passes(text), 16);
        has_run(text, true, true);
        was_not_light(text);
        assert_eq!(passes(text), 32);
        was_told_at_once(text);
        was_not_light(text);
        assert_eq!(passes(text), 32);
    }

    #[test]
    fn what_was_brief_for_a_while_is_brief_until_it_takes_long() {
        let text = "RETURN 1 /* which may be brief */";
        parsed(text).unwrap();
        for _ in 0..BRIEF_RUNS {
            assert_eq!(weight(text), Weight::Unknown);
            has_run(text, false, true);
        }
        assert_eq!(weight(text), Weight::Brief);
        has_run(text, false, false);
        has_run(text, false, true);
        assert_eq!(weight(text), Weight::Unknown);
    }

    #[test]
    fn what_was_taken_for_brief_in_vain_has_to_be_brief_for_longer() {
        let text = "RETURN 1 /* which seems to be brief */";
        parsed(text).unwrap();
        let runs = || {
            (0..1000).take_while(|_| {
                has_run(text, false, true);
                weight(text) != Weight::Brief
            })
        };
        assert_eq!(runs().count(), 7);
        was_not_brief(text);
        assert_eq!(runs().count(), 15);
        was_brief(text);
        was_not_brief(text);
        assert_eq!(runs().count(), 15);
    }

    #[test]
    fn a_long_text_is_not_kept() {
        let text = format!("RETURN {:?}", "x".repeat(LONGEST));
        assert!(!Arc::ptr_eq(&parsed(&text).unwrap(), &parsed(&text).unwrap()));
    }
}
