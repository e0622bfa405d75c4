//! The AQL value.
