//! What the database tells of a tree, as rows without names.

use aqlite::value::{SmolStr, Value};
use serde::{Deserialize, Deserializer};

/// What the database tells of a walk.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    pub serials: Vec<FoundSerial>,
    pub linked: usize,
}

/// A serial with the link it was reached over, as an array in this order. Existing databases hold all kinds of values.
#[derive(Debug, Deserialize)]
pub(super) struct FoundSerial {
    pub id: SmolStr,
    pub code: Option<SmolStr>,
    #[serde(deserialize_with = "text")]
    pub product: Option<SmolStr>,
    pub parent: Option<SmolStr>,
    #[serde(deserialize_with = "is_true")]
    pub replaced: bool,
    #[serde(deserialize_with = "is_not_false")]
    pub confirmed: bool,
}

fn text<'de, D: Deserializer<'de>>(value: D) -> Result<Option<SmolStr>, D::Error> {
    Ok(match Value::deserialize(value)? {
        Value::Str(text) => Some(text),
        _ => None,
    })
}

fn is_true<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Ok(Value::deserialize(value)?.as_bool() == Some(true))
}

fn is_not_false<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Ok(Value::deserialize(value)?.as_bool() != Some(false))
}

/// The ids of both ends, whether it was replaced, and whether it is confirmed.
pub(super) type FoundLink = (SmolStr, SmolStr, bool, bool);

impl Found {
    /// Whether the links of the walk are all there are: no serial was reached over several, and none twice from different
    /// starts.
    pub fn has_all_links(&self, starts: usize) -> bool {
        starts == 1 && self.linked == self.serials.iter().filter(|serial| serial.parent.is_some()).count()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A serial without a product that was reached over a current link.
    pub(in super::super) fn found(key: &str, parent: Option<&str>) -> FoundSerial {
        let id = |key: &str| SmolStr::from(format!("Serial/{key}"));
        let parent = parent.map(id);
        FoundSerial { id: id(key), code: None, product: None, parent, replaced: false, confirmed: true }
    }

    #[test]
    fn a_walk_tells_all_links_unless_there_are_more_or_several_starts() {
        let walk = |linked| Found { serials: vec![found("a", None), found("b", Some("a"))], linked };
        assert!(walk(1).has_all_links(1));
        assert!(!walk(1).has_all_links(2));
        assert!(!walk(2).has_all_links(1));
    }

    #[test]
    fn values_of_other_types_are_read_as_the_contract_has_them() {
        let read = |product: Value, replaced: Value, confirmed: Value| -> (Option<SmolStr>, bool, bool) {
            let found = json!(["Serial/a", null, product, null, replaced, confirmed]);
            let found: FoundSerial = serde_json::from_value(found).unwrap();
            (found.product, found.replaced, found.confirmed)
        };
        assert_eq!(read(json!("p"), json!(true), json!(false)), (Some("p".into()), true, false));
        assert_eq!(read(json!(7), json!("true"), json!(null)), (None, false, true));
        assert_eq!(read(json!(["p"]), json!(null), json!(0)), (None, false, true));
        assert_eq!(read(json!({"p": [1]}), json!([true]), json!({"a": false})), (None, false, true));
        assert_eq!(read(json!(true), json!(1.5), json!(-1)), (None, false, true));
    }
}
