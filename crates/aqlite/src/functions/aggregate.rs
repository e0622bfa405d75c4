//! The aggregate functions of `COLLECT ... AGGREGATE` and `WINDOW`.
//!
//! Most leave out nulls and give null as soon as something of the wrong type came in, without a warning.

use std::marker::PhantomData;

use indexmap::IndexSet;

use crate::Result;
use crate::seeded::Seeded;
use crate::value::{Member, Value};

use super::Host;
use super::array_set::sort_unique;
use super::bit::bits;
use super::numeric::number;
use super::statistics::Moments;

/// Gathers the rows of one group.
pub trait Accumulator: Send {
    /// Takes in one row: the arguments of the aggregate for it. Tells how many bytes more it keeps now.
    fn add(&mut self, args: &[Value], host: &mut dyn Host) -> Result<usize>;
    /// The same of a part of the group that another thread gathers: must the whole be told of the value, and how many bytes
    /// will it keep of it at most? What is told is added to the whole in the order of the rows.
    fn note(&mut self, value: &Value) -> Option<usize>;
    /// A part of the group had so many rows, whatever is told of them.
    fn count_in(&mut self, rows: usize);
    /// The result for what came in since the last reset; more rows may follow.
    fn finish(&mut self, host: &mut dyn Host) -> Result<Value>;
    /// Begins a new group.
    fn reset(&mut self);
}

/// An aggregate function.
#[derive(Clone, Copy)]
pub struct Aggregate {
    /// Upper-case name.
    pub name: &'static str,
    /// Least number of arguments.
    pub min: usize,
    /// Greatest number of arguments.
    pub max: usize,
    /// An accumulator for a new group.
    pub make: fn() -> Box<dyn Accumulator>,
}

/// The aggregate function of that name, in upper or lower case.
pub fn lookup(name: &str) -> Option<Aggregate> {
    AGGREGATES.iter().find(|aggregate| aggregate.name.eq_ignore_ascii_case(name)).copied()
}

const AGGREGATES: &[Aggregate] = &[
    aggregate::<Sum>("SUM"),
    Aggregate { name: "COUNT", min: 0, max: 1, make: make::<Count> },
    Aggregate { name: "LENGTH", min: 0, max: 1, make: make::<Count> },
    aggregate::<Min>("MIN"),
    aggregate::<Max>("MAX"),
    aggregate::<Average>("AVERAGE"),
    aggregate::<Average>("AVG"),
    aggregate::<Spread<VariancePopulation>>("VARIANCE"),
    aggregate::<Spread<VariancePopulation>>("VARIANCE_POPULATION"),
    aggregate::<Spread<VarianceSample>>("VARIANCE_SAMPLE"),
    aggregate::<Spread<StddevPopulation>>("STDDEV"),
    aggregate::<Spread<StddevPopulation>>("STDDEV_POPULATION"),
    aggregate::<Spread<StddevSample>>("STDDEV_SAMPLE"),
    aggregate::<Unique>("UNIQUE"),
    aggregate::<SortedUnique>("SORTED_UNIQUE"),
    aggregate::<CountDistinct>("COUNT_DISTINCT"),
    aggregate::<CountDistinct>("COUNT_UNIQUE"),
    aggregate::<Bits<And>>("BIT_AND"),
    aggregate::<Bits<Or>>("BIT_OR"),
    aggregate::<Bits<Xor>>("BIT_XOR"),
    aggregate::<Push>("PUSH"),
];

const fn aggregate<T: State>(name: &'static str) -> Aggregate {
    Aggregate { name, min: 1, max: 1, make: make::<T> }
}

fn make<T: State>() -> Box<dyn Accumulator> {
    Box::new(T::default())
}

