//! What a running query carries: the values of its variables, the data it sees, its limits, warnings and figures.

mod helping;
mod host;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::hash_join::Joins;
use super::light;
use super::objects::Shapes;
use super::profile::Profile;
use super::recall::Recall;
use super::run::Idle;
use super::scanned::Scanned;
use super::searched::Searched;
use super::{Kill, Prepared, QueryOptions, RunContext, Stats, Warning};
use crate::Result;
use crate::catalog::Collection;
use crate::error::{Error, code};
use crate::memory::{Room, Share};
use crate::plan::expr::Slot;
use crate::storage::at_hand;
use crate::txn::{Txn, View};
use crate::value::{Hints, SmolStr, Value};
pub(super) use helping::{Figures, Seed};

/// Bytes of a list from which on it asks before it grows.
const LONG: usize = 1 << 20;

/// Steps in which others are told of the most memory a query has kept.
const PEAK_STEP: usize = 32 << 10;

/// State of a running query.
pub struct Ctx<'t> {
    /// Values of the variables, by slot.
    pub frame: Vec<Value>,
    /// Parameters, and what follows from them, by number.
    pub(super) bound: Vec<Value>,
    data: Option<Data<'t>>,
    /// What it did so far.
    pub stats: Stats,
    /// What its nodes did, where that is asked for.
    pub(super) profile: Option<Profile>,
    pub(super) warnings: Vec<Warning>,
    fail_on_warning: bool,
    max_warnings: usize,
    memory_limit: usize,
    /// Bytes held at the moment, without what was written.
    memory: usize,
    /// What that takes of the memory of all queries.
    share: Share,
    /// Bytes of what is kept until its end.
    lasting: usize,
    /// Arrays it looks for values in.
    searched: Searched,
    /// Its loops inside others.
    pub(super) joins: Joins,
    /// Documents it has looked up.
    pub(super) recall: Recall,
    /// Operators of its subqueries, for the next row.
    pub(super) idle: Idle,
    /// Rows that a sort has left out because they are beyond the limit behind it.
    pub(super) cut_off: usize,
    /// Bytes of what was written, which the transaction takes from the memory of all.
    written: usize,
    /// What the transaction had written before.
    written_before: usize,
    /// Bytes of what a helper keeps for the query, which are not its memory yet.
    apart: usize,
    /// Where the last scan of a piece has ended.
    pub(super) scanned_to: u64,
    /// The block its last scan is in.
    pub(super) scanned: Scanned,
    kill: Kill,
    /// For one that helps: nobody needs its help any more.
    over: Kill,
    deadline: Option<Instant>,
    ticks: u32,
    /// What the objects it makes look like.
    pub(super) shapes: Shapes,
    /// Where it finds attributes.
    pub(super) hints: Hints,
    now: i64,
    user: SmolStr,
    database: SmolStr,
}

struct Data<'t> {
    /// One that helps has none.
    txn: Option<&'t mut Txn>,
    view: View,
    /// Where the last document was looked up: the next one mostly is of the same collection.
    last: Option<Arc<Collection>>,
}

impl Data<'_> {
    fn txn(&self) -> Result<&Txn> {
        self.txn.as_deref().ok_or_else(no_data)
    }
}

impl<'t> Ctx<'t> {
    pub(super) fn new(prepared: &Prepared, txn: &'t mut Txn, context: RunContext) -> Self {
        let Prepared { plan, bound, options, .. } = prepared;
        let database = txn.database().name.clone();
        let memory = txn.store().memory();
        let share = if plan.modifies { Share::of_writes(memory) } else { Share::of(memory) };
        let written_before = txn.write_memory();
        txn.settle();
        let view = txn.view();
        let bound = if plan.main.has_loop() {
            // each of its rows may read them
            bound.iter().map(Value::in_one_piece).collect()
        } else {
            bound.clone()
        };
        Self {
            frame: vec![Value::Null; plan.slots],
            data: Some(Data { txn: Some(txn), view, last: None }),
            profile: (options.profile > 1).then(Profile::default),
            warnings: plan.warnings.iter().take(options.max_warnings).cloned().collect(),
            fail_on_warning: options.fail_on_warning,
            max_warnings: options.max_warnings,
            share,
            written_before,
            kill: context.kill,
            deadline: options.max_runtime.map(|d| Instant::now() + d),
            now: milliseconds_now(),
            user: context.user,
            database,
            ..Self::constant(light::memory_limit(options.memory_limit), bound)
        }
    }

