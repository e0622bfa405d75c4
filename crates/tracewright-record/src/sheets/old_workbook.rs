//! Workbooks of the older generation (Excel 97 to 2003): a compound file whose stream `Workbook` is a row of records.
//! They are read record by record, so that neither a sheet nor what a file claims of its size decides how much memory
//! is taken, and no file can do more than be refused. `calamine`, which reads the newer generation cell by cell, makes a
//! table of every sheet of these when it opens the file, as wide and high as its farthest cells: two cells in a file of a
//! few kilobytes are 65,536 rows by 65,536 columns. Which cells those are is known only to who has read the records.

use std::io::{Read, Seek, SeekFrom};

use super::{cut, no_rows, unreadable};
use crate::error::{Error, Result};

/// Texts that cells may share; a sheet of this generation has 65,536 rows.
const MOST_TEXTS: usize = 1_000_000;
/// Version of the records that is understood.
const BIFF8: u16 = 0x0600;

const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;
const CONTINUE: u16 = 0x003C;
const FILE_PASS: u16 = 0x002F;
const BOUND_SHEET: u16 = 0x0085;
const SHARED_TEXTS: u16 = 0x00FC;
const SHARED_TEXT_CELL: u16 = 0x00FD;
const NUMBER_CELL: u16 = 0x0203;
const TEXT_CELL: u16 = 0x0204;
const BOOLEAN_CELL: u16 = 0x0205;
const COMPACT_NUMBER_CELL: u16 = 0x027E;
const COMPACT_NUMBER_CELLS: u16 = 0x00BD;
const FORMULA_CELL: u16 = 0x0006;
const FORMULA_TEXT: u16 = 0x0207;

/// Hands every cell of the first sheet to `each`: its row, its column and what is written in it.
pub(super) fn read(source: impl Read + Seek, each: &mut dyn FnMut(u32, u32, String) -> Result<()>) -> Result<()> {
    let mut file = cfb::CompoundFile::open(source).map_err(unreadable)?;
    let name = if file.is_stream("/Workbook") { "/Workbook" } else { "/Book" };
    let stream = file.open_stream(name).map_err(unreadable)?;
    let mut records = Records { stream, next: None };
    let (position, texts) = globals(&mut records)?;
    records.seek(position)?;
    Sheet { texts, formula: None, each }.read(&mut records)
}

fn damaged() -> Error {
    unreadable("a record is damaged")
}

/// A record: its type and its content.
struct Record {
    kind: u16,
    content: Vec<u8>,
}

impl Record {
    fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N]> {
        bytes(&self.content, at)
    }

    fn u16(&self, at: usize) -> Result<u16> {
        Ok(u16::from_le_bytes(self.bytes(at)?))
    }

    fn u32(&self, at: usize) -> Result<u32> {
        Ok(u32::from_le_bytes(self.bytes(at)?))
    }

    /// Row and column of a cell.
    fn place(&self) -> Result<(u32, u32)> {
        Ok((self.u16(0)?.into(), self.u16(2)?.into()))
    }

    /// The text at a place, whose length stands before it.
    fn text(&self, at: usize) -> Result<String> {
        let count = usize::from(self.u16(at)?);
        let [flags] = self.bytes(at + 2)?;
        let content = self.content.get(at + 3..).unwrap_or_default();
        Ok(cut(&decode(content, count, flags).0).to_owned())
    }
}

fn bytes<const N: usize>(content: &[u8], at: usize) -> Result<[u8; N]> {
    content.get(at..at + N).and_then(|bytes| bytes.try_into().ok()).ok_or_else(damaged)
}

/// Up to `count` characters, of one byte each or two as the flags say, and how many there were.
fn decode(content: &[u8], count: usize, flags: u8) -> (String, usize) {
    if flags & 1 == 0 {
        let characters = content.get(..count.min(content.len())).unwrap_or_default();
        (characters.iter().map(|byte| char::from(*byte)).collect(), characters.len())
    } else {
        let units: Vec<u16> = content
            .chunks_exact(2)
            .take(count)
            .filter_map(|pair| Some(u16::from_le_bytes(pair.try_into().ok()?)))
            .collect();
        (String::from_utf16_lossy(&units), units.len())
    }
}

/// The records of a stream, one after the other.
struct Records<S> {
    stream: S,
    /// Read ahead to see whether it continues the one before.
    next: Option<Record>,
}

impl<S: Read + Seek> Records<S> {
    fn seek(&mut self, position: u32) -> Result<()> {
        self.next = None;
        self.stream.seek(SeekFrom::Start(position.into())).map(drop).map_err(unreadable)
    }

