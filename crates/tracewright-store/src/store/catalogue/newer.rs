//! What servers of version 3.9, the oldest the service runs on, do not know yet: functions, operators and options of later
//! versions, as their release notes list them.

use super::Finding;
use super::tokens::{Kind, Token};

/// Functions, each with the version that brought it.
const FUNCTIONS: [(&str, &str); 16] = [
    ("DATE_ISOWEEKYEAR", "3.11"),
    ("ENTRIES", "3.12.1"),
    ("KEEP_RECURSIVE", "3.10"),
    ("MINHASH", "3.10"),
    ("MINHASH_COUNT", "3.10"),
    ("MINHASH_ERROR", "3.10"),
    ("MINHASH_MATCH", "3.10"),
    ("OFFSET_INFO", "3.10"),
    ("PARSE_COLLECTION", "3.12"),
    ("PARSE_KEY", "3.12"),
    ("RANDOM", "3.12"),
    ("REPEAT", "3.12"),
    ("SHA256", "3.11"),
    ("SUBSTRING_BYTES", "3.10"),
    ("TO_CHAR", "3.12"),
    ("VALUE", "3.10"),
];

/// What `OPTIONS` may name in version 3.9, of loops, traversals, searches, groups and changes.
const OPTIONS: [&str; 25] = [
    "bfs",
    "collections",
    "conditionOptimization",
    "countApproximate",
    "defaultWeight",
    "edgeCollections",
    "exclusive",
    "forceIndexHint",
    "ignoreErrors",
    "ignoreRevs",
    "indexHint",
    "keepNull",
    "mergeObjects",
    "method",
    "order",
    "overwrite",
    "overwriteMode",
    "parallelism",
    "uniqueEdges",
    "uniqueVertices",
    "vertexCollections",
    "waitForSync",
    "weightAttribute",
    // of indexes, since 3.9.1
    "disableIndex",
    "maxProjections",
];

/// Refuses what a server of version 3.9 does not know.
pub fn check(tokens: &[Token], wrong: &mut Vec<Finding>) {
    for (place, token) in tokens.iter().enumerate() {
        let is_next = |sign| tokens.get(place + 1).is_some_and(|next| next.is_sign(sign));
        let mut newer = |what: &str, version: &str| {
            wrong.push(Finding::new(
                token.line,
                format!("{what} came with version {version}, and servers may be of 3.9"),
            ));
        };
        let function = token.word().filter(|_| is_next('(')).map(str::to_uppercase).unwrap_or_default();
        if let Some((name, version)) = FUNCTIONS.iter().find(|(name, _)| *name == function) {
            newer(&format!("{name}()"), version);
        }
        if token.is("ALL_SHORTEST_PATHS") {
            newer("ALL_SHORTEST_PATHS", "3.10");
        }
        if token.is("AT") && tokens.get(place + 1).is_some_and(|next| next.is("LEAST")) {
            newer("AT LEAST", "3.10");
        }
        if token.is_sign('[') && is_next('?') {
            newer("the operator [? ...]", "3.10");
        }
        if token.is("UPSERT") && tokens.get(place + 1).is_some_and(|next| next.is("FILTER")) {
            newer("UPSERT FILTER", "3.12");
        }
        if token.is("OPTIONS") && is_next('{') {
            for (name, line) in options(&tokens[place + 1..]).filter(|(name, _)| !OPTIONS.contains(name)) {
                wrong.push(Finding::new(line, format!("{name} is no option that servers of version 3.9 know")));
            }
        }
    }
}

/// The names in an object without objects in it, whose bracket is the first of the tokens.
fn options<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = (&'a str, usize)> {
    let inside = tokens.iter().take_while(|token| !token.is_sign('}'));
    inside.zip(&tokens[1..]).filter(|(_, next)| next.is_sign(':')).filter_map(|(token, _)| match token.kind {
        Kind::Word(name) | Kind::Text(name) => Some((name, token.line)),
        _ => None,
    })
}
