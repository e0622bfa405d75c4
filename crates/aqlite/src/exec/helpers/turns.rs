//! Whose turn it is: which pieces are left, which are done, and which of those comes next.

use std::collections::BTreeMap;

use parking_lot::{Condvar, Mutex};

use crate::error::code;
use crate::exec::Kill;
use crate::exec::context::Figures;
use crate::txn::Helper;
use crate::{Error, Result};

/// So many pieces are done before their turn, and no more: what was made of them waits in memory.
const AHEAD: usize = 16;

/// Pieces from one id to another, all of them without gaps.
pub(super) struct Turns<P> {
    state: Mutex<State<P>>,
    changed: Condvar,
}

struct State<P> {
    /// Those nobody has begun: where each ends, by where it begins.
    open: BTreeMap<u64, u64>,
    /// Those that wait for their turn.
    done: BTreeMap<u64, Done<P>>,
    at_work: usize,
    /// Everything before this id was taken.
    taken: u64,
    is_over: bool,
    is_broken: bool,
}

/// A piece that is done.
pub(super) struct Done<P> {
    pub made: Result<(P, usize)>,
    pub figures: Figures,
    until: u64,
}

/// What the query does next.
pub(super) enum Turn<'t, P> {
    Work(Claimed<'t, P>),
    Take(Box<Done<P>>),
    End,
}

/// A piece that somebody works on.
pub(super) struct Claimed<'t, P> {
    turns: &'t Turns<P>,
    pub from: u64,
    pub until: u64,
    is_done: bool,
}

/// Tells the helpers when the query ends, however it does.
pub(super) struct Ending<'t, P> {
    turns: &'t Turns<P>,
    over: &'t Kill,
}

impl<P> Turns<P> {
    pub fn new(pieces: impl Iterator<Item = (u64, u64)>) -> Self {
        let state = State {
            open: pieces.collect(),
            done: BTreeMap::new(),
            at_work: 0,
            taken: 0,
            is_over: false,
            is_broken: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub fn ending<'t>(&'t self, over: &'t Kill) -> Ending<'t, P> {
        Ending { turns: self, over }
    }

    fn first<'t>(&'t self, state: &mut State<P>) -> Option<Claimed<'t, P>> {
        let (from, until) = state.open.pop_first()?;
        state.at_work += 1;
        Some(Claimed { turns: self, from, until, is_done: false })
    }

    /// A piece for a helper; `None` when it is needed elsewhere or there is nothing more to do.
    pub fn claim(&self, helper: &Helper) -> Option<Claimed<'_, P>> {
        let mut state = self.state.lock();
        loop {
            if state.is_over || helper.is_wanted() || (state.open.is_empty() && state.at_work == 0) {
                return None;
            }
            if state.done.len() < AHEAD
                && let Some(piece) = self.first(&mut state)
            {
                return Some(piece);
            }
            self.changed.wait(&mut state);
        }
    }

    /// What the query does next: it takes what is due, and works where nothing is.
    pub fn next(&self) -> Result<Turn<'_, P>> {
        let mut state = self.state.lock();
        loop {
            if state.is_broken {
                return Err(Error::new(code::INTERNAL, "a part of the query was not computed"));
            }
            if state.taken == u64::MAX {
                return Ok(Turn::End);
            }
            let due = state.taken;
            if let Some(done) = state.done.remove(&due) {
                state.taken = done.until;
                self.changed.notify_all();
                return Ok(Turn::Take(Box::new(done)));
            }
            if let Some(piece) = self.first(&mut state) {
                return Ok(Turn::Work(piece));
            }
            self.changed.wait(&mut state);
        }
    }
}

impl<P> Claimed<'_, P> {
    /// What was made of the piece, as far as it was scanned. The rest of it is left to others, in two halves: where nothing
    /// is known of the collection, that is how it becomes pieces.
    pub fn done(mut self, made: Result<(P, usize)>, figures: Figures) {
        self.is_done = true;
        let until = if made.is_ok() { figures.scanned_to.min(self.until) } else { self.until };
        let mut state = self.turns.state.lock();
        let middle = until + (self.until - until) / 2;
        state.open.extend([(until, middle), (middle, self.until)].into_iter().filter(|(from, until)| from < until));
        state.done.insert(self.from, Done { made, figures, until });
    }
}

impl<P> Drop for Claimed<'_, P> {
    fn drop(&mut self) {
        let mut state = self.turns.state.lock();
        state.at_work -= 1;
        state.is_broken |= !self.is_done;
        self.turns.changed.notify_all();
    }
}

impl<P> Drop for Ending<'_, P> {
    fn drop(&mut self) {
        self.over.kill();
        self.turns.state.lock().is_over = true;
        self.turns.changed.notify_all();
    }
}
