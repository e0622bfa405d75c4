//! Binding: the clauses of the syntax tree become nodes, names become slots, collections and bind parameters are found.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::bound::Sheet;
use super::expr::{Ex, Slot};
use super::{
    AccessPath, CollectNode, LimitNode, ListNode, Node, Pipeline, Plan, ScanNode, Scorer, SortNode, WindowNode,
    bind_expr, optimize,
};
use crate::catalog::Collection;
use crate::error::{Error, code};
use crate::exec::{Constants, QueryOptions, Warning};
use crate::functions::aggregate::{self, Aggregate};
use crate::lang::ast::{self, Clause, Expr, ExprKind, ForSource, SortDirection, Var};
use crate::txn::Txn;
use crate::value::{SmolStr, Value};
use crate::{Result, exec};

/// Turns a syntax tree into a plan: for these parameters, or with a sheet for others too.
pub fn bind(
    txn: &Txn,
    query: &ast::Query,
    bind_vars: &Value,
    sheet: Option<&Arc<Sheet>>,
    options: &QueryOptions,
) -> Result<Plan> {
    let mut binder = Binder::new(txn, bind_vars, sheet.cloned());
    binder.parameters_vary = options.parameters_vary;
    Binder::check_number_of_names(&query.collections)?;
    binder.check_parameters(&query.parameters)?;
    for name in &query.with {
        let name = binder.collection_name(name)?;
        binder.collection(&name, false)?;
    }
    let bound = binder.body(&query.body);
    let mut main = bound.map_err(|error| binder.or_missing_collection(error, query))?;
    if let Some(missing) = binder.missing.take() {
        return Err(missing);
    }
    let mut warnings: Vec<Warning> =
        query.warnings.iter().map(|e| Warning { num: e.num, message: e.message.clone() }).collect();
    warnings.append(&mut binder.warnings);
    if options.full_count {
        count_beyond_last_limit(&mut main);
    }
    let mut rules = Vec::new();
    optimize::optimize(&mut main, &mut binder.names, &mut rules, options, &txn.view())?;
    let modifies = main.modifies();
    Ok(Plan {
        main: Arc::new(main),
        slots: binder.names.len(),
        names: binder.names,
        collections: binder.collections,
        rules,
        modifies,
        warnings,
        constants: binder.computed.size(),
        is_light: OnceLock::new(),
    })
}

/// The last `LIMIT` of the main query counts on when `fullCount` is asked for.
fn count_beyond_last_limit(main: &mut Pipeline) {
    let last = main.nodes.iter_mut().rev().find_map(|n| match n {
        Node::Limit(limit) => Some(limit),
        _ => None,
    });
    if let Some(limit) = last {
        Arc::make_mut(limit).full_count = true;
    }
}

/// The options of a loop over a collection or an array.
const FOR_OPTIONS: &[&str] = &[
    "indexHint",
    "forceIndexHint",
    "disableIndex",
    "lookahead",
    "maxProjections",
    "parallelism",
    "useCache",
    "waitForSync",
];

/// Where variables of the pipeline that is bound begin among those that are visible.
#[derive(Default)]
struct Level {
    /// Those of its loops, which a `COLLECT` hides; none before the first loop.
    loops: Option<usize>,
    /// Those of the rows which a `COLLECT` groups.
    rows: usize,
}

/// State of the binding of one query.
pub struct Binder<'a> {
    pub(super) txn: &'a Txn,
    pub(super) bind_vars: &'a Value,
    /// Where the parameters stand, where the plan may be run with others.
    pub(super) sheet: Option<Arc<Sheet>>,
    /// See [`QueryOptions::parameters_vary`].
    pub(super) parameters_vary: bool,
    /// Visible variables, innermost last.
    variables: Vec<(SmolStr, Slot)>,
    /// Where those of the query that is bound begin, after those of the queries around it.
    own: usize,
    /// The variables that are known before the query runs.
    constants: FxHashMap<Slot, Ex>,
    level: Level,
    /// Names of all slots.
    pub(super) names: Vec<SmolStr>,
    pub(super) collections: Vec<(Arc<Collection>, bool)>,
    /// What is said of the first collection that there is not, once all else was found to be right.
    pub(super) missing: Option<Error>,
    /// Collections written so far, which may not be read any more.
    pub(super) written: FxHashSet<u64>,
    /// Slots of the `CURRENT`s of the expansions around.
    pub(super) current: Vec<Slot>,
    /// Slots of the documents of views, and the scores that are asked of them: whose, where, how.
    pub(super) views: Vec<Slot>,
    pub(super) scorers: Vec<(Slot, Slot, Scorer)>,
    /// Documents of views of which it is asked where they have what was searched for, each with the variable of that.
    pub(super) offsets: Vec<(Slot, Slot)>,
    /// What the computation of constants had to warn of.
    pub(super) warnings: Vec<Warning>,
    /// What was computed ahead.
    pub(super) computed: Constants,
}

