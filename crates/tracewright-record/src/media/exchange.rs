//! Files of one folder that come, go or are replaced together, all or none.
//!
//! Everything that takes long or may want room is done before: what comes lies beside its place under a hidden name, on the disk.
//! What is left are renames within the folder, and one that fails takes back those before it. What was there waits under a
//! hidden name until it is certain that the exchange stays. Meanwhile a plan says what belongs where; the process that makes the
//! exchange holds a lock on it, which the system takes back when that process ends, whichever way. Whoever starts next on
//! the same files then finds the plan, and ends the exchange one way or the other.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempPath;
use uuid::Uuid;

use super::upload::ASIDE_PREFIX;
use super::{Content, Upload, missing_is_fine, remove_empty_folders};

/// The folder of the plans, below the media root.
const PLANS: &str = ".exchanges";

/// Files that come to a folder and go from it.
pub struct Exchange {
    root: PathBuf,
    coming: Vec<Upload>,
    content: Planned,
    plan: Option<Plan>,
}

/// Why an exchange was not made. Nothing of it stays.
#[derive(Debug)]
pub enum Hitch {
    /// Somebody else has taken this file away since it was looked at.
    Gone(String),
    /// Somebody else has put another file there.
    Changed,
    /// The file system refused.
    Refused(io::Error),
}

impl From<io::Error> for Hitch {
    fn from(error: io::Error) -> Self {
        Self::Refused(error)
    }
}

/// What a plan says.
#[derive(Debug, Serialize, Deserialize)]
struct Planned {
    /// Below the media root.
    folder: PathBuf,
    steps: Vec<Step>,
}

/// One file; all names are those of files in the folder.
#[derive(Debug, Serialize, Deserialize)]
struct Step {
    name: String,
    old: Option<Waiting>,
    new: Option<Waiting>,
}

/// A file that is in its place before or afterwards, and in the other case under a hidden name.
#[derive(Debug, Serialize, Deserialize)]
struct Waiting {
    hidden: String,
    which: Which,
}

/// Which file it is, whatever it is called: another one under the same name is somebody else's.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Which {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Which {
    /// `None` where there is nothing.
    fn at(path: &Path) -> io::Result<Option<Self>> {
        match fs::metadata(path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            about => about.map(|about| Some(Self::of(&about))),
        }
    }

    fn of(about: &Metadata) -> Self {
        Self { inode: about.ino(), size: about.size(), modified: (about.mtime(), about.mtime_nsec()) }
    }
}

impl Exchange {
    /// One of no files yet, in a folder below the media root.
    pub fn new(root: PathBuf, folder: &Path) -> Self {
        let folder = folder.strip_prefix(&root).unwrap_or(folder).to_owned();
        Self { root, coming: Vec::new(), content: Planned { folder, steps: Vec::new() }, plan: None }
    }

    /// A file is to come, and what is in its place to go. Says what that is, reading so many bytes at most.
    pub fn come(&mut self, upload: Upload, left: &mut u64) -> io::Result<Option<Content>> {
        let target = upload.target();
        if target.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        let (hidden, name) = (name_of(upload.temporary())?, name_of(target)?);
        let which = Which::at(upload.temporary())?.ok_or(ErrorKind::NotFound)?;
        let (old, content) = waiting(target, left)?.unzip();
        self.content.steps.push(Step { name, old, new: Some(Waiting { hidden, which }) });
        self.coming.push(upload);
        Ok(content)
    }

    /// A file is to go. Says what it holds; `None` where there is none.
    pub fn go(&mut self, name: &str, left: &mut u64) -> io::Result<Option<Content>> {
        let found = waiting(&self.folder().join(name), left)?;
        Ok(found.map(|(old, content)| {
            self.content.steps.push(Step { name: name.to_owned(), old: Some(old), new: None });
            content
        }))
    }

    fn folder(&self) -> PathBuf {
        self.root.join(&self.content.folder)
    }

