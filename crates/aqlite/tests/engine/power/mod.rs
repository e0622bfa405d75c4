//! A disk in memory whose power goes: what was synced stays; of what was written since, anything may have arrived, in any
//! order, whole or torn. It can be full, and refuse single pieces of work; and the process can be killed, which loses only what
//! was not written yet.
#![allow(dead_code, reason = "each program of the tests uses a part")]

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use aqlite::txn::{Disk, DiskFile, StorageBackend};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// What a disk writes in one piece.
const SECTOR: usize = 512;

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskWork {
    Read,
    Write,
    Resize,
    Sync,
}

#[derive(Debug, Clone)]
enum Work {
    Write(u64, Vec<u8>),
    Resize(u64),
}

impl Work {
    fn kind(&self) -> DiskWork {
        match self {
            Self::Write(..) => DiskWork::Write,
            Self::Resize(_) => DiskWork::Resize,
        }
    }

    /// How long the file is at least when it is done.
    fn end(&self) -> u64 {
        match self {
            Self::Write(offset, data) => offset + data.len() as u64,
            Self::Resize(len) => *len,
        }
    }

    /// What arrives of it when it ends too early.
    fn begun(self, len: usize) -> Option<Self> {
        match self {
            Self::Write(offset, mut data) => {
                data.truncate(len);
                Some(Self::Write(offset, data))
            }
            Self::Resize(_) => None,
        }
    }

    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Resize(len) => bytes.resize(*len as usize, 0),
            Self::Write(offset, data) => {
                let at = *offset as usize;
                if bytes.len() < at + data.len() {
                    bytes.resize(at + data.len(), 0);
                }
                bytes[at..at + data.len()].copy_from_slice(data);
            }
        }
    }

    /// What arrives of it where the power goes in the middle.
    fn torn(&self, random: &mut StdRng) -> Vec<Self> {
        let Self::Write(offset, data) = self else { return vec![self.clone()] };
        if random.random_bool(0.5) {
            return vec![Self::Write(*offset, data[..random.random_range(0..=data.len())].to_vec())];
        }
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < data.len() {
            let end = (at + SECTOR - (*offset as usize + at) % SECTOR).min(data.len());
            if random.random_bool(0.5) {
                pieces.push(Self::Write(offset + at as u64, data[at..end].to_vec()));
            }
            at = end;
        }
        pieces
    }
}

#[derive(Debug, Clone, Default)]
struct File {
    synced: Vec<u8>,
    now: Vec<u8>,
    since: Vec<Work>,
}

impl File {
    fn change(&mut self, work: Work) {
        work.apply(&mut self.now);
        self.since.push(work);
    }

    /// The process was killed in the middle of the last write.
    fn tear_last(&mut self, random: &mut StdRng) {
        if let Some(work) = self.since.pop() {
            self.now.clone_from(&self.synced);
            self.since.iter().for_each(|work| work.apply(&mut self.now));
            let arrived = match &work {
                Work::Write(_, data) => random.random_range(0..=data.len()),
                Work::Resize(_) => 0,
            };
            if let Some(begun) = work.begun(arrived) {
                self.change(begun);
            }
        }
    }

    /// What is there when the power is back.
    fn left(&self, random: &mut StdRng) -> Vec<u8> {
        let mut since = match random.random_range(0..4) {
            0 => return self.synced.clone(),
            1 => self.since[..random.random_range(0..=self.since.len())].to_vec(),
            _ => self.since.iter().filter(|_| random.random_bool(0.6)).cloned().collect(),
        };
        if random.random_bool(0.3) {
            since.shuffle(random);
        }
        let tears = random.random_bool(0.5);
        let mut bytes = self.synced.clone();
        let last = since.len().saturating_sub(1);
        for (at, work) in since.iter().enumerate() {
            if at == last || (tears && random.random_bool(0.3)) {
                work.torn(random).iter().for_each(|piece| piece.apply(&mut bytes));
            } else {
                work.apply(&mut bytes);
            }
        }
        bytes
    }
}

