//! The rows of an import, however they were written.

use std::collections::BTreeSet;

use crate::aql::counting::import_parts::Params;
use crate::error::{Error, Result};
use crate::sheets::{self, shortened};

/// Most characters of a cell that are looked at: no code has more.
const MOST_TEXT: usize = 1_000;

const REQUIRED: [&str; 3] = ["position_code", "product_code", "counted_qt"];
const OPTIONAL: &str = "serial_code";

/// One row; an empty cell is an empty text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub position_code: String,
    pub product_code: String,
    pub counted_qt: String,
    pub serial_code: String,
}

impl Row {
    /// The serial as codes are stored.
    pub(super) fn stored_serial(&self) -> Option<String> {
        (!self.serial_code.is_empty()).then(|| self.serial_code.to_uppercase())
    }
}

/// The codes that rows name, each once.
pub(super) struct Names<'r> {
    products: BTreeSet<&'r str>,
    positions: BTreeSet<&'r str>,
    serials: BTreeSet<String>,
}

/// Everything that rows name.
pub(super) fn names(rows: &[Row]) -> Names<'_> {
    Names {
        products: rows.iter().map(|row| row.product_code.as_str()).collect(),
        positions: rows.iter().map(|row| row.position_code.as_str()).collect(),
        serials: rows.iter().filter_map(Row::stored_serial).collect(),
    }
}

impl Names<'_> {
    /// As the query that loads it wants it.
    pub(super) fn params(&self) -> Params<'_> {
        Params {
            product_codes: self.products.iter().copied().collect(),
            position_codes: self.positions.iter().copied().collect(),
            serial_codes: self.serials.iter().collect(),
        }
    }
}

/// Makes rows of lines: the first names the columns.
#[derive(Debug)]
pub(super) struct Reader {
    position: usize,
    product: usize,
    quantity: usize,
    serial: Option<usize>,
    /// Columns that mean nothing to an import.
    ignored: Vec<String>,
}

impl sheets::Rows for Reader {
    type Row = Row;

    const MOST: usize = 100_000;

    fn new(names: &[String]) -> Result<Self> {
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        match REQUIRED.map(find) {
            [Some(position), Some(product), Some(quantity)] => {
                let is_known = |name: &str| REQUIRED.contains(&name) || name == OPTIONAL;
                let ignored = names.iter().filter(|name| !name.is_empty() && !is_known(name)).cloned().collect();
                Ok(Self { position, product, quantity, serial: find(OPTIONAL), ignored })
            }
            found => {
                let missing: Vec<&str> =
                    REQUIRED.iter().zip(found).filter(|(_, at)| at.is_none()).map(|(name, _)| *name).collect();
                Err(Error::bad_request(format!("Missing required columns: {}", missing.join(", "))))
            }
        }
    }

    fn row(&self, cells: &[String]) -> Option<Row> {
        let cell =
            |at: usize| cells.get(at).map(|cell| shortened(cell.trim(), MOST_TEXT).to_owned()).unwrap_or_default();
        let row = Row {
            position_code: cell(self.position),
            product_code: cell(self.product),
            counted_qt: cell(self.quantity),
            serial_code: self.serial.map(cell).unwrap_or_default(),
        };
        (row != Row::default()).then_some(row)
    }

    fn ignored(self) -> Vec<String> {
        self.ignored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheets::Rows;

    fn cells(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn columns_are_found_by_name_and_others_reported() {
        let reader = Reader::new(&cells(&["product_code", "counted_qt", "colour", "position_code"])).unwrap();
        let row = Row { product_code: "P".into(), position_code: "A".into(), counted_qt: "2".into(), ..Row::default() };
        assert_eq!(reader.row(&cells(&[" P ", "2", "red", "A"])), Some(row));
        assert_eq!(reader.row(&cells(&["", " ", "blue"])), None);
        assert_eq!(reader.ignored(), ["colour"]);
    }

    #[test]
    fn missing_columns_are_named_in_order() {
        let error = Reader::new(&cells(&["product_code"])).unwrap_err();
        assert!(error.to_string().contains("Missing required columns: position_code, counted_qt"), "{error}");
    }
}
