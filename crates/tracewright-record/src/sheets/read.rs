//! Reading of files: comma-separated text, and workbooks of both generations. Lines are handed on as they are read.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use calamine::{Data, DataRef, Reader as _, Xlsx, XlsxError};
use zip::ZipArchive;

use super::markup::Markup;
use super::{Rows, cut, no_rows, old_workbook, unreadable};
use crate::error::{Error, Result};

/// Most bytes of a workbook when it is unpacked. Parts of it, such as the texts that cells share, are held in memory.
const MOST_UNPACKED: u64 = 128 * 1024 * 1024;
/// Columns that are looked at; a cell far to the right is no reason to make room for all before it.
const MOST_COLUMNS: u32 = 1_000;

/// Hands every row of the file at `path` to `each`, and returns the columns that mean nothing to an import. It ends early when
/// the file is not wanted any more.
pub fn read<R: Rows>(
    path: &Path,
    name: &str,
    is_wanted: &dyn Fn() -> bool,
    each: &mut dyn FnMut(R::Row) -> Result<()>,
) -> Result<Vec<String>> {
    let extension = Path::new(name).extension().and_then(|text| text.to_str()).unwrap_or_default().to_lowercase();
    let open = || File::open(path).map_err(|e| Error::internal("The import file could not be opened.", e));
    let mut lines = Lines::<R> { rows: None, is_wanted, each };
    match extension.as_str() {
        "csv" => text(BufReader::new(open()?), &mut lines)?,
        "xlsx" => {
            check_parts(BufReader::new(open()?), is_wanted)?;
            workbook(BufReader::new(open()?), &mut lines)?;
        }
        "xls" => old_workbook(BufReader::new(open()?), &mut lines)?,
        _ => return Err(Error::bad_request("Unsupported file format. Please use a .csv, .xlsx or .xls file")),
    }
    lines.rows.ok_or_else(no_rows)?.finish()
}

/// Lines on their way to becoming rows.
struct Lines<'a, R: Rows> {
    rows: Option<R>,
    is_wanted: &'a dyn Fn() -> bool,
    each: &'a mut dyn FnMut(R::Row) -> Result<()>,
}

impl<R: Rows> Lines<'_, R> {
    fn add(&mut self, cells: &[String]) -> Result<()> {
        if !(self.is_wanted)() {
            return Err(unreadable("nobody waits for it any more"));
        }
        match &mut self.rows {
            None => self.rows = Some(R::new(&column_names(cells))?),
            Some(rows) => {
                if let Some(row) = rows.row(cells)? {
                    (self.each)(row)?;
                }
            }
        }
        Ok(())
    }
}

/// The names of columns as they are compared: trimmed and in lower case, without the mark that text may begin with.
fn column_names(header: &[String]) -> Vec<String> {
    header.iter().map(|name| name.trim_start_matches('\u{feff}').trim().to_lowercase()).collect()
}

/// Text whose lines have no more cells than are looked at: a line of nothing but commas takes many times its size in
/// memory.
struct Narrow<R> {
    source: R,
    commas: u32,
}

impl<R: Read> Read for Narrow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        for byte in buffer.iter().take(count) {
            match byte {
                b'\n' => self.commas = 0,
                b',' if self.commas >= MOST_COLUMNS => {
                    return Err(io::Error::other(format!("a line has more than {MOST_COLUMNS} cells")));
                }
                b',' => self.commas += 1,
                _ => {}
            }
        }
        Ok(count)
    }
}

fn text(source: impl Read, lines: &mut Lines<impl Rows>) -> Result<()> {
    let source = Narrow { source, commas: 0 };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(unreadable)? {
        let cells: Vec<String> = record.iter().map(|cell| cut(cell).to_owned()).collect();
        lines.add(&cells)?;
    }
    Ok(())
}

