//! The rows of an import, however they were written.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::error::{Error, Result};

/// Most rows of one import.
pub(super) const MOST_ROWS: usize = 100_000;

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

/// The rows of a file and the columns that mean nothing to an import.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub rows: Vec<Row>,
    pub ignored: Vec<String>,
}

impl Sheet {
    /// Everything the rows name, as the query that loads it wants it.
    pub(super) fn names(&self) -> Value {
        let products: BTreeSet<&str> = self.rows.iter().map(|row| row.product_code.as_str()).collect();
        let positions: BTreeSet<&str> = self.rows.iter().map(|row| row.position_code.as_str()).collect();
        let serials: BTreeSet<String> = self.rows.iter().filter_map(Row::stored_serial).collect();
        json!({"product_codes": products, "position_codes": positions, "serial_codes": serials})
    }
}

/// Puts rows together: the first names the columns.
#[derive(Debug)]
pub(super) struct Reader {
    position: usize,
    product: usize,
    quantity: usize,
    serial: Option<usize>,
    sheet: Sheet,
}

impl Reader {
    /// Reads the names of the columns; required ones that are missing are 400.
    pub(super) fn new(header: &[String]) -> Result<Self> {
        let names: Vec<String> =
            header.iter().map(|name| name.trim_start_matches('\u{feff}').trim().to_lowercase()).collect();
        let find = |wanted: &str| names.iter().position(|name| name == wanted);
        match REQUIRED.map(find) {
            [Some(position), Some(product), Some(quantity)] => {
                let is_known = |name: &str| REQUIRED.contains(&name) || name == OPTIONAL;
                let ignored = names.iter().filter(|name| !name.is_empty() && !is_known(name)).cloned().collect();
                let sheet = Sheet { rows: Vec::new(), ignored };
                Ok(Self { position, product, quantity, serial: find(OPTIONAL), sheet })
            }
            found => {
                let missing: Vec<&str> =
                    REQUIRED.iter().zip(found).filter(|(_, at)| at.is_none()).map(|(name, _)| *name).collect();
                Err(Error::bad_request(format!("Missing required columns: {}", missing.join(", "))))
            }
        }
    }

    /// Adds a row; one without any cell is passed over.
    pub(super) fn add(&mut self, cells: &[String]) -> Result<()> {
        let cell = |at: usize| cells.get(at).map(|cell| cell.trim().to_owned()).unwrap_or_default();
        let row = Row {
            position_code: cell(self.position),
            product_code: cell(self.product),
            counted_qt: cell(self.quantity),
            serial_code: self.serial.map(cell).unwrap_or_default(),
        };
        if row == Row::default() {
            return Ok(());
        }
        if self.sheet.rows.len() >= MOST_ROWS {
            return Err(Error::bad_request(format!("The file has more than {MOST_ROWS} rows")));
        }
        self.sheet.rows.push(row);
        Ok(())
    }

    /// The sheet; one without rows is 400.
    pub(super) fn finish(self) -> Result<Sheet> {
        if self.sheet.rows.is_empty() { Err(no_rows()) } else { Ok(self.sheet) }
    }
}

/// 400 for a file without rows.
pub(super) fn no_rows() -> Error {
    Error::bad_request("The file has no rows")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn columns_are_found_by_trimmed_lower_case_names_and_others_reported() {
        let mut reader =
            Reader::new(&cells(&["\u{feff} Product_Code ", "COUNTED_QT", "colour", "position_code"])).unwrap();
        reader.add(&cells(&[" P ", "2", "red", "A"])).unwrap();
        reader.add(&cells(&["", " ", "blue"])).unwrap();
        let sheet = reader.finish().unwrap();
        assert_eq!(sheet.ignored, ["colour"]);
        let row = Row { product_code: "P".into(), position_code: "A".into(), counted_qt: "2".into(), ..Row::default() };
        assert_eq!(sheet.rows, [row]);
    }

    #[test]
    fn missing_columns_are_named_in_order() {
        let error = Reader::new(&cells(&["product_code"])).unwrap_err();
        assert!(error.to_string().contains("Missing required columns: position_code, counted_qt"), "{error}");
    }

    #[test]
    fn a_sheet_without_rows_is_refused() {
        assert!(Reader::new(&cells(&["position_code", "product_code", "counted_qt"])).unwrap().finish().is_err());
    }
}