#[derive(Debug, Default)]
struct Platters {
    files: Vec<File>,
    names: BTreeMap<PathBuf, usize>,
    synced_names: BTreeMap<PathBuf, usize>,
    /// So much can still be done before the power goes.
    power: u64,
    /// The file to which something was being written when it went.
    interrupted: Option<usize>,
    /// All files together take no more bytes.
    room: Option<u64>,
    /// This work fails once, after so much of it.
    fault: Option<(DiskWork, u64)>,
    /// How often something was refused.
    refusals: u64,
    /// Of all that was done so far: who does the same does it in the same order.
    trace: u64,
}

impl Platters {
    /// Spends power; `true`: this is the work during which it goes.
    fn spend(&mut self) -> io::Result<bool> {
        if self.power == 0 {
            return Err(no_power());
        }
        self.power -= 1;
        Ok(self.power == 0)
    }

    fn refuse(&mut self) -> io::Error {
        self.refusals += 1;
        io::Error::from_raw_os_error(5)
    }

    /// Is this refused?
    fn check(&mut self, work: DiskWork, place: (usize, u64, usize)) -> io::Result<()> {
        let (file, offset, len) = place;
        for number in [work as u64, file as u64, offset, len as u64] {
            self.trace = (self.trace ^ number).wrapping_mul(0x0100_0000_01b3);
        }
        match &mut self.fault {
            Some((fails, 0)) if *fails == work => {
                self.fault = None;
                Err(self.refuse())
            }
            Some((fails, after)) if *fails == work => {
                *after -= 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn used(&self) -> u64 {
        self.files.iter().map(|file| file.now.len() as u64).sum()
    }

    fn change(&mut self, file: usize, work: Work) -> io::Result<()> {
        let is_last = self.spend()?;
        let (offset, len) = match &work {
            Work::Write(offset, data) => (*offset, data.len()),
            Work::Resize(len) => (*len, 0),
        };
        let mut allowed = self.check(work.kind(), (file, offset, len));
        let grows = work.end().saturating_sub(self.files[file].now.len() as u64);
        if grows > 0 && self.room.is_some_and(|room| self.used() + grows > room) {
            allowed = Err(self.refuse());
        }
        let arrives = if allowed.is_ok() { Some(work) } else { work.begun(len / 2) };
        if let Some(work) = arrives {
            self.files[file].change(work);
        }
        if is_last {
            self.interrupted = Some(file);
            return Err(no_power());
        }
        allowed
    }

    /// The same files with these names, and power.
    fn with(files: Vec<File>, names: BTreeMap<PathBuf, usize>, synced_names: BTreeMap<PathBuf, usize>) -> PowerDisk {
        let platters = Self { files, names, synced_names, power: u64::MAX, ..Self::default() };
        PowerDisk { platters: Arc::new(Mutex::new(platters)) }
    }
}

fn no_power() -> io::Error {
    io::Error::other("the power is gone")
}

/// The disk.
#[derive(Debug, Clone, Default)]
pub struct PowerDisk {
    platters: Arc<Mutex<Platters>>,
}

impl PowerDisk {
    fn platters(&self) -> MutexGuard<'_, Platters> {
        self.platters.lock().expect("nobody panics with it")
    }

    /// Has power for so many changes and syncs.
    pub fn power_for(&self, work: u64) {
        self.platters().power = work;
    }

    /// Has the power gone?
    pub fn is_off(&self) -> bool {
        self.platters().power == 0
    }

    /// A disk of its own with the same content, all of it synced.
    pub fn copy(&self) -> Self {
        let platters = self.platters();
        let files =
            platters.files.iter().map(|f| File { synced: f.now.clone(), now: f.now.clone(), since: Vec::new() });
        Platters::with(files.collect(), platters.names.clone(), platters.names.clone())
    }

    /// What is left of it when the power was gone and is back.
    pub fn after_the_cut(&self, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let platters = self.platters();
        let names = if random.random_bool(0.5) { &platters.names } else { &platters.synced_names };
        let files = platters.files.iter().map(|file| {
            let now = file.left(&mut random);
            File { synced: now.clone(), now, since: Vec::new() }
        });
        Platters::with(files.collect(), names.clone(), names.clone())
    }

    /// What the next process finds when this one was killed: the power was there all the time.
    pub fn after_a_kill(&self, seed: u64) -> Self {
        let platters = self.platters();
        let mut files = platters.files.clone();
        if let Some(file) = platters.interrupted {
            files[file].tear_last(&mut StdRng::seed_from_u64(seed));
        }
        Platters::with(files, platters.names.clone(), platters.synced_names.clone())
    }

    /// Takes so many bytes more, or as many as come.
    pub fn has_room_for(&self, bytes: Option<u64>) {
        let mut platters = self.platters();
        platters.room = bytes.map(|bytes| platters.used() + bytes);
    }

    /// Refuses such a piece of work once, after so many of them.
    pub fn fail(&self, work: DiskWork, after: u64) {
        self.platters().fault = Some((work, after));
    }

    /// From now on nothing goes wrong.
    pub fn mend(&self) {
        let mut platters = self.platters();
        (platters.power, platters.fault, platters.room) = (u64::MAX, None, None);
    }

    /// How often something was refused.
    pub fn refusals(&self) -> u64 {
        self.platters().refusals
    }

    /// A number that is another one where something else was done.
    pub fn trace(&self) -> u64 {
        self.platters().trace
    }

    /// What is in a file; nothing where there is none.
    pub fn content(&self, path: &Path) -> Vec<u8> {
        let platters = self.platters();
        platters.names.get(path).map(|file| platters.files[*file].now.clone()).unwrap_or_default()
    }

    /// Changes a byte of a file, as a failing medium does it.
    pub fn damage(&self, path: &Path, at: usize) {
        let mut platters = self.platters();
        let file = platters.names[path];
        platters.files[file].now[at] ^= 0x40;
    }

    /// Changes a bit of a file, likewise.
    pub fn flip(&self, path: &Path, at: usize, bit: u32) {
        let mut platters = self.platters();
        let file = platters.names[path];
        platters.files[file].now[at] ^= 1 << bit;
    }

    /// What is in a file.
    pub fn bytes_of(&self, path: &Path) -> Vec<u8> {
        let platters = self.platters();
        platters.files[platters.names[path]].now.clone()
    }

    /// How long a file is.
    pub fn len_of(&self, path: &Path) -> usize {
        let platters = self.platters();
        platters.files[platters.names[path]].now.len()
    }
}

impl Disk for PowerDisk {
    fn create_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.platters().names.contains_key(path))
    }

