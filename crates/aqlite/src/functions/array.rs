//! Functions that read and change arrays; see [`super::array_set`] for those that treat them as sets.

use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

use super::numeric::number;
use super::{Function, Host, MANY, pure};

/// The functions of this file.
pub const FUNCTIONS: &[Function] = &[
    pure("APPEND", 2, 3, append),
    pure("FIRST", 1, 1, first),
    pure("FLATTEN", 1, 2, flatten),
    pure("INTERLEAVE", 2, MANY, interleave),
    pure("LAST", 1, 1, last),
    pure("LENGTH", 1, 1, length),
    pure("NTH", 2, 2, nth),
    pure("POP", 1, 1, pop),
    pure("POSITION", 2, 3, position),
    pure("PUSH", 2, 3, push),
    pure("RANGE", 2, 3, range),
    pure("REMOVE_NTH", 2, 2, remove_nth),
    pure("REMOVE_VALUE", 2, 3, remove_value),
    pure("REPLACE_NTH", 3, 4, replace_nth),
    pure("REVERSE", 1, 1, reverse),
    pure("SHIFT", 1, 1, shift),
    pure("SLICE", 2, 3, slice),
    pure("SORTED", 1, 1, sorted),
    pure("UNION", 2, MANY, union),
    pure("UNSHIFT", 2, 3, unshift),
];

/// More elements than this are not built from a range.
pub const RANGE_LIMIT: u64 = 10_000_000;

/// A warning with ArangoDB's standard message, for the named function; the result of the call is then null.
pub(super) fn warn_in(host: &mut dyn Host, function: &str, num: u16) -> Result<Value> {
    host.warn(num, format!("in function '{function}()': {}", code::message(num)))?;
    Ok(Value::Null)
}

/// Warning 1563 for the named function.
pub(super) fn array_expected(host: &mut dyn Host, function: &str) -> Result<Value> {
    warn_in(host, function, code::QUERY_ARRAY_EXPECTED)
}

/// Is the optional flag at that position set?
fn flag(args: &[Value], position: usize) -> bool {
    args.get(position).is_some_and(Value::truthy)
}

fn contains(list: &[Value], value: &Value) -> bool {
    list.iter().any(|item| item == value)
}

fn length(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let value = &args[0];
    let length = match value {
        Value::Null => 0,
        Value::Bool(b) => usize::from(*b),
        Value::Int(_) | Value::Float(_) => super::string::number_length(value),
        Value::Str(s) => s.chars().count(),
        _ => value.array_len().or_else(|| value.object_len()).unwrap_or_default(),
    };
    Ok(length.into())
}

fn first(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].is_array() { Ok(args[0].at(0)) } else { array_expected(host, "FIRST") }
}

fn last(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].is_array() { Ok(args[0].at(-1)) } else { array_expected(host, "LAST") }
}

fn nth(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "NTH");
    }
    match args[1].to_i64()? {
        negative if negative < 0 => Ok(Value::Null),
        position => Ok(args[0].at(position)),
    }
}

fn position(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "POSITION");
    }
    let found = args[0].iter_array().position(|item| item == args[1]);
    if flag(args, 2) { Ok(found.map_or(Value::Int(-1), Value::from)) } else { Ok(found.is_some().into()) }
}

fn push(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(vec![args[1].clone()].into());
    }
    let Some(list) = args[0].as_array() else { return host.wrong_type("PUSH") };
    if flag(args, 2) && contains(&list, &args[1]) {
        return Ok(Value::shared_array(list));
    }
    let mut list = list.to_vec();
    list.push(args[1].clone());
    Ok(list.into())
}

fn unshift(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_null() && !args[0].is_array() {
        return host.wrong_type("UNSHIFT");
    }
    let list = args[0].as_array().unwrap_or_default();
    if flag(args, 2) && contains(&list, &args[1]) {
        return Ok(Value::shared_array(list));
    }
    let mut result = Vec::with_capacity(list.len() + 1);
    result.push(args[1].clone());
    result.extend_from_slice(&list);
    Ok(result.into())
}

fn pop(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let Some(list) = args[0].as_array() else { return host.wrong_type("POP") };
    Ok(list[..list.len().saturating_sub(1)].to_vec().into())
}

