//! Tables: the head stands on every page, a long cell goes on at the next one.

use std::io;

use super::document::{Area, BREADTH, Colour, INK, MARGIN};
use super::fonts::Weight;
use super::layout::Layout;
use super::text::Style;

const CELL: Style = Style { weight: Weight::Regular, size: 8.5, leading: 11.5 };
const STRONG: Style = Style { weight: Weight::Bold, size: 8.5, leading: 11.5 };
const PADDING: f32 = 4.0;
/// The name of a group never takes a page.
const LINES_OF_A_BAND: usize = 8;
/// A row of no more lines stays whole where it can.
const LINES_TOGETHER: usize = 12;
/// What is split leaves no fewer lines behind.
const LINES_LEFT: usize = 3;
const HEAD_FILL: Colour = [0.87, 0.90, 0.94];
const BAND_FILL: Colour = [0.95, 0.96, 0.975];

/// The lines of a cell.
struct Column {
    style: Style,
    width: f32,
    lines: Vec<String>,
}

/// The name of a group or of a part of it. It waits for the row below it, so that none stands alone at the foot of a page.
struct Title {
    lines: Vec<String>,
    is_band: bool,
}

/// A table that is being filled row by row.
pub(super) struct Table<'a> {
    layout: &'a mut Layout,
    widths: &'a [f32],
    titles: &'a [&'a str],
    /// The group the rows belong to; it is named again on the next page.
    band: Option<String>,
    /// Titles of the next row.
    waiting: Vec<Title>,
    /// Where the part of the table on this page begins.
    top: f32,
    /// Whether a row of this page stands below the head.
    has_rows: bool,
    /// How the cells of the first column are set.
    first_column: Style,
}

impl Title {
    fn height(&self) -> f32 {
        self.lines.len() as f32 * STRONG.leading + 2.0 * PADDING
    }
}

impl<'a> Table<'a> {
    /// Begins a table. `shares` are the widths of the columns as parts of the breadth; they add up to 1.
    pub(super) fn begin(layout: &'a mut Layout, titles: &'a [&'a str], shares: &'a [f32]) -> io::Result<Self> {
        let first_column = if titles.is_empty() { STRONG } else { CELL };
        let top = layout.y;
        let mut table = Self {
            layout,
            widths: shares,
            titles,
            band: None,
            waiting: Vec::new(),
            top,
            has_rows: false,
            first_column,
        };
        table.layout.need(table.head_height() + 2.0 * (CELL.leading + 2.0 * PADDING))?;
        table.head();
        Ok(table)
    }

    /// A line that names the group of the rows below it.
    pub(super) fn band(&mut self, title: &str) {
        let lines = self.band_lines(title);
        self.waiting.push(Title { lines, is_band: true });
        self.band = Some(title.to_owned());
    }

    /// A row with one text for each column.
    pub(super) fn row(&mut self, cells: &[&str]) -> io::Result<()> {
        let mut columns: Vec<Column> = Vec::with_capacity(cells.len());
        for (index, (cell, share)) in cells.iter().zip(self.widths).enumerate() {
            let style = if index == 0 { self.first_column } else { CELL };
            let width = share * BREADTH;
            columns.push(Column { style, width, lines: self.layout.wrap(style, cell, width - 2.0 * PADDING) });
        }
        self.place(&columns)
    }

    /// A row that is one text across all columns, above the rows it names.
    pub(super) fn subtitle(&mut self, text: &str) -> io::Result<()> {
        let lines = self.layout.wrap(STRONG, text, BREADTH - 2.0 * PADDING);
        if lines.len() > LINES_OF_A_BAND {
            return self.place(&[Column { style: STRONG, width: BREADTH, lines }]);
        }
        self.waiting.push(Title { lines, is_band: false });
        Ok(())
    }

    fn place(&mut self, columns: &[Column]) -> io::Result<()> {
        let count = columns.iter().map(|column| column.lines.len()).max().unwrap_or(0);
        let mut done = 0;
        while done < count {
            let left = count - done;
            let mut fits = self.lines_that_fit();
            if fits < left && self.has_rows && (left <= LINES_TOGETHER || fits < LINES_LEFT) {
                self.next_page()?;
                fits = self.lines_that_fit();
            }
            self.draw_waiting()?;
            let part = left.min(fits.max(1));
            self.draw_row(columns, done, part);
            done += part;
            if done < count {
                self.next_page()?;
            }
        }
        Ok(())
    }

    /// Ends the table.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.draw_waiting()?;
        self.close();
        Ok(())
    }

