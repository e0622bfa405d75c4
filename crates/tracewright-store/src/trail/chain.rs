//! What ties a change to the one before it.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// What stands before the first change.
pub const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Members that the hash of a change does not cover: the database's own, and the hash.
const UNCOVERED: [&str; 4] = ["_id", "_key", "_rev", "hash"];

/// The hash of a change: SHA-256 of the hash of the one before, a line feed, and the change in the form of RFC 8785, its
/// `seq` and `previous` among its members.
pub fn hash(previous: &str, change: &Value) -> Result<String> {
    let mut covered = change.clone();
    if let Some(members) = covered.as_object_mut() {
        members.retain(|name, _| !UNCOVERED.contains(&name.as_str()));
    }
    let text = serde_json_canonicalizer::to_vec(&covered)
        .map_err(|cause| Error::internal("A change could not be written in the form that is hashed.", cause))?;
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(b"\n");
    hash.update(text);
    Ok(format!("{:x}", hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_hash_can_be_computed_by_others() {
        let change = json!({"_key": "1", "_rev": "x", "hash": "y", "what": "z", "n": 1.0, "at": "é"});
        // printf '%064d\n{"at":"é","n":1,"what":"z"}' 0 | sha256sum
        let expected = "d4daef20c0664a87091fbee5784d09124b704cb6191799fc798eda0e7b436957";
        assert_eq!(hash(START, &change).unwrap(), expected);
    }

    #[test]
    fn every_member_and_the_one_before_count() {
        let change = json!({"seq": 1, "what": "z", "changes": [{"path": "a", "old": 1, "new": null}]});
        let own = hash(START, &change).unwrap();
        assert_ne!(hash(&own, &change).unwrap(), own);
        for (member, value) in [("seq", json!(2)), ("what", json!("y")), ("changes", json!([])), ("more", json!(0))] {
            let mut other = change.clone();
            other[member] = value;
            assert_ne!(hash(START, &other).unwrap(), own, "{member}");
        }
    }
}
