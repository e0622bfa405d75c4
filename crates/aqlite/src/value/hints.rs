//! Where attributes stood in the document before: in the next one they mostly stand there again.

use std::cell::Cell;

use super::SmolStr;
use super::stored::{Raw, Stored};

/// So many are kept. Two paths that share one, and documents of another shape, only cost a search.
const KEPT: usize = 32;

/// One for each path of a query or an index, by its place in memory.
#[derive(Default)]
pub(crate) struct Hints([Cell<usize>; KEPT]);

impl Hints {
    /// What stands at the end of a path.
    pub fn path<'v>(&self, document: &'v Stored, path: &[SmolStr]) -> Option<Raw<'v>> {
        let kept = &self.0[path.as_ptr().addr() / size_of::<SmolStr>() % KEPT];
        let mut at = kept.get();
        let found = document.raw().path_at(path, &mut at);
        kept.set(at);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Value, parse_json};
    use super::*;

    #[test]
    fn attributes_are_found_in_documents_of_all_shapes() {
        let hints = Hints::default();
        let paths =
            [vec!["a"], vec!["b"], vec!["b", "c"], vec!["longer name"], vec!["longer names"], vec!["z"], vec![""]];
        let paths = paths.map(|path| path.into_iter().map(SmolStr::new).collect::<Vec<_>>());
        let documents = [
            r#"{"b":{"c":1}}"#,
            r#"{"a":1,"b":2,"longer name":3,"z":4}"#,
            "{}",
            r#"{"":0,"longer names":5,"y":6,"longer name":7}"#,
            r#"{"longer namf":8,"a":9}"#,
            r#"{"b":{"c":10,"b":11},"bb":12}"#,
            "[1]",
        ];
        for _ in 0..2 {
            for (one, other) in documents.iter().flat_map(|one| documents.iter().map(move |other| (one, other))) {
                for path in &paths {
                    for json in [one, other] {
                        let value = parse_json(json).unwrap();
                        let Value::Stored(stored) = Value::from_stored(value.to_stored()) else { panic!("{json}") };
                        let found = hints.path(&stored, path).map(Raw::to_value);
                        let wanted = stored.raw().path(path).map(Raw::to_value);
                        assert_eq!(found, wanted, "{path:?} in {json} behind {one}");
                    }
                }
            }
        }
    }
}
