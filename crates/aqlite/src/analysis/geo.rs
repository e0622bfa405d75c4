//! Analyzers of places: which place a value names, and the cells that it is found by.

use smol_str::SmolStr;

use crate::geo::places::Placed;
use crate::geo::shape::Shape;
use crate::geo::sphere::degrees;
use crate::value::Value;

/// How a value names a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GeoForm {
    /// Any shape.
    Shape,
    /// The centre of any shape.
    Centroid,
    /// Points only.
    Point,
    /// A latitude and a longitude in an array.
    Pair,
    /// Both as attributes of an object.
    Attributes {
        /// Where the latitude is.
        latitude: Vec<SmolStr>,
        /// Where the longitude is.
        longitude: Vec<SmolStr>,
    },
}

impl GeoForm {
    /// The place of a value, as the functions of places take it; `None`: it names none.
    pub fn place(&self, value: &Value) -> Option<Value> {
        let pair = |latitude: Value, longitude: Value| {
            let is_pair = latitude.is_number() && longitude.is_number();
            is_pair.then(|| Value::array(vec![longitude, latitude]))
        };
        let place = match self {
            Self::Shape => value.clone(),
            Self::Centroid => {
                let (latitude, longitude) = degrees(&Shape::parse(value).ok()?.centroid());
                Value::array(vec![Value::float(longitude), Value::float(latitude)])
            }
            Self::Point => matches!(Shape::parse(value), Ok(Shape::Point(_))).then(|| value.clone())?,
            Self::Pair => pair(value.at(0), value.at(1)).filter(|_| value.array_len() == Some(2))?,
            Self::Attributes { latitude, longitude } => pair(value.path(latitude), value.path(longitude))?,
        };
        Shape::parse(&place).ok().map(|_| place)
    }

    /// What a value is found by.
    pub fn cells(&self, value: &Value) -> Vec<Vec<u8>> {
        let shape = self.place(value).and_then(|place| Shape::parse(&place).ok());
        match shape.map(Placed::shaped) {
            Some(placed @ (Placed::Point(_) | Placed::Shape(_))) => placed.entries(),
            _ => Vec::new(),
        }
    }
}
