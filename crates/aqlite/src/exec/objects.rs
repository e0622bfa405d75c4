//! Objects that a query makes: `{name: expression, …}`.
//!
//! A row is mostly a few attributes with short values. In the stored form it is one allocation instead of many, and what
//! is the same for every row - the names and their order - is found once a query.

use std::sync::Arc;

use super::context::Ctx;
use crate::Result;
use crate::plan::expr::{Ex, ObjectEntry};
use crate::value::{Object, Shape, SmolStr, Value};

/// What is longer is shared, not copied.
const SMALL_VALUE: usize = 256;
/// So many shapes are remembered.
const SHAPES: usize = 16;

/// The shapes of objects a query has made, each with the place of its expression in the plan.
#[derive(Default)]
pub(super) struct Shapes {
    known: Vec<(usize, Option<Arc<Shape>>)>,
    last: usize,
    /// Buffers to build in.
    buffers: Vec<Vec<u8>>,
}

impl Shapes {
    /// The shape of what the entries make; `None` where it differs from row to row, or a name stands there twice.
    fn of(&mut self, entries: &[ObjectEntry]) -> Option<Arc<Shape>> {
        // the plan outlives the query, so that its places are not used by others
        let place = entries.as_ptr().addr();
        if let Some((known, shape)) = self.known.get(self.last)
            && *known == place
        {
            return shape.clone();
        }
        if let Some(at) = self.known.iter().position(|(known, _)| *known == place) {
            self.last = at;
            return self.known[at].1.clone();
        }
        let shape = shape(entries).map(Arc::new);
        if self.known.len() < SHAPES {
            self.last = self.known.len();
            self.known.push((place, shape.clone()));
        }
        shape
    }
}

fn shape(entries: &[ObjectEntry]) -> Option<Shape> {
    let names = entries.iter().map(|entry| match entry {
        ObjectEntry::Named(name, _) => Some(name.as_str()),
        ObjectEntry::Computed(..) | ObjectEntry::Spread(_) => None,
    });
    Shape::of(&names.collect::<Option<Vec<_>>>()?)
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::Stored(stored) => stored.raw().byte_len() <= SMALL_VALUE,
        Value::Str(text) => text.len() <= SMALL_VALUE,
        Value::Array(_) | Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => true,
    }
}

impl Ctx<'_> {
    pub(super) fn eval_object(&mut self, entries: &[ObjectEntry]) -> Result<Value> {
        if let Some(shape) = self.shapes.of(entries) {
            return self.eval_shaped(&shape, entries);
        }
        let mut object = Object::with_capacity_and_hasher(entries.len(), rustc_hash::FxBuildHasher);
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

    /// An object whose names are known, in its stored form as long as its values are short.
    fn eval_shaped(&mut self, shape: &Shape, entries: &[ObjectEntry]) -> Result<Value> {
        let mut buffer = self.shapes.buffers.pop().unwrap_or_default();
        buffer.clear();
        let object = self.write_shaped(shape, entries, &mut buffer);
        self.shapes.buffers.push(buffer);
        object
    }

    fn write_shaped(&mut self, shape: &Shape, entries: &[ObjectEntry], buffer: &mut Vec<u8>) -> Result<Value> {
        let mut writer = shape.begin(buffer);
        for entry in entries {
            let ObjectEntry::Named(_, e) = entry else { continue };
            // an attribute of a stored document is copied as it lies there
            if let Ex::Path(slot, names) = e
                && let Value::Stored(stored) = &self.frame[*slot]
                && let raw = stored.raw().path(names)
                && raw.is_none_or(|raw| raw.byte_len() <= SMALL_VALUE)
            {
                match raw {
                    Some(raw) => writer.raw(raw),
                    None => writer.value(&Value::Null),
                }
                continue;
            }
            let value = self.value(e)?;
            if !is_small(&value) {
                let before = writer.written();
                return self.go_on_in_memory(before, value, entries);
            }
            writer.value(&value);
        }
        Ok(Value::from_stored(writer.finish().into()))
    }

    /// A long value came up behind those that were written: the object is built in memory, and shares it.
    fn go_on_in_memory(&mut self, mut values: Vec<Value>, long: Value, entries: &[ObjectEntry]) -> Result<Value> {
        values.push(long);
        for entry in &entries[values.len()..] {
            if let ObjectEntry::Named(_, e) = entry {
                values.push(self.value(e)?);
            }
        }
        let names = entries.iter().filter_map(|entry| match entry {
            ObjectEntry::Named(name, _) => Some(name.clone()),
            ObjectEntry::Computed(..) | ObjectEntry::Spread(_) => None,
        });
        Ok(Value::object(names.zip(values).collect()))
    }
}
