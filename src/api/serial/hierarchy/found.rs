//! What the database tells of a tree, as rows without names.

use aqlite::value::{Look, SmolStr};
use foldhash::{HashSet, HashSetExt};

/// A serial with the link it was reached over.
#[derive(Debug)]
pub(super) struct FoundSerial {
    pub id: SmolStr,
    pub code: Option<SmolStr>,
    pub product: Option<SmolStr>,
    pub parent: Option<SmolStr>,
    pub replaced: bool,
    pub confirmed: bool,
}

impl FoundSerial {
    /// An array in this order. Existing databases hold all kinds of values; what is no text is none.
    fn of(row: Look<'_>, products: &mut Repeated, parents: &mut Repeated) -> Option<Self> {
        let mut cells = row.elements();
        let id = SmolStr::new(cells.next()?.text()?);
        let code = cells.next()?.text().map(SmolStr::new);
        let product = products.read(cells.next()?);
        let parent = parents.read(cells.next()?);
        let replaced = cells.next()?.truth() == Some(true);
        let confirmed = cells.next()?.truth() != Some(false);
        Some(Self { id, code, product, parent, replaced, confirmed })
    }
}

/// Texts that are mostly the same as the one before: the children of a serial stand together, and often are of one product.
#[derive(Default)]
struct Repeated(SmolStr);

impl Repeated {
    fn read(&mut self, cell: Look<'_>) -> Option<SmolStr> {
        if !cell.is_text(&self.0) {
            self.0 = SmolStr::new(cell.text()?);
        }
        Some(self.0.clone())
    }
}

/// The ids of both ends, whether it was replaced, and whether it is confirmed.
pub(super) type FoundLink = (SmolStr, SmolStr, bool, bool);

/// The serials of a walk, from its one row; `None` if it is another one.
pub(super) fn serials(row: Look<'_>) -> Option<Vec<FoundSerial>> {
    let (mut products, mut parents) = (Repeated::default(), Repeated::default());
    if !row.is_array() {
        return None;
    }
    let rows = row.elements();
    let mut serials = Vec::with_capacity(rows.len());
    for row in rows {
        serials.push(FoundSerial::of(row, &mut products, &mut parents)?);
    }
    Some(serials)
}

/// Does none of them come twice?
pub(super) fn are_different(serials: &[FoundSerial]) -> bool {
    let mut seen = HashSet::with_capacity(serials.len());
    serials.iter().all(|serial| seen.insert(serial.id.as_str()))
}

#[cfg(test)]
pub(super) mod tests {
    use aqlite::value::Value as Row;
    use serde_json::{Value, json};

    use super::*;

    /// A serial without a product that was reached over a current link.
    pub(in super::super) fn found(key: &str, parent: Option<&str>) -> FoundSerial {
        let id = |key: &str| SmolStr::from(format!("Serial/{key}"));
        let parent = parent.map(id);
        FoundSerial { id: id(key), code: None, product: None, parent, replaced: false, confirmed: true }
    }

    #[test]
    fn a_serial_that_comes_again_is_noticed() {
        assert!(are_different(&[found("a", None), found("b", Some("a")), found("c", Some("a"))]));
        assert!(!are_different(&[found("a", None), found("b", Some("a")), found("a", Some("b"))]));
        assert!(are_different(&[]));
    }

    fn read(row: &Value) -> Option<Vec<FoundSerial>> {
        let row = Row::from(row);
        let stored = Row::from_stored(row.to_stored());
        let (found, again) = (serials(Look::from(&row)), serials(Look::from(&stored)));
        assert_eq!(format!("{found:?}"), format!("{again:?}"), "in both forms alike");
        found
    }

    #[test]
    fn values_of_other_types_are_read_as_the_contract_has_them() {
        let read = |product: Value, replaced: Value, confirmed: Value| -> (Option<SmolStr>, bool, bool) {
            let serial = json!(["Serial/a", null, product, null, replaced, confirmed]);
            let found = read(&json!([serial])).unwrap().remove(0);
            (found.product, found.replaced, found.confirmed)
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
