//! Keys for documents that come without one.

use std::sync::Arc;

use parking_lot::Mutex;
use smol_str::{SmolStr, ToSmolStr, format_smolstr};

use super::snapshot::Shared;
use crate::catalog::{Collection, KeyGenerator, names};
use crate::error::code;
use crate::value::Value;
use crate::{Error, Result};

/// The last number a collection's generator gave out or met in a key.
pub(crate) struct KeyState {
    last: Mutex<u64>,
}

impl Shared {
    /// The generator state of a collection.
    pub fn key_state(&self, collection: u64) -> Result<Arc<KeyState>> {
        if let Some(state) = self.key_states.lock().get(&collection) {
            return Ok(Arc::clone(state));
        }
        let last = self.current().last_key(collection)?;
        let mut states = self.key_states.lock();
        let state = states.entry(collection).or_insert_with(|| Arc::new(KeyState { last: Mutex::new(last) }));
        Ok(Arc::clone(state))
    }
}

impl KeyState {
    pub fn last(&self) -> u64 {
        *self.last.lock()
    }

    /// Are the keys it gives out unlike all that are there? They are greater than every number a key has shown.
    pub fn never_repeats(collection: &Collection) -> bool {
        collection.properties.key_options.generator != KeyGenerator::Uuid
    }

    /// The key of a document that comes, and the number to remember: its own, or one nobody has had.
    pub fn key_for(
        &self,
        collection: &Collection,
        given: Option<Value>,
        is_restore: bool,
        shared: &Shared,
    ) -> Result<(SmolStr, Option<u64>)> {
        match given {
            None => self.generate(collection, shared),
            Some(Value::Str(key)) if names::is_key(&key) => {
                if !collection.properties.key_options.allow_user_keys && !is_restore {
                    return Err(Error::plain(code::DOCUMENT_KEY_UNEXPECTED));
                }
                let last = self.track(collection, &key);
                Ok((key, last))
            }
            Some(_) => Err(Error::plain(code::DOCUMENT_KEY_BAD)),
        }
    }

    /// A key nobody has had, and the number to remember.
    pub fn generate(&self, collection: &Collection, shared: &Shared) -> Result<(SmolStr, Option<u64>)> {
        let mut last = self.last.lock();
        let out_of_keys = || Error::plain(code::OUT_OF_KEYS);
        match collection.properties.key_options.generator {
            KeyGenerator::Traditional => {
                *last = shared.tick.next().max(last.checked_add(1).ok_or_else(out_of_keys)?);
                Ok((text_of(*last), Some(*last)))
            }
            KeyGenerator::Padded => {
                *last = shared.tick.next().max(last.checked_add(1).ok_or_else(out_of_keys)?);
                Ok((format_smolstr!("{:016x}", *last), Some(*last)))
            }
            KeyGenerator::Autoincrement { offset, increment } => {
                *last = next_increment(*last, offset, increment).ok_or_else(out_of_keys)?;
                Ok((text_of(*last), Some(*last)))
            }
            KeyGenerator::Uuid => Ok((uuid::Uuid::new_v4().to_smolstr(), None)),
        }
    }

    /// Takes note of a key that a document brought along, so that it is not generated later.
    pub fn track(&self, collection: &Collection, key: &str) -> Option<u64> {
        let number = match collection.properties.key_options.generator {
            KeyGenerator::Traditional | KeyGenerator::Autoincrement { .. } => key.parse().ok(),
            KeyGenerator::Padded if key.len() == 16 => u64::from_str_radix(key, 16).ok(),
            KeyGenerator::Padded | KeyGenerator::Uuid => None,
        }?;
        let mut last = self.last.lock();
        (number > *last).then(|| {
            *last = number;
            number
        })
    }
}

fn text_of(number: u64) -> SmolStr {
    SmolStr::new(itoa::Buffer::new().format(number))
}

fn next_increment(last: u64, offset: u64, increment: u64) -> Option<u64> {
    // the first key is at least 1
    let first = if offset == 0 { increment } else { offset };
    if last < first {
        return Some(first);
    }
    let steps = ((last - offset) / increment).checked_add(1)?;
    steps.checked_mul(increment)?.checked_add(offset)
}

#[cfg(test)]
mod tests {
    use super::next_increment;

    #[test]
    fn autoincrement_goes_on_behind_the_last_key_in_steps_from_the_offset() {
        assert_eq!(next_increment(0, 10, 5), Some(10));
        assert_eq!(next_increment(10, 10, 5), Some(15));
        assert_eq!(next_increment(42, 10, 5), Some(45));
        assert_eq!(next_increment(0, 0, 1), Some(1));
        assert_eq!(next_increment(u64::MAX, 0, 1), None);
    }
}
