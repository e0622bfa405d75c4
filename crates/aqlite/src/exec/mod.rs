//! Execution: operators, expressions, traversals, data modification.

mod area;
mod batch;
mod boxes;
mod collect;
pub(crate) mod computed;
mod constant;
pub(crate) mod context;
mod early;
mod entry;
mod eval;
mod full_scan;
mod hash_join;
mod helpers;
mod index_collect;
mod light;
mod lookup;
mod modify;
mod near;
mod objects;
mod ops;
mod paths;
mod profile;
mod recall;
mod rows;
mod run;
mod scanned;
mod search;
mod searched;
mod sort;
mod text;
mod traverse;
mod window;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tracing::debug;

use crate::Result;
use crate::error::{Error, code};
use crate::lang;
use crate::memory::Share;
use crate::plan::bound::Sheet;
use crate::plan::cache::{self, MadeWith, Ready};
use crate::plan::{Plan, bind, explain};
use crate::txn::{InBetween, Txn};
use crate::value::{SmolStr, Value};

pub(crate) use constant::{Constants, fold_constant, follow};
use context::Ctx;
pub use profile::Profile;
pub use text::TextRows;
pub(crate) use window::{check_bounds as check_window_bounds, shown_bounds as shown_window_bounds};

/// What a client can ask of a query besides its text.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// Count the rows the last `LIMIT` cut off.
    pub full_count: bool,
    /// A warning ends the query.
    pub fail_on_warning: bool,
    /// Warnings kept.
    pub max_warnings: usize,
    /// Bytes of memory the query may use; 0: no limit.
    pub memory_limit: usize,
    /// How long it may run.
    pub max_runtime: Option<Duration>,
    /// Bytes it may write in a transaction of its own.
    pub max_transaction_size: Option<usize>,
    /// When it commits before its end, in a transaction of its own.
    pub in_between: InBetween,
    /// Detail of the timing returned: 0, 1 or 2.
    pub profile: u8,
    /// `optimizer.rules`: `-name` switches a rule off, `-all` all of them.
    pub rules: Vec<SmolStr>,
    /// What rests on parameters is computed when the query runs: they stand for what a variable would be elsewhere.
    pub parameters_vary: bool,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            full_count: false,
            fail_on_warning: false,
            max_warnings: 10,
            memory_limit: 0,
            max_runtime: None,
            max_transaction_size: None,
            in_between: InBetween::default(),
            profile: 0,
            rules: Vec::new(),
            parameters_vary: false,
        }
    }
}

impl QueryOptions {
    /// Reads the body of a cursor request (`memoryLimit` stands there) and its `options`.
    pub fn from_json(options: &Value, body: &Value) -> Self {
        let defaults = Self::default();
        let size = |v: Value, default: usize| v.as_amount().unwrap_or(default);
        let profile = match options.get("profile") {
            Value::Bool(b) => u8::from(b),
            v => size(v, 0).min(2) as u8,
        };
        Self {
            full_count: options.get("fullCount").truthy(),
            fail_on_warning: options.get("failOnWarning").truthy(),
            max_warnings: size(options.get("maxWarningCount"), defaults.max_warnings),
            memory_limit: size(body.get("memoryLimit"), size(options.get("memoryLimit"), 0)),
            max_runtime: options.get("maxRuntime").as_seconds().filter(|time| !time.is_zero()),
            max_transaction_size: Some(size(options.get("maxTransactionSize"), 0)).filter(|n| *n > 0),
            in_between: InBetween {
                count: Some(size(options.get("intermediateCommitCount"), 0) as u64).filter(|n| *n > 0),
                size: Some(size(options.get("intermediateCommitSize"), 0)).filter(|n| *n > 0),
            },
            profile,
            rules: options.path(&["optimizer", "rules"]).iter_array().map(|r| r.to_text()).collect(),
            parameters_vary: false,
        }
    }

    /// Is an optimizer rule switched on?
    pub(crate) fn rule(&self, name: &str) -> bool {
        let mut on = true;
        for rule in &self.rules {
            if let Some(off) = rule.strip_prefix('-') {
                on &= off != name && off != "all";
            } else {
                let named = rule.strip_prefix('+').unwrap_or(rule);
                on |= named == name || named == "all";
            }
        }
        on
    }
}

