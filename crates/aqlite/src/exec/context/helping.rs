//! Contexts of threads that compute a part of a query: each has one of its own, and what it tells is taken in when it is
//! the turn of that part.

use std::time::Instant;

use super::{Ctx, Data, no_data, too_much};
use crate::Result;
use crate::exec::{Kill, Stats, Warning};
use crate::memory::Share;
use crate::txn::View;
use crate::value::{SmolStr, Value};

/// What the contexts of helpers begin with.
pub(in crate::exec) struct Seed {
    frame: Vec<Value>,
    bound: Vec<Value>,
    view: View,
    fail_on_warning: bool,
    max_warnings: usize,
    /// What the query may take besides what it has; 0: no limit.
    memory_limit: usize,
    /// Where parts take what they hold, for the purpose of the query.
    share: Share,
    kill: Kill,
    /// Ends what is still computed when nobody needs it any more.
    pub over: Kill,
    deadline: Option<Instant>,
    now: i64,
    user: SmolStr,
    database: SmolStr,
}

/// What a part of a query did.
pub(in crate::exec) struct Figures {
    stats: Stats,
    warnings: Vec<Warning>,
    /// Memory it had at its end,
    pub memory: usize,
    /// and what it keeps for the next parts.
    pub lasting: usize,
    /// Keeps that from others until the query has it.
    pub share: Share,
    /// Where its scan has ended.
    pub scanned_to: u64,
}

impl Ctx<'_> {
    /// What those who help have to know of it now.
    pub(in crate::exec) fn seed(&self) -> Result<Seed> {
        let data = self.data.as_ref().ok_or_else(no_data)?;
        let held = self.memory.saturating_add(self.lasting).saturating_add(self.written);
        let limit = self.memory_limit;
        Ok(Seed {
            frame: self.frame.clone(),
            bound: self.bound.clone(),
            view: data.view.clone(),
            fail_on_warning: self.fail_on_warning,
            max_warnings: self.max_warnings,
            memory_limit: if limit == 0 { 0 } else { limit.saturating_sub(held).max(1) },
            share: self.share.beside(),
            kill: self.kill.clone(),
            over: Kill::default(),
            deadline: self.deadline,
            now: self.now,
            user: self.user.clone(),
            database: self.database.clone(),
        })
    }

    /// The context of one that helps.
    pub(in crate::exec) fn helping(seed: &Seed) -> Ctx<'static> {
        Ctx {
            frame: seed.frame.clone(),
            data: Some(Data { txn: None, view: seed.view.clone(), last: None }),
            fail_on_warning: seed.fail_on_warning,
            max_warnings: seed.max_warnings,
            share: seed.share.beside(),
            kill: seed.kill.clone(),
            over: seed.over.clone(),
            deadline: seed.deadline,
            now: seed.now,
            user: seed.user.clone(),
            database: seed.database.clone(),
            ..Ctx::constant(seed.memory_limit, seed.bound.clone())
        }
    }

    /// Ends a part: what it did, and a context that is ready for the next one.
    pub(in crate::exec) fn end_part(&mut self, seed: &Seed) -> Figures {
        self.apart = 0;
        Figures {
            stats: std::mem::take(&mut self.stats),
            warnings: std::mem::take(&mut self.warnings),
            memory: std::mem::take(&mut self.memory),
            lasting: self.lasting,
            share: std::mem::replace(&mut self.share, seed.share.beside()),
            scanned_to: self.scanned_to,
        }
    }

    /// Notes what a part did, as if it had been done here. Its memory is that of whoever keeps what it has made.
    pub(in crate::exec) fn take_in(&mut self, figures: &mut Figures) -> Result<()> {
        let Figures { stats, warnings, .. } = figures;
        self.stats.scanned_full += stats.scanned_full;
        self.stats.filtered += stats.filtered;
        let room = self.max_warnings.saturating_sub(self.warnings.len());
        self.warnings.extend(warnings.drain(..).take(room));
        let before = self.memory.saturating_add(self.lasting).saturating_add(self.written);
        self.note_held(before.saturating_add(stats.peak_memory))
    }

    /// Counts what a helper keeps for the query, which has not so much memory yet.
    pub(in crate::exec) fn set_apart(&mut self, bytes: usize) -> Result<()> {
        self.apart += bytes;
        self.share.resize(self.memory.saturating_add(self.lasting).saturating_add(self.apart))
    }

    /// May the query have so many bytes more?
    pub(in crate::exec) fn may_have(&self, bytes: usize) -> Result<()> {
        if self.memory_limit > 0 && bytes > self.memory_limit { Err(too_much()) } else { Ok(()) }
    }
}
