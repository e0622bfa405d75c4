//! `COLLECT` and the aggregates it shares with `WINDOW`.

use super::Parser;
use crate::error::{Result, code};
use crate::lang::ast::{Clause, Collect, CollectInto, Expr, Var};
use crate::lang::token::Kind;

impl Parser<'_> {
    pub(super) fn collect_clause(&mut self) -> Result<Clause> {
        let pos = self.pos();
        self.skip(1);
        let mut groups = Vec::new();
        if !matches!(self.kind(), Kind::With | Kind::Aggregate) {
            groups = self.groups()?;
        }
        let mut aggregates = Vec::new();
        let (into, options) = match self.kind() {
            Kind::With => (self.count_into()?, self.options()?),
            Kind::Aggregate => {
                aggregates = self.aggregates()?;
                let into = self.collect_into()?;
                (into, self.options()?)
            }
            _ => {
                let into = self.collect_into()?;
                let into = self.keep(into)?;
                (into, self.options()?)
            }
        };
        self.scopes.start_collect();
        for (var, _) in groups.iter().chain(&aggregates) {
            self.scopes.declare(&var.name);
        }
        if let CollectInto::Count(var) | CollectInto::Rows { var, .. } | CollectInto::Expr(var, _) = &into {
            self.scopes.declare(&var.name);
        }
        Ok(Clause::Collect(Box::new(Collect { groups, aggregates, into, options, pos })))
    }

    fn groups(&mut self) -> Result<Vec<(Var, Expr)>> {
        let mut groups = Vec::new();
        loop {
            let var = self.variable_name()?;
            self.expect(Kind::Assign)?;
            let value = self.expression()?;
            // what follows sees it, though it has no value there yet
            self.declare(&var)?;
            groups.push((var, value));
            if !self.accept(Kind::Comma) {
                return Ok(groups);
            }
        }
    }

    /// `AGGREGATE a = FN(…), b = FN(…)`
    pub(super) fn aggregates(&mut self) -> Result<Vec<(Var, Expr)>> {
        self.expect(Kind::Aggregate)?;
        let mut aggregates = Vec::new();
        loop {
            let var = self.variable_name()?;
            self.expect(Kind::Assign)?;
            if self.kind() != Kind::Ident {
                return Err(self.unexpected(&[Kind::Ident]));
            }
            let call = self.aggregate_call()?;
            let call = self.settle(call);
            self.declare(&var)?;
            aggregates.push((var, call));
            if !self.accept(Kind::Comma) {
                return Ok(aggregates);
            }
        }
    }

    /// `WITH COUNT INTO var`
    fn count_into(&mut self) -> Result<CollectInto> {
        self.expect(Kind::With)?;
        let word = self.expect_name()?;
        self.expect(Kind::Into)?;
        let var = self.variable_name()?;
        self.check_word(&word, &["COUNT"])?;
        Ok(CollectInto::Count(var))
    }

    /// An optional `INTO var [= expr]`.
    fn collect_into(&mut self) -> Result<CollectInto> {
        if !self.accept(Kind::Into) {
            return Ok(CollectInto::None);
        }
        let var = self.variable_name()?;
        Ok(if self.accept(Kind::Assign) {
            CollectInto::Expr(var, self.expression()?)
        } else {
            CollectInto::Rows { var, keep: Vec::new() }
        })
    }

    /// An optional `KEEP a, b`.
    fn keep(&mut self, into: CollectInto) -> Result<CollectInto> {
        // The braces of an OPTIONS object tell the two words apart.
        if self.kind() != Kind::Ident || self.peek(1) == Kind::ObjectOpen {
            return Ok(into);
        }
        let word = self.take_text();
        self.check_word(&word, &["KEEP"])?;
        let mut kept = Vec::new();
        loop {
            let var = self.variable_name()?;
            if !self.scopes.contains(&var.name) {
                let message = format!("use of unknown variable '{}' for KEEP", var.name);
                return Err(self.refuse_previous(code::QUERY_PARSE, &message));
            }
            kept.push(var);
            if !self.accept(Kind::Comma) {
                break;
            }
        }
        match into {
            CollectInto::None => Err(self.refuse(code::QUERY_PARSE, "use of 'KEEP' without 'INTO'")),
            CollectInto::Rows { var, .. } => Ok(CollectInto::Rows { var, keep: kept }),
            // An expression already says what is kept.
            other => Ok(other),
        }
    }
}