/// Refuses a workbook that unpacks to more than it should, or whose parts would take too long to read. What it says of its own
/// size is not believed.
fn check_parts(source: impl Read + Seek, is_wanted: &dyn Fn() -> bool) -> Result<()> {
    let mut archive = ZipArchive::new(source).map_err(unreadable)?;
    let (mut left, mut markup) = (MOST_UNPACKED, Markup::new(is_wanted));
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(unreadable)?.take(left + 1);
        markup.begin();
        let size = io::copy(&mut part, &mut markup).map_err(unreadable)?;
        left = left.checked_sub(size).ok_or_else(|| {
            Error::bad_request(format!("The workbook has more than {} MiB unpacked", MOST_UNPACKED / 1024 / 1024))
        })?;
    }
    Ok(())
}

/// Cells come one by one, so a sheet never has to fit into memory as a whole.
fn workbook(source: impl Read + Seek, lines: &mut Lines<impl Rows>) -> Result<()> {
    let mut workbook = said(|| Xlsx::new(source))?;
    let name = workbook.sheet_names().first().cloned().ok_or_else(no_rows)?;
    let mut cells = said(|| workbook.worksheet_cells_reader(&name))?;
    let mut line = Line::default();
    let mut next = || {
        let cell = cells.next_cell()?;
        Ok::<_, XlsxError>(cell.map(|cell| (cell.get_position(), written(cell.get_value()))))
    };
    while let Some(((row, column), text)) = said(&mut next)? {
        line.cell(row, column, text, lines)?;
    }
    line.end(lines)
}

/// What the reader of workbooks says. About some that refer to what they do not have it panics; then it is done with.
fn said<T>(read: impl FnOnce() -> Result<T, XlsxError>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(said) => said.map_err(unreadable),
        Err(_) => Err(unreadable("it is damaged")),
    }
}

fn old_workbook(source: impl Read + Seek, lines: &mut Lines<impl Rows>) -> Result<()> {
    let mut line = Line::default();
    old_workbook::read(source, &mut |row, column, text| line.cell(row, column, text, lines))?;
    line.end(lines)
}

/// A line that is put together from cells in the order of the sheet.
#[derive(Default)]
struct Line {
    row: Option<u32>,
    cells: Vec<String>,
}

impl Line {
    fn cell(&mut self, row: u32, column: u32, text: String, lines: &mut Lines<impl Rows>) -> Result<()> {
        if self.row.replace(row).is_some_and(|before| before != row) {
            lines.add(&self.cells)?;
            self.cells.clear();
        }
        if column < MOST_COLUMNS {
            let column = column as usize;
            if self.cells.len() <= column {
                self.cells.resize(column + 1, String::new());
            }
            if let Some(place) = self.cells.get_mut(column) {
                *place = text;
            }
        }
        Ok(())
    }

    fn end(&self, lines: &mut Lines<impl Rows>) -> Result<()> {
        if self.row.is_some() { lines.add(&self.cells) } else { Ok(()) }
    }
}

