//! Objects that a query makes: `{name: expression, …}`, and rows that are arrays: `[expression, …]`.
//!
//! A row is mostly a few short values. In the stored form it is one allocation instead of many, and what is the same for
//! every row - the names and their order - is found once a query.

use super::context::Ctx;
use super::rows::ResultRows;
use crate::Result;
use crate::plan::expr::{Ex, ObjectEntry};
use crate::value::stored::{Hint, Raw};
use crate::value::{Object, SMALL_VALUE, Shape, SmolStr, Value};

/// So many shapes are remembered.
const SHAPES: usize = 16;

/// What is made: the values of an object with their names, or those of an array.
#[derive(Clone, Copy)]
enum Parts<'e> {
    Object(&'e [ObjectEntry]),
    Array(&'e [Ex]),
}

impl<'e> Parts<'e> {
    /// Its place in the plan, which outlives the query, so that nobody else comes to stand there.
    fn place(self) -> usize {
        match self {
            Self::Object(entries) => entries.as_ptr().addr(),
            Self::Array(items) => items.as_ptr().addr(),
        }
    }

    fn len(self) -> usize {
        match self {
            Self::Object(entries) => entries.len(),
            Self::Array(items) => items.len(),
        }
    }

    /// A value whose name is known.
    fn value(self, at: usize) -> Option<&'e Ex> {
        match self {
            Self::Object(entries) => match &entries[at] {
                ObjectEntry::Named(_, value) => Some(value),
                ObjectEntry::Computed(..) | ObjectEntry::Spread(_) => None,
            },
            Self::Array(items) => items.get(at),
        }
    }

    /// `None` where it differs from row to row, or a name stands there twice.
    fn shape(self) -> Option<Shape> {
        let Self::Object(entries) = self else { return Shape::of_array(self.len()) };
        let names = entries.iter().map(|entry| match entry {
            ObjectEntry::Named(name, _) => Some(name.as_str()),
            ObjectEntry::Computed(..) | ObjectEntry::Spread(_) => None,
        });
        Shape::of(&names.collect::<Option<Vec<_>>>()?)
    }

    /// Made of all its values.
    fn of(self, values: Vec<Value>) -> Value {
        let Self::Object(entries) = self else { return Value::array(values) };
        let names = entries.iter().filter_map(|entry| match entry {
            ObjectEntry::Named(name, _) => Some(name.clone()),
            ObjectEntry::Computed(..) | ObjectEntry::Spread(_) => None,
        });
        Value::object(names.zip(values).collect())
    }
}

/// The shape of what one expression makes; taken out while that is made.
struct Known {
    /// The place of the expression in the plan.
    place: usize,
    shape: Option<Box<Shaped>>,
}

struct Shaped {
    shape: Shape,
    /// Where each attribute that is read of a document stood in the one before.
    hints: Vec<Hint>,
}

/// The shapes of what a query has made.
#[derive(Default)]
pub(super) struct Shapes {
    known: Vec<Known>,
    last: usize,
    /// Buffers to build in.
    buffers: Vec<Vec<u8>>,
}

impl Shapes {
    /// The shape of what these make, if there is one.
    fn take(&mut self, parts: Parts<'_>) -> Option<Box<Shaped>> {
        let place = parts.place();
        if self.known.get(self.last).is_none_or(|known| known.place != place) {
            self.last = self.known.iter().position(|known| known.place == place).unwrap_or_else(|| {
                let shaped = |shape| Box::new(Shaped { shape, hints: vec![Hint::default(); parts.len()] });
                let known = Known { place, shape: parts.shape().map(shaped) };
                if self.known.len() < SHAPES {
                    self.known.push(known);
                } else {
                    self.known[SHAPES - 1] = known;
                }
                self.known.len() - 1
            });
        }
        self.known[self.last].shape.take()
    }

    /// Puts it back, unless another expression has taken its place.
    fn put_back(&mut self, parts: Parts<'_>, shaped: Box<Shaped>) {
        if let Some(known) = self.known.iter_mut().find(|known| known.place == parts.place()) {
            known.shape = Some(shaped);
        }
    }
}

