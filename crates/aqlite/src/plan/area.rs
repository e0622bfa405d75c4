//! What an index over places is asked for.

use super::expr::Ex;

/// A question that is not about the order of values. What it finds may be more than is wanted: the conditions it comes
/// from are still tested.
#[derive(Clone)]
pub enum Area {
    /// Places by their distance from another one.
    Distance(Distance),
    /// Places that have something in common with a shape.
    Touching {
        /// The condition: a call of `GEO_CONTAINS` or `GEO_INTERSECTS`.
        call: Ex,
        /// The shape.
        shape: Ex,
    },
}

/// See [`Area::Distance`].
#[derive(Clone)]
pub struct Distance {
    /// The call that computes the distance of a document.
    pub call: Ex,
    /// What it is measured from.
    pub center: Ex,
    /// A bound and whether it is inclusive.
    pub lower: Option<(Ex, bool)>,
    /// The same for the greatest distance.
    pub upper: Option<(Ex, bool)>,
    /// The nearest come first.
    pub sorted: bool,
    /// By which part the distance may differ from that on the sphere.
    pub tolerance: f64,
}

impl Area {
    /// Calls `f` for every expression.
    pub fn for_each_ex<'a>(&'a self, f: &mut dyn FnMut(&'a Ex)) {
        match self {
            Self::Distance(d) => {
                f(&d.call);
                f(&d.center);
                d.lower.iter().chain(&d.upper).for_each(|(e, _)| f(e));
            }
            Self::Touching { call, shape } => {
                f(call);
                f(shape);
            }
        }
    }

    /// The mutable counterpart of [`Area::for_each_ex`].
    pub fn for_each_ex_mut(&mut self, f: &mut dyn FnMut(&mut Ex)) {
        match self {
            Self::Distance(d) => {
                f(&mut d.call);
                f(&mut d.center);
                d.lower.iter_mut().chain(&mut d.upper).for_each(|(e, _)| f(e));
            }
            Self::Touching { call, shape } => {
                f(call);
                f(shape);
            }
        }
    }
}