    /// Lines of a row that fit below the titles that wait for it.
    fn lines_that_fit(&self) -> usize {
        let titles: f32 = self.waiting.iter().map(Title::height).sum();
        ((self.layout.room() - titles - 2.0 * PADDING) / CELL.leading).max(0.0) as usize
    }

    fn draw_waiting(&mut self) -> io::Result<()> {
        for title in std::mem::take(&mut self.waiting) {
            if self.layout.room() < title.height() {
                self.next_page()?;
            }
            if title.is_band {
                self.draw_band(&title.lines);
            } else {
                let count = title.lines.len();
                self.draw_row(&[Column { style: STRONG, width: BREADTH, lines: title.lines }], 0, count);
            }
        }
        Ok(())
    }

    fn next_page(&mut self) -> io::Result<()> {
        self.close();
        self.layout.next_page()?;
        self.head();
        let begins_here = self.waiting.iter().any(|title| title.is_band);
        if let Some(band) = self.band.clone().filter(|_| !begins_here) {
            let lines = self.band_lines(&format!("{band} (continued)"));
            self.draw_band(&lines);
        }
        self.has_rows = false;
        Ok(())
    }

    fn head_height(&self) -> f32 {
        if self.titles.is_empty() { 0.0 } else { STRONG.leading + 2.0 * PADDING }
    }

    fn head(&mut self) {
        self.top = self.layout.y;
        self.has_rows = false;
        let height = self.head_height();
        if height == 0.0 {
            self.layout.document.rule(MARGIN, self.layout.y, BREADTH);
            return;
        }
        self.fill(BREADTH, height, HEAD_FILL);
        let base = self.layout.y + PADDING + STRONG.size;
        let mut x = MARGIN;
        for (title, share) in self.titles.iter().zip(self.widths) {
            self.layout.document.text(STRONG, INK, x + PADDING, base, title);
            x += share * BREADTH;
        }
        self.layout.y += height;
        self.layout.document.rule(MARGIN, self.layout.y, BREADTH);
    }

    /// Fills the place of the next row from the left, and draws again the line above it.
    fn fill(&mut self, width: f32, height: f32, colour: Colour) {
        let area = Area { x: MARGIN, y: self.layout.y, width, height };
        self.layout.document.fill(area, colour);
        self.layout.document.rule(MARGIN, self.layout.y, BREADTH);
    }

    fn band_lines(&mut self, title: &str) -> Vec<String> {
        let mut lines = self.layout.wrap(STRONG, title, BREADTH - 2.0 * PADDING);
        lines.truncate(LINES_OF_A_BAND);
        lines
    }

    fn draw_band(&mut self, lines: &[String]) {
        let height = lines.len() as f32 * STRONG.leading + 2.0 * PADDING;
        self.fill(BREADTH, height, BAND_FILL);
        for (index, line) in lines.iter().enumerate() {
            let base = self.layout.y + PADDING + STRONG.size + index as f32 * STRONG.leading;
            self.layout.document.text(STRONG, INK, MARGIN + PADDING, base, line);
        }
        self.layout.y += height;
        self.layout.document.rule(MARGIN, self.layout.y, BREADTH);
    }

    fn draw_row(&mut self, columns: &[Column], from: usize, count: usize) {
        let height = count as f32 * CELL.leading + 2.0 * PADDING;
        if let Some(labels) = columns.first().filter(|_| self.titles.is_empty()) {
            self.fill(labels.width, height, BAND_FILL);
        }
        let mut x = MARGIN;
        for Column { style, width, lines } in columns {
            for (nth, line) in lines.iter().skip(from).take(count).enumerate() {
                let base = self.layout.y + PADDING + CELL.size + nth as f32 * CELL.leading;
                self.layout.document.text(*style, INK, x + PADDING, base, line);
            }
            x += width;
        }
        self.layout.y += height;
        self.layout.document.rule(MARGIN, self.layout.y, BREADTH);
        self.has_rows = true;
    }

    /// Draws the sides of the part on this page.
    fn close(&mut self) {
        let (top, bottom) = (self.top, self.layout.y);
        for x in [MARGIN, MARGIN + BREADTH] {
            self.layout.document.line((x, top), (x, bottom));
        }
    }
}
