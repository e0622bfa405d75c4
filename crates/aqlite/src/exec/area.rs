//! What an index over places is asked for, in runs of its entries.

use super::context::Ctx;
use crate::Result;
use crate::geo::places::{self, Run};
use crate::geo::shape::Shape;
use crate::plan::expr::Slot;
use crate::plan::{Area, Distance};
use crate::value::Value;

use s2::point::Point;

/// The runs that have every document in the area; `slot` is where the documents of the loop stand.
pub(super) fn runs(area: &Area, slot: Slot, ctx: &mut Ctx<'_>) -> Result<Vec<Run>> {
    match area {
        // see `boxes`
        Area::Within(_) => Ok(Vec::new()),
        Area::Touching { call, shape } => {
            if let Ok(shape) = Shape::parse(&ctx.eval(shape)?) {
                return Ok(places::touching(shape));
            }
            // true of no document: it says so itself
            ctx.frame[slot] = Value::Null;
            ctx.eval(call)?;
            Ok(Vec::new())
        }
        Area::Distance(distance) => {
            let Some(bounds) = Bounds::of(distance, ctx)? else { return Ok(Vec::new()) };
            let Some(center) = center(distance, ctx)? else { return Ok(places::everywhere()) };
            let mut runs = places::without_distance(bounds.also_nowhere);
            runs.extend(places::at_distance(center, bounds.least, bounds.most, distance.tolerance));
            Ok(runs)
        }
    }
}

/// What distances are measured from; `None`: no place, so that no document has a distance.
pub(super) fn center(distance: &Distance, ctx: &mut Ctx<'_>) -> Result<Option<Point>> {
    let center = ctx.eval(&distance.center)?;
    Ok(Shape::parse(&center).ok().and_then(|shape| places::Placed::shaped(shape).centre()))
}

/// How far documents may be, in metres.
pub(super) struct Bounds {
    pub least: f64,
    pub most: f64,
    /// What has no distance has null, which is less than any: is that near enough?
    pub also_nowhere: bool,
}

impl Bounds {
    /// `None`: nothing is at such a distance.
    pub fn of(distance: &Distance, ctx: &mut Ctx<'_>) -> Result<Option<Self>> {
        let mut bounds = Self { least: 0.0, most: f64::INFINITY, also_nowhere: true };
        if let Some((lower, _)) = &distance.lower {
            match ctx.eval(lower)? {
                value if value.is_number() => {
                    bounds.least = value.as_f64().unwrap_or_default();
                    bounds.also_nowhere = false;
                }
                value if is_less_than_numbers(&value) => {}
                _ => return Ok(None),
            }
        }
        if let Some((upper, _)) = &distance.upper {
            match ctx.eval(upper)? {
                value if value.is_number() => bounds.most = value.as_f64().unwrap_or_default(),
                value if is_less_than_numbers(&value) => bounds.most = -1.0,
                _ => {}
            }
        }
        Ok(Some(bounds))
    }
}

fn is_less_than_numbers(value: &Value) -> bool {
    value.is_null() || value.is_bool()
}