    /// The same with what it takes counted there.
    pub(super) fn sharing(self, share: Share) -> Self {
        Self { share, ..self }
    }

    /// Whoever plans cannot be stopped: what takes longer to be computed is computed when the query runs.
    const LONGEST_AHEAD: Duration = Duration::from_secs(1);

    /// A context without data, to compute constants of at most so many bytes at planning.
    pub(super) fn constant(memory_limit: usize, bound: Vec<Value>) -> Self {
        Self {
            frame: Vec::new(),
            bound,
            data: None,
            stats: Stats::default(),
            profile: None,
            warnings: Vec::new(),
            fail_on_warning: false,
            max_warnings: QueryOptions::default().max_warnings,
            memory_limit,
            memory: 0,
            lasting: 0,
            searched: Searched::default(),
            joins: Joins::default(),
            recall: Recall::default(),
            idle: Idle::default(),
            cut_off: 0,
            share: Share::default(),
            written: 0,
            written_before: 0,
            apart: 0,
            scanned_to: 0,
            scanned: Scanned::default(),
            kill: Kill::default(),
            over: Kill::default(),
            deadline: Some(Instant::now() + Self::LONGEST_AHEAD),
            ticks: 0,
            shapes: Shapes::default(),
            hints: Hints::default(),
            now: 0,
            user: SmolStr::default(),
            database: SmolStr::default(),
        }
    }

    /// Is a constant computed, before the query runs?
    pub(super) fn is_planning(&self) -> bool {
        self.data.is_none()
    }

    /// What it did, its warnings, and the memory its rows take.
    pub(super) fn finish(mut self) -> (Stats, Vec<Warning>, Share) {
        self.lasting = 0;
        self.give_back();
        self.stats.nodes = self.profile;
        if let Some(txn) = self.data.as_ref().and_then(|data| data.txn.as_ref()) {
            self.stats.commits_in_between = txn.commits_in_between();
        }
        (self.stats, self.warnings, self.share)
    }

    /// What the query reads: the state at its start.
    pub fn view(&self) -> Result<&View> {
        self.data.as_ref().map(|d| &d.view).ok_or_else(no_data)
    }

    /// The transaction, to write in.
    pub fn txn(&mut self) -> Result<&mut Txn> {
        self.data.as_mut().and_then(|d| d.txn.as_deref_mut()).ok_or_else(no_data)
    }