fn shift(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let Some(list) = args[0].as_array() else { return host.wrong_type("SHIFT") };
    Ok(list.get(1..).unwrap_or_default().to_vec().into())
}

fn append(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (list, values) = (&args[0], &args[1]);
    // where one side is missing the other comes back as it is, whatever it is
    if values.is_null() || values.array_len() == Some(0) {
        return Ok(list.clone());
    }
    if list.is_null() {
        return Ok(values.clone());
    }
    if !list.is_array() {
        return host.wrong_type("APPEND");
    }
    let mut result: Vec<Value> = list.iter_array().collect();
    if values.is_array() {
        result.extend(values.iter_array());
    } else {
        result.push(values.clone());
    }
    if flag(args, 2) {
        super::array_set::deduplicate(&mut result);
    }
    Ok(result.into())
}

fn remove_value(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Vec::new().into());
    }
    if !args[0].is_array() {
        return host.wrong_type("REMOVE_VALUE");
    }
    // a negative limit is never used up
    let mut limit = args.get(2).filter(|limit| !limit.is_null()).map(Value::to_i64).transpose()?;
    let mut result = Vec::new();
    for item in args[0].iter_array() {
        if limit != Some(0) && item == args[1] {
            limit = limit.map(|left| left.saturating_sub(1));
        } else {
            result.push(item);
        }
    }
    Ok(result.into())
}

fn remove_nth(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Vec::new().into());
    }
    let Some(list) = args[0].as_array() else { return host.wrong_type("REMOVE_NTH") };
    let (position, count) = (args[1].to_f64(), list.len() as f64);
    if position >= count || position < -count {
        return Ok(Value::shared_array(list));
    }
    let position = (if position < 0.0 { position + count } else { position }) as usize;
    Ok(list.iter().enumerate().filter(|(i, _)| *i != position).map(|(_, v)| v.clone()).collect::<Vec<_>>().into())
}

fn replace_nth(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Some(list) = args[0].as_array() else { return host.wrong_type("REPLACE_NTH") };
    let refused = || {
        Error::new(
            code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH,
            "invalid argument type in call to function 'REPLACE_NTH()'",
        )
    };
    if args[1].is_null() {
        return Err(refused());
    }
    let wanted = args[1].to_i64()?;
    let position = if wanted < 0 { list.len().saturating_sub(wanted.unsigned_abs() as usize) } else { wanted as usize };
    if position > list.len() && args.len() < 4 {
        return Err(refused());
    }
    if position as u64 > RANGE_LIMIT {
        return Err(Error::plain(code::RESOURCE_LIMIT));
    }
    host.room(position.max(list.len()) * size_of::<Value>())?;
    let mut result = list.to_vec();
    if let Some(item) = result.get_mut(position) {
        *item = args[2].clone();
    } else {
        result.resize(position, args.get(3).cloned().unwrap_or_default());
        result.push(args[2].clone());
    }
    Ok(result.into())
}

fn slice(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Some(list) = args[0].as_array() else { return host.wrong_type("SLICE") };
    let count = list.len() as i64;
    let from_end = |position: i64| if position < 0 { count.saturating_add(position).max(0) } else { position };
    let from = from_end(args[1].to_i64()?);
    let to = match args.get(2).filter(|length| !length.is_null()).map(Value::to_i64).transpose()? {
        None => count,
        Some(length) if length >= 0 => from.saturating_add(length),
        Some(negative) => from_end(negative),
    };
    let (from, to) = (from.min(count) as usize, to.min(count) as usize);
    Ok(list.get(from..to).unwrap_or_default().to_vec().into())
}

fn reverse(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match &args[0] {
        Value::Str(s) if s.is_ascii() => Ok(s.chars().rev().collect::<String>().into()),
        // the units of UTF-16 are reversed: a character of two of them falls apart
        Value::Str(s) => {
            let mut units: Vec<u16> = s.encode_utf16().collect();
            units.reverse();
            Ok(String::from_utf16_lossy(&units).into())
        }
        list if list.is_array() => {
            let mut list: Vec<Value> = list.iter_array().collect();
            list.reverse();
            Ok(list.into())
        }
        _ => array_expected(host, "REVERSE"),
    }
}

