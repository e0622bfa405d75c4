//! Files that were changed at random: whatever is in them, they are read within bounds or refused with 400, and nothing
//! panics. `SHEETS_FUZZ_CASES` says how many of each kind; without it they are few, so that the run stays short.

use std::io::{Cursor, Read, Write};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{MOST_TEXT, Rows, old_workbook, read};
use crate::error::{Error, Result};

/// A file of a few kilobytes takes no longer, also on a machine that is busy.
const LONGEST: Duration = Duration::from_secs(20);

const TEXTS: &[&[u8]] = &[
    b"Position_Code,product_code,counted_qt\nA,P,1\nB,\"x,\"\"y\"\"\n\",2.5\n",
    b"\xef\xbb\xbfposition_code,product_code,counted_qt,note\r\n\r\nA,P,1,\xc3\xa9\r\n,,,\r\nB,Q,1e400,\"\"\r\n",
    b"a,b\n\"no end",
];

const TOKENS: &[&[u8]] = &[
    b"\"",
    b"\"\"",
    b",",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b",,,,,,,,,,,,,,,,",
    b"1e400",
    b"-",
    b"<",
    b">",
    b"/>",
    b"</row>",
    b"<c r=\"XFD1048576\" t=\"s\"><v>99999999</v></c>",
    b"<c r=\"A1\" t=\"inlineStr\"><is><t>x</t></is></c>",
    b"<row r=\"4294967295\">",
    b"r=\"\"",
    b"t=\"d\"",
    b"&#x110000;",
    b"&lt;",
    b"<![CDATA[",
    b"<!--",
    b"\xff\xff\xff\xff",
    b"\x09\x08\x00\x00",
    b"\x3c\x00\xff\xff",
    b"\xfc\x00\x08\x00",
];

/// Changes some bytes, leaves some out, repeats some, puts some in.
fn change(bytes: &mut Vec<u8>, random: &mut StdRng) {
    for _ in 0..random.random_range(1..8) {
        let at = random.random_range(0..=bytes.len());
        let end = (at + random.random_range(1..40)).min(bytes.len());
        match random.random_range(0..5) {
            0 if at < end => bytes[at] = random.random(),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                let to = random.random_range(0..=bytes.len());
                bytes.splice(to..to, piece);
            }
            3 => bytes.insert(at, random.random()),
            _ => {
                let token = TOKENS[random.random_range(0..TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
        }
    }
}

/// Counts rows, and looks whether cells are as long and as many as they may be.
struct Counted;

impl Rows for Counted {
    type Row = ();

    fn new(_: &[String]) -> Result<Self> {
        Ok(Self)
    }

    fn row(&mut self, cells: &[String]) -> Result<Option<()>> {
        assert!(cells.len() <= 1_001 && cells.iter().all(|cell| cell.chars().count() <= MOST_TEXT));
        Ok(Some(()))
    }

    fn finish(self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

fn look_at(name: &str, bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let began = Instant::now();
    let read = read::<Counted>(file.path(), name, &|| true, &mut |()| Ok(()));
    if let Err(error) = read {
        assert!(!matches!(error, Error::Internal { .. }), "{error}");
    }
    assert!(began.elapsed() < LONGEST);
}

/// Runs so many cases, each from a number of its own, which is told when one fails.
fn fuzz(usual: u64, name: &str, case: impl Fn(&mut StdRng) -> Vec<u8>) {
    let number_of = |variable: &str| std::env::var(variable).ok()?.parse::<u64>().ok();
    let first = number_of("SHEETS_FUZZ_FIRST").unwrap_or(0);
    for number in first..first + number_of("SHEETS_FUZZ_CASES").unwrap_or(usual) {
        let bytes = case(&mut StdRng::seed_from_u64(number));
        let looked = std::panic::catch_unwind(|| look_at(name, &bytes));
        assert!(looked.is_ok(), "SHEETS_FUZZ_FIRST={number} SHEETS_FUZZ_CASES=1: a file {name} is not refused");
    }
}

#[test]
fn any_text_is_read_or_refused() {
    fuzz(3_000, "a.csv", |random| {
        let mut bytes = TEXTS[random.random_range(0..TEXTS.len())].to_vec();
        change(&mut bytes, random);
        bytes
    });
}

#[test]
fn any_workbook_of_the_older_generation_is_read_or_refused() {
    let whole = old_workbook::tests::example();
    // where records are changed and the container is whole, more of them are looked at
    let records = old_workbook::tests::records_of(&whole);
    fuzz(3_000, "a.xls", |random| {
        if random.random_bool(0.2) {
            let mut bytes = whole.clone();
            change(&mut bytes, random);
            return bytes;
        }
        let mut records = records.clone();
        change(&mut records, random);
        old_workbook::tests::contained(&records)
    });
}

/// The parts of a workbook with texts, numbers, dates and formulas.
fn parts() -> Vec<(String, Vec<u8>)> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (column, name) in (0..).zip(["position_code", "product_code", "counted_qt"]) {
        sheet.write_string(0, column, name).unwrap();
    }
    sheet.write_string(1, 0, "A").unwrap();
    sheet.write_number(1, 1, 1001.5).unwrap();
    sheet.write_boolean(1, 2, true).unwrap();
    sheet.write_formula(3, 0, "1+1").unwrap();
    let date = rust_xlsxwriter::Format::new().set_num_format("yyyy-mm-dd");
    sheet.write_number_with_format(3, 1, 45000.25, &date).unwrap();
    let mut archive = ZipArchive::new(Cursor::new(book.save_to_buffer().unwrap())).unwrap();
    let parts = 0..archive.len();
    let part = |at| {
        let mut part = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).unwrap();
        (part.name().to_owned(), bytes)
    };
    parts.map(part).collect()
}

fn packed(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        archive.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn any_workbook_is_read_or_refused() {
    let parts = parts();
    let whole = packed(&parts);
    fuzz(600, "a.xlsx", |random| {
        if random.random_bool(0.2) {
            let mut bytes = whole.clone();
            change(&mut bytes, random);
            return bytes;
        }
        let mut parts = parts.clone();
        let at = random.random_range(0..parts.len());
        change(&mut parts[at].1, random);
        packed(&parts)
    });
}