/// An accumulator that begins at its default; rows without an argument count as null.
trait State: Default + Send + 'static {
    /// Tells how many bytes more it keeps now.
    fn add(&mut self, value: &Value) -> usize;
    fn result(&self) -> Value;

    /// See [`Accumulator::note`].
    fn note(&mut self, _: &Value) -> Option<usize> {
        Some(0)
    }

    /// See [`Accumulator::count_in`].
    fn count_in(&mut self, _: usize) {}
}

impl<T: State> Accumulator for T {
    fn add(&mut self, args: &[Value], _: &mut dyn Host) -> Result<usize> {
        Ok(State::add(self, args.first().unwrap_or(&Value::Null)))
    }

    fn note(&mut self, value: &Value) -> Option<usize> {
        State::note(self, value)
    }

    fn count_in(&mut self, rows: usize) {
        State::count_in(self, rows);
    }

    fn finish(&mut self, _: &mut dyn Host) -> Result<Value> {
        Ok(self.result())
    }

    fn reset(&mut self) {
        *self = T::default();
    }
}

#[derive(Default)]
struct Count(usize);

impl State for Count {
    fn add(&mut self, _: &Value) -> usize {
        self.0 += 1;
        0
    }

    fn result(&self) -> Value {
        self.0.into()
    }

    fn note(&mut self, _: &Value) -> Option<usize> {
        None
    }

    fn count_in(&mut self, rows: usize) {
        self.0 += rows;
    }
}

#[derive(Default)]
struct Sum {
    total: f64,
    invalid: bool,
    invoked: bool,
}

impl State for Sum {
    fn add(&mut self, value: &Value) -> usize {
        self.invoked = true;
        match value.as_f64() {
            Some(x) => self.total += x,
            None => self.invalid |= !value.is_null(),
        }
        0
    }

    fn result(&self) -> Value {
        // the sum of no rows is null, that of nothing but nulls is zero
        if self.invalid || !self.invoked { Value::Null } else { number(self.total) }
    }
}

#[derive(Default)]
struct Average {
    sum: f64,
    count: u64,
    invalid: bool,
}

impl State for Average {
    fn add(&mut self, value: &Value) -> usize {
        if let Some(x) = value.as_f64() {
            self.sum += x;
            self.count += 1;
        } else {
            self.invalid |= !value.is_null();
        }
        0
    }

    fn result(&self) -> Value {
        if self.invalid || self.count == 0 { Value::Null } else { number(self.sum / self.count as f64) }
    }
}

/// The best value so far, and the most bytes one of them had.
#[derive(Default)]
struct Best {
    value: Option<Value>,
    bytes: usize,
}

impl Best {
    fn put(&mut self, value: &Value) -> usize {
        self.value = Some(value.clone());
        let more = value.memory().saturating_sub(self.bytes);
        self.bytes += more;
        more
    }

    fn result(&self) -> Value {
        self.value.clone().unwrap_or_default()
    }
}

#[derive(Default)]
struct Min(Best);

impl Min {
    fn is_beaten_by(&self, value: &Value) -> bool {
        !value.is_null() && self.0.value.as_ref().is_none_or(|best| value.compare(best).is_lt())
    }
}

impl State for Min {
    fn add(&mut self, value: &Value) -> usize {
        if self.is_beaten_by(value) { self.0.put(value) } else { 0 }
    }

    fn result(&self) -> Value {
        self.0.result()
    }

    fn note(&mut self, value: &Value) -> Option<usize> {
        self.is_beaten_by(value).then(|| {
            self.0.put(value);
            0
        })
    }
}

#[derive(Default)]
struct Max(Best);

impl Max {
    fn is_beaten_by(&self, value: &Value) -> bool {
        self.0.value.as_ref().is_none_or(|best| value.compare(best).is_gt())
    }
}

impl State for Max {
    fn add(&mut self, value: &Value) -> usize {
        if self.is_beaten_by(value) { self.0.put(value) } else { 0 }
    }

    fn result(&self) -> Value {
        self.0.result()
    }

