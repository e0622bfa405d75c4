//! What the database tells of a tree, as rows without names.

use aqlite::value::{Look, SmolStr};
use foldhash::{HashSet, HashSetExt};

use super::texts::{Reader, Text, Texts};

/// A serial with the link it was reached over.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundSerial {
    pub id: Text,
    pub code: Option<Text>,
    pub product: Option<Text>,
    pub parent: Option<Text>,
    pub replaced: bool,
    pub confirmed: bool,
}

/// The ids of both ends, whether it was replaced, and whether it is confirmed.
pub(super) type FoundLink = (SmolStr, SmolStr, bool, bool);

/// The serials of a walk.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub texts: Texts,
    pub serials: Vec<FoundSerial>,
}

impl Walk {
    /// From its one row; `None` if it is another one.
    pub fn read(row: Look<'_>) -> Option<Self> {
        if !row.is_array() {
            return None;
        }
        let rows = row.elements();
        let mut serials = Vec::with_capacity(rows.len());
        // the children of a serial stand together, and often are of one product
        let (mut texts, mut last_product, mut last_parent) = (Reader::of(rows.len()), None, None);
        for row in rows {
            let mut cells = row.elements();
            serials.push(FoundSerial {
                id: texts.read(cells.next()?)?,
                code: texts.read(cells.next()?),
                product: texts.read_again(cells.next()?, &mut last_product),
                parent: texts.read_again(cells.next()?, &mut last_parent),
                replaced: cells.next()?.truth() == Some(true),
                confirmed: cells.next()?.truth() != Some(false),
            });
        }
        Some(Self { texts: texts.finish()?, serials })
    }

    /// Does no serial come twice?
    pub fn are_different(&self) -> bool {
        let mut seen = HashSet::with_capacity(self.serials.len());
        self.serials.iter().all(|serial| seen.insert(self.texts.get(serial.id)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use aqlite::value::Value as Row;
    use serde_json::{Value, json};

    use super::*;

    impl Walk {
        /// Finds a serial without a product over a current link.
        pub fn find(&mut self, key: &str, parent: Option<&str>) -> &mut FoundSerial {
            let mut id = |key: &str| self.texts.add(&format!("Serial/{key}"));
            let (id, parent) = (id(key), parent.map(id));
            self.serials.push(FoundSerial { id, code: None, product: None, parent, replaced: false, confirmed: true });
            self.serials.last_mut().expect("it was found")
        }
    }

    /// Finds these.
    pub fn walk<'a>(serials: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Walk {
        let mut walk = Walk::default();
        for (key, parent) in serials {
            walk.find(key, parent);
        }
        walk
    }

    #[test]
    fn a_serial_that_comes_again_is_noticed() {
        assert!(walk([("a", None), ("b", Some("a")), ("c", Some("a"))]).are_different());
        assert!(!walk([("a", None), ("b", Some("a")), ("a", Some("b"))]).are_different());
        assert!(walk([]).are_different());
    }

    fn read(row: &Value) -> Option<Walk> {
        let row = Row::from(row);
        let stored = Row::from_stored(row.to_stored());
        let (found, again) = (Walk::read(Look::from(&row)), Walk::read(Look::from(&stored)));
        assert_eq!(format!("{found:?}"), format!("{again:?}"), "in both forms alike");
        found
    }

    #[test]
    fn values_of_other_types_are_read_as_the_contract_has_them() {
        let read = |product: Value, replaced: Value, confirmed: Value| -> (Option<String>, bool, bool) {
            let serial = json!(["Serial/a", null, product, null, replaced, confirmed]);
            let walk = read(&json!([serial])).unwrap();
            let found = walk.serials[0];
            (found.product.map(|product| walk.texts.get(product).to_owned()), found.replaced, found.confirmed)
        };
        assert_eq!(read(json!("p"), json!(true), json!(false)), (Some("p".into()), true, false));
        assert_eq!(read(json!(7), json!("true"), json!(null)), (None, false, true));
        assert_eq!(read(json!(["p"]), json!(null), json!(0)), (None, false, true));
        assert_eq!(read(json!({"p": [1]}), json!([true]), json!({"a": false})), (None, false, true));
        assert_eq!(read(json!(true), json!(1.5), json!(-1)), (None, false, true));
    }

    #[test]
    fn another_row_is_not_taken_for_a_walk() {
        assert!(read(&json!([["Serial/a", null, null, null, null, null]])).is_some());
        for row in [
            json!(null),
            json!({"serials": []}),
            json!([["Serial/a"]]),
            json!([[null, null, null, null, null, null]]),
            json!(["Serial/a"]),
            json!([{"id": "Serial/a"}]),
        ] {
            assert!(read(&row).is_none(), "{row}");
        }
    }
}
