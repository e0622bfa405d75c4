//! Strings: joining, cutting, trimming, letter case.
//!
//! Lengths and offsets count code points, except where ArangoDB counts something else; then the function says so.

use super::{Function, Host, MANY, pure, text, warn_in, warn_with};
use crate::Result;
use crate::error::code;
use crate::value::{SmolStr, Value, parse_json_leniently, room_of_json};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("CONCAT", 1, MANY, concat),
    pure("CONCAT_SEPARATOR", 2, MANY, concat_separator),
    pure("CHAR_LENGTH", 1, 1, char_length),
    pure("LOWER", 1, 1, lower),
    pure("UPPER", 1, 1, upper),
    pure("LEFT", 2, 2, left),
    pure("RIGHT", 2, 2, right),
    pure("SUBSTRING", 2, 3, substring),
    pure("SUBSTRING_BYTES", 2, 5, substring_bytes),
    pure("TRIM", 1, 2, trim),
    pure("LTRIM", 1, 2, ltrim),
    pure("RTRIM", 1, 2, rtrim),
    pure("REPEAT", 2, 3, repeat),
    pure("TO_CHAR", 1, 1, to_char),
    pure("JSON_STRINGIFY", 1, 1, |_, args| Ok(args[0].to_json().into())),
    pure("JSON_PARSE", 1, 1, json_parse),
];

/// Longest result of `REPEAT()`, in bytes.
const MAX_REPEAT: usize = 16 * 1024 * 1024;

/// Appends a value as text; null is empty.
fn append(out: &mut String, value: &Value) {
    match value {
        Value::Null => {}
        Value::Str(s) => out.push_str(s),
        Value::Int(i) => out.push_str(itoa::Buffer::new().format(*i)),
        _ => out.push_str(&value.to_text()),
    }
}

fn join(separator: &str, values: impl Iterator<Item = Value>) -> Value {
    let mut out = String::new();
    for (i, value) in values.filter(|v| !v.is_null()).enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        append(&mut out, &value);
    }
    out.into()
}

fn concat(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(match args {
        [list] if list.is_array() => join("", list.iter_array()),
        _ => {
            let mut out = String::new();
            for value in args {
                append(&mut out, value);
            }
            out.into()
        }
    })
}

fn concat_separator(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let separator = text(args, 0);
    Ok(match args {
        [_, list] if list.is_array() => join(&separator, list.iter_array()),
        _ => join(&separator, args.iter().skip(1).cloned()),
    })
}

/// Code points of a string; of an array or an object the bytes of its JSON text, as ArangoDB counts them.
fn char_length(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let value = &args[0];
    let length = match value {
        Value::Str(s) => s.chars().count(),
        Value::Int(_) | Value::Float(_) => number_length(value),
        _ => value.to_text().len(),
    };
    Ok(length.into())
}

/// Length of a number as text; ArangoDB writes it as a double here.
pub(super) fn number_length(value: &Value) -> usize {
    Value::float(value.to_f64()).to_text().len()
}

fn lower(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let text = text(args, 0);
    Ok(if text.is_ascii() {
        if text.bytes().any(|b| b.is_ascii_uppercase()) { text.to_ascii_lowercase().into() } else { text.into() }
    } else {
        text.to_lowercase().into()
    })
}

fn upper(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let text = text(args, 0);
    Ok(if text.is_ascii() {
        if text.bytes().any(|b| b.is_ascii_lowercase()) { text.to_ascii_uppercase().into() } else { text.into() }
    } else {
        text.to_uppercase().into()
    })
}

/// Byte position of the code point with that number; the length of the text when there are fewer.
fn byte_offset(text: &str, characters: usize) -> usize {
    if text.is_ascii() {
        return characters.min(text.len());
    }
    text.char_indices().nth(characters).map_or(text.len(), |(i, _)| i)
}

/// Byte position of the code point that many before the end; 0 when there are fewer.
fn byte_offset_back(text: &str, characters: usize) -> usize {
    if characters == 0 {
        return text.len();
    }
    if text.is_ascii() {
        return text.len().saturating_sub(characters);
    }
    text.char_indices().rev().nth(characters - 1).map_or(0, |(i, _)| i)
}

/// A position or a length as ArangoDB reads it: 32 bits.
fn count(args: &[Value], position: usize) -> Result<i32> {
    Ok(args.get(position).map_or(Ok(0), Value::to_i64)? as i32)
}

fn left(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let text = text(args, 0);
    let end = byte_offset(&text, usize::try_from(count(args, 1)?).unwrap_or_default());
    Ok(SmolStr::new(&text[..end]).into())
}