    fn note(&mut self, value: &Value) -> Option<usize> {
        self.is_beaten_by(value).then(|| {
            self.0.put(value);
            0
        })
    }
}

/// What is made of the moments in the end.
trait Measure: Default + Send + 'static {
    const OF: fn(&Moments) -> Option<f64>;
}

macro_rules! measures {
    ($($name:ident $method:ident;)*) => {
        $(
            #[derive(Default)]
            struct $name;

            impl Measure for $name {
                const OF: fn(&Moments) -> Option<f64> = Moments::$method;
            }
        )*
    };
}

measures! {
    VariancePopulation variance_population;
    VarianceSample variance_sample;
    StddevPopulation stddev_population;
    StddevSample stddev_sample;
}

#[derive(Default)]
struct Spread<M> {
    moments: Moments,
    invalid: bool,
    measure: PhantomData<M>,
}

impl<M: Measure> State for Spread<M> {
    fn add(&mut self, value: &Value) -> usize {
        match value.as_f64() {
            Some(x) => self.moments.add(x),
            None => self.invalid |= !value.is_null(),
        }
        0
    }

    fn result(&self) -> Value {
        if self.invalid { Value::Null } else { M::OF(&self.moments).map_or(Value::Null, number) }
    }
}

/// What a value's place among distinct ones takes.
const PLACE: usize = 24;

#[derive(Default)]
struct Unique(IndexSet<Member, Seeded>);

impl State for Unique {
    fn add(&mut self, value: &Value) -> usize {
        if self.0.insert(Member(value.clone())) { value.memory() + PLACE } else { 0 }
    }

    fn result(&self) -> Value {
        self.values().into()
    }

    fn note(&mut self, value: &Value) -> Option<usize> {
        match State::add(self, value) {
            0 => None,
            bytes => Some(bytes),
        }
    }
}

impl Unique {
    fn values(&self) -> Vec<Value> {
        self.0.iter().map(|Member(value)| value.clone()).collect()
    }
}

#[derive(Default)]
struct SortedUnique(Unique);

impl State for SortedUnique {
    fn add(&mut self, value: &Value) -> usize {
        State::add(&mut self.0, value)
    }

    fn result(&self) -> Value {
        sort_unique(self.0.values()).into()
    }

    fn note(&mut self, value: &Value) -> Option<usize> {
        State::note(&mut self.0, value)
    }
}

#[derive(Default)]
struct CountDistinct(Unique);

impl State for CountDistinct {
    fn add(&mut self, value: &Value) -> usize {
        State::add(&mut self.0, value)
    }

    fn result(&self) -> Value {
        self.0.0.len().into()
    }

    fn note(&mut self, value: &Value) -> Option<usize> {
        State::note(&mut self.0, value)
    }
}

/// How two sets of bits are combined.
trait Operation: Default + Send + 'static {
    fn apply(x: u64, y: u64) -> u64;
}

macro_rules! operations {
    ($($name:ident $op:tt;)*) => {
        $(
            #[derive(Default)]
            struct $name;

            impl Operation for $name {
                fn apply(x: u64, y: u64) -> u64 {
                    x $op y
                }
            }
        )*
    };
}

operations! {
    And &;
    Or |;
    Xor ^;
}

#[derive(Default)]
struct Bits<O> {
    combined: Option<u64>,
    invalid: bool,
    operation: PhantomData<O>,
}

impl<O: Operation> State for Bits<O> {
    fn add(&mut self, value: &Value) -> usize {
        match bits(value) {
            _ if value.is_null() => {}
            Some(x) => self.combined = Some(self.combined.map_or(x, |so_far| O::apply(so_far, x))),
            None => self.invalid = true,
        }
        0
    }

    fn result(&self) -> Value {
        self.combined.filter(|_| !self.invalid).map_or(Value::Null, |bits| Value::Int(bits as i64))
    }
}

#[derive(Default)]
struct Push(Vec<Value>);

