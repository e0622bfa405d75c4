//! Which rows are right, and what they add up to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::form::Mode;
use super::rows::Row;
use crate::aql::counting::import_parts::{Products as Product, Row as Loaded};
use crate::aql::rows::ImportedCount;
use tracewright_model::CountRecordStatus;

/// What the rows name, as the database holds it.
#[derive(Debug, Default)]
pub(super) struct Known {
    products: HashMap<String, Product>,
    positions: HashMap<String, String>,
    serials: HashMap<(String, String), String>,
}

impl From<Loaded> for Known {
    /// Of several with one code the first counts.
    fn from(loaded: Loaded) -> Self {
        let mut known = Self::default();
        for product in loaded.products {
            known.products.entry(product.code.clone()).or_insert(product);
        }
        for position in loaded.positions {
            known.positions.entry(position.code).or_insert(position.key);
        }
        for serial in loaded.serials {
            if let Some(product_key) = serial.product_key {
                known.serials.entry((product_key, serial.code)).or_insert(serial.key);
            }
        }
        known
    }
}

/// What was counted of a product at a position.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Count {
    quantity: f64,
    /// The serials that are there; `None` for a product without serials.
    serials: Option<BTreeSet<String>>,
}

/// The rows of a file, checked and added up.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// How many rows there are.
    pub rows: usize,
    /// The errors of the rows that have any, by the place of the row.
    pub errors: BTreeMap<usize, Vec<String>>,
    /// What was counted, by the keys of product and position.
    pub counts: BTreeMap<(String, String), Count>,
}

impl Checked {
    /// Checks the next rows.
    pub(super) fn add(&mut self, rows: &[Row], known: &Known) {
        for row in rows {
            let errors = self.row(row, known);
            if !errors.is_empty() {
                self.errors.insert(self.rows, errors);
            }
            self.rows += 1;
        }
    }