    fn read(&mut self) -> Result<Record> {
        if let Some(record) = self.next.take() {
            return Ok(record);
        }
        let mut head = [0; 4];
        self.stream.read_exact(&mut head).map_err(unreadable)?;
        let [kind_low, kind_high, size_low, size_high] = head;
        let mut content = vec![0; u16::from_le_bytes([size_low, size_high]).into()];
        self.stream.read_exact(&mut content).map_err(unreadable)?;
        Ok(Record { kind: u16::from_le_bytes([kind_low, kind_high]), content })
    }

    /// The record that continues the one before, when there is one.
    fn continued(&mut self) -> Result<Option<Record>> {
        let record = self.read()?;
        if record.kind == CONTINUE {
            return Ok(Some(record));
        }
        self.next = Some(record);
        Ok(None)
    }
}

/// Where the first sheet begins, and the texts that cells share.
fn globals<S: Read + Seek>(records: &mut Records<S>) -> Result<(u32, Vec<String>)> {
    let first = records.read()?;
    if first.kind != BOF || first.u16(0)? != BIFF8 {
        return Err(unreadable("it is not of Excel 97 or later"));
    }
    let (mut sheet, mut texts) = (None, Vec::new());
    loop {
        let record = records.read()?;
        match record.kind {
            FILE_PASS => return Err(unreadable("it is protected by a password")),
            // The type of a sheet that holds cells is 0.
            BOUND_SHEET if sheet.is_none() && matches!(record.bytes(5)?, [0]) => sheet = Some(record.u32(0)?),
            SHARED_TEXTS => texts = shared_texts(record, records)?,
            EOF => return Ok((sheet.ok_or_else(no_rows)?, texts)),
            _ => {}
        }
    }
}

/// Bytes that go on in the records which continue the first.
struct Flow<'a, S> {
    records: &'a mut Records<S>,
    content: Vec<u8>,
    at: usize,
}

impl<S: Read + Seek> Flow<'_, S> {
    fn rest(&self) -> &[u8] {
        self.content.get(self.at..).unwrap_or_default()
    }

    /// Whether there is more, going on to the next record when this one is used up.
    fn has_more(&mut self) -> Result<bool> {
        while self.rest().is_empty() {
            match self.records.continued()? {
                Some(record) => (self.content, self.at) = (record.content, 0),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Bytes that stand together in one record.
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        if N > 0 && !self.has_more()? {
            return Err(damaged());
        }
        let taken = bytes(&self.content, self.at)?;
        self.at += N;
        Ok(taken)
    }

    fn skip(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            if !self.has_more()? {
                return Err(damaged());
            }
            let step = count.min(self.rest().len());
            self.at += step;
            count -= step;
        }
        Ok(())
    }

    /// The characters of a text, which may go on in another record in the other width.
    fn characters(&mut self, mut count: usize, mut flags: u8) -> Result<String> {
        let mut text = String::new();
        while count > 0 {
            let (part, length) = decode(self.rest(), count, flags);
            self.at += length * if flags & 1 == 0 { 1 } else { 2 };
            count -= length;
            text.push_str(&part);
            if count > 0 {
                // Half a character at the end of a record would never be used up.
                if !self.rest().is_empty() || !self.has_more()? {
                    return Err(damaged());
                }
                [flags] = self.take()?;
            }
        }
        Ok(text)
    }
}

fn shared_texts<S: Read + Seek>(record: Record, records: &mut Records<S>) -> Result<Vec<String>> {
    let mut flow = Flow { records, content: record.content, at: 0 };
    // How many there are is not believed.
    flow.skip(8)?;
    let mut texts = Vec::new();
    while flow.has_more()? {
        let count = u16::from_le_bytes(flow.take()?);
        let [flags] = flow.take()?;
        let formats = if flags & 8 == 0 { 0 } else { u16::from_le_bytes(flow.take()?) };
        let phonetic = if flags & 4 == 0 { 0 } else { u32::from_le_bytes(flow.take()?) };
        let text = flow.characters(count.into(), flags)?;
        flow.skip(usize::from(formats) * 4 + phonetic as usize)?;
        texts.push(cut(&text).to_owned());
        if texts.len() > MOST_TEXTS {
            return Err(unreadable(format!("it has more than {MOST_TEXTS} texts")));
        }
    }
    Ok(texts)
}