fn sorted(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "SORTED");
    }
    let mut list: Vec<Value> = args[0].iter_array().collect();
    list.sort_by(Value::compare);
    // of elements that sort alike the first stands for all
    for i in 1..list.len() {
        if list[i].compare(&list[i - 1]).is_eq() {
            list[i] = list[i - 1].clone();
        }
    }
    Ok(list.into())
}

fn flatten(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args[0].is_array() {
        return array_expected(host, "FLATTEN");
    }
    let depth = args.get(1).map_or(1.0, Value::to_f64).max(1.0) as u64;
    let mut result = Vec::new();
    flatten_into(&args[0], depth, &mut result);
    Ok(result.into())
}

fn flatten_into(list: &Value, depth: u64, result: &mut Vec<Value>) {
    for item in list.iter_array() {
        if depth > 0 && item.is_array() {
            flatten_into(&item, depth - 1, result);
        } else {
            result.push(item);
        }
    }
}

fn union(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_array) {
        return host.wrong_type("UNION");
    }
    Ok(args.iter().flat_map(Value::iter_array).collect::<Vec<_>>().into())
}

fn interleave(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if !args.iter().all(Value::is_array) {
        return array_expected(host, "INTERLEAVE");
    }
    let mut lists: Vec<_> = args.iter().map(Value::iter_array).collect();
    let mut result = Vec::with_capacity(args.iter().filter_map(Value::array_len).sum());
    while !lists.is_empty() {
        lists.retain_mut(|list| match list.next() {
            Some(item) => {
                result.push(item);
                true
            }
            None => false,
        });
    }
    Ok(result.into())
}

fn range(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Some(step) = args.get(2).filter(|step| !step.is_null()) else {
        let (from, to) = (args[0].to_i64()?, args[1].to_i64()?);
        host.room(to.abs_diff(from).min(RANGE_LIMIT) as usize * size_of::<Value>())?;
        return integers(from, to);
    };
    let (from, to, step) = (args[0].to_f64(), args[1].to_f64(), step.to_f64());
    if step == 0.0 || (from < to && step < 0.0) || (from > to && step > 0.0) {
        return host.wrong_type("RANGE");
    }
    if (to - from) / step > RANGE_LIMIT as f64 {
        return Err(range_too_big());
    }
    host.room(((to - from) / step).max(0.0) as usize * size_of::<Value>())?;
    let mut result = Vec::new();
    let mut current = from;
    while if step < 0.0 { current >= to } else { current <= to } {
        result.push(number(current));
        // a step too small to change the number would never reach the end
        if current + step == current {
            break;
        }
        current += step;
    }
    Ok(result.into())
}

/// The array of a range without a step, as the `..` operator builds it.
pub fn integers(from: i64, to: i64) -> Result<Value> {
    if from.abs_diff(to) >= RANGE_LIMIT {
        return Err(range_too_big());
    }
    let items: Vec<Value> =
        if from <= to { (from..=to).map(Value::Int).collect() } else { (to..=from).rev().map(Value::Int).collect() };
    Ok(items.into())
}

