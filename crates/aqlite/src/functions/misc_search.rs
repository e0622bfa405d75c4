//! The functions of search views, as far as they have a meaning outside of a `SEARCH` operation.

use super::{Function, Host, MANY, offsets, pure};
use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("MIN_MATCH", 2, MANY, min_match),
    pure("ANALYZER", 2, 2, |_, args| Ok(args[0].clone())),
    pure("BOOST", 2, 2, |_, args| Ok(args[0].clone())),
    pure("EXISTS", 1, 4, |_, _| Err(only_in_search("EXISTS"))),
    pure("PHRASE", 2, MANY, |_, _| Err(only_in_search("PHRASE"))),
    pure("BM25", 1, 3, |_, _| Err(only_in_search("BM25"))),
    pure("TFIDF", 1, 2, |_, _| Err(only_in_search("TFIDF"))),
    pure("OFFSET_INFO", 2, 2, offsets::offset_info),
    pure("MINHASH_MATCH", 3, 4, |_, _| Err(only_in_search("MINHASH_MATCH"))),
];

fn only_in_search(name: &str) -> Error {
    Error::new(
        code::NOT_IMPLEMENTED,
        format!(
            "ArangoSearch function '{name}' is designed to be used only within a SEARCH statement of an ArangoSearch view"
        ),
    )
}

/// Whether that many of the conditions before the last argument hold.
fn min_match(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Some((needed, conditions)) = args.split_last().filter(|(needed, _)| needed.is_number()) else {
        return host.wrong_type("MIN_MATCH");
    };
    let holding = conditions.iter().filter(|condition| condition.truthy()).count() as i64;
    let needed = needed.to_i64()?;
    Ok((needed >= 0 && holding >= needed).into())
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn enough_conditions_have_to_hold() {
        assert_eq!(answer("MIN_MATCH", "[true,false,true,2]"), "true");
        assert_eq!(answer("MIN_MATCH", "[true,false,false,2]"), "false");
        assert_eq!(answer("MIN_MATCH", r#"[true,"x"]"#), "warning 1542");
    }

    #[test]
    fn the_functions_of_views_are_refused_outside_of_them() {
        assert_eq!(answer("PHRASE", r#"["a","b"]"#), "error 9");
        assert_eq!(answer("BOOST", "[true,2]"), "true");
    }
}
