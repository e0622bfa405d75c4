//! What is drawn over a page of an attached PDF file: filled form fields, stamps, signatures.

use hayro_syntax::object::{Array, Dict, Name, ObjRef, Rect, Stream};
use hayro_syntax::page::Page;
use pdf_writer::Ref;

use super::imported::Copier;

/// Flags of an annotation that is not to be seen: hidden, or not shown on screens.
const NOT_SEEN: i32 = 2 | 32;

/// The appearance of an annotation.
pub(super) struct Appearance {
    pub id: Ref,
    /// Takes the appearance to its place on the page.
    pub matrix: [f32; 6],
}

/// The appearances of a page's annotations, in the order in which they are drawn.
pub(super) fn of(copier: &mut Copier<'_>, page: &Page<'_>) -> Vec<Appearance> {
    let annotations = page.raw().get::<Array<'_>>(b"Annots");
    let annotations = annotations.iter().flat_map(Array::iter::<Dict<'_>>);
    annotations
        .filter_map(|annotation| {
            let (object, appearance) = appearance(&annotation)?;
            let matrix = placement(&annotation, &appearance)?;
            Some(Appearance { id: copier.number(object), matrix })
        })
        .collect()
}

fn appearance<'a>(annotation: &Dict<'a>) -> Option<(ObjRef, Stream<'a>)> {
    let is_hidden = annotation.get::<i32>(b"F").unwrap_or(0) & NOT_SEEN != 0;
    let is_popup = annotation.get::<Name<'_>>(b"Subtype").is_some_and(|kind| *kind == *b"Popup");
    if is_hidden || is_popup {
        return None;
    }
    let appearances = annotation.get::<Dict<'_>>(b"AP")?;
    if let Some(stream) = appearances.get::<Stream<'_>>(b"N") {
        return Some((appearances.get_ref(b"N")?, stream));
    }
    let states = appearances.get::<Dict<'_>>(b"N")?;
    let state = annotation.get::<Name<'_>>(b"AS")?;
    Some((states.get_ref(&*state)?, states.get::<Stream<'_>>(&*state)?))
}

/// The matrix that takes the bounds of the appearance, turned as it says, onto the rectangle of the annotation.
fn placement(annotation: &Dict<'_>, appearance: &Stream<'_>) -> Option<[f32; 6]> {
    let target = annotation.get::<Rect>(b"Rect")?;
    let bounds = appearance.dict().get::<Rect>(b"BBox")?;
    let numbers: Vec<f32> = appearance.dict().get::<Array<'_>>(b"Matrix").iter().flat_map(Array::iter::<f32>).collect();
    let [a, b, c, d, e, f] = <[f32; 6]>::try_from(numbers).unwrap_or([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let corners = [(bounds.x0, bounds.y0), (bounds.x1, bounds.y0), (bounds.x0, bounds.y1), (bounds.x1, bounds.y1)]
        .map(|(x, y)| (x as f32, y as f32))
        .map(|(x, y)| (a * x + c * y + e, b * x + d * y + f));
    let range = |values: [f32; 4]| {
        let least = values.into_iter().fold(f32::INFINITY, f32::min);
        (least, values.into_iter().fold(f32::NEG_INFINITY, f32::max) - least)
    };
    let (left, width) = range(corners.map(|(x, _)| x));
    let (low, height) = range(corners.map(|(_, y)| y));
    let (across, up) = (target.width() as f32 / width, target.height() as f32 / height);
    let is_usable = [across, up].iter().all(|scale| scale.is_finite() && *scale > 0.0);
    is_usable.then_some([across, 0.0, 0.0, up, target.x0 as f32 - left * across, target.y0 as f32 - low * up])
}
