//! `REGEX_SPLIT()` and the splitting behind `SPLIT()`.

use ::regex::Regex;

use super::{Kind, Matches, compiled};
use crate::Result;
use crate::error::code;
use crate::functions::{Host, flag, text, warn_in};
use crate::value::Value;

/// ArangoDB splits in pieces of this many fields, the last of which is split again.
const FIELDS: usize = 16;

/// The fields of one round and, if there may be more, the text that is still to be split.
fn fields<'a>(regex: &Regex, text: &'a str) -> (Vec<&'a str>, Option<&'a str>) {
    let mut fields = Vec::new();
    if text.is_empty() {
        return (fields, None);
    }
    let mut start = 0;
    for captures in Matches::new(regex, text) {
        if fields.len() == FIELDS - 1 {
            return (fields, Some(&text[start..]));
        }
        let whole = captures.get_match();
        fields.push(&text[start..whole.start()]);
        start = whole.end();
        // groups of the separator count as fields, as far as there is room
        for group in captures.iter().skip(1).take((FIELDS - 1).saturating_sub(fields.len())) {
            fields.push(group.map_or("", |m| &text[m.range()]));
        }
        if start == text.len() {
            break;
        }
    }
    if fields.len() == FIELDS - 1 {
        return (fields, Some(&text[start..]));
    }
    fields.push(&text[start..]);
    (fields, None)
}

/// Splits a text. `characters`: the expression is empty, the empty fields at both ends are left out.
pub(in crate::functions) fn split_by(regex: &Regex, text: &str, characters: bool, limit: Option<usize>) -> Value {
    if text.is_empty() && !characters {
        return Value::array(vec!["".into()]);
    }
    let limit = limit.unwrap_or(usize::MAX);
    let mut out: Vec<Value> = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (mut found, remaining) = fields(regex, text);
        if characters && remaining.is_none() {
            found.pop();
        }
        out.extend(found.into_iter().skip(usize::from(characters)).map(Value::from).take(limit - out.len()));
        // an expression with many groups may fill a round without getting on
        rest = remaining.filter(|rest| out.len() < limit && rest.len() < text.len());
    }
    Value::array(out)
}

pub(super) fn regex_split(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "REGEX_SPLIT";
    let limit = match args.get(3) {
        None => None,
        Some(limit) if !limit.is_number() => return host.wrong_type(NAME),
        Some(limit) => match usize::try_from(limit.to_i64()?) {
            Err(_) => return Ok(Value::Null),
            Ok(0) => return Ok(Value::array(Vec::new())),
            Ok(limit) => Some(limit),
        },
    };
    let pattern = text(args, 1);
    match compiled(Kind::Find { insensitive: flag(args, 2) }, &pattern)? {
        Some(regex) => Ok(split_by(&regex, &text(args, 0), pattern.is_empty(), limit)),
        None => warn_in(host, NAME, code::QUERY_INVALID_REGEX),
    }
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn groups_of_the_separator_are_fields() {
        assert_eq!(answer("REGEX_SPLIT", r#"["Capture the article","(the)"]"#), r#"["Capture ","the"," article"]"#);
        assert_eq!(answer("REGEX_SPLIT", r#"["cA,Bc,A,BcA,BcA,Bc","a,b",true,3]"#), r#"["c","c,","c"]"#);
        assert_eq!(answer("REGEX_SPLIT", r#"["","x"]"#), r#"[""]"#);
    }

    #[test]
    fn long_lists_are_split_to_the_end() {
        let text = (0..40).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
        let parts = answer("REGEX_SPLIT", &format!(r#"["{text}",","]"#));
        assert_eq!(parts.matches('"').count(), 80);
    }
}
