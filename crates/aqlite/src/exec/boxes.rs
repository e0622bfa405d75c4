//! Reading a box of an index over several numbers.

use super::context::Ctx;
use crate::Result;
use crate::catalog::{Collection, Index};
use crate::plan::Side;
use crate::txn::{DocId, RangeScan};
use crate::value::z_order::{self, Box as Area};
use crate::value::{EXACT, Value, index_key};

/// So many entries outside of the box are passed over before it is worth to look for the next one inside.
const PASSED_OVER: usize = 8;

/// The box between bounds; `None`: no number is there. It may be a little larger: the conditions are still tested.
pub(super) fn area(sides: &[Side], ctx: &mut Ctx<'_>) -> Result<Option<Area>> {
    let (mut least, mut most) = (Vec::new(), Vec::new());
    for side in sides {
        let lower = side.lower.as_ref().map(|(e, inclusive)| Ok((ctx.eval(e)?, *inclusive))).transpose()?;
        let upper = side.upper.as_ref().map(|(e, inclusive)| Ok((ctx.eval(e)?, *inclusive))).transpose()?;
        // null and truth values are less than numbers, everything else is greater
        least.push(match &lower {
            Some((value, inclusive)) if value.is_number() => {
                let (bound, step) = bound(value, *inclusive);
                bound.saturating_add(step)
            }
            Some((value, _)) if !(value.is_null() || value.is_bool()) => return Ok(None),
            _ => 0,
        });
        most.push(match &upper {
            Some((value, inclusive)) if value.is_number() => {
                let (bound, step) = bound(value, *inclusive);
                bound.saturating_sub(step)
            }
            Some((value, _)) if value.is_null() || value.is_bool() => return Ok(None),
            _ => u64::MAX,
        });
    }
    let area = Area { least, most };
    Ok((!area.is_empty()).then_some(area))
}

/// A number of a bound, and how far from it the box begins.
fn bound(value: &Value, inclusive: bool) -> (u64, u64) {
    let number = value.as_f64().unwrap_or_default();
    // beyond, one that is greater may look equal
    (z_order::ordered(number), u64::from(!inclusive && number.abs() < EXACT))
}

/// The entries of a box, behind the values of the fields that stand before it.
pub(super) struct BoxScan {
    before: Vec<u8>,
    area: Area,
    range: RangeScan,
}

impl BoxScan {
    pub fn new(c: &Collection, index: &Index, before: Vec<u8>, area: Area, ctx: &mut Ctx<'_>) -> Result<Self> {
        let range = open(c, index, &before, (&area.least, &area.most), ctx)?;
        Ok(Self { before, area, range })
    }

    pub fn next(&mut self, c: &Collection, index: &Index, ctx: &mut Ctx<'_>) -> Result<Option<DocId>> {
        let mut outside = 0;
        while let Some(id) = self.range.next()? {
            let key = self.range.key().get(self.before.len()..).unwrap_or_default();
            let point = z_order::decode(key, self.area.least.len());
            if self.area.has(&point) {
                return Ok(Some(id));
            }
            ctx.tick()?;
            ctx.stats.scanned_index += 1;
            outside += 1;
            if outside == PASSED_OVER {
                outside = 0;
                let Some(next) = self.area.next_from(&point) else { return Ok(None) };
                self.range = open(c, index, &self.before, (&next, &self.area.most), ctx)?;
            }
        }
        Ok(None)
    }

    /// See [`RangeScan::held`].
    pub fn held(&self) -> Value {
        self.range.held()
    }
}

/// The entries from one point to another.
fn open(
    c: &Collection,
    index: &Index,
    before: &[u8],
    (first, last): (&[u64], &[u64]),
    ctx: &mut Ctx<'_>,
) -> Result<RangeScan> {
    let (mut lower, mut upper) = (before.to_vec(), before.to_vec());
    z_order::encode(first, &mut lower);
    z_order::encode(last, &mut upper);
    index_key::increment(&mut upper);
    ctx.view()?.range(c, index, &lower, Some(&upper), false)
}