fn right(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let text = text(args, 0);
    let start = byte_offset_back(&text, usize::try_from(count(args, 1)?).unwrap_or_default());
    Ok(SmolStr::new(&text[start..]).into())
}

fn substring(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let text = text(args, 0);
    let offset = count(args, 1)?;
    let magnitude = offset.unsigned_abs() as usize;
    let start = if offset < 0 { byte_offset_back(&text, magnitude) } else { byte_offset(&text, magnitude) };
    let rest = &text[start..];
    let end = if args.len() > 2 {
        byte_offset(rest, usize::try_from(count(args, 2)?).unwrap_or_default())
    } else {
        rest.len()
    };
    Ok(SmolStr::new(&rest[..end]).into())
}

/// Cuts by bytes, then widens by whole characters to the left and to the right.
fn substring_bytes(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Some(text) = args[0].as_str() else { return warn_in(host, "SUBSTRING_BYTES", code::BAD_PARAMETER) };
    let size = text.len() as i64;
    let number = |i: usize| args.get(i).map(Value::to_i64).transpose();
    let offset = number(1)?.unwrap_or_default();
    let offset = if offset < 0 { size.saturating_add(offset).max(0) } else { offset.min(size) };
    let length = number(2)?.unwrap_or(size).clamp(0, size - offset);
    let (mut start, mut end) = (offset as usize, (offset + length) as usize);
    if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
        return warn_in(host, "SUBSTRING_BYTES", code::BAD_PARAMETER);
    }
    let left = number(3)?.unwrap_or_default();
    let right = number(4)?.unwrap_or(left);
    let characters = |n: i64| usize::try_from(n).unwrap_or_default();
    start = byte_offset_back(&text[..start], characters(left));
    end += byte_offset(&text[end..], characters(right));
    Ok(SmolStr::new(&text[start..end]).into())
}

/// What is trimmed where nothing else is asked for.
const WHITE_SPACE: &str = "\r\n\t ";

fn trim(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let text = text(args, 0);
    let (characters, side) = match args.get(1) {
        Some(Value::Str(s)) => (s.as_str(), 0),
        Some(side) if side.is_number() => (WHITE_SPACE, side.to_i64()?),
        _ => (WHITE_SPACE, 0),
    };
    let begin = if side == 2 { &text } else { text.trim_start_matches(|c| characters.contains(c)) };
    Ok(if side == 1 { SmolStr::new(begin) } else { trim_end(begin, characters) }.into())
}

/// For every character at the end one unit of UTF-16 is cut off, as in ArangoDB, though some characters have two.
fn trim_end(text: &str, characters: &str) -> SmolStr {
    let trimmed = text.trim_end_matches(|c| characters.contains(c));
    let cut = &text[trimmed.len()..];
    let missed = cut.chars().filter(|c| c.len_utf16() == 2).count();
    if missed == 0 {
        return SmolStr::new(trimmed);
    }
    let rest: Vec<u16> = cut.encode_utf16().take(missed).collect();
    SmolStr::from(format!("{trimmed}{}", String::from_utf16_lossy(&rest)))
}

/// The second argument of `LTRIM()` and `RTRIM()`.
fn trimmed_characters(args: &[Value]) -> SmolStr {
    if args.len() > 1 { text(args, 1) } else { SmolStr::new_static(WHITE_SPACE) }
}

fn ltrim(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let characters = trimmed_characters(args);
    Ok(SmolStr::new(text(args, 0).trim_start_matches(|c| characters.contains(c))).into())
}

fn rtrim(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let characters = trimmed_characters(args);
    Ok(trim_end(&text(args, 0), &characters).into())
}

fn repeat(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let Ok(times) = usize::try_from(args[1].to_i64()?) else { return host.wrong_type("REPEAT") };
    let (unit, separator) = (text(args, 0), text(args, 2));
    let length = (unit.len() + separator.len()).saturating_mul(times).saturating_sub(separator.len());
    if length > MAX_REPEAT {
        let message = "Output string of AQL REPEAT function was limited to 16MB.";
        return warn_with(host, "REPEAT", code::RESOURCE_LIMIT, message);
    }
    if length == 0 {
        return Ok(SmolStr::default().into());
    }
    host.room(length)?;
    let mut out = String::with_capacity(length);
    for i in 0..times {
        if i > 0 {
            out.push_str(&separator);
        }
        out.push_str(&unit);
    }
    Ok(out.into())
}

fn to_char(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let character = args[0].as_i64().and_then(|i| u32::try_from(i).ok()).and_then(char::from_u32);
    match character {
        Some(c) => Ok(Value::str(c.encode_utf8(&mut [0; 4]) as &str)),
        None => host.wrong_type("TO_CHAR"),
    }
}

