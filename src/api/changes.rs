//! Partial changes: what is absent stays, and what null means for a member is told by its rule.

use serde_json::Value;

use super::found::no_mistakes;
use crate::error::{Invalid, Result};

/// What null means for a member of a change.
pub enum Null {
    /// A mistake: the member is of this type (`string_type` and the like), with its message.
    Refused(&'static str, &'static str),
    /// Its default.
    Means(Value),
    /// Nothing: the member stays.
    Ignored,
}

/// Changes as they are stored: null is put into what it means; what `rules` do not name may be null.
pub fn changes(mut changes: Value, rules: Vec<(&str, Null)>) -> Result<Value> {
    let mut mistakes = Vec::new();
    for (name, rule) in rules {
        let Some(members) = changes.as_object_mut().filter(|members| members.get(name) == Some(&Value::Null)) else {
            continue;
        };
        match rule {
            Null::Refused(kind, msg) => {
                mistakes.push(Invalid::new(&["body".into(), name.into()], kind, msg).input(Value::Null));
            }
            Null::Means(default) => drop(members.insert(name.to_owned(), default)),
            Null::Ignored => drop(members.remove(name)),
        }
    }
    no_mistakes(mistakes)?;
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn null_is_refused_replaced_ignored_or_kept() {
        let rules = || {
            vec![
                ("name", Null::Refused("string_type", "Input should be a valid string")),
                ("active", Null::Means(json!(true))),
                ("created", Null::Ignored),
            ]
        };
        let sent = json!({"active": null, "created": null, "icon": null, "code": "A"});
        assert_eq!(changes(sent, rules()).unwrap(), json!({"active": true, "icon": null, "code": "A"}));
        assert!(changes(json!({"name": null}), rules()).is_err());
        assert_eq!(
            changes(json!({"name": "N", "active": false}), rules()).unwrap(),
            json!({"name": "N", "active": false})
        );
    }
}
