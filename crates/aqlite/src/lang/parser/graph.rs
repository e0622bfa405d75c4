//! `FOR` over a graph: traversals and path searches.

use super::Parser;
use crate::error::{Result, code};
use crate::lang::ast::{
    Clause, Direction, Expr, ExprKind, For, ForSource, GraphRef, Name, NameKind, PathKind, PathSearch, Pos, Traversal,
    Var,
};
use crate::lang::token::Kind;

/// `PRUNE [var =] expr`, as the tree holds it.
type Prune = (Option<Var>, Expr);

impl Parser<'_> {
    /// The direction that the current token names.
    pub(super) fn direction(&self) -> Option<Direction> {
        match self.kind() {
            Kind::Outbound => Some(Direction::Outbound),
            Kind::Inbound => Some(Direction::Inbound),
            Kind::Any => Some(Direction::Any),
            _ => None,
        }
    }

    /// The rest of a `FOR` from the direction on; `steps` is what stands before it.
    pub(super) fn graph_loop(&mut self, pos: Pos, vars: Vec<Var>, steps: Option<Expr>) -> Result<Clause> {
        let direction = self.direction().unwrap_or(Direction::Outbound);
        self.skip(1);
        let kind = match self.kind() {
            Kind::KPaths => PathKind::KPaths,
            Kind::ShortestPath if steps.is_none() => PathKind::Shortest,
            Kind::KShortestPaths if steps.is_none() => PathKind::KShortest,
            Kind::AllShortestPaths if steps.is_none() => PathKind::AllShortest,
            _ => return self.traversal(pos, vars, direction, steps),
        };
        self.skip(1);
        self.path_search(pos, vars, kind, direction, steps)
    }

    fn traversal(&mut self, pos: Pos, vars: Vec<Var>, direction: Direction, steps: Option<Expr>) -> Result<Clause> {
        let start = self.expression()?;
        let graph = self.graph_subject()?;
        if vars.len() > 3 {
            return Err(
                self.refuse_previous(code::QUERY_PARSE, "Traversals only have one, two or three return variables")
            );
        }
        self.declare_loop(&vars)?;
        let (prune, options) = self.prune_and_options()?;
        let traversal = Traversal { depth: steps.map(depth_bounds), direction, start, graph, prune };
        Ok(Clause::For(Box::new(For { vars, source: ForSource::Traversal(traversal), search: None, options, pos })))
    }

    fn path_search(
        &mut self,
        pos: Pos,
        vars: Vec<Var>,
        kind: PathKind,
        direction: Direction,
        steps: Option<Expr>,
    ) -> Result<Clause> {
        let start = self.expression()?;
        if self.kind() != Kind::Ident {
            return Err(self.unexpected(&[]));
        }
        let separator = self.take_text();
        let target = self.expression()?;
        let graph = self.graph_subject()?;
        let options = self.options()?;
        self.check_word(&separator, &["TO"])?;
        let (most, message) = match kind {
            PathKind::Shortest => (2, "SHORTEST_PATH must have one or two return variables"),
            PathKind::KShortest => (1, "K_SHORTEST_PATHS only has one return variable"),
            PathKind::KPaths => (1, "K_PATHS only has one return variable"),
            PathKind::AllShortest => (1, "ALL_SHORTEST_PATHS only has one return variable"),
        };
        if vars.len() > most {
            return Err(self.refuse_previous(code::QUERY_PARSE, message));
        }
        self.declare_loop(&vars)?;
        let search = PathSearch { kind, depth: steps.map(depth_bounds), direction, start, target, graph };
        Ok(Clause::For(Box::new(For { vars, source: ForSource::Path(search), search: None, options, pos })))
    }

    /// `GRAPH name`, or a list of edge collections.
    fn graph_subject(&mut self) -> Result<GraphRef> {
        if self.accept(Kind::Graph) {
            return Ok(GraphRef::Named(self.graph_name()?));
        }
        let starts =
            matches!(self.kind(), Kind::Ident | Kind::Bind | Kind::CollectionBind) || self.direction().is_some();
        if !starts {
            return Err(self.unexpected(&[]));
        }
        let mut edges = vec![self.edge_collection()?];
        while self.accept(Kind::Comma) {
            edges.push(self.edge_collection()?);
        }
        Ok(GraphRef::Edges(edges))
    }

    fn graph_name(&mut self) -> Result<Name> {
        if self.kind() == Kind::Str {
            let pos = self.pos();
            return Ok(Name { kind: NameKind::Literal(self.take_text()), pos });
        }
        match self.kind() {
            Kind::Ident | Kind::Bind | Kind::CollectionBind => self.collection_or_bind(),
            _ => Err(self.unexpected(&[Kind::Ident, Kind::Str, Kind::Bind, Kind::CollectionBind])),
        }
    }

    fn edge_collection(&mut self) -> Result<(Option<Direction>, Name)> {
        let direction = self.direction();
        if direction.is_some() {
            self.skip(1);
        }
        Ok((direction, self.read_collection()?))
    }

    fn prune_and_options(&mut self) -> Result<(Option<Prune>, Option<Expr>)> {
        if self.kind() != Kind::Ident {
            return Ok((None, None));
        }
        let word = self.take_text();
        let subqueries = self.subqueries;
        let var = if self.kind() == Kind::Ident && self.peek(1) == Kind::Assign {
            let var = self.variable_name()?;
            self.skip(1);
            Some(var)
        } else {
            None
        };
        let value = self.expression()?;
        let options = if self.kind() == Kind::Ident {
            let second = self.take_text();
            let options = self.options_object()?;
            self.check_word(&word, &["PRUNE"])?;
            self.check_word(&second, &["OPTIONS"])?;
            self.check_options(&options)?;
            Some(options)
        } else {
            self.check_word(&word, &["PRUNE", "OPTIONS"])?;
            if word.eq_ignore_ascii_case("OPTIONS") {
                self.check_options(&value)?;
                return Ok((None, Some(value)));
            }
            None
        };
        if self.subqueries != subqueries {
            return Err(self.refuse(code::QUERY_PARSE, "PRUNE condition must not use a subquery"));
        }
        if let Some(var) = &var {
            self.declare(var)?;
        }
        Ok((Some((var, value)), options))
    }
}

/// The depths that stand before a direction: a range, or one number for both ends.
fn depth_bounds(steps: Expr) -> (Expr, Expr) {
    match steps.kind {
        ExprKind::Range(least, greatest) => (*least, *greatest),
        _ => (steps.clone(), steps),
    }
}
