//! Functions that reduce an array to one value. Nulls in the array are left out.

use crate::Result;
use crate::error::code;
use crate::value::Value;

use super::array::{array_expected, warn_in};
use super::numeric::number;
use super::{Function, Host, pure};

/// The functions of this file.
pub const FUNCTIONS: &[Function] = &[
    pure("AVERAGE", 1, 1, average),
    pure("MAX", 1, 1, max),
    pure("MEDIAN", 1, 1, median),
    pure("MIN", 1, 1, min),
    pure("PERCENTILE", 2, 3, percentile),
    pure("PRODUCT", 1, 1, product),
    pure("STDDEV_POPULATION", 1, 1, |h, a| spread(h, a, "STDDEV_POPULATION", Moments::stddev_population)),
    pure("STDDEV_SAMPLE", 1, 1, |h, a| spread(h, a, "STDDEV_SAMPLE", Moments::stddev_sample)),
    pure("SUM", 1, 1, sum),
    pure("VARIANCE_POPULATION", 1, 1, |h, a| spread(h, a, "VARIANCE_POPULATION", Moments::variance_population)),
    pure("VARIANCE_SAMPLE", 1, 1, |h, a| spread(h, a, "VARIANCE_SAMPLE", Moments::variance_sample)),
];

/// Mean and spread of the numbers seen so far, by Welford's method, which does not lose digits to large means.
#[derive(Clone, Default)]
pub(super) struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub fn add(&mut self, x: f64) {
        let delta = x - self.mean;
        self.count += 1;
        self.mean += delta / self.count as f64;
        self.squares += delta * (x - self.mean);
    }

    pub fn variance_population(&self) -> Option<f64> {
        (self.count > 0).then(|| self.squares / self.count as f64)
    }

    pub fn variance_sample(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    pub fn stddev_population(&self) -> Option<f64> {
        self.variance_population().map(f64::sqrt)
    }

    pub fn stddev_sample(&self) -> Option<f64> {
        self.variance_sample().map(f64::sqrt)
    }
}

/// The numbers of an array; `None` when there is something else in it.
fn numbers(list: &Value) -> Option<Vec<f64>> {
    list.iter_array().filter(|item| !item.is_null()).map(|item| item.as_f64()).collect()
}

fn min(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "MIN");
    }
    let least = args[0].iter_array().filter(|item| !item.is_null()).min_by(Value::compare);
    Ok(least.unwrap_or_default())
}

fn max(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "MAX");
    }
    // of equal elements the first
    let greatest = args[0].iter_array().reduce(|best, item| if item.compare(&best).is_gt() { item } else { best });
    Ok(greatest.unwrap_or_default())
}

fn sum(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "SUM");
    }
    // folded from zero: the empty sum of std is minus zero
    Ok(numbers(&args[0]).map_or(Value::Null, |all| finite_or_zero(all.iter().fold(0.0, |sum, x| sum + x))))
}

fn product(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "PRODUCT");
    }
    Ok(numbers(&args[0]).map_or(Value::Null, |all| finite_or_zero(all.iter().product())))
}

/// A sum or a product that is too large for a number is zero, not null.
fn finite_or_zero(x: f64) -> Value {
    if x.is_finite() { number(x) } else { Value::Int(0) }
}

fn average(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match numbers(&args[0]).filter(|_| args[0].is_array()) {
        None => array_expected(host, "AVERAGE"),
        Some(all) if all.is_empty() => Ok(Value::Null),
        Some(all) => Ok(number(all.iter().fold(0.0, |sum, x| sum + x) / all.len() as f64)),
    }
}

/// The numbers of the first argument in their order; the warning is given when there are none to be had.
fn sorted_numbers(host: &mut dyn Host, list: &Value, name: &str) -> Result<Option<Vec<f64>>> {
    let Some(mut all) = numbers(list) else {
        warn_in(host, name, code::QUERY_INVALID_ARITHMETIC_VALUE)?;
        return Ok(None);
    };
    all.sort_by(f64::total_cmp);
    Ok(Some(all))
}

#[expect(clippy::manual_midpoint, reason = "the sum may be too large, as in ArangoDB")]
fn median(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "MEDIAN");
    }
    let Some(all) = sorted_numbers(host, &args[0], "MEDIAN")? else { return Ok(Value::Null) };
    let middle = all.len() / 2;
    Ok(match all.get(middle) {
        None => Value::Null,
        Some(upper) if all.len() % 2 == 0 => number((all[middle - 1] + *upper) / 2.0),
        Some(value) => number(*value),
    })
}