/// A cell as people see it: codes that look like numbers are kept as numbers by spreadsheets.
fn written(cell: &DataRef) -> String {
    match cell {
        DataRef::Empty | DataRef::Error(_) => String::new(),
        DataRef::SharedString(text) => cut(text).to_owned(),
        DataRef::String(text) => cut(text).to_owned(),
        DataRef::Float(number) => number.to_string(),
        other => Data::from(other.clone()).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    /// Every line as it is; the names of the columns at the end.
    struct Whole(Vec<String>);

    impl Rows for Whole {
        type Row = Vec<String>;

        fn new(columns: &[String]) -> Result<Self> {
            Ok(Self(columns.to_vec()))
        }

        fn row(&mut self, cells: &[String]) -> Result<Option<Self::Row>> {
            Ok(cells.iter().any(|cell| !cell.is_empty()).then(|| cells.to_vec()))
        }

        fn finish(self) -> Result<Vec<String>> {
            Ok(self.0)
        }
    }

    /// The lines and columns that a format gives.
    fn rows(read: impl FnOnce(&mut Lines<Whole>) -> Result<()>) -> Result<(Vec<Vec<String>>, Vec<String>)> {
        let mut rows = Vec::new();
        let mut each = |row| {
            rows.push(row);
            Ok(())
        };
        let mut lines = Lines { rows: None, is_wanted: &|| true, each: &mut each };
        read(&mut lines)?;
        let columns = lines.rows.ok_or_else(no_rows)?.finish()?;
        Ok((rows, columns))
    }

    #[test]
    fn text_may_begin_with_a_byte_order_mark_and_quote_its_cells() {
        let source = "\u{feff} Position_Code ,product_code,counted_qt,note\n\"A,1\",P,\"1.5\",x\n\nB,Q,2\n";
        let (rows, columns) = rows(|lines| text(source.as_bytes(), lines)).unwrap();
        assert_eq!(rows, [vec!["A,1", "P", "1.5", "x"], vec!["B", "Q", "2"]]);
        assert_eq!(columns, ["position_code", "product_code", "counted_qt", "note"]);
    }

    #[test]
    fn text_that_is_not_utf8_or_empty_is_refused() {
        let not_utf8 = &b"position_code,product_code,counted_qt\n\xff,P,1\n"[..];
        assert!(rows(|lines| text(not_utf8, lines)).is_err());
        assert!(rows(|lines| text(&b""[..], lines)).is_err());
    }

    #[test]
    fn a_line_of_very_many_cells_is_refused() {
        let source = format!("position_code,product_code,counted_qt\nA,P,1{}\n", ",".repeat(2_000));
        let error = rows(|lines| text(source.as_bytes(), lines)).unwrap_err().to_string();
        assert!(error.contains("more than 1000 cells"), "{error}");
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
        let bytes = book.save_to_buffer().unwrap();
        assert!(check_parts(Cursor::new(&bytes), &|| true).is_ok());
        let (rows, _) = rows(|lines| workbook(Cursor::new(bytes), lines)).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows, [vec!["A", "1001", "2.5"], vec!["B"]]);
    }

    #[test]
    fn a_workbook_that_unpacks_to_very_much_is_refused() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let zeros = vec![b' '; 1024 * 1024];
        for part in ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"] {
            archive.start_file(part, zip::write::SimpleFileOptions::default()).unwrap();
            (0..65).for_each(|_| archive.write_all(&zeros).unwrap());
        }
        let bytes = archive.finish().unwrap().into_inner();
        assert!(bytes.len() < 1024 * 1024);
        assert!(check_parts(Cursor::new(bytes), &|| true).unwrap_err().to_string().contains("MiB unpacked"));
    }

    #[test]
    fn a_workbook_with_an_element_of_very_many_attributes_is_refused_before_it_is_read() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("xl/worksheets/sheet1.xml", zip::write::SimpleFileOptions::default()).unwrap();
        let attributes: Vec<String> = (0..200_000).map(|n| format!("a{n}=''")).collect();
        write!(archive, "<worksheet {}/>", attributes.join(" ")).unwrap();
        let bytes = archive.finish().unwrap().into_inner();
        let refused = check_parts(Cursor::new(bytes), &|| true).unwrap_err().to_string();
        assert!(refused.contains("too many attributes"), "{refused}");
    }

    #[test]
    fn a_workbook_that_names_a_text_it_does_not_have_is_refused() {
        let mut book = rust_xlsxwriter::Workbook::new();
        book.add_worksheet().write_string(0, 0, "position_code").unwrap();
        let mut archive = ZipArchive::new(Cursor::new(book.save_to_buffer().unwrap())).unwrap();
        let mut changed = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for at in 0..archive.len() {
            let mut part = archive.by_index(at).unwrap();
            let mut content = String::new();
            part.read_to_string(&mut content).unwrap();
            changed.start_file(part.name(), zip::write::SimpleFileOptions::default()).unwrap();
            changed.write_all(content.replace("<v>0</v>", "<v>7</v>").as_bytes()).unwrap();
        }
        let bytes = changed.finish().unwrap().into_inner();
        let error = rows(|lines| workbook(Cursor::new(bytes), lines)).unwrap_err().to_string();
        assert!(error.contains("it is damaged"), "{error}");
    }

    #[test]
    fn what_is_no_workbook_is_refused() {
        assert!(check_parts(Cursor::new(b"PK no"), &|| true).is_err());
        assert!(rows(|lines| workbook(Cursor::new(b"PK no".to_vec()), lines)).is_err());
        assert!(rows(|lines| old_workbook(Cursor::new(b"no".to_vec()), lines)).is_err());
    }
}
