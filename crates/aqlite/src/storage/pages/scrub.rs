//! Reading every page from the disk, also those that nobody asks for.

use std::io;
use std::sync::atomic::Ordering;

use redb::StorageBackend;

use super::{BLOCK, GROUP, Pages, place_of, sum};

/// So many pages are read at once; a group has as many several times over.
const AT_ONCE: u64 = 64;

/// A page that does not fit its checksum on the disk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suspect {
    pub page: u64,
    /// It did before: otherwise it may be a free one that a crash has left so.
    pub is_damaged: bool,
}

impl Pages {
    /// Compares all pages on the disk with their checksums. `go_on` hears how many bytes were read, and ends it.
    pub fn scrub(&self, go_on: &mut dyn FnMut(usize) -> bool) -> io::Result<Vec<Suspect>> {
        let mut suspects = Vec::new();
        let was_clean = self.with_head(|head| Ok(head.was_clean))?;
        if !self.with_head(|head| head.fits(&self.file))? {
            suspects.push(Suspect { page: 0, is_damaged: true });
        }
        let mut pages = vec![0; AT_ONCE as usize * BLOCK];
        let mut from = 0;
        loop {
            let len = self.len()? / BLOCK as u64;
            let count = AT_ONCE.min(len.saturating_sub(from));
            let read = &mut pages[..count as usize * BLOCK];
            if count == 0 && suspects.is_empty() {
                self.with_head(|head| {
                    head.was_clean = true;
                    Ok(())
                })?;
            }
            if count == 0 || !go_on(read.len()) {
                return Ok(suspects);
            }
            // what fails now may just be given back: that is seen below
            let all_fit = self.file.read(place_of(from), read).is_ok()
                && (from..).zip(read.chunks_exact(BLOCK)).all(|(page, bytes)| self.fits(page, bytes));
            if !all_fit {
                // now without anybody who writes
                let _alone = self.writing.write();
                let len = self.len()? / BLOCK as u64;
                for page in from..(from + count).min(len) {
                    let mut bytes = [0; BLOCK];
                    self.file.read(place_of(page), &mut bytes)?;
                    if !self.fits(page, &bytes) {
                        let group = self.group(page / GROUP)?;
                        let is_damaged = was_clean || group.is_known((page % GROUP) as usize);
                        suspects.push(Suspect { page, is_damaged });
                    }
                }
            }
            from += count;
        }
    }

    fn fits(&self, page: u64, bytes: &[u8]) -> bool {
        let number = page / GROUP;
        let Ok(group) = self.group(number) else { return false };
        let sums = self.sums(number, &group);
        sums.is_ok_and(|sums| sums[(page % GROUP) as usize].load(Ordering::Acquire) == sum(bytes))
    }
}
