//! A disk in memory whose power goes: what was synced stays; of what was written since, anything may have arrived, in any
//! order, whole or torn.

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

#[derive(Debug, Clone)]
enum Work {
    Write(u64, Vec<u8>),
    Resize(u64),
}

impl Work {
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

    fn change(&mut self, file: usize, work: Work) -> io::Result<()> {
        let is_last = self.spend()?;
        let file = &mut self.files[file];
        work.apply(&mut file.now);
        file.since.push(work);
        if is_last { Err(no_power()) } else { Ok(()) }
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
        let (files, names) = (files.collect(), platters.names.clone());
        let synced_names = names.clone();
        Self { platters: Arc::new(Mutex::new(Platters { files, names, synced_names, power: u64::MAX })) }
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
        let files = files.collect();
        let (names, synced_names) = (names.clone(), names.clone());
        Self { platters: Arc::new(Mutex::new(Platters { files, names, synced_names, power: u64::MAX })) }
    }

    /// Changes a byte of a file, as a failing medium does it.
    pub fn damage(&self, path: &Path, at: usize) {
        let mut platters = self.platters();
        let file = platters.names[path];
        platters.files[file].now[at] ^= 0x40;
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
        let platters = self.disk.platters();
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