    /// Puts all files in their places or none. Until it is kept it can be taken back, also by whoever finds the plan under this
    /// key.
    pub fn make(&mut self, key: &str) -> Result<(), Hitch> {
        if self.content.steps.is_empty() {
            return Ok(());
        }
        let folder = self.folder();
        self.plan = Some(Plan::write(&self.root, key, &self.content)?);
        let made = self.content.steps.iter().try_for_each(|step| step.make(&folder));
        // On the disk before anybody is told.
        let made = made.and_then(|()| Ok(File::open(&folder)?.sync_all()?));
        if made.is_err() {
            self.take_back();
        }
        made
    }

    /// Everything is as it was, and may be made again.
    pub fn take_back(&mut self) {
        if let Some(plan) = self.plan.take() {
            plan.done(self.content.take_back(&self.folder()));
        }
    }

    /// The exchange stays.
    pub fn keep(&mut self) {
        if let Some(plan) = self.plan.take() {
            plan.done(self.content.keep(&self.root));
        }
        // What they still hold is nothing but names that are taken.
        self.coming.clear();
    }

    /// Nobody knows yet whether the exchange stays: what is left to end.
    pub fn leave(&mut self) -> Option<LeftExchange> {
        let plan = self.plan.take()?;
        let content = Planned { folder: self.content.folder.clone(), steps: std::mem::take(&mut self.content.steps) };
        Some(LeftExchange { root: self.root.clone(), content, plan })
    }

    /// A file of the folder as it is called below the media root.
    pub fn path(&self, name: &str) -> String {
        self.content.folder.join(name).display().to_string()
    }
}

/// What is in a place, and where it may wait.
fn waiting(path: &Path, left: &mut u64) -> io::Result<Option<(Waiting, Content)>> {
    // First which file it is: one that is written meanwhile is another one at the end.
    let Some(which) = Which::at(path)? else { return Ok(None) };
    let hidden = format!("{ASIDE_PREFIX}{}", Uuid::new_v4());
    Ok(Content::of(path, left)?.map(|content| (Waiting { hidden, which }, content)))
}

fn name_of(path: &Path) -> io::Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| ErrorKind::InvalidFilename.into())
}

impl Step {
    fn make(&self, folder: &Path) -> Result<(), Hitch> {
        let target = folder.join(&self.name);
        if let Some(old) = &self.old {
            let hidden = folder.join(&old.hidden);
            // Of two who take the same file away, one finds it.
            let aside = if self.new.is_some() { beside(&target, &hidden) } else { fs::rename(&target, &hidden) };
            match aside {
                Err(error) if error.kind() == ErrorKind::NotFound => return Err(Hitch::Gone(self.name.clone())),
                aside => aside?,
            }
            if Which::at(&hidden)?.as_ref() != Some(&old.which) {
                return Err(Hitch::Changed);
            }
        }
        let Some(new) = &self.new else { return Ok(()) };
        let hidden = folder.join(&new.hidden);
        if self.old.is_some() {
            return Ok(fs::rename(hidden, target)?);
        }
        TempPath::try_from_path(hidden)?.persist_noclobber(target).map_err(|refused| {
            // It is still the upload's.
            drop(refused.path.keep());
            match refused.error.kind() {
                ErrorKind::AlreadyExists => Hitch::Changed,
                _ => Hitch::Refused(refused.error),
            }
        })
    }

    fn take_back(&self, folder: &Path) -> io::Result<()> {
        let target = folder.join(&self.name);
        let mut there = Which::at(&target)?;
        if let Some(Waiting { hidden, which }) = &self.new
            && there.as_ref() == Some(which)
        {
            let hidden = folder.join(hidden);
            // A rename does nothing where both are names of one file.
            if hidden.exists() { fs::remove_file(&target) } else { fs::rename(&target, hidden) }?;
            there = None;
        }
        let Some(Waiting { hidden, .. }) = &self.old else { return Ok(()) };
        let aside = folder.join(hidden);
        // Whichever file was found when it was set aside.
        let waits = Which::at(&aside)?;
        if waits.is_none() || there.is_none() {
            return missing_is_fine(fs::rename(aside, target));
        }
        if waits == there {
            return missing_is_fine(fs::remove_file(aside));
        }
        let path = target.display();
        tracing::error!(%path, hidden, "another file has come to the place of one that should come back, which stays hidden");
        Ok(())
    }
}