    /// What a dry run approves, in short: the same file in the same mode has another one as soon as it would write or
    /// discard something else.
    pub(super) fn fingerprint(&self, mode: Mode, discarded: &[String]) -> String {
        let mut hasher = DefaultHasher::new();
        (mode == Mode::Replace).hash(&mut hasher);
        for (pair, count) in &self.counts {
            (pair, count.quantity.to_bits(), &count.serials).hash(&mut hasher);
        }
        discarded.iter().collect::<BTreeSet<_>>().hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    fn row(&mut self, row: &Row, known: &Known) -> Vec<String> {
        let mut errors = Vec::new();
        let product = known.products.get(&row.product_code);
        if row.product_code.is_empty() {
            errors.push("Missing product_code".to_owned());
        } else if product.is_none() {
            errors.push(format!("Product '{}' not found", row.product_code));
        }
        let position = known.positions.get(&row.position_code);
        if row.position_code.is_empty() {
            errors.push("Missing position_code".to_owned());
        } else if position.is_none() {
            errors.push(format!("Position '{}' not found", row.position_code));
        }
        let quantity = row.counted_qt.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        if row.counted_qt.is_empty() {
            errors.push("Missing counted_qt".to_owned());
        } else if quantity.is_none() {
            errors.push(format!("Invalid counted_qt value: '{}'", row.counted_qt));
        }
        let serial = product.map_or(Ok(None), |product| known.serial(row, product)).unwrap_or_else(|error| {
            errors.push(error);
            None
        });
        if let (true, Some(product), Some(position), Some(quantity)) = (errors.is_empty(), product, position, quantity)
        {
            let count = self.counts.entry((product.key.clone(), position.clone())).or_default();
            count.add(serial, quantity);
        }
        errors
    }

    /// Product and position of every count, as the query that finds earlier records compares them.
    pub(super) fn pairs(&self) -> Vec<String> {
        self.counts.keys().map(|(product, position)| format!("Product/{product} Position/{position}")).collect()
    }

    /// The records as they are stored, without what the system knows.
    pub(super) fn records(&self, session_key: &str, user_key: &str, now: &str) -> impl Iterator<Item = ImportedCount> {
        let of = move |((product, position), count): (&(String, String), &Count)| ImportedCount {
            from: format!("Product/{product}"),
            to: format!("Position/{position}"),
            system_at: now.to_owned(),
            counted_qt: count.quantity,
            counted_serial_keys: count.serials.as_ref().map(|serials| serials.iter().cloned().collect()),
            counted_at: now.to_owned(),
            inventory_count_session_key: session_key.to_owned(),
            assignment_key: None,
            user_key: user_key.to_owned(),
            status: CountRecordStatus::Completed.into(),
            reviewed_at: None,
            processed: false,
            movement_keys: None,
            notes: None,
            extra: Value::Null,
        };
        self.counts.iter().map(of)
    }
}

impl Known {
    /// The serial of a row: traced products need one, others take none.
    fn serial(&self, row: &Row, product: &Product) -> Result<Option<&str>, String> {
        let code = &row.product_code;
        match row.stored_serial() {
            Some(_) if !product.is_traced => Err(format!("Product '{code}' does not support serial numbers")),
            None if product.is_traced => Err(format!("Product '{code}' requires a serial number")),
            None => Ok(None),
            Some(serial) => match self.serials.get(&(product.key.clone(), serial)) {
                Some(key) => Ok(Some(key)),
                None => Err(format!("Serial '{}' not found for product '{code}'", row.serial_code)),
            },
        }
    }
}

impl Count {
    /// Serials are there or not; other quantities add up.
    fn add(&mut self, serial: Option<&str>, quantity: f64) {
        match serial {
            Some(key) => {
                let serials = self.serials.get_or_insert_default();
                if quantity > 0.0 {
                    serials.insert(key.to_owned());
                }
                self.quantity = serials.len() as f64;
            }
            None => self.quantity += quantity,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known() -> Known {
        let loaded: Loaded = serde_json::from_value(json!({
            "products": [{"key": "p", "code": "P", "is_traced": false}, {"key": "t", "code": "T", "is_traced": true}],
            "positions": [{"key": "a", "code": "A"}, {"key": "other", "code": "A"}],
            "serials": [
                {"key": "s1", "code": "S1", "product_key": "t"}, {"key": "s2", "code": "S2", "product_key": "t"},
                {"key": "s3", "code": "S3", "product_key": "p"},
            ],
        }))
        .unwrap();
        Known::from(loaded)
    }

    fn check(rows: &[[&str; 4]]) -> Checked {
        let row = |[position, product, quantity, serial]: &[&str; 4]| Row {
            position_code: (*position).to_owned(),
            product_code: (*product).to_owned(),
            counted_qt: (*quantity).to_owned(),
            serial_code: (*serial).to_owned(),
        };
        let mut checked = Checked::default();
        checked.add(&rows.iter().map(row).collect::<Vec<_>>(), &known());
        checked
    }

    #[test]
    fn every_mistake_of_a_row_is_told() {
        let checked = check(&[
            ["", "", "", ""],
            ["X", "Y", "z", ""],
            ["A", "P", "1", "S1"],
            ["A", "T", "1", ""],
            ["A", "T", "-1", "s3"],
            ["A", "P", "NaN", ""],
        ]);
        let expected = [
            vec!["Missing product_code", "Missing position_code", "Missing counted_qt"],
            vec!["Product 'Y' not found", "Position 'X' not found", "Invalid counted_qt value: 'z'"],
            vec!["Product 'P' does not support serial numbers"],
            vec!["Product 'T' requires a serial number"],
            vec!["Invalid counted_qt value: '-1'", "Serial 's3' not found for product 'T'"],
            vec!["Invalid counted_qt value: 'NaN'"],
        ];
        assert_eq!(checked.errors.into_values().collect::<Vec<_>>(), expected);
        assert_eq!(checked.rows, 6);
        assert!(checked.counts.is_empty());
    }

    #[test]
    fn quantities_of_a_product_at_a_position_add_up() {
        let checked = check(&[["A", "P", "1.5", ""], ["A", "P", "2", ""]]);
        assert_eq!(checked.counts[&("p".into(), "a".into())], Count { quantity: 3.5, serials: None });
    }

    #[test]
    fn the_fingerprint_tells_other_counts_other_discarded_records_and_another_mode() {
        let row = [["A", "P", "1.5", ""]];
        let fingerprint = |rows: &[[&str; 4]], mode, keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            check(rows).fingerprint(mode, &keys)
        };
        let approved = fingerprint(&row, Mode::Update, &["1", "2"]);
        assert_eq!(fingerprint(&row, Mode::Update, &["2", "1"]), approved);
        assert_ne!(fingerprint(&row, Mode::Replace, &["1", "2"]), approved);
        assert_ne!(fingerprint(&row, Mode::Update, &["1"]), approved);
        assert_ne!(fingerprint(&[["A", "P", "1", ""]], Mode::Update, &["1", "2"]), approved);
    }

    #[test]
    fn serials_count_when_their_quantity_is_not_zero_each_once() {
        let checked = check(&[["A", "T", "1", "s1"], ["A", "T", "5", "S1"], ["A", "T", "0", "S2"]]);
        let count = &checked.counts[&("t".into(), "a".into())];
        assert_eq!(count, &Count { quantity: 1.0, serials: Some(BTreeSet::from(["s1".to_owned()])) });
        let none = check(&[["A", "T", "0", "S2"]]);
        assert_eq!(none.counts[&("t".into(), "a".into())], Count { quantity: 0.0, serials: Some(BTreeSet::new()) });
    }
}
