//! The rows of a record on their way from the database to its pages. They are read to the end before the first page is
//! drawn, so that they show one state of the database without keeping it open while pages are drawn, and wait in a file, so
//! that a record of any length needs the memory of one batch.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::Path;

use serde_json::Value;
use tokio::io::AsyncWriteExt;

use super::row::StoredSerial;

/// Rows that are being read, a line a batch. The file vanishes with its handle.
pub(super) struct Spool {
    file: tokio::fs::File,
}

impl Spool {
    /// A file without rows in a folder.
    pub(super) async fn begin(folder: &Path) -> io::Result<Self> {
        let folder = folder.to_owned();
        let file = tokio::task::spawn_blocking(|| tempfile::tempfile_in(folder)).await??;
        Ok(Self { file: tokio::fs::File::from_std(file) })
    }

    /// Puts a batch behind those before it.
    pub(super) async fn append(&mut self, batch: &[Value]) -> io::Result<()> {
        let mut line = serde_json::to_vec(batch)?;
        line.push(b'\n');
        self.file.write_all(&line).await
    }

    /// The rows, from the first on.
    pub(super) async fn rows(mut self) -> io::Result<Rows> {
        self.file.flush().await?;
        let mut file = self.file.into_std().await;
        let rewound = tokio::task::spawn_blocking(move || file.rewind().map(|()| file)).await??;
        Ok(Rows { batches: BufReader::new(rewound), waiting: HashMap::new() })
    }
}

/// The rows of the serials, batch by batch.
pub(super) struct Rows {
    batches: BufReader<File>,
    waiting: HashMap<String, StoredSerial>,
}

impl Rows {
    /// The row of the next serial; serials are asked for in the order of their batches.
    pub(super) fn take(&mut self, serial_key: &str) -> io::Result<Option<StoredSerial>> {
        if self.waiting.is_empty() {
            let mut line = String::new();
            if self.batches.read_line(&mut line)? > 0 {
                let batch: Vec<StoredSerial> = serde_json::from_str(&line)?;
                self.waiting.extend(batch.into_iter().map(|row| (row.serial_key.clone(), row)));
            }
        }
        Ok(self.waiting.remove(serial_key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn rows_come_out_in_the_order_of_their_batches() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::begin(folder.path()).await.unwrap();
        spool.append(&[json!({"serial_key": "b"}), json!({"serial_key": "a", "code": "line\nbreak"})]).await.unwrap();
        spool.append(&[json!({"serial_key": "c"})]).await.unwrap();
        let mut rows = spool.rows().await.unwrap();
        let mut take = |key: &str| rows.take(key).unwrap().map(|row| row.code);
        assert_eq!(take("a"), Some(json!("line\nbreak")));
        assert_eq!(take("b"), Some(Value::Null));
        assert_eq!(take("c"), Some(Value::Null));
        assert_eq!(take("d"), None);
    }
}
