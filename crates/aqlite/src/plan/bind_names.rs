//! What a query names besides its variables: bind parameters and collections.

use std::sync::Arc;

use super::bind::Binder;
use super::bound::{Sheet, Trait};
use super::expr::Ex;
use crate::Result;
use crate::catalog::{Collection, names};
use crate::error::{Error, code};
use crate::functions;
use crate::lang::ast::{self, Name, NameKind, Parameter};
use crate::seeded::SeededSet;
use crate::value::{SmolStr, Value};

/// Errors that are found before it is known which collections there are.
const FOUND_EARLY: &[u16] = &[
    code::DATA_SOURCE_NOT_FOUND,
    code::GRAPH_NOT_FOUND,
    code::ILLEGAL_NAME,
    code::QUERY_BIND_PARAMETER_TYPE,
    code::QUERY_COMPILE_TIME_OPTIONS,
    code::QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH,
    code::QUERY_FUNCTION_NAME_UNKNOWN,
    code::QUERY_INVALID_AGGREGATE_EXPRESSION,
    code::QUERY_TOO_MANY_COLLECTIONS,
    code::QUERY_VARIABLE_NAME_UNKNOWN,
    code::QUERY_VARIABLE_REDECLARED,
];

/// Errors that are told before a missing collection, wherever they stand: ArangoDB reads the whole query and its parameters
/// before it looks for collections.
const TOLD_FIRST: &[u16] = &[
    code::QUERY_BIND_PARAMETER_TYPE,
    code::QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH,
    code::QUERY_FUNCTION_NAME_UNKNOWN,
    code::QUERY_INVALID_AGGREGATE_EXPRESSION,
    code::QUERY_VARIABLE_NAME_UNKNOWN,
    code::QUERY_VARIABLE_REDECLARED,
];

/// How many collections a query may use.
const MAX_COLLECTIONS: usize = 2048;