    /// Runs `f` with a view that shows what the query itself has written so far.
    pub fn with_own_writes<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let data = self.data.as_mut().ok_or_else(no_data)?;
        let txn = data.txn.as_deref_mut().ok_or_else(no_data)?;
        txn.settle();
        let fresh = txn.view();
        let before = std::mem::replace(&mut data.view, fresh);
        // what was made for the other view is of no use here
        let (joins, recall) = (std::mem::take(&mut self.joins), std::mem::take(&mut self.recall));
        let result = f(self);
        (self.joins, self.recall) = (joins, recall);
        if let Some(data) = &mut self.data {
            data.view = before;
        }
        result
    }

    /// To be called in every loop: fails when the query was killed or ran out of time. Nearly free.
    #[inline]
    pub fn tick(&mut self) -> Result<()> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(256) { self.check_now() } else { Ok(()) }
    }

    /// Fails when the query was killed or ran out of time.
    pub(super) fn check_now(&mut self) -> Result<()> {
        self.give_back();
        if at_hand::takes_long() {
            // others wait for this thread
            return Err(at_hand::refuse());
        }
        if self.kill.is_killed() || self.over.is_killed() || self.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(Error::new(code::QUERY_KILLED, "AQL: query killed (while executing)"));
        }
        Ok(())
    }

    /// Notes memory taken by what is kept; error 32 when it is too much, for this query or for all together.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        self.memory = self.memory.saturating_add(bytes);
        self.check_memory()
    }

    /// Asks before a list that has become long moves to a larger place: for a moment what is in it is there twice.
    pub(super) fn make_room<T>(&self, list: &mut Vec<T>, more: usize) -> Result<()> {
        let room = list.capacity() - list.len();
        let bytes = (list.len() + more) * size_of::<T>();
        if room >= more || bytes < LONG {
            return Ok(());
        }
        let _room = self.ask(bytes)?;
        list.reserve(more);
        Ok(())
    }

    /// Room for so much more, for a moment.
    pub(super) fn ask(&self, bytes: usize) -> Result<Room> {
        self.share.ask(bytes)
    }

    fn check_memory(&mut self) -> Result<()> {
        let kept = self.memory.saturating_add(self.lasting);
        self.note_held(kept.saturating_add(self.written))?;
        self.share.resize(kept.saturating_add(self.apart))
    }

    fn note_held(&mut self, held: usize) -> Result<()> {
        if held > self.stats.peak_memory {
            // others are told in steps: each time takes as long as a small row does
            if held > self.stats.peak_memory.next_multiple_of(PEAK_STEP) {
                self.kill.note_peak_memory(held.next_multiple_of(PEAK_STEP));
            }
            self.stats.peak_memory = held;
        }
        match self.memory_limit {
            limit if limit == 0 || held <= limit => Ok(()),
            _ if at_hand::is_from_memory() => Err(at_hand::refuse()),
            _ => Err(too_much()),
        }
    }

    /// Is there a member of the array equal to `item`?
    pub(super) fn is_among(&mut self, array: &Arc<Vec<Value>>, item: &Value) -> Result<bool> {
        let (found, more) = self.searched.contains(array, item);
        if more > 0 {
            self.keep(more)?;
        }
        Ok(found)
    }

    /// Notes memory that is held until the query ends.
    pub(super) fn keep(&mut self, bytes: usize) -> Result<()> {
        self.lasting += bytes;
        self.check_memory()
    }

    /// Notes memory given back.
    pub fn shrink(&mut self, bytes: usize) {
        self.reset_memory(self.memory.saturating_sub(bytes));
    }

    /// Memory in use, without what was written.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Sets the memory in use to what is known to be left, which is not more than before.
    ///
    /// Others get it a little later: a result that is made is free for a moment, until it is known who keeps it.
    pub fn reset_memory(&mut self, bytes: usize) {
        self.memory = bytes;
    }

    /// Lets others have what is not needed any more.
    fn give_back(&mut self) {
        // what shrinks is never refused
        let _ = self.share.resize(self.memory.saturating_add(self.lasting).saturating_add(self.apart));
    }

    /// Notes what the query has written by now.
    pub(super) fn note_writes(&mut self) -> Result<()> {
        let Some(txn) = self.data.as_ref().and_then(|data| data.txn.as_ref()) else { return Ok(()) };
        self.written = txn.write_memory().saturating_sub(self.written_before);
        self.check_memory()
    }

    /// Copies the named slots out of the frame.
    pub fn save(&self, slots: &[Slot]) -> Vec<Value> {
        slots.iter().map(|s| self.frame[*s].clone()).collect()
    }

    /// Puts a saved row back into the frame.
    pub fn restore(&mut self, slots: &[Slot], row: Vec<Value>) {
        for (slot, value) in slots.iter().zip(row) {
            self.frame[*slot] = value;
        }
    }
}

fn too_much() -> Error {
    Error::new(code::RESOURCE_LIMIT, "AQL: query would use more memory than allowed (while executing)")
}

fn no_data() -> Error {
    Error::new(code::INTERNAL, "data is not available while planning")
}

fn milliseconds_now() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

/// Memory that an operator keeps, noted in the context.
#[derive(Default)]
pub(super) struct Kept(usize);

impl Kept {
    /// So much more.
    pub fn add(&mut self, ctx: &mut Ctx<'_>, bytes: usize) -> Result<()> {
        self.0 += bytes;
        ctx.grow(bytes)
    }

    /// So much and no more.
    #[inline]
    pub fn set(&mut self, ctx: &mut Ctx<'_>, bytes: usize) -> Result<()> {
        match bytes.checked_sub(self.0) {
            Some(0) => Ok(()),
            Some(more) => self.add(ctx, more),
            None => {
                ctx.shrink(self.0 - bytes);
                self.0 = bytes;
                Ok(())
            }
        }
    }

    /// Nothing any more.
    pub fn release(&mut self, ctx: &mut Ctx<'_>) {
        ctx.shrink(std::mem::take(&mut self.0));
    }
}