/// A sheet while its cells are read.
struct Sheet<'a> {
    texts: Vec<String>,
    /// Place of the formula whose text comes next.
    formula: Option<(u32, u32)>,
    each: &'a mut dyn FnMut(u32, u32, String) -> Result<()>,
}

impl Sheet<'_> {
    fn read<S: Read + Seek>(&mut self, records: &mut Records<S>) -> Result<()> {
        // Charts in a sheet begin and end like sheets.
        let mut depth = 0_u32;
        loop {
            let record = records.read()?;
            match record.kind {
                BOF => depth += 1,
                EOF if depth <= 1 => return Ok(()),
                EOF => depth -= 1,
                _ if depth == 1 => self.cell(&record)?,
                _ if depth == 0 => return Err(damaged()),
                _ => {}
            }
        }
    }

    fn cell(&mut self, record: &Record) -> Result<()> {
        let written = match record.kind {
            SHARED_TEXT_CELL => self.texts.get(record.u32(6)? as usize).cloned().unwrap_or_default(),
            NUMBER_CELL => f64::from_le_bytes(record.bytes(6)?).to_string(),
            COMPACT_NUMBER_CELL => compact(record.u32(6)?).to_string(),
            TEXT_CELL => record.text(6)?,
            BOOLEAN_CELL => match record.bytes(6)? {
                [value, 0] => (value != 0).to_string(),
                [_, _] => String::new(),
            },
            FORMULA_CELL => match record.bytes(6)? {
                [0, _, _, _, _, _, 0xFF, 0xFF] => {
                    self.formula = Some(record.place()?);
                    return Ok(());
                }
                [1, _, value, _, _, _, 0xFF, 0xFF] => (value != 0).to_string(),
                [_, _, _, _, _, _, 0xFF, 0xFF] => String::new(),
                number => f64::from_le_bytes(number).to_string(),
            },
            FORMULA_TEXT => {
                let Some((row, column)) = self.formula.take() else { return Ok(()) };
                return (self.each)(row, column, record.text(0)?);
            }
            COMPACT_NUMBER_CELLS => return self.compact_cells(record),
            _ => return Ok(()),
        };
        let (row, column) = record.place()?;
        (self.each)(row, column, written)
    }

    /// Numbers side by side: row, first column, then a format and a number each, then the last column.
    fn compact_cells(&mut self, record: &Record) -> Result<()> {
        let (row, first) = record.place()?;
        let cells = record.content.get(4..record.content.len().saturating_sub(2)).unwrap_or_default();
        for (column, cell) in (first..).zip(cells.chunks_exact(6)) {
            let number = compact(u32::from_le_bytes(bytes(cell, 2)?));
            (self.each)(row, column, number.to_string())?;
        }
        Ok(())
    }
}

