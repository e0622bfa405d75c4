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

/// The shape of the objects that one expression makes.
struct Known {
    /// The place of the expression in the plan.
    place: usize,
    shape: Option<Arc<Shape>>,
    /// Where each attribute that is read of a document stood in the one before.
    hints: Vec<usize>,
}

/// The shapes of objects a query has made.
#[derive(Default)]
pub(super) struct Shapes {
    known: Vec<Known>,
    last: usize,
    /// Buffers to build in.
    buffers: Vec<Vec<u8>>,
}

impl Shapes {
    /// The shape of what the entries make, and its number; `None` where it differs from row to row, or a name stands there
    /// twice.
    fn of(&mut self, entries: &[ObjectEntry]) -> Option<(Arc<Shape>, usize)> {
        // the plan outlives the query, so that its places are not used by others
        let place = entries.as_ptr().addr();
        if self.known.get(self.last).is_none_or(|known| known.place != place) {
            self.last = self.known.iter().position(|known| known.place == place).unwrap_or_else(|| {
                let known = Known { place, shape: shape(entries).map(Arc::new), hints: vec![0; entries.len()] };
                if self.known.len() < SHAPES {
                    self.known.push(known);
                } else {
                    self.known[SHAPES - 1] = known;
                }
                self.known.len() - 1
            });
        }
        self.known[self.last].shape.clone().map(|shape| (shape, self.last))
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
        if let Some((shape, number)) = self.shapes.of(entries) {
            return self.eval_shaped(&shape, number, entries);
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
    fn eval_shaped(&mut self, shape: &Shape, number: usize, entries: &[ObjectEntry]) -> Result<Value> {
        let mut buffer = self.shapes.buffers.pop().unwrap_or_default();
        buffer.clear();
        let mut hints = std::mem::take(&mut self.shapes.known[number].hints);
        // another expression may have taken the place meanwhile
        hints.resize(entries.len(), 0);
        let object = self.write_shaped(shape, entries, &mut hints, &mut buffer);
        self.shapes.known[number].hints = hints;
        self.shapes.buffers.push(buffer);
        object
    }

    fn write_shaped(
        &mut self,
        shape: &Shape,
        entries: &[ObjectEntry],
        hints: &mut [usize],
        buffer: &mut Vec<u8>,
    ) -> Result<Value> {
        let mut writer = shape.begin(buffer);
        for (entry, hint) in entries.iter().zip(hints) {
            let ObjectEntry::Named(_, e) = entry else { continue };
            // an attribute of a stored document is copied as it lies there
            if let Ex::Path(slot, names) = e
                && let Value::Stored(stored) = &self.frame[*slot]
                && let raw = stored.raw().path_near(names, hint)
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
