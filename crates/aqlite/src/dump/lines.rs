//! Lines of files that may be compressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::file_error;
use crate::Result;

/// The two bytes every gzip stream begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const BUFFER: usize = 1 << 16;

/// Reads a file line by line, whether it is compressed or not.
pub struct Lines {
    reader: Box<dyn BufRead + Send>,
    consumed: Arc<AtomicU64>,
    line: Vec<u8>,
    number: u64,
}

/// Counts what is read from the file itself.
struct Counted<R> {
    inner: R,
    consumed: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Lines {
    /// Opens a file; also gives its size.
    pub fn open(path: &Path) -> Result<(Self, u64)> {
        let file = File::open(path).map_err(|e| file_error(path, e))?;
        let size = file.metadata().map_err(|e| file_error(path, e))?.len();
        Ok((Self::of(file).map_err(|e| file_error(path, e))?, size))
    }

    /// Of anything that can be read.
    pub fn of(source: impl Read + Send + 'static) -> io::Result<Self> {
        let consumed = Arc::new(AtomicU64::new(0));
        let counted = Counted { inner: source, consumed: Arc::clone(&consumed) };
        let mut reader = BufReader::with_capacity(BUFFER, counted);
        let reader: Box<dyn BufRead + Send> = if reader.fill_buf()?.starts_with(&GZIP) {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(reader)))
        } else {
            Box::new(reader)
        };
        Ok(Self { reader, consumed, line: Vec::new(), number: 0 })
    }

    /// The next line that is not empty, with its number.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        loop {
            self.line.clear();
            if self.reader.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some((self.number, self.line.trim_ascii())));
            }
        }
    }

    /// How many bytes of the file were read.
    pub fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }
}

/// Writes a file, compressed or not.
pub enum Output {
    /// As it is.
    Plain(BufWriter<File>),
    /// Through gzip.
    Gzip(Box<GzEncoder<BufWriter<File>>>),
}

impl Output {
    /// Makes a new file.
    pub fn create(path: &Path, compress: bool) -> Result<Self> {
        let file = File::create(path).map_err(|e| file_error(path, e))?;
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(if compress {
            Self::Gzip(Box::new(GzEncoder::new(file, Compression::default())))
        } else {
            Self::Plain(file)
        })
    }

    /// Brings everything to disk.
    pub fn finish(self, path: &Path) -> Result<()> {
        let file = match self {
            Self::Plain(file) => Ok(file),
            Self::Gzip(encoder) => encoder.finish(),
        };
        let file = file.map_err(|e| file_error(path, e))?;
        let file = file.into_inner().map_err(|e| file_error(path, e.error()))?;
        file.sync_all().map_err(|e| file_error(path, e))
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(buffer),
            Self::Gzip(encoder) => encoder.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: Vec<u8>) -> Vec<(u64, String)> {
        let mut lines = Lines::of(io::Cursor::new(bytes)).expect("lines");
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next_line().expect("line") {
            found.push((number, String::from_utf8_lossy(line).into_owned()));
        }
        found
    }

    #[test]
    fn empty_lines_count_but_do_not_show() {
        let expected = vec![(1, "a".to_owned()), (3, "b".to_owned())];
        assert_eq!(all(b"a\n\n b \r\n".to_vec()), expected);
    }

    #[test]
    fn what_is_compressed_reads_the_same() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"a\nb\n").expect("write");
        assert_eq!(all(encoder.finish().expect("gzip")), all(b"a\nb".to_vec()));
    }
}
