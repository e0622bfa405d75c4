//! A PDF file that grows object by object: what has been written is on disk and no longer in memory.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Chunk, Filter, Ref, Settings};

/// The second line tells transfer programs that the file is not text.
const HEADER: &[u8] = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n";
/// Every entry of the cross-reference table has this length.
const FREE_ENTRY: &[u8; 20] = b"0000000000 65535 f\r\n";

/// A PDF file in the making.
pub(super) struct PdfFile {
    out: BufWriter<File>,
    position: u64,
    /// Where the object with the number `index + 1` begins.
    offsets: Vec<Option<u64>>,
}

impl PdfFile {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(256 * 1024, file);
        out.write_all(HEADER)?;
        Ok(Self { out, position: HEADER.len() as u64, offsets: Vec::new() })
    }

    /// The number of an object that is written later.
    pub(super) fn reserve(&mut self) -> Ref {
        self.offsets.push(None);
        Ref::new(self.offsets.len() as i32)
    }

    /// Writes one object.
    pub(super) fn put(&mut self, id: Ref, write: impl FnOnce(&mut Chunk, Ref)) -> io::Result<()> {
        let mut chunk = new_chunk();
        write(&mut chunk, id);
        self.put_chunk(id, &chunk)
    }

    /// Writes a chunk that holds one object.
    pub(super) fn put_chunk(&mut self, id: Ref, chunk: &Chunk) -> io::Result<()> {
        if let Some(offset) = self.offsets.get_mut((id.get() - 1) as usize) {
            *offset = Some(self.position);
        }
        self.out.write_all(chunk.as_bytes())?;
        self.position += chunk.len() as u64;
        Ok(())
    }

    /// Writes a compressed stream.
    pub(super) fn put_stream(&mut self, id: Ref, content: &[u8]) -> io::Result<()> {
        let compressed = compress(content)?;
        self.put(id, |chunk, id| {
            chunk.stream(id, &compressed).filter(Filter::FlateDecode);
        })
    }

    /// Writes the table of objects. The file stands at its beginning.
    pub(super) fn finish(mut self, catalog: Ref, info: Ref) -> io::Result<(File, u64)> {
        let start = self.position;
        let mut table = format!("xref\n0 {}\n", self.offsets.len() + 1).into_bytes();
        table.extend_from_slice(FREE_ENTRY);
        for offset in &self.offsets {
            match offset {
                Some(offset) => write!(table, "{offset:010} 00000 n\r\n")?,
                None => table.extend_from_slice(FREE_ENTRY),
            }
        }
        write!(
            table,
            "trailer\n<</Size {}/Root {} 0 R/Info {} 0 R>>\nstartxref\n{start}\n%%EOF\n",
            self.offsets.len() + 1,
            catalog.get(),
            info.get()
        )?;
        self.out.write_all(&table)?;
        let mut file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok((file, start + table.len() as u64))
    }
}

/// A place to write one object.
pub(super) fn new_chunk() -> Chunk {
    Chunk::with_settings(Settings { pretty: false })
}

/// Compresses a stream for the filter `FlateDecode`.
pub(super) fn compress(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(content.len() / 3), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}