impl State for Push {
    fn add(&mut self, value: &Value) -> usize {
        self.0.push(value.clone());
        value.memory()
    }

    fn result(&self) -> Value {
        self.0.clone().into()
    }

    fn note(&mut self, value: &Value) -> Option<usize> {
        Some(value.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::TestHost;
    use crate::value::parse_json;

    fn aggregate(name: &str, rows: &str) -> String {
        let mut host = TestHost::default();
        let mut accumulator = (lookup(name).expect("an aggregate").make)();
        for row in parse_json(rows).expect("valid JSON").iter_array() {
            accumulator.add(&[row], &mut host).expect("no error");
        }
        accumulator.finish(&mut host).expect("no error").to_json()
    }

    #[test]
    fn nulls_are_left_out_but_counted() {
        assert_eq!(aggregate("SUM", "[1,null,2]"), "3");
        assert_eq!(aggregate("AVG", "[1,null,2]"), "1.5");
        assert_eq!(aggregate("MIN", "[null,2,1]"), "1");
        assert_eq!(aggregate("COUNT", "[1,null,2]"), "3");
        assert_eq!(aggregate("BIT_OR", "[1,null,2]"), "3");
    }

    #[test]
    fn one_value_of_the_wrong_type_makes_the_result_null() {
        for name in ["SUM", "AVERAGE", "VARIANCE", "STDDEV_SAMPLE", "BIT_AND"] {
            assert_eq!(aggregate(name, "[1,2,\"x\"]"), "null", "{name}");
        }
        assert_eq!(aggregate("MAX", "[1,null,\"x\"]"), "\"x\"");
    }

    #[test]
    fn no_rows_give_null_zero_or_an_empty_array() {
        for (name, expected) in [("SUM", "null"), ("MAX", "null"), ("LENGTH", "0"), ("UNIQUE", "[]"), ("PUSH", "[]")] {
            assert_eq!(aggregate(name, "[]"), expected, "{name}");
        }
        assert_eq!(aggregate("SUM", "[null]"), "0");
    }

    #[test]
    fn distinct_values_are_kept_in_order_or_sorted() {
        assert_eq!(aggregate("UNIQUE", "[3,1,3,2]"), "[3,1,2]");
        assert_eq!(aggregate("SORTED_UNIQUE", "[3,1,3,2]"), "[1,2,3]");
        assert_eq!(aggregate("COUNT_UNIQUE", "[3,1,3,2]"), "3");
        assert_eq!(aggregate("PUSH", "[3,1,3]"), "[3,1,3]");
    }

    #[test]
    fn variance_and_deviation_of_population_and_sample() {
        let rows = "[1,3,6,5,2]";
        assert_eq!(aggregate("VARIANCE_POPULATION", rows), "3.4400000000000004");
        assert_eq!(aggregate("VARIANCE_SAMPLE", rows), "4.300000000000001");
        assert_eq!(aggregate("STDDEV", rows), "1.854723699099141");
        assert_eq!(aggregate("STDDEV_SAMPLE", "[1]"), "null");
    }

    #[test]
    fn a_reset_begins_a_new_group_and_finishing_does_not() {
        let mut host = TestHost::default();
        let mut sum = (lookup("sum").expect("an aggregate").make)();
        sum.add(&[Value::Int(1)], &mut host).expect("no error");
        assert_eq!(sum.finish(&mut host).expect("no error"), Value::Int(1));
        sum.add(&[Value::Int(2)], &mut host).expect("no error");
        assert_eq!(sum.finish(&mut host).expect("no error"), Value::Int(3));
        sum.reset();
        assert_eq!(sum.finish(&mut host).expect("no error"), Value::Null);
    }

    #[test]
    fn functions_that_do_not_aggregate_are_not_found() {
        assert!(lookup("CONCAT").is_none());
        assert!(lookup("MEDIAN").is_none());
    }
}
