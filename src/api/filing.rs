//! Files that come, go or are replaced, with the change that says who did it.
//!
//! New files wait under hidden names beside their places. The change is committed first, with what each file held before and
//! holds afterwards, and the files follow it. Whoever kills the process in between leaves a change of something that has not
//! happened, while what it names is still there; the other way round a file would be gone with nobody to ask.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::json;

use crate::app::App;
use crate::error::{Error, Result};
use crate::events::units::Held;
use crate::media::{self, Content, Upload};
use crate::store::{Access, Afterwards, Store, Transaction};
use crate::trail::Actor;
use crate::transaction;

/// How many bytes of what goes or is replaced a request reads to tell their SHA-256: a few seconds. Of larger files the size
/// is told, and the change that stored them has the hash.
const MOST_READ: u64 = 1 << 30;

/// Files of a folder that go.
pub enum Leaving {
    /// None, but for those that are replaced.
    Nothing,
    /// Those of these names.
    Named(Vec<String>),
    /// All that lie directly in it.
    All,
}

/// What comes to a folder and goes from it in one step. Nobody else in this process changes files of the folder meanwhile.
pub struct Filing {
    told: Vec<Told>,
    missing: Option<String>,
    pending: Arc<Pending>,
}

/// A file before and afterwards.
struct Told {
    path: String,
    old: Option<Content>,
    new: Option<Content>,
}

/// What is left to do when the change is committed, and how that went.
#[derive(Default)]
struct Pending {
    todo: Mutex<Option<Todo>>,
    failure: Mutex<Option<Error>>,
}

struct Todo {
    coming: Vec<Upload>,
    leaving: Vec<PathBuf>,
    folder: PathBuf,
    root: PathBuf,
    _held: Held,
}

impl Filing {
    /// Looks at what is in the places of these files. Each upload is one for the folder.
    pub async fn prepare(app: &App, folder: &Path, coming: Vec<Upload>, leaving: Leaving) -> Result<Self> {
        let held = app.units.take([format!("files {}", folder.display())].into()).await?;
        let unread =
            |cause: std::io::Error| Error::internal("The files could not be read. Nothing was changed.", cause);
        let names = match leaving {
            Leaving::Nothing => Vec::new(),
            Leaving::Named(names) => names,
            Leaving::All => media::files_in(folder).await.map_err(unread)?.into_iter().map(|(name, _)| name).collect(),
        };
        let (folder, root) = (folder.to_owned(), app.settings.media_root());
        let looking = tokio::task::spawn_blocking(move || look(folder, root, coming, names, held));
        looking.await.map_err(std::io::Error::other).and_then(|looked| looked).map_err(unread)
    }

    /// The first of the named files that is not there.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// Tells in a transaction what comes and goes, which happens when that is committed.
    pub fn note(&self, trx: &Transaction, id: &str) {
        for Told { path, old, new } in &self.told {
            trx.filed(id.to_owned(), path, json!(old), json!(new));
        }
        trx.afterwards(Following(Arc::clone(&self.pending)));
    }

    /// What has not worked behind the commit.
    pub fn done(self) -> Result<()> {
        locked(&self.pending.failure).take().map_or(Ok(()), Err)
    }

    /// All of that, where nothing but files is changed.
    pub async fn commit(self, store: &Store, actor: &Actor, id: &str) -> Result<()> {
        transaction!(store.acting(actor), Access::default(), |trx| {
            self.note(trx, id);
            Ok(())
        })?;
        self.done()
    }
}

fn look(
    folder: PathBuf,
    root: PathBuf,
    coming: Vec<Upload>,
    names: Vec<String>,
    held: Held,
) -> std::io::Result<Filing> {
    let (mut told, mut leaving, mut missing, mut left) = (Vec::new(), Vec::new(), None, MOST_READ);
    let mut seen: BTreeSet<PathBuf> = coming.iter().map(|upload| upload.target().to_owned()).collect();
    let path = |file: &Path| file.strip_prefix(&root).unwrap_or(file).display().to_string();
    for name in names {
        let file = folder.join(&name);
        if !seen.insert(file.clone()) {
            continue;
        }
        // What is on its way is hidden, and nobody's to take away.
        let is_name = media::is_part(&name) && !name.starts_with('.');
        let Some(old) = is_name.then(|| Content::of(&file, &mut left)).transpose()?.flatten() else {
            missing.get_or_insert(name);
            continue;
        };
        told.push(Told { path: path(&file), old: Some(old), new: None });
        leaving.push(file);
    }
    for upload in &coming {
        let target = upload.target();
        if target.is_dir() {
            return Err(std::io::ErrorKind::IsADirectory.into());
        }
        let old = Content::of(target, &mut left)?;
        told.push(Told { path: path(target), old, new: Some(upload.content().clone()) });
    }
    let todo = Todo { coming, leaving, folder, root, _held: held };
    let pending = Pending { todo: Mutex::new(Some(todo)), ..Pending::default() };
    Ok(Filing { told, missing, pending: Arc::new(pending) })
}

impl Todo {
    /// Does as much as it can, and tells what was first to fail.
    async fn follow(self) -> Result<()> {
        let mut outcome = Ok(());
        for upload in self.coming {
            outcome = outcome.and(upload.place().map(drop));
        }
        for file in &self.leaving {
            let stays = |cause| Error::internal("The change is stored, but a file could not be removed.", cause);
            outcome = outcome.and(media::remove_file(file).await.map_err(stays));
        }
        if !self.leaving.is_empty() {
            let (folder, root) = (self.folder, self.root);
            // A folder that stays is nobody's concern.
            drop(tokio::task::spawn_blocking(move || media::remove_empty_folders(&folder, &root)).await);
        }
        outcome
    }
}

/// Each attempt at a transaction has one; that of the attempt which is committed does what there is to do.
struct Following(Arc<Pending>);

impl Afterwards for Following {
    fn committed(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Some(todo) = locked(&self.0.todo).take() else { return };
            if let Err(error) = todo.follow().await {
                tracing::error!(%error, "files do not agree with a change that is stored");
                *locked(&self.0.failure) = Some(error);
            }
        })
    }

    /// Nothing comes and nothing goes.
    fn uncertain(self: Box<Self>) {}
}

fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
