//! What an index over places or several numbers is asked for.

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
    /// Points between bounds, those of each dimension.
    Within(Vec<Side>),
}

/// The bounds of one dimension: expressions and whether they are inclusive.
#[derive(Clone, Default)]
pub struct Side {
    /// From here.
    pub lower: Option<(Ex, bool)>,
    /// To there.
    pub upper: Option<(Ex, bool)>,
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
    /// The nearest come first,
    pub sorted: bool,
    /// or the furthest.
    pub furthest: bool,
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
            Self::Within(sides) => {
                sides.iter().flat_map(|side| side.lower.iter().chain(&side.upper)).for_each(|(e, _)| f(e));
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
            Self::Within(sides) => {
                let bounds = sides.iter_mut().flat_map(|side| side.lower.iter_mut().chain(&mut side.upper));
                bounds.for_each(|(e, _)| f(e));
            }
        }
    }
}
