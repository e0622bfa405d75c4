//! Files that come, go or are replaced, with the change that says who did it: all of them and the change, or nothing.
//!
//! The files change their places last, right before the commit, and what was there waits under hidden names: where the disk
//! refuses, nothing is committed, and where the database refuses, the files come back. The other way round a disk that refuses
//! would leave a change that is not true. So for the moment of a commit somebody may read a file of a change that is then
//! refused; nobody ever finds some files of a request changed and others not, but for the moment of the renames.
//!
//! A change has the key of its plan (see `media/exchange.rs`). Whoever finds the plan of a process that was killed in between asks
//! whether there is such a change: the files stay where they are if there is, and come back if there is none.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use uuid::Uuid;

use crate::app::App;
use crate::aql;
use crate::error::{Error, Result};
use crate::events::locks::Held;
use crate::media::{self, Content, Exchange, Hitch, LeftExchange, Upload};
use crate::store::{Access, AfterCommit, Store, Transaction, typed};
use crate::trail::Actor;
use crate::transaction;

/// How many bytes of what goes or is replaced a request reads to tell their SHA-256: a few seconds. Of larger files the size
/// is told, and the change that stored them has the hash.
const MOST_READ: u64 = 1 << 30;

/// A server ends a transaction that nobody uses after two minutes at most; then it is certain whether it was committed.
const CERTAIN: Duration = Duration::from_secs(130);

/// No upload takes so long: hidden files this old are what a process that was killed has left.
const LONGEST_UPLOAD: Duration = Duration::from_hours(24);

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
    changes: Vec<FileChange>,
    missing: Option<String>,
    pending: Arc<Pending>,
}

/// A file before and afterwards.
struct FileChange {
    path: String,
    old: Option<Content>,
    new: Option<Content>,
}

type OrMissing = Box<dyn Fn(&str) -> Error + Send + Sync>;

/// What all attempts at the transaction share.
struct Pending {
    store: Store,
    /// Of the change and of the plan.
    key: String,
    exchange: Mutex<Exchange>,
    /// What is answered where a file that should go is not there.
    or_missing: OnceLock<OrMissing>,
    _held: Held,
}

impl Filing {
    /// Looks at what is in the places of these files. Each upload is one for the folder.
    pub async fn prepare(app: &App, folder: &Path, coming: Vec<Upload>, leaving: Leaving) -> Result<Self> {
        let held = app.recorder.locks.take([format!("files {}", folder.display())].into()).await?;
        let unread = |cause: io::Error| Error::internal("The files could not be read. Nothing was changed.", cause);
        let names = match leaving {
            Leaving::Nothing => Vec::new(),
            Leaving::Named(names) => names,
            Leaving::All => media::files_in(folder).await.map_err(unread)?.into_iter().map(|(name, _)| name).collect(),
        };
        let exchange = Exchange::new(app.settings.media_root(), folder);
        let (changes, missing, exchange) = blocking(move || look(exchange, coming, names)).await.map_err(unread)?;
        let (store, key, or_missing) = (app.store.clone(), Uuid::new_v4().to_string(), OnceLock::new());
        let pending = Pending { store, key, exchange: Mutex::new(exchange), or_missing, _held: held };
        Ok(Self { changes, missing, pending: Arc::new(pending) })
    }

    /// Answers that where one of the named files is not there, also where somebody else takes it away before this does.
    pub fn or(self, missing: impl Fn(&str) -> Error + Send + Sync + 'static) -> Result<Self> {
        if let Some(name) = &self.missing {
            return Err(missing(name));
        }
        self.pending.or_missing.get_or_init(|| Box::new(missing));
        Ok(self)
    }

    /// Tells in a transaction what comes and goes, which happens when that is committed.
    pub fn note(&self, trx: &Transaction, id: &str) {
        for FileChange { path, old, new } in &self.changes {
            let [old, new] = [old, new].map(|content| typed::bound(content).unwrap_or_default());
            trx.filed(id.to_owned(), path, old, new);
        }
        trx.told_under(&self.pending.key);
        trx.after_commit(Following(Arc::clone(&self.pending)));
    }

    /// All of that, where nothing but files is changed.
    pub async fn commit(self, store: &Store, actor: &Actor, id: &str) -> Result<()> {
        transaction!(store.acting(actor), Access::default(), |trx| {
            self.note(trx, id);
            Ok(())
        })
    }
}