/// A number in four bytes: an integer or the upper half of a float, either of it perhaps in hundredths.
fn compact(packed: u32) -> f64 {
    let number = if packed & 2 == 0 {
        f64::from_bits(u64::from(packed & !3) << 32)
    } else {
        f64::from(packed.cast_signed() >> 2)
    };
    if packed & 1 == 0 { number } else { number / 100.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::MOST_TEXT;
    use super::*;
    use std::io::{Cursor, Write};

    fn record(kind: u16, content: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &(content.len() as u16).to_le_bytes(), content].concat()
    }

    fn cell(kind: u16, row: u16, column: u16, content: &[u8]) -> Vec<u8> {
        let place = [row.to_le_bytes(), column.to_le_bytes(), [0, 0]].concat();
        record(kind, &[&place, content].concat())
    }

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u16).to_le_bytes()[..], &[0], text.as_bytes()].concat()
    }

    /// A file of which the shared texts are these bytes and the sheet these records.
    fn file(shared: &[Vec<u8>], sheet: &[Vec<u8>]) -> Vec<u8> {
        let bof = record(BOF, &[0, 6, 5, 0]);
        let shared = shared.concat();
        let before = bof.len() + record(BOUND_SHEET, &[0; 10]).len() + shared.len() + record(EOF, &[]).len();
        let bound = record(BOUND_SHEET, &[&(before as u32).to_le_bytes()[..], &[0, 0, 1, 0, b'S', 0]].concat());
        let workbook = [bof.clone(), bound, shared, record(EOF, &[]), bof, sheet.concat(), record(EOF, &[])].concat();
        contained(&workbook)
    }

    /// A file with these records.
    pub fn contained(records: &[u8]) -> Vec<u8> {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        file.create_stream("/Workbook").unwrap().write_all(records).unwrap();
        file.into_inner().into_inner()
    }

    /// The records of a file.
    pub fn records_of(file: &[u8]) -> Vec<u8> {
        let mut records = Vec::new();
        let mut file = cfb::CompoundFile::open(Cursor::new(file)).unwrap();
        file.open_stream("/Workbook").unwrap().read_to_end(&mut records).unwrap();
        records
    }

    /// A file with cells of every kind.
    pub fn example() -> Vec<u8> {
        let shared = record(SHARED_TEXTS, &[vec![0; 8], text("zero"), text("one")].concat());
        let compact_pair =
            [&[0, 0][..], &((7_u32 << 2) | 2).to_le_bytes(), &[0, 0], &((250_u32 << 2) | 3).to_le_bytes(), &[9, 0]];
        let formula_text = [0, 0, 0, 0, 0, 0, 0xFF, 0xFF];
        let sheet = [
            cell(SHARED_TEXT_CELL, 0, 0, &1_u32.to_le_bytes()),
            cell(NUMBER_CELL, 0, 1, &2.5_f64.to_le_bytes()),
            cell(COMPACT_NUMBER_CELL, 0, 2, &((1.5_f64.to_bits() >> 32) as u32).to_le_bytes()),
            cell(TEXT_CELL, 1, 0, &text("label")),
            cell(BOOLEAN_CELL, 1, 1, &[1, 0]),
            record(COMPACT_NUMBER_CELLS, &[&[1, 0, 8, 0][..], &compact_pair.concat()].concat()),
            cell(FORMULA_CELL, 2, 0, &formula_text),
            record(FORMULA_TEXT, &text("sum")),
            cell(FORMULA_CELL, 2, 1, &4.0_f64.to_le_bytes()),
        ];
        file(&[shared], &sheet)
    }

    fn cells(bytes: &[u8]) -> Result<Vec<(u32, u32, String)>> {
        let mut cells = Vec::new();
        read(Cursor::new(bytes), &mut |row, column, text| {
            cells.push((row, column, text));
            Ok(())
        })?;
        Ok(cells)
    }

    fn texts(bytes: &[u8]) -> Vec<String> {
        cells(bytes).unwrap().into_iter().map(|(_, _, text)| text).collect()
    }

    #[test]
    fn cells_of_every_kind_are_read() {
        let expected = [
            (0, 0, "one"),
            (0, 1, "2.5"),
            (0, 2, "1.5"),
            (1, 0, "label"),
            (1, 1, "true"),
            (1, 8, "7"),
            (1, 9, "2.5"),
            (2, 0, "sum"),
            (2, 1, "4"),
        ];
        let found = cells(&example()).unwrap();
        let found: Vec<(u32, u32, &str)> =
            found.iter().map(|(row, column, text)| (*row, *column, text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_shared_text_goes_on_in_the_next_record_also_in_the_other_width() {
        let begun = record(SHARED_TEXTS, &[&[0; 8][..], &[4, 0, 0], b"ab"].concat());
        let rest = record(CONTINUE, &[&[1][..], &[0xE9, 0], &[b'd', 0], &text("next")].concat());
        let sheet = [0_u32, 1].map(|index| cell(SHARED_TEXT_CELL, 0, index as u16, &index.to_le_bytes()));
        assert_eq!(texts(&file(&[begun, rest], &sheet)), ["abéd", "next"]);
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_or_read_and_never_more() {
        let shared = record(SHARED_TEXTS, &[vec![0; 8], text("zero"), text("one")].concat());
        let whole = file(&[shared], &[cell(SHARED_TEXT_CELL, 0, 0, &1_u32.to_le_bytes())]);
        for length in (0..whole.len()).step_by(7) {
            drop(cells(&whole[..length]));
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0xFF;
            drop(cells(&changed));
        }
    }

    #[test]
    fn a_text_that_many_cells_share_is_kept_short() {
        let long = [&[0; 8][..], &[0xE8, 0xFD, 0], &[b'x'; 8_000]].concat();
        let rest: Vec<Vec<u8>> = (0..6).map(|_| record(CONTINUE, &[&[0][..], &[b'x'; 9_500]].concat())).collect();
        let shared: Vec<Vec<u8>> = std::iter::once(record(SHARED_TEXTS, &long)).chain(rest).collect();
        let found = texts(&file(&shared, &[cell(SHARED_TEXT_CELL, 0, 0, &0_u32.to_le_bytes())]));
        assert_eq!(found[0].len(), MOST_TEXT);
    }
}
