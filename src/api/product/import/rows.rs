//! The rows of an import, however they were written.

use std::collections::BTreeSet;

use super::super::columns::COLUMNS;
use crate::aql::product::import_parts::Params;
use crate::error::{Error, Result};
use crate::sheets::Rows;

/// Places of the columns in [`COLUMNS`].
pub(super) const CODE: usize = 0;
pub(super) const DESCRIPTION: usize = 1;
pub(super) const TAGS: usize = 2;
pub(super) const TEMPLATES: usize = 3;
pub(super) const COUNTER: usize = 4;
pub(super) const MANAGE_INVENTORY: usize = 5;
pub(super) const CONSUMPTION: usize = 6;
pub(super) const PRODUCTION: usize = 7;

/// One row: the cell of each column, trimmed; `None` for a column that the file does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row(pub [Option<String>; COLUMNS.len()]);

impl Row {
    /// The text of a cell; empty for a column that is not there.
    pub(super) fn text(&self, column: usize) -> &str {
        self.0.get(column).and_then(Option::as_deref).unwrap_or_default()
    }

    /// The names in a cell, each once; `None` for a column that is not there.
    pub(super) fn list(&self, column: usize) -> Option<BTreeSet<&str>> {
        let cell = self.0.get(column)?.as_deref()?;
        Some(cell.split(';').map(str::trim).filter(|name| !name.is_empty()).collect())
    }

    /// Everything that rows name, as the query that loads it wants it.
    pub(super) fn names(rows: &[Self]) -> Params<'_> {
        let texts = |columns: &[usize]| {
            let cells = rows.iter().flat_map(|row| columns.iter().map(|column| row.text(*column)));
            let named: BTreeSet<&str> = cells.filter(|text| !text.is_empty()).collect();
            named.into_iter().collect()
        };
        let lists = |column: usize| {
            let named: BTreeSet<&str> = rows.iter().flat_map(|row| row.list(column).unwrap_or_default()).collect();
            named.into_iter().collect()
        };
        Params {
            codes: texts(&[CODE]),
            tag_names: lists(TAGS),
            template_names: lists(TEMPLATES),
            counter_names: texts(&[COUNTER]),
            position_codes: texts(&[CONSUMPTION, PRODUCTION]),
        }
    }
}

/// Makes rows of lines.
#[derive(Debug)]
pub(super) struct Reader {
    /// Where each column stands.
    places: [Option<usize>; COLUMNS.len()],
    ignored: Vec<String>,
}

impl Rows for Reader {
    type Row = Row;

    const MOST: usize = 50_000;

    fn new(columns: &[String]) -> Result<Self> {
        let named: Vec<&String> = columns.iter().filter(|name| !name.is_empty()).collect();
        if let Some(twice) =
            named.iter().enumerate().find(|(at, name)| named.iter().take(*at).any(|other| other == *name))
        {
            return Err(Error::bad_request(format!("The column {} stands twice", twice.1)));
        }
        let places = COLUMNS.map(|wanted| columns.iter().position(|name| name == wanted));
        if places.first().is_none_or(Option::is_none) {
            return Err(Error::bad_request("Missing required columns: code"));
        }
        let ignored = named.into_iter().filter(|name| !COLUMNS.contains(&name.as_str())).cloned().collect();
        Ok(Self { places, ignored })
    }

    fn row(&self, cells: &[String]) -> Option<Row> {
        let cell = |at: usize| plain(cells.get(at).map(|cell| cell.trim()).unwrap_or_default());
        let row = Row(self.places.map(|place| place.map(cell)));
        row.0.iter().flatten().any(|cell| !cell.is_empty()).then_some(row)
    }

    fn ignored(self) -> Vec<String> {
        self.ignored
    }
}

/// A cell without the quote that an export puts before what looks like a formula.
fn plain(cell: &str) -> String {
    cell.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@'])).unwrap_or(cell).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_column_that_is_not_there_is_told_from_an_empty_cell() {
        let reader = Reader::new(&cells(&["tags", "colour", "code"])).unwrap();
        let row = reader.row(&cells(&["a; b;;a", "red", " P-1 "])).unwrap();
        assert_eq!(row.text(CODE), "P-1");
        assert_eq!(row.list(TAGS), Some(BTreeSet::from(["a", "b"])));
        assert_eq!(row.list(TEMPLATES), None);
        assert_eq!(reader.row(&cells(&["", " "])), None);
        assert_eq!(reader.ignored(), ["colour"]);
    }

    #[test]
    fn a_column_twice_and_a_missing_code_are_refused() {
        assert!(Reader::new(&cells(&["code", "tags", "tags"])).is_err());
        assert!(Reader::new(&cells(&["description"])).is_err());
    }

    #[test]
    fn the_quote_before_a_formula_goes_and_any_other_stays() {
        assert_eq!(plain("'=1+1"), "=1+1");
        assert_eq!(plain("'quoted'"), "'quoted'");
    }
}