/// Ends a running query from another thread, and tells there how much memory it needs.
#[derive(Clone, Default, Debug)]
pub struct Kill(Arc<Signals>);

#[derive(Debug, Default)]
struct Signals {
    killed: AtomicBool,
    modifies: AtomicBool,
    peak_memory: AtomicUsize,
}

impl Kill {
    /// Asks the query to end with error 1500 as soon as it looks.
    pub fn kill(&self) {
        self.0.killed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.0.killed.load(Ordering::Relaxed)
    }

    /// Does the query write, as far as it is known what it does?
    pub fn modifies(&self) -> bool {
        self.0.modifies.load(Ordering::Relaxed)
    }

    fn note_modification(&self, modifies: bool) {
        self.0.modifies.store(modifies, Ordering::Relaxed);
    }

    /// The most bytes the query has kept at a time so far, rounded up to the steps in which ArangoDB counts them, too.
    pub fn peak_memory(&self) -> usize {
        self.0.peak_memory.load(Ordering::Relaxed)
    }

    pub(crate) fn note_peak_memory(&self, bytes: usize) {
        self.0.peak_memory.fetch_max(bytes, Ordering::Relaxed);
    }
}

/// A query that is parsed, bound and planned.
pub struct Prepared {
    plan: Arc<Plan>,
    /// Parameters, and what follows from them, where the plan is one for other values too.
    bound: Vec<Value>,
    /// Bytes of parameters and computed constants.
    constants: usize,
    was_kept: bool,
    options: QueryOptions,
    parsed_in: Duration,
}

/// Who runs a query.
#[derive(Clone, Default, Debug)]
pub struct RunContext {
    /// Name of the user.
    pub user: SmolStr,
    /// To end it.
    pub kill: Kill,
}

/// A warning of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// ArangoDB's number.
    pub num: u16,
    /// What happened.
    pub message: String,
}

/// What a query did.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Documents written.
    pub writes: u64,
    /// Failed writes that `ignoreErrors` passed over.
    pub writes_ignored: u64,
    /// Documents read by full scans.
    pub scanned_full: u64,
    /// Documents found through an index.
    pub scanned_index: u64,
    /// Documents read because an index had found them.
    pub documents: u64,
    /// Rows dropped by filters.
    pub filtered: u64,
    /// Rows before the last `LIMIT`, when asked for.
    pub full_count: Option<u64>,
    /// Greatest memory use seen, in bytes.
    pub peak_memory: usize,
    /// How often it committed before its end.
    pub commits_in_between: u64,
    /// How long it ran.
    pub execution_time: Duration,
    /// What its nodes did, where that is asked for.
    pub nodes: Option<Profile>,
}

impl Stats {
    /// Appends what `extra.stats` of a cursor shows, with the figures of its nodes where there are any: as text, because
    /// every answer has it.
    pub fn write_json(&self, nodes: Option<&Value>, out: &mut Vec<u8>) {
        let before = [
            ("{\"writesExecuted\":", self.writes),
            (",\"writesIgnored\":", self.writes_ignored),
            (",\"documentLookups\":", self.documents),
            (",\"seeks\":", 0),
            (",\"scannedFull\":", self.scanned_full),
            (",\"scannedIndex\":", self.scanned_index),
            (",\"cursorsCreated\":", 0),
            (",\"cursorsRearmed\":", 0),
            (",\"cacheHits\":", 0),
            (",\"cacheMisses\":", 0),
            (",\"filtered\":", self.filtered),
            (",\"httpRequests\":", 0),
        ];
        let after = [
            (",\"peakMemoryUsage\":", self.peak_memory as u64),
            (",\"intermediateCommits\":", self.commits_in_between),
        ];
        let number = |(name, number): (&str, u64), out: &mut Vec<u8>| {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        };
        for pair in before {
            number(pair, out);
        }
        out.extend_from_slice(b",\"executionTime\":");
        Value::float(self.execution_time.as_secs_f64()).write_json(out);
        for pair in after {
            number(pair, out);
        }
        if let Some(rows) = self.full_count {
            number((",\"fullCount\":", rows), out);
        }
        if let Some(nodes) = nodes {
            out.extend_from_slice(b",\"nodes\":");
            nodes.write_json(out);
        }
        out.push(b'}');
    }
}