fn range_too_big() -> Error {
    Error::new(code::QUERY_NUMBER_OUT_OF_RANGE, "range is too big to be materialized")
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check;

    #[test]
    fn length_counts_elements_attributes_characters_and_digits() {
        check(&[
            ("LENGTH", "[[1,2]]", "2"),
            ("LENGTH", r#"[{"a":1}]"#, "1"),
            ("LENGTH", r#"["äb"]"#, "2"),
            ("LENGTH", "[1234]", "4"),
            ("LENGTH", "[10000000000]", "5"),
            ("LENGTH", "[true]", "1"),
            ("LENGTH", "[null]", "0"),
        ]);
    }

    #[test]
    fn what_needs_an_array_warns_about_anything_else() {
        check(&[
            ("FIRST", r#"["abc"]"#, "warning 1563"),
            ("SORTED", "[null]", "warning 1563"),
            ("PUSH", "[1,2]", "warning 1542"),
            ("SLICE", r#"["abc",1]"#, "warning 1542"),
            ("UNION", "[[1],2]", "warning 1542"),
            ("APPEND", r#"["a",[1]]"#, "warning 1542"),
        ]);
    }

    #[test]
    fn null_counts_as_an_empty_array_where_something_is_added_or_taken_away() {
        check(&[
            ("PUSH", "[null,1]", "[1]"),
            ("UNSHIFT", "[null,1]", "[1]"),
            ("APPEND", "[null,[1]]", "[1]"),
            ("REMOVE_VALUE", "[null,1]", "[]"),
            ("POP", "[null]", "null"),
        ]);
    }

    #[test]
    fn unique_additions_leave_out_what_is_there() {
        check(&[
            ("APPEND", "[[1,2],[2,3],true]", "[1,2,3]"),
            ("PUSH", "[[1,2,2],2,true]", "[1,2,2]"),
            ("UNSHIFT", "[[1,2],2,true]", "[1,2]"),
        ]);
    }

    #[test]
    fn appending_nothing_or_to_nothing_gives_the_other_side_as_it_is() {
        check(&[
            ("APPEND", "[[1,1],[],true]", "[1,1]"),
            ("APPEND", r#"["a",null]"#, r#""a""#),
            ("APPEND", "[null,1]", "1"),
            ("APPEND", "[[1],2]", "[1,2]"),
        ]);
    }

    #[test]
    fn characters_beyond_the_basic_plane_do_not_survive_a_reversal() {
        check(&[("REVERSE", r#"["aäb"]"#, r#""bäa""#), ("REVERSE", r#"["ä😀"]"#, "\"\u{fffd}\u{fffd}ä\"")]);
    }

    #[test]
    fn slices_count_from_the_end_with_negative_numbers() {
        check(&[
            ("SLICE", "[[1,2,3,4,5],-3,2]", "[3,4]"),
            ("SLICE", "[[1,2,3,4,5],1,-1]", "[2,3,4]"),
            ("SLICE", "[[1,2,3],9]", "[]"),
            ("SLICE", "[[1,2,3],2,-3]", "[]"),
            ("SLICE", "[[1],0,9223372036854775807]", "[1]"),
        ]);
    }

    #[test]
    fn a_place_behind_the_end_needs_a_value_to_fill_up_with() {
        check(&[
            ("REPLACE_NTH", r#"[["a"],3,"z","y"]"#, r#"["a","y","y","z"]"#),
            ("REPLACE_NTH", r#"[["a"],3,"z"]"#, "error 1542"),
            ("REPLACE_NTH", r#"[["a","b"],-9,"z"]"#, r#"["z","b"]"#),
            ("REPLACE_NTH", "[[],1e15,1,0]", "error 32"),
        ]);
    }

    #[test]
    fn removing_a_value_stops_at_the_limit() {
        check(&[
            ("REMOVE_VALUE", "[[1,2,1,1],1,2]", "[2,1]"),
            ("REMOVE_NTH", "[[1,2,3],-1]", "[1,2]"),
            ("REMOVE_NTH", "[[1,2,3],9]", "[1,2,3]"),
        ]);
    }

    #[test]
    fn arrays_are_flattened_to_a_depth() {
        check(&[
            ("FLATTEN", "[[1,[2,[3]]]]", "[1,2,[3]]"),
            ("FLATTEN", "[[1,[2,[3]]],2]", "[1,2,3]"),
            ("FLATTEN", "[[[1]],-1]", "[1]"),
        ]);
    }

    #[test]
    fn ranges_go_both_ways_and_end() {
        check(&[
            ("RANGE", "[5,3]", "[5,4,3]"),
            ("RANGE", "[1,2,0.5]", "[1,1.5,2]"),
            ("RANGE", "[1,5,-1]", "warning 1542"),
            ("RANGE", "[0,1e9]", "error 1504"),
            ("RANGE", "[0,1e9,1]", "error 1504"),
            ("RANGE", "[-9223372036854775808,9223372036854775807]", "error 1504"),
            ("RANGE", "[1e300,1e300,1]", "[1e+300]"),
        ]);
    }

    #[test]
    fn interleaving_goes_on_with_the_longer_arrays() {
        check(&[("INTERLEAVE", "[[1],[2,2],[3,3,3]]", "[1,2,3,2,3,3]")]);
    }
}
