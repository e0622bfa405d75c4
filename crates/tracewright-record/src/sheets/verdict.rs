//! Workbooks that we write: every cell is a text, so that none is taken for a number or a formula.

use rust_xlsxwriter::{Color, Format, Workbook, Worksheet, XlsxError};

use crate::error::{Error, Result};

/// The media type of a workbook.
pub const MEDIA_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A workbook with the rows of an import and what is wrong with each. What is written of it waits in a file.
pub struct Verdict {
    workbook: Workbook,
    plain: Format,
    red: Format,
    line: u32,
}

impl Verdict {
    /// With these columns, and after them `status` and `errors`.
    pub fn new(title: &str, columns: &[&str]) -> Result<Self> {
        let mut workbook = Workbook::new();
        let page = workbook.add_worksheet_with_constant_memory();
        page.set_name(title).map_err(unwritten)?;
        let bold = Format::new().set_bold();
        write_line(page, 0, columns.iter().chain(&["status", "errors"]).copied(), &bold)?;
        let red = Format::new().set_background_color(Color::RGB(0x00FF_C7CE)).set_font_color(Color::Red);
        Ok(Self { workbook, plain: Format::new(), red, line: 0 })
    }

    /// The next row, and its errors.
    pub fn row(&mut self, cells: &[&str], errors: &[String]) -> Result<()> {
        self.line += 1;
        let page = self.workbook.worksheet_from_index(0).map_err(unwritten)?;
        let (format, status) = if errors.is_empty() { (&self.plain, "OK") } else { (&self.red, "ERROR") };
        let told = errors.join("; ");
        write_line(page, self.line, cells.iter().copied().chain([status, told.as_str()]), format)
    }

    /// The bytes of the file.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.workbook.save_to_buffer().map_err(unwritten)
    }
}

/// A workbook of one page of texts, under a line of bold ones.
pub fn write_text<const N: usize>(
    title: &str,
    columns: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Result<Vec<u8>> {
    let mut workbook = Workbook::new();
    let page = workbook.add_worksheet_with_constant_memory();
    page.set_name(title).map_err(unwritten)?;
    write_line(page, 0, columns.iter().copied(), &Format::new().set_bold())?;
    for (line, row) in (1_u32..).zip(rows) {
        write_line(page, line, row.iter().map(String::as_str), &Format::new())?;
    }
    workbook.save_to_buffer().map_err(unwritten)
}

fn write_line<'a>(
    page: &mut Worksheet,
    line: u32,
    cells: impl IntoIterator<Item = &'a str>,
    format: &Format,
) -> Result<()> {
    for (column, cell) in (0_u16..).zip(cells) {
        page.write_string_with_format(line, column, holdable(cell), format).map_err(unwritten)?;
    }
    Ok(())
}

fn unwritten(cause: XlsxError) -> Error {
    Error::internal("The workbook could not be written.", cause)
}

/// A cell of a workbook holds only so much.
fn holdable(text: &str) -> &str {
    const MOST: usize = 32_000;
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MOST).last();
    if text.len() <= MOST { text } else { text.get(..end.unwrap_or(0)).unwrap_or_default() }
}
