//! What a running query carries: the values of its variables, the data it sees, its limits, warnings and figures.

use std::sync::Arc;
use std::time::Instant;

use super::hash_join::Joins;
use super::light;
use super::objects::Shapes;
use super::profile::Profile;
use super::recall::Recall;
use super::run::Idle;
use super::searched::Searched;
use super::{Kill, Prepared, QueryOptions, RunContext, Stats, Warning};
use crate::Result;
use crate::analysis::Analyzer;
use crate::catalog::{Catalog, Collection, Index, SYSTEM};
use crate::error::{Error, code};
use crate::functions::Host;
use crate::geo::places::Run;
use crate::memory::Share;
use crate::plan::expr::Slot;
use crate::storage::at_hand;
use crate::txn::{Access, DocId, Txn, View};
use crate::value::{SmolStr, Value};

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
    kill: Kill,
    deadline: Option<Instant>,
    ticks: u32,
    /// What the objects it makes look like.
    pub(super) shapes: Shapes,
    now: i64,
    user: SmolStr,
    database: SmolStr,
}

struct Data<'t> {
    txn: &'t mut Txn,
    view: View,
    /// Where the last document was looked up: the next one mostly is of the same collection.
    last: Option<Arc<Collection>>,
}

impl<'t> Ctx<'t> {
    pub(super) fn new(prepared: &Prepared, txn: &'t mut Txn, context: RunContext) -> Self {
        let Prepared { plan, bound, options, .. } = prepared;
        let database = txn.database().name.clone();
        let (share, written_before) = (Share::of(txn.store().memory()), txn.write_memory());
        let view = txn.view();
        Self {
            frame: vec![Value::Null; plan.slots],
            bound: bound.clone(),
            data: Some(Data { txn, view, last: None }),
            stats: Stats::default(),
            profile: (options.profile > 1).then(Profile::default),
            warnings: plan.warnings.iter().take(options.max_warnings).cloned().collect(),
            fail_on_warning: options.fail_on_warning,
            max_warnings: options.max_warnings,
            memory_limit: light::memory_limit(options.memory_limit),
            memory: 0,
            lasting: 0,
            searched: Searched::default(),
            joins: Joins::default(),
            recall: Recall::default(),
            idle: Idle::default(),
            cut_off: 0,
            share,
            written: 0,
            written_before,
            kill: context.kill,
            deadline: options.max_runtime.map(|d| Instant::now() + d),
            ticks: 0,
            shapes: Shapes::default(),
            now: milliseconds_now(),
            user: context.user,
            database,
        }
    }

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
            kill: Kill::default(),
            deadline: None,
            ticks: 0,
            shapes: Shapes::default(),
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
        if let Some(data) = &self.data {
            self.stats.commits_in_between = data.txn.commits_in_between();
        }
        (self.stats, self.warnings, self.share)
    }

    /// What the query reads: the state at its start.
    pub fn view(&self) -> Result<&View> {
        self.data.as_ref().map(|d| &d.view).ok_or_else(no_data)
    }

    /// The transaction, to write in.
    pub fn txn(&mut self) -> Result<&mut Txn> {
        self.data.as_mut().map(|d| &mut *d.txn).ok_or_else(no_data)
    }

    /// Runs `f` with a view that shows what the query itself has written so far.
    pub fn with_own_writes<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let data = self.data.as_mut().ok_or_else(no_data)?;
        let fresh = data.txn.view();
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

    fn check_now(&mut self) -> Result<()> {
        self.give_back();
        if at_hand::is_from_memory() {
            // others wait for this thread
            return Err(at_hand::refuse());
        }
        if self.kill.is_killed() || self.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(Error::new(code::QUERY_KILLED, "AQL: query killed (while executing)"));
        }
        Ok(())
    }

    /// Notes memory taken by what is kept; error 32 when it is too much, for this query or for all together.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        self.memory = self.memory.saturating_add(bytes);
        self.check_memory()
    }

    fn check_memory(&mut self) -> Result<()> {
        let kept = self.memory.saturating_add(self.lasting);
        let held = kept.saturating_add(self.written);
        if held > self.stats.peak_memory {
            self.stats.peak_memory = held;
            self.kill.note_peak_memory(held);
        }
        if self.memory_limit > 0 && held > self.memory_limit {
            if at_hand::is_from_memory() {
                return Err(at_hand::refuse());
            }
            return Err(Error::new(
                code::RESOURCE_LIMIT,
                "AQL: query would use more memory than allowed (while executing)",
            ));
        }
        self.share.resize(kept)
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
        let _ = self.share.resize(self.memory.saturating_add(self.lasting));
    }

    /// Notes what the query has written by now.
    pub(super) fn note_writes(&mut self) -> Result<()> {
        let Some(data) = &self.data else { return Ok(()) };
        self.written = data.txn.write_memory().saturating_sub(self.written_before);
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

fn no_data() -> Error {
    Error::new(code::INTERNAL, "data is not available while planning")
}

fn milliseconds_now() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

impl Host for Ctx<'_> {
    fn warn(&mut self, num: u16, message: String) -> Result<()> {
        if self.fail_on_warning {
            return Err(Error::new(num, format!("AQL: {message} (while executing)")));
        }
        if self.warnings.len() < self.max_warnings {
            self.warnings.push(Warning { num, message });
        }
        Ok(())
    }

    fn document(&mut self, collection: &str, key: &str) -> Result<Value> {
        self.tick()?;
        let data = self.data.as_mut().ok_or_else(no_data)?;
        let found = match data.last.take().filter(|last| last.name == collection) {
            Some(last) => last,
            None => match data.txn.collection_for_read(collection) {
                Ok(found) => found,
                Err(e) if e.num == code::DATA_SOURCE_NOT_FOUND => return Ok(Value::Null),
                Err(e) => return Err(e),
            },
        };
        if key.is_empty() {
            return Err(Error::plain(code::DOCUMENT_HANDLE_BAD));
        }
        let document = self.look_up(&found, key)?;
        if let Some(data) = &mut self.data {
            data.last = Some(found);
        }
        Ok(document.map(|(_, document)| document).unwrap_or_default())
    }

    fn collection_count(&mut self, name: &str) -> Result<u64> {
        let data = self.data.as_ref().ok_or_else(no_data)?;
        let collection = data.txn.collection_for_read(name)?;
        data.view.count(&collection)
    }

    fn collections(&mut self) -> Result<Vec<(u64, String)>> {
        let data = self.data.as_ref().ok_or_else(no_data)?;
        let readable = data.txn.database().collections().filter(|c| data.txn.check_rights(c, Access::Read).is_ok());
        Ok(readable.map(|c| (c.id, c.name.to_string())).collect())
    }

    fn collection_schema(&mut self, name: &str) -> Result<Value> {
        let data = self.data.as_ref().ok_or_else(no_data)?;
        let collection = data.txn.collection_for_read(name).map_err(|e| match e.num {
            code::DATA_SOURCE_NOT_FOUND => Error::new(e.num, format!("could not find collection: {name}")),
            _ => e,
        })?;
        let schema = collection.properties.schema.clone();
        Ok(schema.map_or(Value::Null, |s| s.to_value()))
    }

    fn collection(&mut self, name: &str) -> Result<Arc<Collection>> {
        self.data.as_ref().ok_or_else(no_data)?.txn.collection_for_read(name)
    }

    fn analyzer(&mut self, name: &str) -> Result<Option<(SmolStr, Arc<Analyzer>)>> {
        match &self.data {
            Some(data) => Ok(data.txn.catalog().analyzer(&self.database, name)),
            // those that were created are known when the query runs
            None => match Catalog::default().analyzer(SYSTEM, name) {
                None => Err(Error::new(code::NOT_IMPLEMENTED, "analyzers are not available while planning")),
                found => Ok(found),
            },
        }
    }

    fn each_document(&mut self, collection: &Collection, visit: &mut dyn FnMut(Value) -> Result<()>) -> Result<()> {
        let mut scan = self.view()?.scan(collection, false)?;
        while let Some((_, document)) = scan.next()? {
            self.tick()?;
            self.stats.scanned_index += 1;
            visit(document)?;
        }
        Ok(())
    }

    fn each_placed(
        &mut self,
        collection: &Collection,
        index: &Index,
        runs: &[Run],
        visit: &mut dyn FnMut(DocId, Value) -> Result<()>,
    ) -> Result<()> {
        for (lower, upper) in runs {
            let mut range = self.view()?.range(collection, index, lower, Some(upper), false)?;
            while let Some(id) = range.next()? {
                self.tick()?;
                self.stats.scanned_index += 1;
                if let Some(document) = self.view()?.by_id(collection, id)? {
                    self.stats.documents += 1;
                    visit(id, document)?;
                }
            }
        }
        Ok(())
    }

    fn database(&self) -> &str {
        &self.database
    }

    fn user(&self) -> &str {
        &self.user
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn check(&mut self) -> Result<()> {
        self.check_now()
    }

    fn room(&mut self, bytes: usize) -> Result<()> {
        self.grow(bytes)?;
        self.shrink(bytes);
        Ok(())
    }
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