impl Binder<'_> {
    /// The value of a bind parameter, on which the plan rests.
    pub(super) fn bind_var(&self, name: &str) -> Result<Value> {
        let value = self.given(name)?;
        if let Some((sheet, at)) = self.place_of(name) {
            sheet.rests_on(at, Trait::Itself);
        }
        Ok(value)
    }

    /// A bind parameter in an expression.
    pub(super) fn parameter(&self, name: &str) -> Result<Ex> {
        let value = self.given(name)?;
        let known = self.place_of(name).map_or(Ex::Const(value), |(sheet, at)| sheet.parameter(at));
        let hidden = if self.parameters_vary { functions::lookup("NOOPT") } else { None };
        Ok(match hidden {
            Some(function) => Ex::Call(function, vec![known]),
            None => known,
        })
    }

    /// Where a parameter stands on the sheet, if there is one.
    fn place_of(&self, name: &str) -> Option<(&Arc<Sheet>, usize)> {
        let at = self.bind_vars.iter_object().position(|(given, _)| given == name)?;
        self.sheet.as_ref().map(|sheet| (sheet, at))
    }

    fn given(&self, name: &str) -> Result<Value> {
        self.bind_vars.get_opt(name).ok_or_else(|| {
            Error::new(
                code::QUERY_BIND_PARAMETER_MISSING,
                format!("AQL: no value specified for declared bind parameter '{name}' (while parsing)"),
            )
        })
    }

    /// The collection name in a `@@bind` parameter, which may also give the number of the collection.
    pub(super) fn bound_name(&self, name: &str) -> Result<SmolStr> {
        let name = format!("@{name}");
        match self.bind_var(&name)? {
            Value::Str(s) if s.starts_with(|c: char| c.is_ascii_digit()) => {
                Ok(self.txn.database().collection(&s).map_or(s, |c| c.name.clone()))
            }
            Value::Str(s) if s.is_empty() => {
                Err(Error::new(code::ILLEGAL_NAME, "AQL: illegal name: collection name is empty (while parsing)"))
            }
            Value::Str(s) => Ok(s),
            _ => Err(Error::new(
                code::QUERY_BIND_PARAMETER_TYPE,
                format!("bind parameter '{name}' has an invalid value or type"),
            )),
        }
    }

    /// Names in the text count before it is known what they name.
    pub(super) fn check_number_of_names(names: &[SmolStr]) -> Result<()> {
        if names.len() > MAX_COLLECTIONS && names.iter().collect::<SeededSet<_>>().len() > MAX_COLLECTIONS {
            return Err(too_many_collections());
        }
        Ok(())
    }

    /// Every parameter of the query has a value and every value a parameter, before anything else is looked for.
    pub(super) fn check_parameters(&mut self, parameters: &[Parameter]) -> Result<()> {
        let mut used: SeededSet<SmolStr> = SeededSet::default();
        for parameter in parameters {
            match parameter {
                Parameter::Value(name) => {
                    if let Err(error) = self.given(name) {
                        // what a parameter before it names is looked for when it is put into the query
                        return Err(self.missing.take().unwrap_or(error));
                    }
                    used.insert(name.clone());
                }
                Parameter::Collection(name) => {
                    let collection = self.bound_name(name)?;
                    let found = self.txn.collection_for_read(&collection);
                    if self.view(&collection).is_none() && found.is_err_and(|e| e.num == code::DATA_SOURCE_NOT_FOUND) {
                        self.note_missing(unknown_collection(&format!("name: {collection}")));
                    }
                    used.insert(smol_str::format_smolstr!("@{name}"));
                }
            }
        }
        match self.bind_vars.iter_object().find(|(name, _)| !used.contains(*name)) {
            None => Ok(()),
            Some((name, _)) => Err(Error::new(
                code::QUERY_BIND_PARAMETER_UNDECLARED,
                format!("AQL: bind parameter '{name}' was not declared in the query (while parsing)"),
            )),
        }
    }

    /// A missing collection is told before anything that is only found out when a plan is made.
    pub(super) fn or_missing_collection(&mut self, error: Error, query: &ast::Query) -> Error {
        if let Some(missing) = self.missing.take() {
            return if TOLD_FIRST.contains(&error.num) { error } else { missing };
        }
        if FOUND_EARLY.contains(&error.num) {
            return error;
        }
        let missing = |name: &&SmolStr| {
            let found = self.txn.collection_for_read(name);
            self.view(name).is_none() && found.is_err_and(|e| e.num == code::DATA_SOURCE_NOT_FOUND)
        };
        query.collections.iter().find(missing).map_or(error, |name| unknown_collection(name))
    }

    /// Notes the first collection that there is not.
    fn note_missing(&mut self, error: Error) {
        self.missing.get_or_insert(error);
    }

    /// The name of a collection. One that a bind parameter gives is only looked for, not judged.
    pub(super) fn collection_name(&mut self, name: &Name) -> Result<SmolStr> {
        let found = self.name(name)?;
        if !matches!(name.kind, NameKind::Literal(_)) && !names::is_collection(&found, true) {
            return Err(unknown_collection(&found));
        }
        Ok(found)
    }

    /// A name that stands in the query or is given by a bind parameter.
    pub(super) fn name(&mut self, name: &Name) -> Result<SmolStr> {
        match &name.kind {
            NameKind::Literal(s) => Ok(s.clone()),
            NameKind::Bind(b) => self.bound_name(b),
            NameKind::ValueBind(b) => match self.bind_var(b)? {
                Value::Str(s) => Ok(s),
                _ => Err(Error::new(
                    code::QUERY_BIND_PARAMETER_TYPE,
                    format!("bind parameter '{b}' has an invalid value or type"),
                )),
            },
        }
    }

    /// Finds a collection and notes that it is read or written.
    pub(super) fn collection(&mut self, name: &str, write: bool) -> Result<Arc<Collection>> {
        if !names::is_collection(name, true) {
            return Err(Error::new(code::ILLEGAL_NAME, format!("AQL: illegal name: {name} (while parsing)")));
        }
        let found = if write { self.txn.collection_for_write(name) } else { self.txn.collection_for_read(name) };
        let collection = match found {
            Ok(collection) => collection,
            Err(e) if e.num == code::DATA_SOURCE_NOT_FOUND => {
                self.note_missing(unknown_collection(name));
                Arc::new(Collection::missing(name))
            }
            Err(e) => return Err(e),
        };
        let used = self.collections.len();
        match self.collections.iter_mut().find(|(c, _)| c.id == collection.id) {
            Some((_, written)) => *written |= write,
            None if used >= MAX_COLLECTIONS => return Err(too_many_collections()),
            None => self.collections.push((Arc::clone(&collection), write)),
        }
        Ok(collection)
    }

    /// A read of the data of a collection, which must not have been written by this query before.
    pub(super) fn collection_to_read(&mut self, name: &str) -> Result<Arc<Collection>> {
        let collection = self.collection(name, false)?;
        if self.written.contains(&collection.id) {
            return Err(after_modification(&format!("collection '{name}'")));
        }
        Ok(collection)
    }

    /// Notes that the query writes a collection. What it has read of it before shows the state before the query.
    pub(super) fn collection_to_write(&mut self, name: &str) -> Result<Arc<Collection>> {
        let collection = self.collection(name, true)?;
        if !self.written.insert(collection.id) {
            return Err(after_modification(&format!("collection '{name}'")));
        }
        Ok(collection)
    }

    /// What may read any collection must not stand behind anything that writes.
    pub(super) fn before_modification(&self, what: &str) -> Result<()> {
        if self.written.is_empty() { Ok(()) } else { Err(after_modification(what)) }
    }
}

fn too_many_collections() -> Error {
    let message = code::message(code::QUERY_TOO_MANY_COLLECTIONS);
    Error::new(code::QUERY_TOO_MANY_COLLECTIONS, format!("AQL: {message} (while parsing)"))
}

fn after_modification(what: &str) -> Error {
    Error::new(
        code::QUERY_ACCESS_AFTER_MODIFICATION,
        format!("AQL: access after data-modification by {what} (while parsing)"),
    )
}

/// Error 1203 in the words of the parser.
pub(super) fn unknown_collection(name: &str) -> Error {
    Error::new(code::DATA_SOURCE_NOT_FOUND, format!("AQL: collection or view not found: {name} (while parsing)"))
}
