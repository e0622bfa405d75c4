//! What the database tells of a tree, as rows without names.

use aqlite::value::{Look, SmolStr};

/// What the database tells of a walk.
#[derive(Debug)]
pub(super) struct Found {
    pub serials: Vec<FoundSerial>,
    pub linked: usize,
}

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

impl Found {
    /// The row of the query; `None` if it is another one.
    pub fn of(row: Look<'_>) -> Option<Self> {
        let (mut products, mut parents) = (Repeated::default(), Repeated::default());
        let rows = row.member("serials")?.elements();
        let mut serials = Vec::with_capacity(rows.len());
        for row in rows {
            serials.push(FoundSerial::of(row, &mut products, &mut parents)?);
        }
        Some(Self { serials, linked: row.member("linked")?.count()? })
    }

    /// Whether the links of the walk are all there are: no serial was reached over several, and none twice from different
    /// starts.
    pub fn has_all_links(&self, starts: usize) -> bool {
        starts == 1 && self.linked == self.serials.iter().filter(|serial| serial.parent.is_some()).count()
    }
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
    fn a_walk_tells_all_links_unless_there_are_more_or_several_starts() {
        let walk = |linked| Found { serials: vec![found("a", None), found("b", Some("a"))], linked };
        assert!(walk(1).has_all_links(1));
        assert!(!walk(1).has_all_links(2));
        assert!(!walk(2).has_all_links(1));
    }

    fn read(row: &Value) -> Option<Found> {
        let row = Row::from(row);
        let stored = Row::from_stored(row.to_stored());
        let (found, again) = (Found::of(Look::from(&row)), Found::of(Look::from(&stored)));
        assert_eq!(format!("{found:?}"), format!("{again:?}"), "in both forms alike");
        found
    }

    #[test]
    fn values_of_other_types_are_read_as_the_contract_has_them() {
        let read = |product: Value, replaced: Value, confirmed: Value| -> (Option<SmolStr>, bool, bool) {
            let serial = json!(["Serial/a", null, product, null, replaced, confirmed]);
            let found = read(&json!({"serials": [serial], "linked": 0})).unwrap().serials.remove(0);
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
        let serial = json!(["Serial/a", null, null, null, null, null]);
        assert!(read(&json!({"serials": [serial], "linked": 1})).is_some());
        for row in [
            json!({"serials": [], "linked": -1}),
            json!({"serials": []}),
            json!({"linked": 0}),
            json!({"serials": [["Serial/a"]], "linked": 0}),
            json!({"serials": [[null, null, null, null, null, null]], "linked": 0}),
            json!([]),
        ] {
            assert!(read(&row).is_none(), "{row}");
        }
    }
}
