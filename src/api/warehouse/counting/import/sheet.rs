//! Reading of files: comma-separated text, and workbooks of both generations.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use calamine::{Data, Reader as _, Xls, Xlsx};

use super::rows::{Reader, Sheet, no_rows};
use crate::error::{Error, Result};

/// Reads the file at `path`, whose kind its `name` tells.
pub(super) async fn read(path: &Path, name: &str) -> Result<Sheet> {
    let (path, name) = (path.to_owned(), name.to_owned());
    tokio::task::spawn_blocking(move || read_blocking(&path, &name))
        .await
        .map_err(|e| Error::internal("The import file could not be read.", e))?
}

fn read_blocking(path: &Path, name: &str) -> Result<Sheet> {
    let extension = Path::new(name).extension().and_then(|text| text.to_str()).unwrap_or_default().to_lowercase();
    let file = || File::open(path).map_err(|e| Error::internal("The import file could not be opened.", e));
    match extension.as_str() {
        "csv" => text(BufReader::new(file()?)),
        "xlsx" => workbook(BufReader::new(file()?)),
        "xls" => old_workbook(BufReader::new(file()?)),
        _ => Err(Error::bad_request("Unsupported file format. Please use a .csv, .xlsx or .xls file")),
    }
}

fn unreadable(cause: impl std::fmt::Display) -> Error {
    Error::bad_request(format!("The file cannot be read: {cause}"))
}

fn text(source: impl Read) -> Result<Sheet> {
    let mut lines = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source);
    let mut records = lines.records();
    let cells = |record: csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<String>>();
    let header = records.next().ok_or_else(no_rows)?.map_err(unreadable)?;
    let mut reader = Reader::new(&cells(header))?;
    for record in records {
        reader.add(&cells(record.map_err(unreadable)?))?;
    }
    reader.finish()
}

/// Cells come one by one, so a sheet never has to fit into memory as a whole.
fn workbook(source: impl Read + Seek) -> Result<Sheet> {
    let mut workbook = Xlsx::new(source).map_err(unreadable)?;
    let name = workbook.sheet_names().first().cloned().ok_or_else(no_rows)?;
    let mut cells = workbook.worksheet_cells_reader(&name).map_err(unreadable)?;
    let mut gathered = Gathered::default();
    while let Some(cell) = cells.next_cell().map_err(unreadable)? {
        let (row, column) = cell.get_position();
        let value: Data = cell.get_value().clone().into();
        gathered.cell(row, column, written(&value))?;
    }
    gathered.finish()
}

fn old_workbook(source: impl Read + Seek) -> Result<Sheet> {
    let mut workbook = Xls::new(source).map_err(unreadable)?;
    let range = workbook.worksheet_range_at(0).ok_or_else(no_rows)?.map_err(unreadable)?;
    let mut rows = range.rows().map(|row| row.iter().map(written).collect::<Vec<String>>());
    let mut reader = Reader::new(&rows.next().ok_or_else(no_rows)?)?;
    for row in rows {
        reader.add(&row)?;
    }
    reader.finish()
}

/// Columns that are looked at; a cell far to the right is no reason to make room for all before it.
const MOST_COLUMNS: u32 = 1_000;

/// Rows that are put together from cells in the order of the sheet.
#[derive(Default)]
struct Gathered {
    reader: Option<Reader>,
    row: Option<u32>,
    cells: Vec<String>,
}

impl Gathered {
    fn cell(&mut self, row: u32, column: u32, text: String) -> Result<()> {
        if self.row != Some(row) {
            self.end_row()?;
            self.row = Some(row);
        }
        if column < MOST_COLUMNS {
            let column = column as usize;
            if self.cells.len() <= column {
                self.cells.resize(column + 1, String::new());
            }
            if let Some(cell) = self.cells.get_mut(column) {
                *cell = text;
            }
        }
        Ok(())
    }

    fn end_row(&mut self) -> Result<()> {
        let cells = std::mem::take(&mut self.cells);
        match &mut self.reader {
            Some(reader) => reader.add(&cells),
            None if self.row.is_none() => Ok(()),
            None => {
                self.reader = Some(Reader::new(&cells)?);
                Ok(())
            }
        }
    }

    fn finish(mut self) -> Result<Sheet> {
        self.end_row()?;
        self.reader.ok_or_else(no_rows)?.finish()
    }
}

/// A cell as people see it: codes that look like numbers are kept as numbers by spreadsheets.
fn written(cell: &Data) -> String {
    match cell {
        Data::Empty | Data::Error(_) => String::new(),
        Data::Float(number) => number.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn text_may_begin_with_a_byte_order_mark_and_quote_its_cells() {
        let source = "\u{feff}position_code,product_code,counted_qt,note\n\"A,1\",P,\"1.5\",x\n\nB,Q,2\n";
        let sheet = text(source.as_bytes()).unwrap();
        assert_eq!(sheet.rows.len(), 2);
        assert_eq!(sheet.rows[0].position_code, "A,1");
        assert_eq!(sheet.rows[0].counted_qt, "1.5");
        assert_eq!(sheet.ignored, ["note"]);
    }

    #[test]
    fn text_that_is_not_utf8_or_empty_is_refused() {
        assert!(text(&b"position_code,product_code,counted_qt\n\xff,P,1\n"[..]).is_err());
        assert!(text(&b""[..]).is_err());
    }

    #[test]
    fn workbooks_are_read_with_numbers_as_people_see_them() {
        let mut book = rust_xlsxwriter::Workbook::new();
        let sheet = book.add_worksheet();
        for (column, name) in ["Position_Code", "product_code", "counted_qt"].iter().enumerate() {
            sheet.write_string(0, column as u16, *name).unwrap();
        }
        sheet.write_string(1, 0, "A").unwrap();
        sheet.write_number(1, 1, 1001.0).unwrap();
        sheet.write_number(1, 2, 2.5).unwrap();
        sheet.write_string(3, 0, "B").unwrap();
        let read = workbook(Cursor::new(book.save_to_buffer().unwrap())).unwrap();
        assert_eq!(read.rows.len(), 2);
        assert_eq!(read.rows[0].product_code, "1001");
        assert_eq!(read.rows[0].counted_qt, "2.5");
        assert_eq!(read.rows[1].product_code, "");
    }

    #[test]
    fn what_is_no_workbook_is_refused() {
        assert!(workbook(Cursor::new(b"PK no".to_vec())).is_err());
        assert!(old_workbook(Cursor::new(b"no".to_vec())).is_err());
    }
}
