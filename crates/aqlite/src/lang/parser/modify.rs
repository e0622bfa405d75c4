//! Clauses that write.

use super::Parser;
use crate::error::Result;
use crate::lang::ast::{Clause, Expr, Modify, ModifyKind, Name, NameKind, Upsert, UpsertSearch};
use crate::lang::token::Kind;

impl Parser<'_> {
    /// `INSERT`, `UPDATE`, `REPLACE`, `REMOVE`
    pub(super) fn modify_clause(&mut self) -> Result<Clause> {
        let pos = self.pos();
        let kind = match self.kind() {
            Kind::Insert => ModifyKind::Insert,
            Kind::Update => ModifyKind::Update,
            Kind::Replace => ModifyKind::Replace,
            _ => ModifyKind::Remove,
        };
        self.skip(1);
        let first = self.written_value()?;
        let (key, doc) = match kind {
            ModifyKind::Insert => (None, Some(first)),
            ModifyKind::Remove => (Some(first), None),
            ModifyKind::Update | ModifyKind::Replace => {
                if self.accept(Kind::With) {
                    (Some(first), Some(self.written_value()?))
                } else {
                    (None, Some(first))
                }
            }
        };
        let collection = self.written_collection()?;
        let options = self.options()?;
        Ok(Clause::Modify(Box::new(Modify { kind, key, doc, collection, options, pos })))
    }

    /// `UPSERT search INSERT i UPDATE|REPLACE u IN c`
    pub(super) fn upsert_clause(&mut self) -> Result<Clause> {
        let pos = self.pos();
        self.skip(1);
        let search = match self.kind() {
            Kind::Filter => {
                self.skip(1);
                UpsertSearch::Filter(self.expression()?)
            }
            Kind::ObjectOpen => UpsertSearch::Example(self.options_object()?),
            Kind::Bind | Kind::CollectionBind => UpsertSearch::Example(self.bind_parameter()),
            _ => return Err(self.unexpected(&[Kind::Filter, Kind::Bind, Kind::CollectionBind, Kind::ObjectOpen])),
        };
        if matches!(search, UpsertSearch::Filter(_)) {
            self.expect_after_expression(Kind::Insert)?;
        } else {
            self.expect(Kind::Insert)?;
        }
        let insert = self.expression()?;
        let replace = match self.kind() {
            Kind::Update => false,
            Kind::Replace => true,
            _ => return Err(self.unexpected(&[])),
        };
        self.skip(1);
        let update = self.written_value()?;
        let collection = self.written_collection()?;
        let options = self.options()?;
        Ok(Clause::Upsert(Box::new(Upsert { search, insert, update, replace, collection, options, pos })))
    }

    /// An expression before `IN collection`, where `IN` is no operator.
    fn written_value(&mut self) -> Result<Expr> {
        let deep = self.operand_before_target()?;
        Ok(self.settle(deep))
    }

    /// Whether the current `IN` names the collection a clause writes to: a name stands after it, and after that
    /// nothing that would continue an expression.
    pub(super) fn at_written_collection(&self) -> bool {
        let after = self.peek(2);
        self.kind() == Kind::In
            && matches!(self.peek(1), Kind::Ident | Kind::Str | Kind::CollectionBind)
            && (after.starts_clause() || matches!(after, Kind::Ident | Kind::End | Kind::Close | Kind::Comma))
    }

    /// `IN c`, `INTO c`
    fn written_collection(&mut self) -> Result<Name> {
        if !matches!(self.kind(), Kind::In | Kind::Into) {
            return Err(self.unexpected(&[]));
        }
        self.skip(1);
        let pos = self.pos();
        let wrap = match self.kind() {
            Kind::Ident | Kind::Str => NameKind::Literal,
            Kind::CollectionBind => NameKind::Bind,
            _ => return Err(self.unexpected(&[Kind::Ident, Kind::Str, Kind::CollectionBind])),
        };
        let name = Name { kind: wrap(self.take_text()), pos };
        Ok(self.note_collection(name))
    }
}
