//! Binding of loops over views.

use std::sync::Arc;

use super::analyzers;
use super::bind::Binder;
use super::expr::Ex;
use super::{Node, Scorer, SearchNode};
use crate::Result;
use crate::catalog::{Collection, Index};
use crate::error::{Error, code};
use crate::functions::Function;
use crate::lang::ast::{self, Expr, ExprKind};
use crate::search::SearchView;
use crate::value::{SmolStr, Value};

/// The options of a loop over a view. All but the first are about how ArangoDB's index is read; they are accepted.
const SEARCH_OPTIONS: &[&str] = &[
    "collections",
    "conditionOptimization",
    "countApproximate",
    "filterOptimization",
    "noMaterialization",
    "parallelism",
    "waitForSync",
];

/// `BM25(d)` without numbers of its own.
const BM25: (f64, f64) = (1.2, 0.75);

impl Binder<'_> {
    /// `FOR d IN view SEARCH …`
    pub(super) fn search(&mut self, f: &ast::For, view: &Arc<SearchView>) -> Result<Node> {
        self.before_modification(&format!("view '{}'", view.name))?;
        let options = self.options_object(f.options.as_ref())?;
        self.check_options("FOR", &options, SEARCH_OPTIONS);
        let slot = self.declare(&f.vars[0])?;
        let mut links = Vec::new();
        let database = Arc::clone(self.txn.database());
        // a view has one link of a collection, an alias may have several indexes
        let most = if view.aliases.is_some() { usize::MAX } else { 1 };
        for collection in database.collections().filter(|c| wanted(&options, c.id, &c.name)) {
            let indexes = collection.indexes.iter().filter(|index| serves(view, collection, index));
            for index in indexes.take(most) {
                links.push((self.collection_to_read(&collection.name)?, Arc::clone(index)));
            }
        }
        let condition = f.search.as_ref().map_or(Ok(Ex::Const(Value::Bool(true))), |e| self.expr(e))?;
        analyzers::check(&condition, self.txn.catalog(), &database.name)?;
        self.views.push(slot);
        Ok(Node::Search(Arc::new(SearchNode {
            slot,
            view: Arc::clone(view),
            links,
            condition,
            scorers: Vec::new(),
            terms: None,
            projections: Vec::new(),
            place: None,
            needs_document: true,
        })))
    }

    /// `BM25(d)` and `TFIDF(d)` of a document of a view: what the loop tells of it.
    pub(super) fn scorer(&mut self, name: &str, args: &[Expr]) -> Result<Option<Ex>> {
        if !matches!(name, "BM25" | "TFIDF") {
            return Ok(None);
        }
        let invalid = |message: &str| Err(Error::new(code::BAD_PARAMETER, format!("AQL: {message} (while parsing)")));
        let slot = match args.first().map(|arg| &arg.kind) {
            Some(ExprKind::Variable(variable)) => self.lookup(variable).filter(|slot| self.views.contains(slot)),
            _ => None,
        };
        let Some(slot) = slot else {
            return invalid(&format!("the first argument of '{name}' must be a document of a view"));
        };
        let mut numbers = Vec::new();
        for arg in &args[1..] {
            match self.expr(arg)?.known() {
                Some(value) => numbers.push(value),
                None => return invalid(&format!("the arguments of '{name}' must be known before the query runs")),
            }
        }
        let number = |at: usize, default: f64| numbers.get(at).map_or(Some(default), Value::as_f64);
        let scorer = match name {
            "BM25" => match (number(0, BM25.0), number(1, BM25.1)) {
                (Some(k), Some(b)) => Scorer::Bm25 { k, b },
                _ => return invalid("the arguments of 'BM25' must be numbers"),
            },
            _ => Scorer::TfIdf { normalize: numbers.first().is_some_and(Value::truthy) },
        };
        let known = self.scorers.iter().find(|(of, _, other)| *of == slot && *other == scorer);
        let score = if let Some((_, score, _)) = known {
            *score
        } else {
            let score = self.hidden_slot(name);
            self.scorers.push((slot, score, scorer));
            score
        };
        Ok(Some(Ex::Slot(score)))
    }

    /// `OFFSET_INFO(d, paths)` of a document of a view: what the search found in it, by the terms that the loop tells.
    pub(super) fn offset_info(&mut self, function: &'static Function, args: &[Expr]) -> Result<Option<Ex>> {
        if function.name != "OFFSET_INFO" {
            return Ok(None);
        }
        let slot = match args.first().map(|arg| &arg.kind) {
            Some(ExprKind::Variable(variable)) => self.lookup(variable).filter(|slot| self.views.contains(slot)),
            _ => None,
        };
        let Some(slot) = slot else {
            let message = "AQL: the first argument of 'OFFSET_INFO' must be a document of a view (while parsing)";
            return Err(Error::new(code::BAD_PARAMETER, message));
        };
        let paths = self.expr(&args[1])?;
        let known = self.offsets.iter().find(|(of, _)| *of == slot).map(|(_, terms)| *terms);
        let terms = known.unwrap_or_else(|| {
            let terms = self.hidden_slot("OFFSET_INFO");
            self.offsets.push((slot, terms));
            terms
        });
        Ok(Some(Ex::Call(function, vec![Ex::Slot(slot), paths, Ex::Slot(terms)])))
    }

    /// Gives the loops of a pipeline the scorers that were asked of them.
    pub(super) fn give_scorers(&mut self, nodes: &mut [Node]) {
        for node in nodes {
            let Node::Search(search) = node else { continue };
            let own = self.scorers.iter().filter(|(slot, ..)| *slot == search.slot);
            let own: Vec<_> = own.map(|(_, score, scorer)| (*score, *scorer)).collect();
            if !own.is_empty() {
                Arc::make_mut(search).scorers = own;
            }
            if let Some((_, terms)) = self.offsets.iter().find(|(slot, _)| *slot == search.slot) {
                Arc::make_mut(search).terms = Some(*terms);
            }
        }
    }

    /// The view of that name.
    pub(super) fn view(&self, name: &str) -> Option<Arc<SearchView>> {
        self.txn.database().view(name).cloned()
    }
}

/// Has an index the postings of a view?
fn serves(view: &SearchView, collection: &Collection, index: &Index) -> bool {
    match (&view.aliases, &index.search) {
        (_, None) => false,
        (None, Some(search)) => search.view == view.id,
        (Some(aliases), Some(_)) => aliases.contains(&(collection.id, index.id)),
    }
}

/// Is a collection among those the loop is restricted to?
fn wanted(options: &Value, id: u64, name: &SmolStr) -> bool {
    let collections = options.get("collections");
    if !collections.is_array() {
        return true;
    }
    collections.iter_array().any(|wanted| match &wanted {
        Value::Str(text) => text == name || *text == id.to_string(),
        number => number.as_i64().and_then(|n| u64::try_from(n).ok()) == Some(id),
    })
}