fn look(
    mut exchange: Exchange,
    coming: Vec<Upload>,
    names: Vec<String>,
) -> io::Result<(Vec<FileChange>, Option<String>, Exchange)> {
    let (mut changes, mut missing, mut left) = (Vec::new(), None, MOST_READ);
    let mut seen: BTreeSet<String> = coming.iter().map(Upload::name).collect();
    for name in names {
        if !seen.insert(name.clone()) {
            continue;
        }
        // What is on its way is hidden, and nobody's to take away.
        let is_name = media::is_part(&name) && !name.starts_with('.');
        match is_name.then(|| exchange.go(&name, &mut left)).transpose()?.flatten() {
            Some(old) => changes.push(FileChange { path: exchange.path(&name), old: Some(old), new: None }),
            None => missing = missing.or(Some(name)),
        }
    }
    for upload in coming {
        let (path, new) = (exchange.path(&upload.name()), Some(upload.content().clone()));
        let old = exchange.come(upload, &mut left)?;
        changes.push(FileChange { path, old, new });
    }
    Ok((changes, missing, exchange))
}

impl Pending {
    /// Works on the files, away from the threads that answer requests.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut Exchange, &str) -> T + Send + 'static,
    ) -> io::Result<T> {
        let pending = Arc::clone(self);
        blocking(move || {
            let mut exchange = pending.exchange.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(work(&mut exchange, &pending.key))
        })
        .await
    }

    fn refusal(&self, hitch: Hitch) -> Error {
        match (hitch, self.or_missing.get()) {
            (Hitch::Gone(name), Some(missing)) => missing(&name),
            (Hitch::Gone(_), None) | (Hitch::Changed, _) => Error::overtaken(),
            (Hitch::Refused(cause), _) => unplaced(cause),
        }
    }
}

fn unplaced(cause: io::Error) -> Error {
    Error::internal("The files could not be put in their places. Nothing was changed.", cause)
}

/// Each attempt at a transaction has one.
struct Following(Arc<Pending>);

impl AfterCommit for Following {
    fn about_to_commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async {
            let made = self.0.work(Exchange::make).await.map_err(unplaced)?;
            made.map_err(|hitch| self.0.refusal(hitch))
        })
    }

    fn committed(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { ended(self.0.work(|exchange, _| exchange.keep()).await) })
    }

    fn refused(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { ended(self.0.work(|exchange, _| exchange.take_back()).await) })
    }

    /// What was there stays hidden until the database can say what became of the change.
    fn uncertain(self: Box<Self>) {
        let (pending, store) = (Arc::clone(&self.0), self.0.store.clone());
        tokio::spawn(async move {
            let left = pending.work(|exchange, _| exchange.leave()).await;
            drop(pending);
            let Ok(Some(mut left)) = left else { return };
            loop {
                tokio::time::sleep(CERTAIN).await;
                match end(&store, left).await {
                    Ok(()) => break,
                    Err(again) => left = again,
                }
            }
        });
    }
}

fn ended(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        tracing::error!(%error, "files of a change do not lie where they should");
    }
}

/// Ends an exchange of which only its plan tells: it stays where its change is stored. Gives it back where the database does
/// not answer.
async fn end(store: &Store, left: LeftExchange) -> Result<(), LeftExchange> {
    let params = aql::audit::known::Params { collection: "Change", keys: [left.key()].into_iter().collect() };
    let stays = match aql::audit::known(store, params).await {
        Ok(changes) => !changes.is_empty(),
        Err(error) => {
            tracing::warn!(?error, "what became of files cannot be asked for yet");
            return Err(left);
        }
    };
    tracing::info!(
        folder = %left.folder().display(), stays, "files were being changed when their process was killed, or its database was gone"
    );
    ended(tokio::task::spawn_blocking(move || left.end(stays)).await.map_err(io::Error::other));
    Ok(())
}

/// Ends what processes that were killed have begun with files, before anybody reads them. What else they have left goes later.
pub async fn end_left(app: &App) {
    let root = app.settings.media_root();
    let found = {
        let root = root.clone();
        blocking(move || LeftExchange::find(&root)).await
    };
    match found {
        Ok(found) => {
            for left in found {
                // It stays for the next start.
                drop(end(&app.store, left).await);
            }
        }
        Err(error) => tracing::warn!(%error, "files that were being changed cannot be looked for"),
    }
    tokio::task::spawn_blocking(move || match media::remove_left(&root, LONGEST_UPLOAD) {
        Ok(0) => {}
        Ok(number) => tracing::info!(number, "files were removed that had not arrived when their process was killed"),
        Err(error) => tracing::warn!(%error, "files that have not arrived could not be removed"),
    });
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}