impl<'a> Binder<'a> {
    fn new(txn: &'a Txn, bind_vars: &'a Value, sheet: Option<Arc<Sheet>>) -> Self {
        Self {
            txn,
            bind_vars,
            sheet,
            parameters_vary: false,
            variables: Vec::new(),
            own: 0,
            constants: FxHashMap::default(),
            level: Level::default(),
            names: Vec::new(),
            collections: Vec::new(),
            missing: None,
            written: FxHashSet::default(),
            current: Vec::new(),
            views: Vec::new(),
            scorers: Vec::new(),
            offsets: Vec::new(),
            warnings: Vec::new(),
            computed: Constants::of(txn.store().memory()),
        }
    }

    /// The plan rests on more than is compared before it is used again.
    pub(super) fn plan_once(&self) {
        if let Some(sheet) = &self.sheet {
            sheet.spoil();
        }
    }

    /// A new slot that no name in the query leads to.
    pub(super) fn hidden_slot(&mut self, name: &str) -> Slot {
        self.names.push(name.into());
        self.names.len() - 1
    }

    /// Introduces a variable.
    pub(super) fn declare(&mut self, var: &Var) -> Result<Slot> {
        if self.lookup(&var.name).is_some() {
            return Err(Error::new(
                code::QUERY_VARIABLE_REDECLARED,
                format!("AQL: variable '{}' is assigned multiple times (while parsing)", var.name),
            ));
        }
        Ok(self.declare_name(var.name.clone()))
    }

    /// Introduces a variable that may hide an earlier one (`OLD`, `NEW`).
    pub(super) fn declare_name(&mut self, name: SmolStr) -> Slot {
        let slot = self.hidden_slot(&name);
        self.variables.push((name, slot));
        slot
    }

    /// Takes back the variable of that name, unless it belongs to a query around the present one.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(at) = self.variables.iter().rposition(|(n, _)| n == name)
            && at >= self.own
        {
            self.variables.remove(at);
        }
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Slot> {
        self.variables.iter().rev().find(|(n, _)| n == name).map(|(_, s)| *s)
    }

    /// A read of a variable: its value, where that is known already.
    pub(super) fn read(&self, slot: Slot) -> Ex {
        self.constants.get(&slot).map_or(Ex::Slot(slot), Clone::clone)
    }

    /// A subquery, with a scope of its own inside the present one.
    pub(super) fn subquery(&mut self, body: &ast::Body) -> Result<Pipeline> {
        let outer_len = self.variables.len();
        let outer = std::mem::replace(&mut self.level, Level { loops: None, rows: outer_len });
        let current = std::mem::take(&mut self.current);
        let own = std::mem::replace(&mut self.own, outer_len);
        let pipeline = self.body(body);
        self.own = own;
        self.current = current;
        self.variables.truncate(outer_len);
        self.level = outer;
        pipeline
    }