impl Ctx<'_> {
    pub(super) fn eval_object(&mut self, entries: &[ObjectEntry]) -> Result<Value> {
        if let Some(object) = self.eval_shaped(Parts::Object(entries)) {
            return object;
        }
        let mut object = Object::with_capacity_and_hasher(entries.len(), crate::seeded::Seeded);
        for entry in entries {
            match entry {
                // of two attributes with one name the first one counts
                ObjectEntry::Named(name, e) => {
                    let value = self.value(e)?;
                    object.entry(name.clone()).or_insert(value);
                }
                ObjectEntry::Computed(name, e) => {
                    let name = self.value(name)?.to_text();
                    let value = self.value(e)?;
                    object.entry(name).or_insert(value);
                }
                ObjectEntry::Spread(e) => {
                    let value = self.value(e)?;
                    object.extend(value.iter_object().map(|(name, v)| (SmolStr::new(name), v)));
                }
            }
        }
        Ok(Value::object(object))
    }

    /// What a row of a subquery is.
    pub(super) fn eval_inner_row(&mut self, output: &Ex) -> Result<Value> {
        let Ex::Array(items) = output else { return self.eval(output) };
        let before = self.memory();
        let Some(row) = self.eval_shaped(Parts::Array(items)) else { return self.eval(output) };
        self.reset_memory(before);
        row
    }

    /// In its stored form as long as its values are short; `None` where it has no shape.
    fn eval_shaped(&mut self, parts: Parts<'_>) -> Option<Result<Value>> {
        let mut shaped = self.shapes.take(parts)?;
        let mut buffer = self.shapes.buffers.pop().unwrap_or_default();
        buffer.clear();
        let made = self.write_shaped(&mut shaped, parts, &mut buffer);
        let made = made.map(|made| made.unwrap_or_else(|| Value::from_stored(buffer.as_slice().into())));
        self.shapes.buffers.push(buffer);
        self.shapes.put_back(parts, shaped);
        Some(made)
    }

    /// Evaluates what a row of the result is. Tells the bytes it takes.
    pub(super) fn eval_row(&mut self, output: &Ex, rows: &mut ResultRows) -> Result<usize> {
        let parts = match output {
            Ex::Object(entries) => Some(Parts::Object(entries)),
            Ex::Array(items) => Some(Parts::Array(items)),
            _ => None,
        };
        let before = self.memory();
        let shaped = parts.and_then(|parts| self.shapes.take(parts).map(|shaped| (parts, shaped)));
        let bytes = if let Some((parts, mut shaped)) = shaped {
            let bytes = rows.write(|piece| {
                let row = self.write_shaped(&mut shaped, parts, piece)?;
                row.as_ref().map(Value::result).transpose()?;
                Ok(row)
            });
            self.shapes.put_back(parts, shaped);
            bytes?
        } else {
            let row = self.eval(output)?;
            row.result()?;
            rows.push(row)
        };
        self.reset_memory(before);
        Ok(bytes)
    }

    /// Writes what is made behind what a buffer has; what is better built in memory is given back, and what was written then is
    /// of no use.
    fn write_shaped(&mut self, shaped: &mut Shaped, parts: Parts<'_>, buffer: &mut Vec<u8>) -> Result<Option<Value>> {
        match parts {
            Parts::Object(entries) => {
                let values = entries.iter().filter_map(|entry| match entry {
                    ObjectEntry::Named(_, value) => Some(value),
                    ObjectEntry::Computed(..) | ObjectEntry::Spread(_) => None,
                });
                self.write_values(shaped, values, parts, buffer)
            }
            Parts::Array(items) => self.write_values(shaped, items.iter(), parts, buffer),
        }
    }

    #[inline]
    fn write_values<'e>(
        &mut self,
        Shaped { shape, hints }: &mut Shaped,
        values: impl Iterator<Item = &'e Ex>,
        parts: Parts<'_>,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<Value>> {
        let mut short = shape.begin();
        let mut parts_left = values.zip(hints);
        let first = loop {
            let Some((e, hint)) = parts_left.next() else {
                short.finish(buffer);
                return Ok(None);
            };
            if !self.attribute(e, hint).is_some_and(|value| short.stored(value)) {
                break (e, hint);
            }
        };
        let mut writer = short.go_on(buffer);
        for (e, hint) in std::iter::once(first).chain(parts_left) {
            if let Some(value) = self.attribute(e, hint)
                && let len = value.byte_len()
                && len <= SMALL_VALUE
            {
                writer.stored(value, len);
                continue;
            }
            if let Ex::Slot(slot) = e
                && self.frame[*slot].is_small()
            {
                writer.value(&self.frame[*slot]);
                continue;
            }
            let value = self.value(e)?;
            if !value.is_small() {
                let before = writer.written();
                return self.go_on_in_memory(before, value, parts).map(Some);
            }
            writer.value(&value);
        }
        writer.finish();
        Ok(None)
    }

    /// What an attribute of a stored document is copied from, if it is one: it lies there in the form in which it is wanted.
    #[inline]
    fn attribute(&self, e: &Ex, hint: &mut Hint) -> Option<Raw<'_>> {
        let Ex::Path(slot, names) = e else { return None };
        let Value::Stored(stored) = &self.frame[*slot] else { return None };
        Some(stored.raw().path_near(names, hint).unwrap_or(Raw::NULL))
    }

    /// A long value came up behind those that were written: the whole is built in memory, and shares it.
    fn go_on_in_memory(&mut self, mut values: Vec<Value>, long: Value, parts: Parts<'_>) -> Result<Value> {
        values.push(long);
        for at in values.len()..parts.len() {
            if let Some(e) = parts.value(at) {
                values.push(self.value(e)?);
            }
        }
        Ok(parts.of(values))
    }
}
