//! Whether the folder of an export is whole. An export is written beside its place and comes there when it has ended, with a
//! list of its files; an import compares them before it reads the first document.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file_error;
use super::layout::{DESCRIPTION, files_of, plain_name, structure_prefix};
use crate::Result;

/// The list of files, in every folder that an export has written.
pub const MANIFEST: &str = "manifest.json";
/// What the description of a dump says when there is such a list beside it.
pub const HAS_MANIFEST: &str = "manifest";
/// Behind the name of a folder whose export has not ended.
const PARTIAL: &str = ".partial";

#[derive(Debug, Default, Serialize, Deserialize)]
struct Manifest {
    files: BTreeMap<String, FileEntry>,
}

/// What is known of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileEntry {
    bytes: u64,
    sha256: String,
    /// In files of documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    documents: Option<u64>,
}

impl FileEntry {
    /// That of a file as it is.
    fn of(file: &mut File, documents: Option<u64>) -> io::Result<Self> {
        let mut hash = Sha256::new();
        let bytes = io::copy(file, &mut hash)?;
        Ok(Self { bytes, sha256: hex::encode(hash.finalize()), documents })
    }
}

/// A folder that is being written. Dropped before it is finished, it leaves nothing behind.
pub struct Unfinished {
    place: PathBuf,
    beside: PathBuf,
    documents: BTreeMap<String, u64>,
    is_finished: bool,
}

