//! Searching in strings, splitting and substituting.

use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::GraphemeCursor;

use super::regex::{self, Kind};
use super::{Function, Growing, Host, flag, pure, text, warn_in, warn_with};
use crate::Result;
use crate::error::code;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("CONTAINS", 2, 3, contains),
    pure("FIND_FIRST", 2, 4, |_, args| find(args, false)),
    pure("FIND_LAST", 2, 4, |_, args| find(args, true)),
    pure("STARTS_WITH", 2, 4, starts_with),
    pure("SPLIT", 1, 3, split),
    pure("SUBSTITUTE", 2, 4, substitute),
];

fn contains(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let index = flag(args, 2);
    let position = match (&args[0], &args[1]) {
        (Value::Str(text), Value::Str(search)) => position_of(text, search),
        (text, search) => position_of(&text.to_text(), &search.to_text()),
    };
    Ok(match position {
        _ if !index => position.is_some().into(),
        Some(position) => Value::Int(position as i64),
        None => Value::Int(-1),
    })
}

/// Where the text contains the search string, counted as `CONTAINS()` does: in bytes, rounded up to a multiple of the
/// width of the first character. The empty string is contained nowhere.
fn position_of(text: &str, search: &str) -> Option<usize> {
    if search.is_empty() {
        return None;
    }
    let position = text.find(search)?;
    Some(position.next_multiple_of(text.chars().next().map_or(1, char::len_utf8)))
}

/// Where the search string occurs, for ICU: without overlaps, and not where it would take a character apart that consists of
/// several code points, such as a letter with an accent behind it or the two of a line end.
fn occurrences<'a>(text: &'a str, search: &'a str) -> impl Iterator<Item = usize> + 'a {
    let simple = text.is_ascii() && !text.contains('\r');
    let is_whole = move |at: usize| {
        let behind = &text[at + search.len()..];
        simple || (is_boundary(text, at) && !behind.starts_with(is_combining_mark))
    };
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.get(from..)?.find(search)?;
            if is_whole(at) {
                from = at + search.len();
                return Some(at);
            }
            from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        }
    })
}