/// The complete result of a query.
#[derive(Debug)]
pub struct Outcome {
    /// One value a row.
    pub rows: Vec<Value>,
    /// What it did.
    pub stats: Stats,
    /// Warnings, as many as are kept.
    pub warnings: Vec<Warning>,
    /// The memory the rows take, given back when this is dropped.
    pub share: Share,
}

/// The stack that planning may need for each level of a tree,
const LEVEL_STACK: usize = if cfg!(debug_assertions) { 128 << 10 } else { 32 << 10 };
/// and levels that are no expressions.
const LEVELS_BESIDE: usize = 8;

impl Prepared {
    /// Finds a plan that was made before, or parses, binds and plans. Collections are those the transaction may use.
    pub fn new(txn: &Txn, text: &str, bind_vars: &Value, options: &QueryOptions) -> Result<Self> {
        let start = Instant::now();
        let is_kept = cache::is_for(text, options) && (bind_vars.is_object() || bind_vars.is_null());
        if is_kept && let Some(Ready { plan, bound }) = cache::find(txn, text, bind_vars, options) {
            return Ok(Self { was_kept: true, ..Self::of(plan, bind_vars, bound, options, start) });
        }
        let afresh = Self::afresh(txn, text, bind_vars, options)?;
        if is_kept
            && cache::wants(text)
            && let Err(reason) = afresh.keep(txn, text, bind_vars)
        {
            // the text may hold what is nobody else's business
            debug!(reason, "a plan is not kept");
        }
        Ok(afresh)
    }

    fn of(plan: Arc<Plan>, bind_vars: &Value, bound: Vec<Value>, options: &QueryOptions, start: Instant) -> Self {
        let parameters: usize = bind_vars.iter_object().map(|(_, value)| value.memory()).sum();
        let constants = parameters + plan.constants;
        Self { plan, bound, constants, was_kept: false, options: options.clone(), parsed_in: start.elapsed() }
    }