/// A second name for a file that is to be replaced in one step; where there can be none, another one.
fn beside(target: &Path, hidden: &Path) -> io::Result<()> {
    match fs::hard_link(target, hidden) {
        Err(error) if error.kind() != ErrorKind::NotFound => fs::rename(target, hidden),
        linked => linked,
    }
}

impl Planned {
    fn take_back(&self, folder: &Path) -> io::Result<()> {
        let mut outcome = Ok(());
        // As many as can.
        for step in self.steps.iter().rev() {
            outcome = outcome.and(step.take_back(folder));
        }
        outcome
    }

    fn keep(&self, root: &Path) -> io::Result<()> {
        let folder = root.join(&self.folder);
        for old in self.steps.iter().filter_map(|step| step.old.as_ref()) {
            missing_is_fine(fs::remove_file(folder.join(&old.hidden)))?;
        }
        remove_empty_folders(&folder, root);
        Ok(())
    }

    /// Takes it back for good.
    fn undo(&self, root: &Path) -> io::Result<()> {
        let folder = root.join(&self.folder);
        self.take_back(&folder)?;
        for new in self.steps.iter().filter_map(|step| step.new.as_ref()) {
            missing_is_fine(fs::remove_file(folder.join(&new.hidden)))?;
        }
        remove_empty_folders(&folder, root);
        Ok(())
    }
}

/// A plan that this process holds.
struct Plan {
    path: PathBuf,
    key: String,
    /// Locked as long as it is open.
    _file: File,
}

impl Plan {
    fn write(root: &Path, key: &str, content: &Planned) -> io::Result<Self> {
        let folder = root.join(PLANS);
        fs::create_dir_all(&folder)?;
        let path = folder.join(key);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let written =
            file.lock().and_then(|()| file.write_all(&serde_json::to_vec(content)?)).and_then(|()| file.sync_all());
        if let Err(error) = written {
            drop(fs::remove_file(path));
            return Err(error);
        }
        Ok(Self { path, key: key.to_owned(), _file: file })
    }

    /// The exchange has ended. One that has not ended as it should stays to be ended by the next start.
    fn done(self, outcome: io::Result<()>) {
        if let Err(error) = outcome.and_then(|()| fs::remove_file(&self.path)) {
            tracing::error!(%error, plan = %self.path.display(), "files that are exchanged do not lie where they should");
        }
    }
}

/// An exchange that somebody has made, who cannot say whether it stays.
pub struct LeftExchange {
    root: PathBuf,
    content: Planned,
    plan: Plan,
}

impl LeftExchange {
    /// Those below a media root whose processes are gone. Until they have ended, nobody else finds them.
    pub fn find(root: &Path) -> io::Result<Vec<Self>> {
        let entries = match fs::read_dir(root.join(PLANS)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found = Vec::new();
        for entry in entries {
            found.extend(Self::at(root, entry?.path())?);
        }
        Ok(found)
    }

    fn at(root: &Path, path: PathBuf) -> io::Result<Option<Self>> {
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        // Its process is alive, or has just removed it.
        if file.try_lock().is_err() || Which::at(&path)? != Some(Which::of(&file.metadata()?)) {
            return Ok(None);
        }
        // One that is not written to its end belongs to an exchange that has not begun.
        let Ok(content) = serde_json::from_reader(&file) else { return Ok(None) };
        let (root, key) = (root.to_owned(), name_of(&path)?);
        Ok(Some(Self { root, content, plan: Plan { path, key, _file: file } }))
    }

    /// The key it was made under.
    pub fn key(&self) -> &str {
        &self.plan.key
    }

    /// Where its files lie, below the media root.
    pub fn folder(&self) -> &Path {
        &self.content.folder
    }

    /// Ends it: it stays, or nothing of it does.
    pub fn end(self, stays: bool) {
        let outcome = if stays { self.content.keep(&self.root) } else { self.content.undo(&self.root) };
        self.plan.done(outcome);
    }
}