/// Does a character begin there?
fn is_boundary(text: &str, at: usize) -> bool {
    // the whole text is at hand, so that the answer is always known
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// Positions count UTF-16 units: so does the string search of ICU.
fn find(args: &[Value], last: bool) -> Result<Value> {
    const NOT_FOUND: Value = Value::Int(-1);
    let (text, search) = (text(args, 0), text(args, 1));
    let start = args.get(2).map_or(Ok(0), Value::to_i64)?;
    if start < 0 {
        return Ok(NOT_FOUND);
    }
    let given_end = args.get(3).filter(|end| !end.is_null()).map(Value::to_i64).transpose()?;
    if given_end.is_some_and(|end| end < start) {
        return Ok(NOT_FOUND);
    }
    let units = |s: &str| if s.is_ascii() { s.len() } else { s.encode_utf16().count() } as i64;
    let end = given_end.unwrap_or_else(|| units(&text));
    if search.is_empty() {
        return Ok(Value::Int(match (last, given_end) {
            (false, _) => start,
            (true, None) => end,
            (true, Some(end)) => end.saturating_add(1),
        }));
    }
    let length = units(&search);
    let (mut counted, mut position, mut found) = (0, 0, None);
    for byte in occurrences(&text, &search) {
        position += units(&text[counted..byte]);
        counted = byte;
        if position >= start && position + length - 1 <= end {
            found = Some(position);
            if !last {
                break;
            }
        }
    }
    Ok(found.map_or(NOT_FOUND, Value::Int))
}

fn starts_with(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "STARTS_WITH";
    let Some(text) = args[0].as_str() else { return host.wrong_type(NAME) };
    if let Some(prefix) = args[1].as_str() {
        return Ok(text.starts_with(prefix).into());
    }
    let Some(size) = args[1].array_len() else { return host.wrong_type(NAME) };
    let needed = match args.get(2) {
        None => 1,
        Some(count) if count.is_number() => count.to_i64()?,
        Some(_) => return host.wrong_type(NAME),
    };
    let Ok(mut needed) = usize::try_from(needed) else { return host.wrong_type(NAME) };
    if needed > size {
        return Ok(false.into());
    }
    for prefix in args[1].iter_array() {
        if needed == 0 {
            break;
        }
        let Some(prefix) = prefix.as_str() else { return host.wrong_type(NAME) };
        needed -= usize::from(text.starts_with(prefix));
    }
    Ok((needed == 0).into())
}

fn split(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "SPLIT";
    let limit = match args.get(2) {
        None => None,
        Some(limit) if !limit.is_number() => return host.wrong_type(NAME),
        Some(limit) => match usize::try_from(limit.to_i64()?) {
            Err(_) => return Ok(Value::Null),
            Ok(0) => return Ok(Value::array(Vec::new())),
            Ok(limit) => Some(limit),
        },
    };
    let Some(separator) = args.get(1) else { return Ok(Value::array(vec![args[0].clone()])) };
    if separator.is_object() {
        return host.wrong_type(NAME);
    }
    // an empty separator cuts between all characters; one that is no string does, too, but leaves the empty ends
    let (pattern, characters) = if let Some(separator) = separator.as_str() {
        (::regex::escape(separator), separator.is_empty())
    } else {
        let mut alternatives = Vec::new();
        let mut characters = false;
        for item in separator.iter_array() {
            match item.as_str() {
                Some(item) if !item.is_empty() => alternatives.push(::regex::escape(item)),
                _ => {
                    characters = true;
                    break;
                }
            }
        }
        (if characters { String::new() } else { alternatives.join("|") }, characters)
    };
    let text = text(args, 0);
    let fields = match separator.as_str() {
        _ if pattern.is_empty() => text.len(),
        Some(separator) => text.matches(separator).count(),
        None => separator.iter_array().filter_map(|s| Some(text.matches(s.as_str()?).count())).sum(),
    };
    host.room(fields * size_of::<Value>())?;
    let pattern = regex::compiled(Kind::Verbatim, &pattern)?;
    match pattern.map(|pattern| regex::split_by(&pattern, &text, characters, limit)) {
        Some(Ok(fields)) => Ok(fields),
        _ => warn_in(host, NAME, code::QUERY_INVALID_REGEX),
    }
}

/// The search strings and their replacements.
struct Substitution {
    search: Vec<Value>,
    replace: Vec<Value>,
    /// One replacement for all search strings.
    shared: bool,
    limit: i64,
}

/// `None` where an argument has a wrong type.
fn substitution(args: &[Value]) -> Result<Option<Substitution>> {
    let limit = |i: usize| args.get(i).map_or(Ok(-1), Value::to_i64);
    let replacement = |value: &Value| value.is_null() || value.is_string();
    let search = &args[1];
    let result = if search.is_object() {
        // of two search strings that begin at the same place the one whose name sorts first counts
        let entries = search.sorted_entries().into_iter();
        let (search, replace) = entries.map(|(name, value)| (Value::from(name), value)).unzip();
        Substitution { search, replace, shared: false, limit: limit(2)? }
    } else {
        let search = if search.is_array() { search.iter_array().collect() } else { vec![search.clone()] };
        let (replace, shared) = match args.get(2) {
            None => (Vec::new(), false),
            Some(list) if list.is_array() => (list.iter_array().collect(), false),
            Some(one) if one.is_string() => (vec![one.clone()], true),
            Some(_) => return Ok(None),
        };
        Substitution { search, replace, shared, limit: limit(3)? }
    };
    Ok((result.search.iter().all(Value::is_string) && result.replace.iter().all(replacement)).then_some(result))
}

fn substitute(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "SUBSTITUTE";
    if args[1].is_object() && args.len() > 3 {
        return warn_in(host, NAME, code::QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH);
    }
    let Some(Substitution { search, replace, shared, limit }) = substitution(args)? else {
        return host.wrong_type(NAME);
    };
    if limit == 0 || search.is_empty() {
        return Ok(args[0].clone());
    }
    let text = text(args, 0);
    let patterns: Vec<&str> = search.iter().filter_map(Value::as_str).collect();
    if text.is_empty() || patterns.iter().any(|pattern| pattern.is_empty()) {
        return warn_with(host, NAME, code::ICU_ERROR, "icu error: U_ILLEGAL_ARGUMENT_ERROR");
    }
    // each search string has its own occurrences; the nearest one counts, what it covers is lost to the others
    let mut occurrences: Vec<_> = patterns.iter().map(|pattern| occurrences(&text, pattern).peekable()).collect();
    let mut out = Growing::default();
    let mut copied = 0;
    let mut count = 0;
    loop {
        let nearest = occurrences.iter_mut().enumerate().filter_map(|(i, o)| Some((*o.peek()?, i))).min();
        let Some((at, which)) = nearest else { break };
        out.push(&text[copied..at], host)?;
        let replacement = if shared { replace.first() } else { replace.get(which) };
        out.push(replacement.and_then(Value::as_str).unwrap_or_default(), host)?;
        copied = at + patterns[which].len();
        for list in &mut occurrences {
            while list.next_if(|at| *at < copied).is_some() {}
        }
        count += 1;
        if limit != -1 && count >= limit {
            break;
        }
    }
    out.push(&text[copied..], host)?;
    Ok(out.text.into())
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn the_empty_string_is_contained_nowhere() {
        assert_eq!(answer("CONTAINS", r#"["foobar",""]"#), "false");
        assert_eq!(answer("CONTAINS", "[12345,34]"), "true");
        assert_eq!(answer("CONTAINS", r#"["äöü","ü",true]"#), "4");
        assert_eq!(answer("CONTAINS", r#"["foobar","x",true]"#), "-1");
    }

    #[test]
    fn occurrences_lie_between_start_and_end() {
        assert_eq!(answer("FIND_FIRST", r#"["foobarbaz","ba",4]"#), "6");
        assert_eq!(answer("FIND_FIRST", r#"["foobarbaz","ba",0,3]"#), "-1");
        assert_eq!(answer("FIND_FIRST", r#"["foo",""]"#), "0");
        assert_eq!(answer("FIND_LAST", r#"["foobarbaz","ba",0,4]"#), "3");
        assert_eq!(answer("FIND_LAST", r#"["foo",""]"#), "3");
        assert_eq!(answer("FIND_FIRST", r#"["a😀b","b"]"#), "3");
        assert_eq!(answer("FIND_LAST", r#"["a","",0,9223372036854775807]"#), "9223372036854775807");
    }

    #[test]
    fn characters_of_several_code_points_are_found_as_a_whole() {
        assert_eq!(answer("FIND_FIRST", r#"["a\r\nb\n","\n"]"#), "4");
        assert_eq!(answer("FIND_FIRST", r#"["a\r\nb","\r\n"]"#), "1");
        assert_eq!(answer("FIND_LAST", r#"["cafe\u0301e","e"]"#), "5");
        assert_eq!(answer("FIND_FIRST", r#"["cafe\u0301","e"]"#), "-1");
        assert_eq!(answer("SUBSTITUTE", r#"["a\r\nb\nc","\n","-"]"#), r#""a\r\nb-c""#);
        assert_eq!(answer("FIND_FIRST", r#"["aaa","aa",1]"#), "-1");
    }

    #[test]
    fn a_number_of_prefixes_can_be_asked_for() {
        assert_eq!(answer("STARTS_WITH", r#"["foobar",["x","foo"]]"#), "true");
        assert_eq!(answer("STARTS_WITH", r#"["foobar",["x","foo","fo"],2]"#), "true");
        assert_eq!(answer("STARTS_WITH", r#"["foobar",["x"],2]"#), "false");
        assert_eq!(answer("STARTS_WITH", r#"[null,"a"]"#), "warning 1542");
    }

    #[test]
    fn splitting_by_nothing_gives_characters() {
        assert_eq!(answer("SPLIT", r#"["abc",""]"#), r#"["a","b","c"]"#);
        assert_eq!(answer("SPLIT", r#"["a1b",1]"#), r#"["","a","1","b",""]"#);
        assert_eq!(answer("SPLIT", r#"["a,b;c",[",",";"],2]"#), r#"["a","b"]"#);
        assert_eq!(answer("SPLIT", r#"["a,b",",",-1]"#), "null");
        assert_eq!(answer("SPLIT", r#"["abcdefghijklmnopqrstuvwxyz",""]"#).len(), 26 * 4 + 1);
    }

    #[test]
    fn the_nearest_occurrence_is_substituted_first() {
        assert_eq!(answer("SUBSTITUTE", r#"["one two",["one","two"],"n"]"#), r#""n n""#);
        assert_eq!(answer("SUBSTITUTE", r#"["one two three",["one","two","three"],["1"]]"#), r#""1  ""#);
        assert_eq!(
            answer("SUBSTITUTE", r#"["the quick foxx",{"quick":"small","foxx":"ant"},1]"#),
            r#""the small foxx""#
        );
        assert_eq!(answer("SUBSTITUTE", r#"["foobar",{"foobar":"1","foo":"2"}]"#), r#""2bar""#);
        assert_eq!(answer("SUBSTITUTE", r#"["foobar",["foobar","foo"],["1","2"]]"#), r#""1""#);
        assert_eq!(answer("SUBSTITUTE", r#"["aaa","a","b",2]"#), r#""bba""#);
        assert_eq!(answer("SUBSTITUTE", r#"["abcd",["bc","cd"],["1","2"]]"#), r#""a1d""#);
        assert_eq!(answer("SUBSTITUTE", r#"["","a","b"]"#), "warning 33");
    }
}
