//! Which values are copied into an object that is made, and which are shared with it.

use super::Value;

/// What is longer is shared, not copied.
pub(crate) const SMALL_VALUE: usize = 256;
/// An array of at most so many short values is copied as well.
const SMALL_ARRAY: usize = 16;

impl Value {
    /// Is it short enough to be copied?
    pub(crate) fn is_small(&self) -> bool {
        match self {
            Self::Stored(stored) => stored.raw().byte_len() <= SMALL_VALUE,
            Self::Str(text) => text.len() <= SMALL_VALUE,
            Self::Array(items) => items.len() <= SMALL_ARRAY && items.iter().all(Self::is_tiny),
            Self::Object(_) => false,
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) => true,
        }
    }

    /// An object of short values in its stored form, in which those who read it often find what they look for sooner. What is
    /// something else stays as it is.
    pub(crate) fn in_one_piece(&self) -> Self {
        match self {
            Self::Object(object) if object.values().all(Self::is_small) => Self::from_stored(self.to_stored()),
            _ => self.clone(),
        }
    }

    /// A value that takes no memory beyond its own place.
    fn is_tiny(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) => true,
            Self::Str(text) => !text.is_heap_allocated(),
            Self::Array(_) | Self::Object(_) | Self::Stored(_) => false,
        }
    }
}