    /// Makes the plan again such that it counts for other parameters as well, and keeps it for them.
    fn keep(&self, txn: &Txn, text: &str, bind_vars: &Value) -> Result<(), &'static str> {
        let failed = |_| "it cannot be made for other values";
        let query = lang::parsed(text).map_err(failed)?;
        let sheet = Sheet::new(bind_vars.iter_object().map(|(_, value)| value).collect());
        let plan = planned(txn, &query, bind_vars, Some(&sheet), &self.options).map_err(failed)?;
        let values = sheet.values();
        let recipes = sheet.finish().ok_or("it rests on more than is compared")?;
        let made = MadeWith { plan: &Arc::new(plan), parameters: bind_vars, values: &values };
        cache::keep(txn, text, &self.options, recipes, &self.plan, &made)
    }

    /// Parses, binds and plans for these parameters alone.
    pub fn afresh(txn: &Txn, text: &str, bind_vars: &Value, options: &QueryOptions) -> Result<Self> {
        let start = Instant::now();
        if !bind_vars.is_object() && !bind_vars.is_null() {
            return Err(Error::plain(code::QUERY_BIND_PARAMETERS_INVALID));
        }
        let query = lang::parsed(text).map_err(|error| during(error, "parsing"))?;
        let plan = planned(txn, &query, bind_vars, None, options)?;
        if let (true, Some(warning)) = (options.fail_on_warning, plan.warnings.first()) {
            let stage = if query.warnings.is_empty() { "optimizing ast" } else { "parsing" };
            return Err(Error::new(warning.num, format!("AQL: {} (while {stage})", warning.message)));
        }
        Ok(Self::of(Arc::new(plan), bind_vars, Vec::new(), options, start))
    }

    /// Was it planned before?
    pub fn was_kept(&self) -> bool {
        self.was_kept
    }

    /// Writes data.
    pub fn is_modification(&self) -> bool {
        self.plan.modifies
    }

    /// Time spent until the query was ready to run.
    pub fn planning_time(&self) -> Duration {
        self.parsed_in
    }

    /// The plan, as `/_api/explain` shows it, with estimates for the data the transaction sees.
    pub fn explain(&self, txn: &Txn) -> Value {
        explain::explain(&self.plan, txn)
    }

    /// What the nodes did, by the numbers that [`Prepared::explain`] gives them.
    pub fn node_figures(&self, txn: &Txn, stats: &Stats) -> Option<Value> {
        stats.nodes.as_ref().map(|profile| profile.to_json(&explain::node_numbers(&self.plan, txn)))
    }

    /// The plan itself.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs to the end. When it fails, the transaction holds what was written until then, as in ArangoDB: whoever began it
    /// decides whether to abort it.
    pub fn run(&self, txn: &mut Txn, context: RunContext) -> Result<Outcome> {
        let start = Instant::now();
        context.kill.note_modification(self.plan.modifies);
        let mut ctx = Ctx::new(self, txn, context);
        let rows = ctx.grow(self.constants).and_then(|()| run::run_query(&self.plan.main, &mut ctx));
        let rows = rows.map_err(|error| during(error, "executing"))?;
        ctx.shrink(self.constants);
        let (mut stats, warnings, share) = ctx.finish();
        stats.execution_time = start.elapsed();
        Ok(Outcome { rows, stats, warnings, share })
    }

    /// Runs like [`Prepared::run`], but writes the rows as they are sent instead of keeping them.
    pub fn run_text(&self, txn: &mut Txn, context: RunContext) -> Result<(TextRows, Outcome)> {
        let start = Instant::now();
        context.kill.note_modification(self.plan.modifies);
        let mut ctx = Ctx::new(self, txn, context);
        let rows = ctx.grow(self.constants).and_then(|()| run::run_text(&self.plan.main, &mut ctx));
        let text = rows.map_err(|error| during(error, "executing"))?;
        ctx.shrink(self.constants);
        let (mut stats, warnings, share) = ctx.finish();
        stats.execution_time = start.elapsed();
        Ok((text, Outcome { rows: Vec::new(), stats, warnings, share }))
    }

    /// Runs like [`Prepared::run`], but hands each row over as soon as it is there and keeps none. `sink` tells how many
    /// bytes of them it has now, or nothing when nobody wants more.
    pub fn run_each(
        &self,
        txn: &mut Txn,
        context: RunContext,
        sink: &mut dyn FnMut(Value) -> Option<usize>,
    ) -> Result<Outcome> {
        let start = Instant::now();
        let mut ctx = Ctx::new(self, txn, context);
        let run = ctx.grow(self.constants).and_then(|()| run::run_each(&self.plan.main, &mut ctx, sink));
        run.map_err(|error| during(error, "executing"))?;
        let (mut stats, warnings, share) = ctx.finish();
        stats.execution_time = start.elapsed();
        Ok(Outcome { rows: Vec::new(), stats, warnings, share })
    }
}

fn planned(
    txn: &Txn,
    query: &lang::ast::Query,
    bind_vars: &Value,
    sheet: Option<&Arc<Sheet>>,
    options: &QueryOptions,
) -> Result<Plan> {
    // every step from the tree to the plan follows its nesting
    let stack = (query.depth as usize + LEVELS_BESIDE) * LEVEL_STACK;
    stacker::maybe_grow(stack, 2 * stack, || bind::bind(txn, query, bind_vars, sheet, options))
}

/// An error with the stage it came up in, as ArangoDB reports those of queries; internal ones keep their words.
pub(crate) fn during(mut error: Error, stage: &str) -> Error {
    if error.num != code::INTERNAL && !error.message.starts_with("AQL: ") {
        error.message = format!("AQL: {} (while {stage})", error.message);
    }
    error
}

const NOT_ITERABLE: &str = "collection or array expected as operand to FOR loop";

/// Error 1563: a `FOR` over a value that is no array.
pub(crate) fn not_iterable(value: &Value) -> Error {
    let message = format!("{NOT_ITERABLE}; you provided a value of type '{}'", value.type_name());
    Error::new(code::QUERY_ARRAY_EXPECTED, message)
}

/// The same for a value that stands in the query.
pub(crate) fn constant_not_iterable(value: &Value) -> Error {
    let kind = match value {
        Value::Int(_) => "int",
        Value::Float(_) => "double",
        other => other.type_name(),
    };
    let content: String = value.to_json().chars().take(100).collect();
    let message = format!("{NOT_ITERABLE}; you specified type '{kind}' with content '{content}'");
    during(Error::new(code::QUERY_ARRAY_EXPECTED, message), "optimizing ast")
}
