//! Syntax trees of texts that were read before: a program asks the same few hundred queries over and over, and only their
//! parameters differ. A tree depends on nothing but its text, so nothing ever makes one wrong.

use std::sync::{Arc, LazyLock};

use quick_cache::sync::Cache;

use super::ast::Query;
use super::parser::parse;
use crate::error::Result;

/// How many trees are kept. Those asked for once make room before those asked for again.
const KEPT: usize = 512;
/// Longer texts are read anew each time: they hold their values instead of parameters.
const LONGEST: usize = 8 * 1024;

static TREES: LazyLock<Cache<Box<str>, Arc<Query>>> = LazyLock::new(|| Cache::new(KEPT));

/// Reads a query, or finds it read.
pub fn parsed(text: &str) -> Result<Arc<Query>> {
    if text.len() > LONGEST {
        return parse(text).map(Arc::new);
    }
    if let Some(tree) = TREES.get(text) {
        return Ok(tree);
    }
    let tree = Arc::new(parse(text)?);
    TREES.insert(text.into(), Arc::clone(&tree));
    Ok(tree)
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
    fn a_long_text_is_not_kept() {
        let text = format!("RETURN {:?}", "x".repeat(LONGEST));
        assert!(!Arc::ptr_eq(&parsed(&text).unwrap(), &parsed(&text).unwrap()));
    }
}
