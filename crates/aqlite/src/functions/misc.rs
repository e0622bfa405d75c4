//! Documents and collections, checks and control of a query.

use std::time::{Duration, Instant};

use super::{Function, Host, MANY, impure, pure};
use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

/// The version of ArangoDB whose documented behaviour the engine follows, as `VERSION()` names it.
pub const SERVER_VERSION: &str = "3.12.0";

pub(super) const FUNCTIONS: &[Function] = &[
    pure("NOT_NULL", 1, MANY, |_, args| Ok(first(args, |v| !v.is_null()))),
    pure("FIRST_LIST", 1, MANY, |_, args| Ok(first(args, Value::is_array))),
    pure("FIRST_DOCUMENT", 1, MANY, |_, args| Ok(first(args, Value::is_object))),
    pure("PASSTHRU", 1, 1, passthru),
    pure("V8", 1, 1, passthru),
    impure("NOOPT", 1, 1, passthru),
    impure("NOEVAL", 1, 1, passthru),
    pure("IN_RANGE", 5, 5, in_range),
    pure("DECODE_REV", 1, 1, decode_rev),
    pure("CHECK_DOCUMENT", 1, 1, |_, args| Ok(args[0].is_object().into())),
    impure("DOCUMENT", 1, 2, document),
    impure("COLLECTION_COUNT", 1, 1, collection_count),
    impure("COLLECTIONS", 0, 0, collections),
    impure("CURRENT_DATABASE", 0, 0, |host, _| Ok(host.database().into())),
    impure("CURRENT_USER", 0, 0, current_user),
    pure("VERSION", 0, 0, |_, _| Ok(SERVER_VERSION.into())),
    impure("SHARD_ID", 2, 2, shard_id),
    impure("ASSERT", 2, 2, assert),
    impure("WARN", 2, 2, warn),
    impure("FAIL", 0, 1, fail),
    impure("SLEEP", 1, 1, sleep),
];

fn first(args: &[Value], wanted: impl Fn(&Value) -> bool) -> Value {
    args.iter().find(|value| wanted(value)).cloned().unwrap_or_default()
}

fn passthru(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(args[0].clone())
}

fn in_range(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (Some(include_low), Some(include_high)) = (args[3].as_bool(), args[4].as_bool()) else {
        return host.wrong_type("IN_RANGE");
    };
    let low = args[1].compare(&args[0]);
    let high = args[0].compare(&args[2]);
    Ok(((low.is_lt() || include_low && low.is_eq()) && (high.is_lt() || include_high && high.is_eq())).into())
}

/// The characters of a revision, six bits each.
const REVISION_CHARACTERS: &[u8; 64] = b"-_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

fn decode_rev(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    // the lower bits count the revisions of one millisecond
    const COUNT_BITS: u32 = 20;
    let revision = args[0].as_str().filter(|s| !s.is_empty()).and_then(|text| {
        text.bytes().try_fold(0u64, |number, byte| {
            let digit = REVISION_CHARACTERS.iter().position(|c| *c == byte)?;
            number.checked_mul(64)?.checked_add(digit as u64)
        })
    });
    let Some(revision) = revision.filter(|revision| *revision != 0) else { return host.wrong_type("DECODE_REV") };
    let date = iso_date(revision >> COUNT_BITS);
    let count = revision & ((1 << COUNT_BITS) - 1);
    Ok(Value::from_pairs([("date", date.into()), ("count", Value::Int(count as i64))]))
}

