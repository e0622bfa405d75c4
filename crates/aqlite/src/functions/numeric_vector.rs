//! Distances between vectors, and scores that fall with the distance from an origin.

use crate::Result;
use crate::error::code;
use crate::value::Value;

use super::array::warn_in;
use super::numeric::number;
use super::{Function, Host, pure};

/// The functions of this file.
pub const FUNCTIONS: &[Function] = &[
    pure("COSINE_SIMILARITY", 2, 2, |h, a| distances(h, a, "COSINE_SIMILARITY", cosine)),
    pure("DECAY_EXP", 5, 5, |h, a| decay(h, a, "DECAY_EXP", exponential)),
    pure("DECAY_GAUSS", 5, 5, |h, a| decay(h, a, "DECAY_GAUSS", gauss)),
    pure("DECAY_LINEAR", 5, 5, |h, a| decay(h, a, "DECAY_LINEAR", linear)),
    pure("L1_DISTANCE", 2, 2, |h, a| distances(h, a, "L1_DISTANCE", manhattan)),
    pure("L2_DISTANCE", 2, 2, |h, a| distances(h, a, "L2_DISTANCE", euclidean)),
];

/// `None` where the result is no number.
type Distance = fn(&[(f64, f64)]) -> Option<f64>;

fn cosine(pairs: &[(f64, f64)]) -> Option<f64> {
    let sum = |f: fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>();
    let denominator = sum(|(x, _)| x * x).sqrt() * sum(|(_, y)| y * y).sqrt();
    (denominator != 0.0).then(|| (sum(|(x, y)| x * y) / denominator).clamp(-1.0, 1.0))
}

fn manhattan(pairs: &[(f64, f64)]) -> Option<f64> {
    Some(pairs.iter().map(|(x, y)| (x - y).abs()).sum())
}

fn euclidean(pairs: &[(f64, f64)]) -> Option<f64> {
    Some(pairs.iter().map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt())
}

/// Between two vectors, or between each row of a matrix and a vector.
fn distances(host: &mut dyn Host, args: &[Value], name: &str, f: Distance) -> Result<Value> {
    let (left, right) = (&args[0], &args[1]);
    let empty = |v: &Value| v.array_len().is_none_or(|n| n == 0);
    if empty(left) || empty(right) {
        return host.wrong_type(name);
    }
    let (matrix, vector) = if left.at(0).is_array() {
        (left, right)
    } else if right.at(0).is_array() {
        (right, left)
    } else {
        return distance(host, left, right, name, f);
    };
    let mut result = Vec::new();
    for row in matrix.iter_array() {
        let distance = if row.is_array() { distance(host, &row, vector, name, f)? } else { host.wrong_type(name)? };
        if distance.is_null() {
            return Ok(Value::Null);
        }
        result.push(distance);
    }
    Ok(result.into())
}

fn distance(host: &mut dyn Host, left: &Value, right: &Value, name: &str, f: Distance) -> Result<Value> {
    let pairs: Option<Vec<(f64, f64)>> = if left.array_len() == right.array_len() {
        left.iter_array().zip(right.iter_array()).map(|(x, y)| Some((x.as_f64()?, y.as_f64()?))).collect()
    } else {
        None
    };
    match pairs.as_deref().map(f) {
        None => host.wrong_type(name),
        Some(None) => warn_in(host, name, code::QUERY_INVALID_ARITHMETIC_VALUE),
        Some(Some(distance)) => Ok(number(distance)),
    }
}

/// The score at a distance (after the offset) for a scale and the score wanted there.
type Decay = fn(distance: f64, scale: f64, decay: f64) -> f64;

fn exponential(distance: f64, scale: f64, decay: f64) -> f64 {
    (decay.ln() / scale * distance).exp()
}

fn gauss(distance: f64, scale: f64, decay: f64) -> f64 {
    let variance = -(scale * scale) / (2.0 * decay.ln());
    (-(distance * distance) / (2.0 * variance)).exp()
}

fn linear(distance: f64, scale: f64, decay: f64) -> f64 {
    let reach = scale / (1.0 - decay);
    ((reach - distance) / reach).max(0.0)
}

fn decay(host: &mut dyn Host, args: &[Value], name: &str, f: Decay) -> Result<Value> {
    let parameters: Option<Vec<f64>> = args[1..].iter().map(Value::as_f64).collect();
    let Some(&[origin, scale, offset, decay]) = parameters.as_deref() else { return host.wrong_type(name) };
    let values: Option<Vec<f64>> = match args[0].as_f64() {
        Some(x) => Some(vec![x]),
        None if args[0].is_array() => args[0].iter_array().map(|item| item.as_f64()).collect(),
        None => None,
    };
    let Some(values) = values else { return host.wrong_type(name) };
    if scale <= 0.0 || offset < 0.0 || decay <= 0.0 || decay >= 1.0 {
        return warn_in(host, name, code::QUERY_NUMBER_OUT_OF_RANGE);
    }
    let score = |x: &f64| number(f(((x - origin).abs() - offset).max(0.0), scale, decay));
    if args[0].is_array() {
        Ok(values.iter().map(score).collect::<Vec<_>>().into())
    } else {
        Ok(values.first().map(score).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check;

    #[test]
    fn rows_of_a_matrix_are_compared_with_a_vector() {
        check(&[
            ("L2_DISTANCE", "[[[0,0],[3,4]],[0,0]]", "[0,5]"),
            ("L1_DISTANCE", "[[1,2],[3,5]]", "5"),
            ("L1_DISTANCE", "[[1],[1,2]]", "warning 1542"),
            ("L1_DISTANCE", "[[],[]]", "warning 1542"),
        ]);
    }

    #[test]
    fn a_vector_without_length_has_no_direction() {
        check(&[
            ("COSINE_SIMILARITY", "[[0,0],[1,1]]", "warning 1561"),
            ("COSINE_SIMILARITY", "[[1,2,3],[2,4,6]]", "1"),
        ]);
    }

    #[test]
    fn scores_fall_with_the_distance_beyond_the_offset() {
        check(&[
            ("DECAY_LINEAR", "[5,3,2,1,0.5]", "0.75"),
            ("DECAY_GAUSS", "[41,40,5,5,0.5]", "1"),
            ("DECAY_LINEAR", "[[1,2],0,5,1,0.5]", "[1,0.9]"),
            ("DECAY_GAUSS", "[1,2,0,1,0.5]", "warning 1504"),
            ("DECAY_EXP", r#"["a",0,1,0,0.5]"#, "warning 1542"),
        ]);
    }
}
