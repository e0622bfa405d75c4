//! `REGEX_SPLIT()` and the splitting behind `SPLIT()`.

use super::pattern::{GaveUp, Pattern};
use super::{Kind, compiled};
use crate::Result;
use crate::error::code;
use crate::functions::{Host, flag, text, warn_in};
use crate::value::Value;

/// ArangoDB splits in pieces of this many fields, the last of which is split again.
const FIELDS: usize = 16;

/// The fields of one round and, if there may be more, the text that is still to be split.
type Round<'a> = (Vec<&'a str>, Option<&'a str>);

fn fields<'a>(regex: &Pattern, text: &'a str) -> std::result::Result<Round<'a>, GaveUp> {
    let mut fields = Vec::new();
    if text.is_empty() {
        return Ok((fields, None));
    }
    let mut start = 0;
    for groups in regex.matches(text) {
        let groups = groups?;
        if fields.len() == FIELDS - 1 {
            return Ok((fields, Some(&text[start..])));
        }
        let whole = groups.whole();
        fields.push(&text[start..whole.start]);
        start = whole.end;
        // groups of the separator count as fields, as far as there is room
        let room = (FIELDS - 1).saturating_sub(fields.len());
        fields.extend((1..groups.len()).take(room).map(|group| groups.text(group, text)));
        if start == text.len() {
            break;
        }
    }
    if fields.len() == FIELDS - 1 {
        return Ok((fields, Some(&text[start..])));
    }
    fields.push(&text[start..]);
    Ok((fields, None))
}

/// Splits a text. `characters`: the expression is empty, the empty fields at both ends are left out.
pub(in crate::functions) fn split_by(
    regex: &Pattern,
    text: &str,
    characters: bool,
    limit: Option<usize>,
) -> std::result::Result<Value, GaveUp> {
    if text.is_empty() && !characters {
        return Ok(Value::array(vec!["".into()]));
    }
    let limit = limit.unwrap_or(usize::MAX);
    let mut out: Vec<Value> = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (mut found, remaining) = fields(regex, text)?;
        if characters && remaining.is_none() {
            found.pop();
        }
        out.extend(found.into_iter().skip(usize::from(characters)).map(Value::from).take(limit - out.len()));
        // an expression with many groups may fill a round without getting on
        rest = remaining.filter(|rest| out.len() < limit && rest.len() < text.len());
    }
    Ok(Value::array(out))
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
    let regex = compiled(Kind::Find { insensitive: flag(args, 2) }, &pattern)?;
    match regex.map(|regex| split_by(&regex, &text(args, 0), pattern.is_empty(), limit)) {
        Some(Ok(fields)) => Ok(fields),
        _ => warn_in(host, NAME, code::QUERY_INVALID_REGEX),
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
