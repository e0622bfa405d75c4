//! Objects that a query makes: `{name: expression, …}`.
//!
//! A row is mostly a few attributes with short values. In the stored form it is one allocation instead of many, and what
//! is the same for every row - the names and their order - is found once a query.

use super::context::Ctx;
use super::rows::ResultRows;
use crate::Result;
use crate::plan::expr::{Ex, ObjectEntry};
use crate::value::{Object, SMALL_VALUE, Shape, SmolStr, Value};

/// So many shapes are remembered.
const SHAPES: usize = 16;

/// The shape of the objects that one expression makes; taken out while one of them is made.
struct Known {
    /// The place of the expression in the plan.
    place: usize,
    shape: Option<Box<Shaped>>,
}

struct Shaped {
    shape: Shape,
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
    /// The shape of what the entries make; `None` where it differs from row to row, or a name stands there twice.
    fn take(&mut self, entries: &[ObjectEntry]) -> Option<Box<Shaped>> {
        // the plan outlives the query, so that its places are not used by others
        let place = entries.as_ptr().addr();
        if self.known.get(self.last).is_none_or(|known| known.place != place) {
            self.last = self.known.iter().position(|known| known.place == place).unwrap_or_else(|| {
                let shaped = |shape| Box::new(Shaped { shape, hints: vec![0; entries.len()] });
                let known = Known { place, shape: shape(entries).map(shaped) };
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
    fn put_back(&mut self, entries: &[ObjectEntry], shaped: Box<Shaped>) {
        let place = entries.as_ptr().addr();
        if let Some(known) = self.known.iter_mut().find(|known| known.place == place) {
            known.shape = Some(shaped);
        }
    }
}

fn shape(entries: &[ObjectEntry]) -> Option<Shape> {
    let names = entries.iter().map(|entry| match entry {
        ObjectEntry::Named(name, _) => Some(name.as_str()),
        ObjectEntry::Computed(..) | ObjectEntry::Spread(_) => None,
    });
    Shape::of(&names.collect::<Option<Vec<_>>>()?)
}

impl Ctx<'_> {
    pub(super) fn eval_object(&mut self, entries: &[ObjectEntry]) -> Result<Value> {
        if let Some(mut shaped) = self.shapes.take(entries) {
            let object = self.eval_shaped(&mut shaped, entries);
            self.shapes.put_back(entries, shaped);
            return object;
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
    fn eval_shaped(&mut self, shaped: &mut Shaped, entries: &[ObjectEntry]) -> Result<Value> {
        let mut buffer = self.shapes.buffers.pop().unwrap_or_default();
        buffer.clear();
        let object = self.write_shaped(shaped, entries, &mut buffer);
        let object = object.map(|built| built.unwrap_or_else(|| Value::from_stored(buffer.as_slice().into())));
        self.shapes.buffers.push(buffer);
        object
    }

    /// Evaluates what a row of the result is. Tells the bytes it takes.
    pub(super) fn eval_row(&mut self, output: &Ex, rows: &mut ResultRows) -> Result<usize> {
        let Ex::Object(entries) = output else {
            let row = self.eval(output)?;
            let bytes = row.row_memory();
            rows.push(row);
            return Ok(bytes);
        };
        let before = self.memory();
        let row = match self.shapes.take(entries) {
            Some(mut shaped) => {
                let mut buffer = self.shapes.buffers.pop().unwrap_or_default();
                buffer.clear();
                let row = self.write_shaped(&mut shaped, entries, &mut buffer);
                self.shapes.put_back(entries, shaped);
                if let Ok(None) = row {
                    rows.push_stored(&buffer);
                }
                let stored = buffer.len();
                self.shapes.buffers.push(buffer);
                match row? {
                    None => Err(stored),
                    Some(object) => Ok(object),
                }
            }
            None => Ok(self.eval_object(entries)?),
        };
        self.reset_memory(before);
        match row {
            Err(stored) => Ok(Value::stored_row_memory(stored)),
            Ok(object) => {
                let bytes = object.row_memory();
                rows.push(object);
                Ok(bytes)
            }
        }
    }

    /// Writes an object into an empty buffer; one that is better built in memory is given back.
    fn write_shaped(
        &mut self,
        shaped: &mut Shaped,
        entries: &[ObjectEntry],
        buffer: &mut Vec<u8>,
    ) -> Result<Option<Value>> {
        let Shaped { shape, hints } = shaped;
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
            if let Ex::Slot(slot) = e
                && self.frame[*slot].is_small()
            {
                writer.value(&self.frame[*slot]);
                continue;
            }
            let value = self.value(e)?;
            if !value.is_small() {
                let before = writer.written();
                return self.go_on_in_memory(before, value, entries).map(Some);
            }
            writer.value(&value);
        }
        writer.finish();
        Ok(None)
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