    fn body(&mut self, body: &ast::Body) -> Result<Pipeline> {
        let mut nodes = Vec::new();
        let mut output = None;
        for clause in &body.clauses {
            match clause {
                Clause::For(f) => {
                    if self.level.loops.is_none() {
                        self.level = Level { loops: Some(self.variables.len()), rows: self.variables.len() };
                    }
                    self.for_clause(f, &mut nodes)?;
                }
                Clause::Filter(e) => nodes.push(Node::Filter(Arc::new(self.expr(e)?))),
                Clause::Let(var, e) => {
                    let ex = self.expr(e)?;
                    let slot = self.declare(var)?;
                    if ex.is_known() {
                        self.constants.insert(slot, ex.clone());
                    }
                    nodes.push(Node::Let(slot, Arc::new(ex)));
                }
                Clause::Sort(items) => self.sort(items, &mut nodes)?,
                Clause::Limit { offset, count, .. } => nodes.push(self.limit(offset.as_ref(), count)?),
                Clause::Collect(c) => nodes.push(self.collect(c)?),
                Clause::Window(w) => nodes.push(self.window(w)?),
                Clause::Modify(m) => nodes.push(self.modify(m)?),
                Clause::Upsert(u) => nodes.push(self.upsert(u)?),
                Clause::Return { distinct, expr } => {
                    let ex = self.expr(expr)?;
                    if *distinct {
                        let slot = self.hidden_slot("distinct");
                        nodes.push(Node::Let(slot, Arc::new(ex)));
                        nodes.push(Node::Distinct(Arc::new(Ex::Slot(slot))));
                        output = Some(Ex::Slot(slot));
                    } else {
                        output = Some(ex);
                    }
                }
            }
        }
        self.give_scorers(&mut nodes);
        Ok(Pipeline { nodes, output, stays_together: false })
    }

    fn for_clause(&mut self, f: &ast::For, nodes: &mut Vec<Node>) -> Result<()> {
        match &f.source {
            ForSource::Traversal(t) => {
                let node = self.traversal(f, t)?;
                nodes.push(node);
            }
            ForSource::Path(p) => {
                let node = self.path_search(f, p)?;
                nodes.push(node);
            }
            ForSource::Expr(source) => {
                let name = match &source.kind {
                    ExprKind::Variable(name) if self.lookup(name).is_none() => Some(name.clone()),
                    ExprKind::CollectionBind(bind) => Some(self.bound_name(bind)?),
                    _ => None,
                };
                if let Some(view) = name.as_ref().and_then(|name| self.view(name)) {
                    // what a search is made of is looked at while it is planned
                    self.plan_once();
                    let node = self.search(f, &view)?;
                    nodes.push(node);
                    return Ok(());
                }
                if f.search.is_some() {
                    let name = name.unwrap_or_default();
                    self.collection(&name, false)?;
                    let message = format!("AQL: SEARCH condition used on non-view '{name}' (while parsing)");
                    return Err(Error::new(code::QUERY_PARSE, message));
                }
                if let Some(name) = name {
                    let collection = self.collection_to_read(&name)?;
                    let (hint, no_index) = self.for_options(f.options.as_ref())?;
                    let slot = self.declare(&f.vars[0])?;
                    nodes.push(Node::Scan(Arc::new(ScanNode {
                        slot,
                        collection,
                        access: AccessPath::Full { reverse: false },
                        early: Vec::new(),
                        join: None,
                        filters: Vec::new(),
                        projections: Vec::new(),
                        needs_document: true,
                        keys_only: false,
                        from_entries: false,
                        merged: false,
                        hint,
                        no_index,
                    })));
                } else {
                    let source = self.expr(source)?;
                    if let Some(value) = source.of_known_type()
                        && !value.is_array()
                    {
                        return Err(exec::constant_not_iterable(&value));
                    }
                    self.for_options(f.options.as_ref())?;
                    let slot = self.declare(&f.vars[0])?;
                    nodes.push(Node::List(Arc::new(ListNode { slot, source })));
                }
            }
        }
        Ok(())
    }

    #[expect(clippy::type_complexity, reason = "index hint and its force flag, and whether indexes are off")]
    fn for_options(&mut self, options: Option<&Expr>) -> Result<(Option<(Vec<SmolStr>, bool)>, bool)> {
        let options = self.options_object(options)?;
        self.check_options("FOR", &options, FOR_OPTIONS);
        let hint = options.get("indexHint");
        let names: Vec<SmolStr> = match &hint {
            Value::Str(s) => vec![s.clone()],
            v => v.iter_array().filter_map(|n| n.as_str().map(SmolStr::new)).collect(),
        };
        let hint = (!names.is_empty()).then(|| (names, options.get("forceIndexHint").truthy()));
        if hint.is_some() {
            // an inverted index that is named so is asked in constants
            self.plan_once();
        }
        Ok((hint, options.get("disableIndex").truthy()))
    }

    /// Warns of options the operation does not know.
    pub(super) fn check_options(&mut self, operation: &str, options: &Value, known: &[&str]) {
        for (name, _) in options.iter_object().filter(|(name, _)| !known.contains(name)) {
            self.warnings.push(Warning {
                num: code::QUERY_INVALID_OPTIONS_ATTRIBUTE,
                message: format!("unknown attribute '{name}' used in {operation} OPTIONS"),
            });
        }
    }