fn json_parse(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    if let Some(json) = args[0].as_str() {
        host.room(room_of_json(json.as_bytes()))?;
    }
    match args[0].as_str().and_then(|json| parse_json_leniently(json).ok()) {
        Some(value) => Ok(value),
        None => host.wrong_type("JSON_PARSE"),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn concat_skips_null_and_takes_one_array_apart() {
        assert_eq!(answer("CONCAT", r#"["a",1,true,null,[2,"x"],{"b":1}]"#), r#""a1true[2,\"x\"]{\"b\":1}""#);
        assert_eq!(answer("CONCAT", r#"[["a","b",null,3]]"#), r#""ab3""#);
        assert_eq!(answer("CONCAT_SEPARATOR", r#"["-",["x",null,"y"]]"#), r#""x-y""#);
        assert_eq!(answer("CONCAT_SEPARATOR", r#"["-",["x","y"],"z"]"#), r#""[\"x\",\"y\"]-z""#);
    }

    #[test]
    fn lengths_and_cuts_count_code_points() {
        assert_eq!(answer("CHAR_LENGTH", r#"["ä😀"]"#), "2");
        assert_eq!(answer("LEFT", r#"["äöü",2]"#), r#""äö""#);
        assert_eq!(answer("RIGHT", r#"["äöü",2]"#), r#""öü""#);
        assert_eq!(answer("SUBSTRING", r#"["grüße",2,2]"#), r#""üß""#);
        assert_eq!(answer("SUBSTRING", r#"["foobar",-2]"#), r#""ar""#);
        assert_eq!(answer("SUBSTRING", r#"["foobar",1,-1]"#), r#""""#);
        assert_eq!(answer("SUBSTRING", r#"["foobar",99]"#), r#""""#);
    }

    #[test]
    fn bytes_are_cut_only_between_characters_and_widened_by_whole_ones() {
        assert_eq!(answer("SUBSTRING_BYTES", r#"["We ❤️ avocado!",3,3]"#), r#""❤""#);
        assert_eq!(answer("SUBSTRING_BYTES", r#"["We ❤️ avocado!",3,3,3,5]"#), r#""We ❤️ avo""#);
        assert_eq!(answer("SUBSTRING_BYTES", r#"["We ❤️ avocado!",-15,4]"#), "warning 10");
        assert_eq!(answer("SUBSTRING_BYTES", r#"["abc",9223372036854775807,9223372036854775807]"#), r#""""#);
    }

    #[test]
    fn trimming_knows_sides_and_characters() {
        assert_eq!(answer("TRIM", r#"["  a b \n"]"#), r#""a b""#);
        assert_eq!(answer("TRIM", r#"["  a  ",1]"#), r#""a  ""#);
        assert_eq!(answer("TRIM", r#"["[a]","[]"]"#), r#""a""#);
        assert_eq!(answer("LTRIM", r#"["--a--","-"]"#), r#""a--""#);
        assert_eq!(answer("RTRIM", r#"["--a--","-"]"#), r#""--a""#);
        assert_eq!(answer("LTRIM", r#"["😀a😀","😀"]"#), r#""a😀""#);
        assert_eq!(answer("TRIM", r#"["😀a😀","😀"]"#), "\"a\u{fffd}\"");
        assert_eq!(answer("RTRIM", r#"["a😀😀","😀"]"#), r#""a😀""#);
    }

    #[test]
    fn a_repetition_is_limited() {
        assert_eq!(answer("REPEAT", r#"["foo",3," | "]"#), r#""foo | foo | foo""#);
        assert_eq!(answer("REPEAT", r#"["ab",9000000000000000000]"#), "warning 32");
        assert_eq!(answer("REPEAT", r#"["",9000000000000000000]"#), r#""""#);
        assert_eq!(answer("REPEAT", r#"["a",-1]"#), "warning 1542");
    }

    #[test]
    fn what_is_no_json_or_no_character_is_null_with_a_warning() {
        assert_eq!(answer("JSON_PARSE", r#"["[1,{\"a\":null}]"]"#), r#"[1,{"a":null}]"#);
        assert_eq!(answer("JSON_PARSE", r#"["{\"a\":1,\"a\":2}"]"#), r#"{"a":2}"#);
        assert_eq!(answer("JSON_PARSE", r#"["nope"]"#), "warning 1542");
        assert_eq!(answer("JSON_PARSE", "[5]"), "warning 1542");
        assert_eq!(answer("TO_CHAR", "[129361]"), r#""🥑""#);
        assert_eq!(answer("TO_CHAR", "[55296]"), "warning 1542");
    }
}
