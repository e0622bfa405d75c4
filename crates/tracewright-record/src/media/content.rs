//! What a file holds, as far as others can tell by it later whether they have the same one.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

const CHUNK: usize = 64 * 1024;

/// How many bytes a file has, and their SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Content {
    /// In bytes.
    pub size: u64,
    /// In hexadecimal digits; none of what was not read.
    pub sha256: Option<String>,
}

impl Content {
    /// What a hash has seen.
    pub(super) fn hashed(size: u64, hash: Sha256) -> Self {
        Self { size, sha256: Some(format!("{:x}", hash.finalize())) }
    }

    /// What lies at a path; `None` when that is no file. One that is larger than what is `left` to read is not read, what is
    /// read is left no more.
    pub fn of(path: &Path, left: &mut u64) -> io::Result<Option<Self>> {
        let mut file = match File::open(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            other => other?,
        };
        let about = file.metadata()?;
        if !about.is_file() {
            return Ok(None);
        }
        let Some(rest) = left.checked_sub(about.len()) else {
            return Ok(Some(Self { size: about.len(), sha256: None }));
        };
        *left = rest;
        let (mut hash, mut size, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
        loop {
            let count = file.read(&mut chunk)?;
            let Some(bytes) = chunk.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
            hash.update(bytes);
            size += count as u64;
        }
        Ok(Some(Self::hashed(size, hash)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_by_size_and_hash_and_one_that_is_too_large_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "abc").unwrap();
        let of = |name: &str, left: &mut u64| Content::of(&folder.path().join(name), left).unwrap();
        let mut left = 5;
        // printf abc | sha256sum
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of("a", &mut left), Some(Content { size: 3, sha256: Some(hash.to_owned()) }));
        assert_eq!(of("a", &mut left), Some(Content { size: 3, sha256: None }));
        assert_eq!((of("none", &mut left), of("a/b", &mut left), of("", &mut left), left), (None, None, None, 2));
    }
}