    fn open(&self, path: &Path, _: DiskFile) -> io::Result<Box<dyn StorageBackend>> {
        let mut platters = self.platters();
        let file = if let Some(file) = platters.names.get(path) {
            *file
        } else {
            platters.spend()?;
            platters.files.push(File::default());
            let file = platters.files.len() - 1;
            platters.names.insert(path.to_owned(), file);
            file
        };
        Ok(Box::new(PowerFile { disk: self.clone(), file }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut platters = self.platters();
        platters.spend()?;
        let file = platters.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        platters.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        let mut platters = self.platters();
        if platters.spend()? {
            return Err(no_power());
        }
        platters.synced_names = platters.names.clone();
        Ok(())
    }
}

#[derive(Debug)]
struct PowerFile {
    disk: PowerDisk,
    file: usize,
}

impl StorageBackend for PowerFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.disk.platters().files[self.file].now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut platters = self.disk.platters();
        platters.check(DiskWork::Read, (self.file, offset, out.len()))?;
        let bytes = platters.files[self.file].now.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.platters().change(self.file, Work::Resize(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut platters = self.disk.platters();
        if platters.spend()? {
            return Err(no_power());
        }
        platters.check(DiskWork::Sync, (self.file, 0, 0))?;
        let file = &mut platters.files[self.file];
        for work in std::mem::take(&mut file.since) {
            work.apply(&mut file.synced);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk.platters().change(self.file, Work::Write(offset, data.to_vec()))
    }
}