/// Milliseconds since 1970 as an ISO 8601 string.
fn iso_date(milliseconds: u64) -> String {
    let (days, of_day) = (milliseconds / 86_400_000, milliseconds % 86_400_000);
    // days are counted from 1 March of year 0, in eras of 400 years
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hours, minutes) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (seconds, millis) = (of_day / 1_000 % 60, of_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

/// `DOCUMENT(id)`, `DOCUMENT([id, ...])`, `DOCUMENT(collection, key or id)`, `DOCUMENT(collection, [...])`.
fn document(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let (collection, id) = match args {
        [id] => (None, id),
        [collection, id, ..] => match collection.as_str() {
            Some(name) => (Some(name), id),
            None => return host.wrong_type("DOCUMENT"),
        },
        [] => return Ok(Value::Null),
    };
    if id.is_array() {
        let mut found = Vec::new();
        for id in id.iter_array() {
            let document = document_by_id(host, collection, &id)?;
            if !document.is_null() {
                found.push(document);
            }
        }
        return Ok(Value::array(found));
    }
    document_by_id(host, collection, id)
}

/// What cannot be found is null, be it the document or its collection; an empty key in a collection that exists is an error.
fn document_by_id(host: &mut dyn Host, collection: Option<&str>, id: &Value) -> Result<Value> {
    let Some(id) = id.as_str() else { return Ok(Value::Null) };
    let (collection, key) = match (collection, id.split_once('/')) {
        (None, Some((own, key))) => (own, key),
        (Some(collection), Some((own, key))) if own == collection => (own, key),
        (Some(collection), None) => (collection, id),
        _ => return Ok(Value::Null),
    };
    // ArangoDB takes a key that has a slash itself for an identifier and looks for what stands behind the slash.
    let key = key.split_once('/').map_or(key, |(_, key)| key);
    match host.document(collection, key) {
        Err(error) if matches!(error.num, code::DATA_SOURCE_NOT_FOUND | code::DOCUMENT_NOT_FOUND) => Ok(Value::Null),
        found => found,
    }
}

fn collection_count(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Some(name) = args[0].as_str() else {
        return Err(Error::new(
            code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH,
            "invalid argument type in call to function 'COLLECTION_COUNT()'",
        ));
    };
    Ok(Value::Int(i64::try_from(host.collection_count(name)?).unwrap_or(i64::MAX)))
}

fn collections(host: &mut dyn Host, _: &[Value]) -> Result<Value> {
    let mut collections = host.collections()?;
    collections.sort_by_cached_key(|(_, name)| name.to_ascii_lowercase());
    let object =
        |(id, name): (u64, String)| Value::from_pairs([("_id", id.to_string().into()), ("name", Value::from(name))]);
    Ok(Value::array(collections.into_iter().map(object).collect()))
}

fn current_user(host: &mut dyn Host, _: &[Value]) -> Result<Value> {
    Ok(match host.user() {
        "" => Value::Null,
        name => name.into(),
    })
}

/// There are no shards here: every document of a collection is in the one that is called as the collection itself.
fn shard_id(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let refused = |message| Err(Error::new(code::BAD_PARAMETER, message));
    let Some(name) = args[0].as_str() else { return refused("first parameter to SHARD_ID must be a string") };
    if !args[1].is_object() {
        return refused("second parameter to SHARD_ID must be an object");
    }
    host.collection_count(name)?;
    Ok(name.into())
}

fn assert(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match args[1].as_str() {
        None => host.wrong_type("ASSERT"),
        Some(message) if !args[0].truthy() => Err(Error::new(code::QUERY_USER_ASSERT, message)),
        Some(_) => Ok(true.into()),
    }
}

fn warn(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Some(message) = args[1].as_str() else { return host.wrong_type("WARN") };
    let holds = args[0].truthy();
    if !holds {
        host.warn(code::QUERY_USER_WARN, String::from(message))?;
    }
    Ok(holds.into())
}

fn fail(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let message = args.first().and_then(Value::as_str).unwrap_or("FAIL() called");
    Err(Error::new(code::QUERY_FAIL_CALLED, message))
}

fn sleep(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const STEP: Duration = Duration::from_millis(25);
    let Some(seconds) = args[0].as_f64().filter(|seconds| *seconds >= 0.0) else { return host.wrong_type("SLEEP") };
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let begin = Instant::now();
    loop {
        host.check()?;
        let left = duration.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Ok(Value::Null);
        }
        std::thread::sleep(left.min(STEP));
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn the_first_argument_of_the_kind_counts() {
        assert_eq!(answer("NOT_NULL", "[null,null,3,4]"), "3");
        assert_eq!(answer("FIRST_LIST", "[1,null,[2],[3]]"), "[2]");
        assert_eq!(answer("FIRST_DOCUMENT", "[1]"), "null");
        assert_eq!(answer("NOT_NULL", "[]"), "error 1541");
    }

    #[test]
    fn bounds_belong_to_a_range_where_included() {
        assert_eq!(answer("IN_RANGE", "[5,1,5,true,false]"), "false");
        assert_eq!(answer("IN_RANGE", "[1,1,5,true,false]"), "true");
        assert_eq!(answer("IN_RANGE", r#"["b","a","c",true,true]"#), "true");
        assert_eq!(answer("IN_RANGE", "[1,1,5,1,true]"), "warning 1542");
    }

    #[test]
    fn a_revision_tells_its_time() {
        let decoded = answer("DECODE_REV", r#"["_YU0HOEG---"]"#);
        assert_eq!(decoded, r#"{"date":"2019-03-11T16:15:05.314Z","count":0}"#);
        assert_eq!(answer("DECODE_REV", r#"["nonsense!"]"#), "warning 1542");
        assert_eq!(answer("DECODE_REV", r#"["99999999999999"]"#), "warning 1542");
    }

    #[test]
    fn documents_that_cannot_be_found_are_null_or_left_out() {
        assert_eq!(answer("DOCUMENT", r#"["things","a"]"#), answer("DOCUMENT", r#"["things/a"]"#));
        assert_eq!(answer("DOCUMENT", r#"["nocoll/x"]"#), "null");
        assert_eq!(answer("DOCUMENT", r#"["things"]"#), "null");
        assert_eq!(answer("DOCUMENT", r#"["other","things/a"]"#), "null");
        assert_eq!(answer("DOCUMENT", r#"["things",["b",5,"a"]]"#).matches("_id").count(), 1);
        assert_eq!(answer("DOCUMENT", "[5]"), "null");
        assert_eq!(answer("DOCUMENT", r#"[5,"a"]"#), "warning 1542");
    }

    #[test]
    fn an_empty_key_in_a_collection_that_exists_is_no_identifier() {
        for args in [
            r#"["things/"]"#,
            r#"["things//"]"#,
            r#"["things/../"]"#,
            r#"["things",""]"#,
            r#"[["things/a","things/"]]"#,
        ] {
            assert_eq!(answer("DOCUMENT", args), "error 1205", "{args}");
        }
        for args in
            [r#"["nocoll/"]"#, r#"["things",null]"#, r#"["things","/"]"#, r#"["things/a b"]"#, r#"["/"]"#, r#"[""]"#]
        {
            assert_eq!(answer("DOCUMENT", args), "null", "{args}");
        }
        assert_eq!(answer("DOCUMENT", r#"["things/b/a"]"#), answer("DOCUMENT", r#"["things/a"]"#));
    }

    #[test]
    fn collections_are_listed_by_name() {
        assert_eq!(answer("COLLECTIONS", "[]"), r#"[{"_id":"9","name":"_users"},{"_id":"7","name":"things"}]"#);
        assert_eq!(answer("COLLECTION_COUNT", r#"["things"]"#), "1");
        assert_eq!(answer("COLLECTION_COUNT", r#"["nocoll"]"#), "error 1203");
        assert_eq!(answer("COLLECTION_COUNT", "[1]"), "error 1542");
        assert_eq!(answer("SHARD_ID", r#"["things",{}]"#), r#""things""#);
        assert_eq!(answer("SHARD_ID", "[1,{}]"), "error 10");
        assert_eq!(answer("SHARD_ID", r#"["things",null]"#), "error 10");
    }

    #[test]
    fn a_query_can_warn_and_fail() {
        assert_eq!(answer("ASSERT", r#"[true,"fine"]"#), "true");
        assert_eq!(answer("ASSERT", r#"[false,"no"]"#), "error 1593");
        assert_eq!(answer("WARN", r#"[false,"no"]"#), "warning 1594");
        assert_eq!(answer("FAIL", r#"["boom"]"#), "error 1569");
        assert_eq!(answer("SLEEP", "[0]"), "null");
        assert_eq!(answer("SLEEP", "[-1]"), "warning 1542");
    }
}
