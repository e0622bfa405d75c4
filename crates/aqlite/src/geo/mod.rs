//! Places on the earth: shapes, the cells that cover them, and the entries that an index has of them.

pub(crate) mod cover;
pub(crate) mod places;
pub(crate) mod shape;
pub(crate) mod sphere;

/// Metres: the sphere on which distances are computed.
pub(crate) const EARTH_RADIUS: f64 = 6_371_000.0;
