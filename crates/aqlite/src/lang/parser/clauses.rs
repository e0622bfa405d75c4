//! Queries and their reading clauses.

use smol_str::SmolStr;

use super::{Deep, Parser, above};
use crate::error::{Result, code};
use crate::lang::ast::{
    Body, Clause, Expr, ExprKind, For, ForSource, Name, NameKind, ObjectItem, Pos, Query, SortDirection, SortItem, Var,
    Window,
};
use crate::lang::token::Kind;

/// The levels of the tree from a subquery to the expressions of its clauses.
const SUBQUERY_LEVELS: u32 = 3;

impl Parser<'_> {
    /// A whole query.
    pub(super) fn query(&mut self) -> Result<Query> {
        let parameters = self.parameters();
        let with = self.with_collections()?;
        let body = self.body(&[Kind::End])?;
        Ok(Query { with, body, parameters, collections: Vec::new(), warnings: Vec::new(), depth: 0 })
    }

    /// `WITH a, b`; the commas may be missing.
    fn with_collections(&mut self) -> Result<Vec<Name>> {
        let mut names = Vec::new();
        if !self.accept(Kind::With) {
            return Ok(names);
        }
        names.push(self.read_collection()?);
        loop {
            match self.kind() {
                Kind::Comma => self.skip(1),
                Kind::Ident | Kind::Bind | Kind::CollectionBind => {}
                _ => return Ok(names),
            }
            names.push(self.read_collection()?);
        }
    }

    /// A collection that is read.
    pub(super) fn read_collection(&mut self) -> Result<Name> {
        let name = self.collection_or_bind()?;
        Ok(self.note_collection(name))
    }

    /// A name, or a bind parameter of either kind that holds it.
    pub(super) fn collection_or_bind(&mut self) -> Result<Name> {
        let pos = self.pos();
        let wrap = match self.kind() {
            Kind::Ident => NameKind::Literal,
            Kind::Bind => NameKind::ValueBind,
            Kind::CollectionBind => NameKind::Bind,
            _ => return Err(self.unexpected(&[Kind::Ident, Kind::Bind, Kind::CollectionBind])),
        };
        Ok(Name { kind: wrap(self.take_text()), pos })
    }

    /// The clauses of a query or subquery, up to one of the tokens that may follow it.
    fn body(&mut self, followers: &[Kind]) -> Result<Body> {
        let mut clauses = Vec::new();
        loop {
            let may_end = matches!(clauses.last(), Some(Clause::Modify(_) | Clause::Upsert(_)));
            if may_end && followers.contains(&self.kind()) {
                return Ok(Body { clauses });
            }
            if self.kind() == Kind::Return {
                clauses.push(self.return_clause()?);
                // What could follow a complete query is the end of it; in a list the complaint names the parenthesis.
                let end = if followers.contains(&Kind::End) { Kind::End } else { Kind::Close };
                return if followers.contains(&self.kind()) {
                    Ok(Body { clauses })
                } else {
                    Err(self.unexpected(&[end]))
                };
            }
            self.clause(&mut clauses)?;
        }
    }

    /// A subquery whose first token is the current one; the token after it is left to the caller.
    pub(super) fn subquery(&mut self, pos: Pos, followers: &[Kind]) -> Result<Deep> {
        let outer = std::mem::take(&mut self.deepest);
        self.scopes.start_subquery();
        self.subqueries = self.subqueries.saturating_add(1);
        let body = self.body(followers)?;
        self.scopes.end_subquery();
        let mut depth = std::mem::replace(&mut self.deepest, outer);
        for _ in 0..SUBQUERY_LEVELS {
            depth = above(depth)?;
        }
        Ok(Deep { expr: Expr { kind: ExprKind::Subquery(Box::new(body)), pos }, depth })
    }

    /// Any clause but `RETURN`.
    fn clause(&mut self, clauses: &mut Vec<Clause>) -> Result<()> {
        let clause = match self.kind() {
            Kind::For => self.for_clause()?,
            Kind::Let => return self.let_clauses(clauses),
            Kind::Filter => {
                self.skip(1);
                Clause::Filter(self.expression()?)
            }
            Kind::Sort => self.sort_clause()?,
            Kind::Limit => self.limit_clause()?,
            Kind::Collect => self.collect_clause()?,
            Kind::Window => self.window_clause()?,
            Kind::Insert | Kind::Update | Kind::Replace | Kind::Remove => self.modify_clause()?,
            Kind::Upsert => self.upsert_clause()?,
            _ => return Err(self.unexpected(&[])),
        };
        clauses.push(clause);
        Ok(())
    }

    fn return_clause(&mut self) -> Result<Clause> {
        self.skip(1);
        let distinct = self.kind() == Kind::Distinct;
        if distinct {
            if !self.scopes.in_loop() {
                return Err(self.refuse(code::QUERY_PARSE, "cannot use DISTINCT modifier on top-level query element"));
            }
            self.skip(1);
        }
        Ok(Clause::Return { distinct, expr: self.expression()? })
    }

    fn for_clause(&mut self) -> Result<Clause> {
        let pos = self.pos();
        self.skip(1);
        let mut vars = vec![self.variable_name()?];
        while self.accept(Kind::Comma) {
            vars.push(self.variable_name()?);
        }
        self.expect(Kind::In)?;
        if self.direction().is_some() {
            return self.graph_loop(pos, vars, None);
        }
        let source = self.expression()?;
        if self.direction().is_some() {
            return self.graph_loop(pos, vars, Some(source));
        }
        self.plain_loop(pos, vars, source)
    }

    /// `FOR x IN source [SEARCH …] [OPTIONS …]`, up to the source already read.
    fn plain_loop(&mut self, pos: Pos, vars: Vec<Var>, source: Expr) -> Result<Clause> {
        if vars.len() != 1 {
            return Err(self.refuse_previous(
                code::QUERY_PARSE,
                "Collections and views FOR loops only allow a single return variable",
            ));
        }
        let is_data_source = match &source.kind {
            ExprKind::Variable(name) => !self.scopes.contains(name),
            ExprKind::CollectionBind(_) => true,
            _ => false,
        };
        self.declare_loop(&vars)?;
        let (mut search, mut options) = (None, None);
        if self.kind() == Kind::Ident {
            let word = self.take_text();
            let value = self.expression()?;
            if self.kind() == Kind::Ident {
                let second = self.take_text();
                options = Some(self.expression()?);
                if !second.eq_ignore_ascii_case("OPTIONS") || !word.eq_ignore_ascii_case("SEARCH") {
                    let message = format!("unexpected qualifier '{word}', expecting 'SEARCH' and 'OPTIONS'");
                    return Err(self.refuse(code::QUERY_PARSE, &message));
                }
                search = Some(value);
            } else {
                self.check_word(&word, &["SEARCH", "OPTIONS"])?;
                if word.eq_ignore_ascii_case("SEARCH") {
                    search = Some(value);
                } else {
                    options = Some(value);
                }
            }
        }
        if let Some(options) = &options {
            self.check_options(options)?;
        }
        if search.is_some() && !is_data_source {
            return Err(self.refuse(code::QUERY_PARSE, "SEARCH condition used on non-view"));
        }
        Ok(Clause::For(Box::new(For { vars, source: ForSource::Expr(source), search, options, pos })))
    }

    /// Opens the scope of a loop with its variables.
    pub(super) fn declare_loop(&mut self, vars: &[Var]) -> Result<()> {
        self.scopes.start_loop();
        vars.iter().try_for_each(|var| self.declare(var))
    }

    /// `LET a = …, b = …`: a clause each.
    fn let_clauses(&mut self, clauses: &mut Vec<Clause>) -> Result<()> {
        self.skip(1);
        loop {
            let var = self.variable_name()?;
            self.expect(Kind::Assign)?;
            let value = self.expression()?;
            self.declare(&var)?;
            clauses.push(Clause::Let(var, value));
            if !self.accept(Kind::Comma) {
                return Ok(());
            }
        }
    }

    fn sort_clause(&mut self) -> Result<Clause> {
        self.skip(1);
        let mut items = Vec::new();
        loop {
            let expr = self.expression()?;
            let direction = self.sort_direction()?;
            items.push(SortItem { expr, direction });
            if !self.accept(Kind::Comma) {
                return Ok(Clause::Sort(items));
            }
        }
    }

    fn sort_direction(&mut self) -> Result<SortDirection> {
        Ok(match self.kind() {
            Kind::Asc => {
                self.skip(1);
                SortDirection::Asc
            }
            Kind::Desc => {
                self.skip(1);
                SortDirection::Desc
            }
            Kind::Str | Kind::Int | Kind::Double | Kind::Null | Kind::True | Kind::False => {
                SortDirection::Expr(self.literal()?)
            }
            Kind::Bind | Kind::CollectionBind => SortDirection::Expr(self.bind_parameter()),
            _ => SortDirection::Asc,
        })
    }

    fn limit_clause(&mut self) -> Result<Clause> {
        let pos = self.pos();
        self.skip(1);
        let first = self.expression()?;
        let (offset, count) = if self.accept(Kind::Comma) { (Some(first), self.expression()?) } else { (None, first) };
        Ok(Clause::Limit { offset, count, pos })
    }

    fn window_clause(&mut self) -> Result<Clause> {
        let pos = self.pos();
        self.skip(1);
        let starts_with_object = self.kind() == Kind::ObjectOpen;
        let first = self.expression()?;
        let is_bounds =
            starts_with_object && matches!(first.kind, ExprKind::Object(_)) && self.kind() == Kind::Aggregate;
        let (range_value, bounds) = if is_bounds {
            (None, first)
        } else {
            self.expect_after_expression(Kind::With)?;
            (Some(first), self.options_object()?)
        };
        let aggregates = self.aggregates()?;
        self.check_window(&bounds)?;
        for (var, _) in &aggregates {
            self.scopes.declare(&var.name);
        }
        Ok(Clause::Window(Box::new(Window { range_value, bounds, aggregates, pos })))
    }

    /// A window has one or two bounds, each named once.
    fn check_window(&self, bounds: &Expr) -> Result<()> {
        let ExprKind::Object(items) = &bounds.kind else { return Ok(()) };
        if items.is_empty() {
            let message = "At least one WINDOW bound must be specified ('preceding'/'following')";
            return Err(self.refuse(code::QUERY_PARSE, message));
        }
        let mut seen: Vec<&SmolStr> = Vec::new();
        for item in items {
            let (ObjectItem::Named(name, _) | ObjectItem::Shorthand(name, _)) = item else { continue };
            if !matches!(name.as_str(), "preceding" | "following") {
                let message =
                    format!("Invalid WINDOW attribute '{name}'; only \"preceding\" and \"following\" are supported");
                return Err(self.refuse(code::QUERY_PARSE, &message));
            }
            if seen.contains(&name) {
                let message = format!("WINDOW attribute '{name}' is specified multiple times");
                return Err(self.refuse(code::QUERY_PARSE, &message));
            }
            seen.push(name);
        }
        Ok(())
    }
}