fn percentile(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "PERCENTILE";
    if !args[0].is_array() {
        return array_expected(host, NAME);
    }
    let Some(p) = args[1].as_f64().filter(|p| *p > 0.0 && *p <= 100.0) else { return host.wrong_type(NAME) };
    let interpolate = match args.get(2).map(Value::as_str) {
        None | Some(Some("rank")) => false,
        Some(Some("interpolation")) => true,
        Some(_) => return host.wrong_type(NAME),
    };
    let Some(all) = sorted_numbers(host, &args[0], NAME)? else { return Ok(Value::Null) };
    let Some(greatest) = all.last() else { return Ok(Value::Null) };
    if all.len() == 1 {
        return Ok(number(*greatest));
    }
    let rank = if interpolate { p * (all.len() + 1) as f64 / 100.0 } else { (p * all.len() as f64 / 100.0).ceil() };
    let position = rank.floor() as usize;
    Ok(if position >= all.len() {
        number(*greatest)
    } else if position == 0 {
        Value::Null
    } else {
        let (lower, upper) = (all[position - 1], all[position]);
        number(lower + (rank - rank.floor()) * (upper - lower))
    })
}

fn spread(host: &mut dyn Host, args: &[Value], name: &str, f: fn(&Moments) -> Option<f64>) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, name);
    }
    let Some(all) = numbers(&args[0]) else { return warn_in(host, name, code::QUERY_INVALID_ARITHMETIC_VALUE) };
    let mut moments = Moments::default();
    for x in all {
        moments.add(x);
    }
    Ok(f(&moments).map_or(Value::Null, number))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check;

    #[test]
    fn nulls_are_left_out() {
        check(&[
            ("SUM", "[[null,1]]", "1"),
            ("MIN", "[[null,5]]", "5"),
            ("AVERAGE", "[[null,3]]", "3"),
            ("MEDIAN", "[[null,5,1]]", "3"),
            ("PRODUCT", "[[null,5]]", "5"),
            ("VARIANCE_POPULATION", "[[1,null,3]]", "1"),
        ]);
    }

    #[test]
    fn nothing_adds_up_to_zero_and_has_no_mean() {
        check(&[
            ("SUM", "[[]]", "0"),
            ("PRODUCT", "[[]]", "1"),
            ("AVERAGE", "[[]]", "null"),
            ("MAX", "[[]]", "null"),
            ("STDDEV_POPULATION", "[[]]", "null"),
            ("VARIANCE_SAMPLE", "[[1]]", "null"),
        ]);
    }

    #[test]
    fn what_grows_beyond_the_numbers_is_zero_and_has_no_mean() {
        check(&[
            ("SUM", "[[1e308,1e308]]", "0"),
            ("PRODUCT", "[[1e308,1e308]]", "0"),
            ("AVERAGE", "[[1e308,1e308]]", "null"),
            ("MEDIAN", "[[1e308,1e308]]", "null"),
        ]);
    }

    #[test]
    fn anything_but_numbers_is_told_in_different_ways() {
        check(&[
            ("SUM", r#"[[1,"2"]]"#, "null"),
            ("AVERAGE", r#"[["a"]]"#, "warning 1563"),
            ("MEDIAN", r#"[["a"]]"#, "warning 1561"),
            ("VARIANCE_SAMPLE", r#"[["a"]]"#, "warning 1561"),
            ("SUM", r#"["abc"]"#, "warning 1563"),
        ]);
    }

    #[test]
    fn percentiles_by_rank_or_between_ranks() {
        check(&[
            ("PERCENTILE", "[[1,2,3,4],50]", "2"),
            ("PERCENTILE", r#"[[1,2,3,4],50,"interpolation"]"#, "2.5"),
            ("PERCENTILE", "[[1,2,3],0]", "warning 1542"),
            ("PERCENTILE", "[[1,2,3],101]", "warning 1542"),
            ("PERCENTILE", r#"[[1],50,"x"]"#, "warning 1542"),
        ]);
    }

    #[test]
    fn a_large_mean_does_not_hide_the_variance() {
        check(&[("VARIANCE_POPULATION", "[[1000000000001,1000000000002,1000000000003]]", "0.6666666666666666")]);
    }
}
