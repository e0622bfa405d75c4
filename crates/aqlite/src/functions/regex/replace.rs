//! `REGEX_REPLACE()`.

use super::pattern::{Groups, Pattern};
use super::{Kind, compiled};
use crate::Result;
use crate::error::code;
use crate::functions::{Growing, Host, flag, text, warn_in};
use crate::value::Value;

pub(super) fn regex_replace(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const NAME: &str = "REGEX_REPLACE";
    let Some(regex) = compiled(Kind::Find { insensitive: flag(args, 3) }, &text(args, 1))? else {
        return warn_in(host, NAME, code::QUERY_INVALID_REGEX);
    };
    let (text, replacement) = (text(args, 0), text(args, 2));
    let mut out = Growing::default();
    let mut part = String::new();
    let mut copied = 0;
    for groups in regex.matches(&text) {
        let Ok(groups) = groups else { return warn_in(host, NAME, code::QUERY_INVALID_REGEX) };
        let whole = groups.whole();
        out.push(&text[copied..whole.start], host)?;
        part.clear();
        if expand(&replacement, &regex, &groups, &text, &mut part).is_none() {
            return warn_in(host, NAME, code::QUERY_INVALID_REGEX);
        }
        out.push(&part, host)?;
        copied = whole.end;
    }
    out.push(&text[copied..], host)?;
    Ok(out.text.into())
}

/// Appends the replacement: `$1` and `${name}` stand for groups, a backslash makes the next character literal.
/// `None` where it names no group.
fn expand(replacement: &str, regex: &Pattern, groups: &Groups, text: &str, out: &mut String) -> Option<()> {
    let mut rest = replacement;
    while let Some(position) = rest.find(['$', '\\']) {
        out.push_str(&rest[..position]);
        let special = rest.as_bytes().get(position);
        rest = &rest[position + 1..];
        if special == Some(&b'\\') {
            if let Some(c) = rest.chars().next() {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        } else if let Some(named) = rest.strip_prefix('{') {
            let (name, behind) = named.split_once('}')?;
            out.push_str(groups.text(regex.group_named(name)?, text));
            rest = behind;
        } else {
            // as many digits as still name a group
            let mut group = None;
            while let Some(digit) = rest.chars().next().and_then(|c| c.to_digit(10)) {
                let longer = group.unwrap_or(0usize).checked_mul(10)?.checked_add(digit as usize)?;
                if longer >= groups.len() {
                    // the first digit alone has to name one
                    group?;
                    break;
                }
                group = Some(longer);
                rest = &rest[1..];
            }
            out.push_str(groups.text(group?, text));
        }
    }
    out.push_str(rest);
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn groups_are_inserted_by_number() {
        assert_eq!(answer("REGEX_REPLACE", r#"["John Smith","(\\w+) (\\w+)","$2 $1"]"#), r#""Smith John""#);
        assert_eq!(answer("REGEX_REPLACE", r#"["ab","(a)","$10"]"#), r#""a0b""#);
        assert_eq!(answer("REGEX_REPLACE", r#"["ab","a","\\$1"]"#), r#""$1b""#);
        assert_eq!(answer("REGEX_REPLACE", r#"["ab","a","$2"]"#), "warning 1543");
    }

    #[test]
    fn empty_matches_are_replaced_everywhere() {
        assert_eq!(answer("REGEX_REPLACE", r#"["abc","","-"]"#), r#""-a-b-c-""#);
        assert_eq!(answer("REGEX_REPLACE", r#"["xx","x*","-"]"#), r#""--""#);
    }
}