    /// The constant object after `OPTIONS`; null when there is none.
    pub(super) fn options_object(&mut self, options: Option<&Expr>) -> Result<Value> {
        let Some(options) = options else { return Ok(Value::Null) };
        self.expr(options)?.known().ok_or_else(|| {
            Error::new(
                code::QUERY_COMPILE_TIME_OPTIONS,
                "AQL: query options must be readable at query compile time (while parsing)",
            )
        })
    }

    fn sort(&mut self, items: &[ast::SortItem], nodes: &mut Vec<Node>) -> Result<()> {
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            let ex = self.expr(&item.expr)?;
            let ascending = match &item.direction {
                SortDirection::Asc => true,
                SortDirection::Desc => false,
                SortDirection::Expr(e) => match self.expr(e)?.known() {
                    Some(Value::Str(s)) if s.eq_ignore_ascii_case("desc") => false,
                    // anything else counts as it counts in a condition
                    Some(v) => v.truthy(),
                    None => true,
                },
            };
            // a constant orders nothing
            if !ex.is_known() {
                keys.push((ex, ascending));
            }
        }
        if keys.is_empty() {
            // SORT null after COLLECT: the groups may come in any order
            if let Some(Node::Collect(c)) = nodes.last_mut() {
                Arc::make_mut(c).sorted = false;
            }
        } else {
            nodes.push(Node::Sort(Arc::new(SortNode {
                keys,
                live: Vec::new(),
                keep: None,
                counts: false,
                with_equals: false,
                sorted: 0,
            })));
        }
        Ok(())
    }

    fn limit(&mut self, offset: Option<&Expr>, count: &Expr) -> Result<Node> {
        let offset = offset.map_or(Ok(0), |e| self.limit_number(e, "offset"))?;
        let count = self.limit_number(count, "count")?;
        Ok(Node::Limit(Arc::new(LimitNode { offset, count, full_count: false, drains: false })))
    }

    fn limit_number(&mut self, e: &Expr, which: &str) -> Result<usize> {
        match self.expr(e)?.known() {
            Some(v) => match v.as_f64() {
                Some(n) if (0.0..=9.2e18).contains(&n) => Ok(n as usize),
                None if v.is_null() => Ok(if which == "count" { usize::MAX } else { 0 }),
                _ => Err(Error::new(
                    code::QUERY_NUMBER_OUT_OF_RANGE,
                    format!("AQL: LIMIT {which} value is not a number or out of range (while instantiating plan)"),
                )),
            },
            None => Err(Error::new(
                code::QUERY_NUMBER_OUT_OF_RANGE,
                "AQL: LIMIT offset/count values must be constant numeric values (while instantiating plan)",
            )),
        }
    }

    fn collect(&mut self, c: &ast::Collect) -> Result<Node> {
        let groups: Vec<Ex> = c.groups.iter().map(|(_, e)| self.expr(e)).collect::<Result<_>>()?;
        // its variables are visible within the clause, but have no value there
        let before = self.variables.len();
        for (var, _) in &c.groups {
            self.declare(var)?;
        }
        let mut aggregates = Vec::with_capacity(c.aggregates.len());
        for (var, e) in &c.aggregates {
            let (aggregate, args) = self.aggregate(e)?;
            args.iter().try_for_each(|ex| self.check_unset(before, ex))?;
            self.declare(var)?;
            aggregates.push((aggregate, args));
        }
        let options = self.options_object(c.options.as_ref())?;
        self.check_options("COLLECT", &options, &["method", "disableIndex", "aggregateIntoExpressionOnDBServers"]);
        let no_index = options.get("disableIndex").truthy();
        let into = match &c.into {
            ast::CollectInto::None | ast::CollectInto::Count(_) => None,
            ast::CollectInto::Expr(_, e) => Some(self.expr(e)?),
            ast::CollectInto::Rows { keep, .. } => Some(self.group_row(keep, before)?),
        };
        if let Some(ex) = &into {
            self.check_unset(before, ex)?;
        }
        // from here on what the loops introduced is not visible any more
        self.variables.truncate(self.level.loops.unwrap_or(before));
        self.level.rows = self.variables.len();
        let mut node =
            CollectNode { groups: Vec::new(), aggregates: Vec::new(), count: None, into: None, sorted: true, no_index };
        for ((var, _), ex) in c.groups.iter().zip(groups) {
            node.groups.push((self.declare(var)?, ex));
        }
        for ((var, _), (aggregate, args)) in c.aggregates.iter().zip(aggregates) {
            node.aggregates.push((self.declare(var)?, aggregate, args));
        }
        match (&c.into, into) {
            (ast::CollectInto::Count(var), _) => node.count = Some(self.declare(var)?),
            (ast::CollectInto::Expr(var, _) | ast::CollectInto::Rows { var, .. }, Some(ex)) => {
                node.into = Some((self.declare(var)?, ex));
            }
            _ => {}
        }
        Ok(Node::Collect(Arc::new(node)))
    }

    /// Error 1512 where an expression reads one of the latest variables, which have no value yet.
    fn check_unset(&self, before: usize, ex: &Ex) -> Result<()> {
        match self.variables[before..].iter().find(|(_, slot)| ex.reads(*slot)) {
            None => Ok(()),
            Some((name, _)) => Err(Error::new(
                code::QUERY_VARIABLE_NAME_UNKNOWN,
                format!("AQL: use of variable '{name}' inside the operation that introduces it (while parsing)"),
            )),
        }
    }

    /// `INTO g`: each row becomes an object of the variables of its loops, or of those after `KEEP`.
    fn group_row(&mut self, keep: &[Var], end: usize) -> Result<Ex> {
        let mut kept: Vec<(SmolStr, Slot)> = Vec::new();
        if keep.is_empty() {
            // the variables of a modification go by another name here
            kept.extend(self.variables[self.level.rows..end].iter().map(|(name, slot)| match name.as_str() {
                "OLD" | "NEW" => (smol_str::format_smolstr!("${name}"), *slot),
                _ => (name.clone(), *slot),
            }));
        }
        for var in keep {
            match self.lookup(&var.name) {
                Some(slot) => kept.push((var.name.clone(), slot)),
                None => {
                    return Err(Error::new(
                        code::QUERY_VARIABLE_NAME_UNKNOWN,
                        format!("AQL: unknown variable '{}' (while parsing)", var.name),
                    ));
                }
            }
        }
        Ok(Ex::Object(kept.into_iter().map(|(n, s)| super::expr::ObjectEntry::Named(n, Ex::Slot(s))).collect()))
    }

    fn aggregate(&mut self, e: &Expr) -> Result<(Aggregate, Vec<Ex>)> {
        let invalid = || {
            Error::new(code::QUERY_INVALID_AGGREGATE_EXPRESSION, "AQL: invalid aggregate expression (while parsing)")
        };
        let ExprKind::Call(name, args) = &e.kind else { return Err(invalid()) };
        let Some(aggregate) = aggregate::lookup(name) else { return Err(invalid()) };
        if args.len() < aggregate.min || args.len() > aggregate.max {
            return Err(bind_expr::arity_error(name, aggregate.min, aggregate.max));
        }
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<_>>()?;
        Ok((aggregate, args))
    }

    fn window(&mut self, w: &ast::Window) -> Result<Node> {
        if !self.written.is_empty() {
            return Err(Error::new(
                code::QUERY_WINDOW_AFTER_MODIFICATION,
                "AQL: window operation after data-modification (while parsing)",
            ));
        }
        let range_value = w.range_value.as_ref().map(|e| self.expr(e)).transpose()?;
        let Some(bounds) = self.expr(&w.bounds)?.known() else {
            return Err(Error::new(
                code::QUERY_COMPILE_TIME_OPTIONS,
                "AQL: WINDOW bounds must be determined at compile time (while instantiating plan)",
            ));
        };
        exec::check_window_bounds(&bounds, range_value.is_some())?;
        let before = self.variables.len();
        let mut aggregates = Vec::with_capacity(w.aggregates.len());
        for (var, e) in &w.aggregates {
            let (aggregate, args) = self.aggregate(e)?;
            args.iter().try_for_each(|ex| self.check_unset(before, ex))?;
            aggregates.push((self.declare(var)?, aggregate, args));
        }
        Ok(Node::Window(Arc::new(WindowNode {
            range_value,
            preceding: bounds.get("preceding"),
            following: bounds.get("following"),
            aggregates,
            live: Vec::new(),
        })))
    }
}