impl Unfinished {
    /// Begins to write a folder, which must be empty or not there.
    pub fn begin(place: &Path) -> Result<Self> {
        let failed = |cause: io::Error| file_error(place, cause);
        if place.exists() && fs::read_dir(place).map_err(failed)?.next().is_some() {
            return Err(file_error(place, "the folder is not empty. Choose another one, or remove what is in it."));
        }
        // `.` and the like have no name of their own
        let whole =
            std::path::absolute(place).and_then(|place| if place.exists() { place.canonicalize() } else { Ok(place) });
        let place = whole.map_err(failed)?;
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(PARTIAL);
        let beside = place.with_file_name(name);
        if let Some(above) = beside.parent() {
            fs::create_dir_all(above).map_err(|cause| file_error(above, cause))?;
        }
        match fs::create_dir(&beside) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Err(file_error(
                &beside,
                "an export is being written there, or was ended before it was done. Remove it then.",
            )),
            Err(cause) => Err(file_error(&beside, cause)),
            Ok(()) => Ok(Self { place, beside, documents: BTreeMap::new(), is_finished: false }),
        }
    }

    /// Where its files are written.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.beside
    }

    /// So many documents stand in a file.
    pub fn counted(&mut self, file: &Path, documents: u64) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.documents.insert(name, documents);
    }

    /// All files are written: lists them, and puts the folder in its place when everything is on the disk.
    pub fn finish(mut self) -> Result<()> {
        let mut manifest = Manifest::default();
        for path in files_of(&self.beside)? {
            let name = name_of(&path);
            let documents = self.documents.get(&name).copied();
            let entry = File::open(&path).and_then(|mut file| {
                file.sync_all()?;
                FileEntry::of(&mut file, documents)
            });
            manifest.files.insert(name, entry.map_err(|cause| file_error(&path, cause))?);
        }
        let list = self.beside.join(MANIFEST);
        let failed = |cause: io::Error| file_error(&list, cause);
        let text = serde_json::to_string_pretty(&manifest).map_err(|cause| file_error(&list, cause))?;
        fs::write(&list, text + "\n").map_err(failed)?;
        let synced = |path: &Path| File::open(path).and_then(|file| file.sync_all());
        synced(&list).and_then(|()| synced(&self.beside)).map_err(failed)?;
        fs::rename(&self.beside, &self.place).map_err(|cause| file_error(&self.place, cause))?;
        self.is_finished = true;
        self.place.parent().map_or(Ok(()), synced).map_err(|cause| file_error(&self.place, cause))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_finished
            && let Err(error) = fs::remove_dir_all(&self.beside)
        {
            tracing::warn!(%error, path = %self.beside.display(), "an export that failed could not be removed");
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What a folder lacks of what its export has written, in words; nothing when it is whole. Folders that were not written by an
/// export of ours have no list: of arangodump's it is only known that the description comes with the rest, of JSON lines nothing.
pub fn lacks(folder: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    if folder.canonicalize().is_ok_and(|whole| name_of(&whole).ends_with(PARTIAL)) {
        wrong.push("the export that wrote this folder was ended before it was done".to_owned());
    }
    let present = files_of(folder)?;
    let list = folder.join(MANIFEST);
    if !list.exists() {
        wrong.extend(without_list(folder, &present)?);
        return Ok(wrong);
    }
    let text = fs::read(&list).map_err(|cause| file_error(&list, cause))?;
    let manifest: Manifest = match serde_json::from_slice(&text) {
        Ok(manifest) => manifest,
        Err(cause) => {
            wrong.push(format!("{MANIFEST} cannot be read: {cause}"));
            return Ok(wrong);
        }
    };
    for (name, entry) in &manifest.files {
        let path = folder.join(name);
        let mut file = match File::open(&path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                let documents = entry.documents.map_or(String::new(), |n| format!(" with {n} documents"));
                wrong.push(format!("{name} is missing{documents}"));
                continue;
            }
            other => other.map_err(|cause| file_error(&path, cause))?,
        };
        let found = FileEntry::of(&mut file, entry.documents).map_err(|cause| file_error(&path, cause))?;
        if found.bytes != entry.bytes {
            wrong.push(format!("{name} has {} bytes instead of {}", found.bytes, entry.bytes));
        } else if found != *entry {
            wrong.push(format!("{name} has other bytes than were written"));
        }
    }
    let is_data = |path: &Path| {
        let kind = Path::new(plain_name(path)).extension().unwrap_or_default();
        kind == "json" || kind == "jsonl"
    };
    let strangers = present.iter().filter(|path| is_data(path) && **path != list);
    let strangers = strangers.map(|path| name_of(path)).filter(|name| !manifest.files.contains_key(name));
    wrong.extend(strangers.map(|name| format!("{name} was not written by this export")));
    Ok(wrong)
}

fn without_list(folder: &Path, present: &[PathBuf]) -> Result<Option<String>> {
    if !present.iter().any(|path| structure_prefix(path).is_some()) {
        return Ok(None);
    }
    let description = folder.join(DESCRIPTION);
    if !description.exists() {
        return Ok(Some(format!("{DESCRIPTION} is missing, which an export writes last")));
    }
    let is_ours = super::databases::read_json(&description)?.get(HAS_MANIFEST).truthy();
    Ok(is_ours.then(|| format!("{MANIFEST} is missing")))
}

/// An error that says what a folder lacks, unless what there is will do; what it lacks is told then.
pub fn must_be_whole(folder: &Path, take_incomplete: bool) -> Result<Vec<String>> {
    let wrong = lacks(folder)?;
    if wrong.is_empty() || take_incomplete {
        return Ok(wrong);
    }
    let text = format!(
        "this is not a whole export, and nothing was read:\n  {}\nTake another copy, or read what there is with --incomplete.",
        wrong.join("\n  ")
    );
    Err(file_error(folder, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().expect("folder");
        let place = root.path().join("backup");
        let mut export = Unfinished::begin(&place).expect("begun");
        for (name, content) in
            [("a_1.structure.json", "{}"), ("a_1.data.json", "{}\n{}\n"), (DESCRIPTION, "{\"manifest\":true}")]
        {
            fs::write(export.folder().join(name), content).expect("written");
        }
        export.counted(&place.join("a_1.data.json"), 2);
        export.finish().expect("finished");
        (root, place)
    }

    #[test]
    fn a_folder_is_there_when_it_is_whole_and_not_before() {
        let root = tempfile::tempdir().expect("folder");
        let place = root.path().join("deep/backup");
        let export = Unfinished::begin(&place).expect("begun");
        assert!(!place.exists() && export.folder().exists());
        assert!(Unfinished::begin(&place).is_err(), "one at a time");
        let beside = export.folder().to_owned();
        fs::write(beside.join("x.jsonl"), "").expect("written");
        assert!(!lacks(&beside).expect("looked").is_empty());
        drop(export);
        assert!(!beside.exists() && !place.exists());
        let (_root, place) = written();
        assert_eq!(lacks(&place).expect("looked"), [""; 0]);
        assert!(Unfinished::begin(&place).is_err(), "there is something");
    }

    #[test]
    fn each_file_that_is_missing_cut_or_changed_is_named() {
        for name in ["a_1.structure.json", "a_1.data.json", DESCRIPTION, MANIFEST] {
            let (_root, place) = written();
            let path = place.join(name);
            let bytes = fs::read(&path).expect("read");
            let told = |what: &str| {
                let wrong = lacks(&place).expect("looked");
                assert!(wrong.iter().any(|text| text.contains(name)), "{what} {name}: {wrong:?}");
                assert!(must_be_whole(&place, false).is_err() && must_be_whole(&place, true).is_ok());
            };
            fs::write(&path, &bytes[..bytes.len() - 1]).expect("cut");
            if name != MANIFEST {
                told("cut");
            }
            fs::write(&path, &bytes[..bytes.len() / 2]).expect("cut");
            told("halved");
            let mut changed = bytes.clone();
            changed[0] ^= 1;
            fs::write(&path, &changed).expect("changed");
            told("changed");
            fs::remove_file(&path).expect("removed");
            told("removed");
        }
    }

    #[test]
    fn a_file_of_another_export_is_told() {
        let (_root, place) = written();
        fs::write(place.join("b_1.data.json.gz"), "").expect("written");
        assert_eq!(lacks(&place).expect("looked"), ["b_1.data.json.gz was not written by this export"]);
    }

    #[test]
    fn of_a_dump_without_a_list_its_description_is_wanted() {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(folder.path().join("a_1.structure.json"), "{}").expect("written");
        assert_eq!(lacks(folder.path()).expect("looked").len(), 1);
        fs::write(folder.path().join(DESCRIPTION), "{}").expect("written");
        assert_eq!(lacks(folder.path()).expect("looked"), [""; 0]);
    }
}
