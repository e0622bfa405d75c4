//! Type checks and conversions.

use std::net::Ipv4Addr;

use super::numeric::number;
use super::{Function, Host, pure};
use crate::Result;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("IS_NULL", 1, 1, |_, args| Ok(args[0].is_null().into())),
    pure("IS_BOOL", 1, 1, |_, args| Ok(args[0].is_bool().into())),
    pure("IS_NUMBER", 1, 1, |_, args| Ok(args[0].is_number().into())),
    pure("IS_STRING", 1, 1, |_, args| Ok(args[0].is_string().into())),
    pure("IS_ARRAY", 1, 1, |_, args| Ok(args[0].is_array().into())),
    pure("IS_OBJECT", 1, 1, |_, args| Ok(args[0].is_object().into())),
    pure("IS_KEY", 1, 1, is_key),
    pure("IS_IPV4", 1, 1, is_ipv4),
    pure("TYPENAME", 1, 1, |_, args| Ok(args[0].type_name().into())),
    pure("TO_BOOL", 1, 1, |_, args| Ok(args[0].truthy().into())),
    pure("TO_NUMBER", 1, 1, to_number),
    pure("TO_STRING", 1, 1, |_, args| Ok(args[0].to_text().into())),
    pure("TO_ARRAY", 1, 1, |_, args| Ok(Value::shared_array(args[0].to_array()))),
];

/// The number as a double, integers included.
fn to_number(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(args[0].to_number().as_f64().map_or(Value::Null, number))
}

/// Longest document key, in bytes.
const MAX_KEY_LENGTH: usize = 254;

fn is_key(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let valid = args[0].as_str().is_some_and(|key| {
        (1..=MAX_KEY_LENGTH).contains(&key.len())
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-:.@()+,=;$!*'%".contains(&b))
    });
    Ok(valid.into())
}

fn is_ipv4(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(args[0].as_str().is_some_and(|s| s.parse::<Ipv4Addr>().is_ok()).into())
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn a_key_has_the_characters_and_the_length_of_a_document_key() {
        assert_eq!(answer("IS_KEY", r#"["a:b-c_d@e.f"]"#), "true");
        for wrong in [r#"["a b"]"#, r#"[""]"#, "[5]", r#"["a/b"]"#, r#"["ä"]"#] {
            assert_eq!(answer("IS_KEY", wrong), "false", "{wrong}");
        }
        assert_eq!(answer("IS_KEY", &format!("[\"{}\"]", "k".repeat(254))), "true");
        assert_eq!(answer("IS_KEY", &format!("[\"{}\"]", "k".repeat(255))), "false");
    }

    #[test]
    fn an_address_has_four_parts_without_leading_zeros() {
        assert_eq!(answer("IS_IPV4", r#"["127.0.0.1"]"#), "true");
        for wrong in [r#"["256.1.1.1"]"#, r#"["1.2.3"]"#, "[null]", r#"["01.2.3.4"]"#, r#"["1.2.3.4 "]"#] {
            assert_eq!(answer("IS_IPV4", wrong), "false", "{wrong}");
        }
    }

    #[test]
    fn a_number_becomes_a_double() {
        assert_eq!(answer("TO_NUMBER", r#"["10000000000"]"#), "1e+10");
        assert_eq!(answer("TO_NUMBER", "[9007199254740993]"), "9007199254740992");
        assert_eq!(answer("TO_NUMBER", r#"["inf"]"#), "null");
        assert_eq!(answer("TO_NUMBER", "[[7]]"), "7");
        assert_eq!(answer("TO_NUMBER", "[[7,8]]"), "0");
    }

    #[test]
    fn an_array_is_made_of_a_scalar_or_of_the_values_of_an_object() {
        assert_eq!(answer("TO_ARRAY", "[null]"), "[]");
        assert_eq!(answer("TO_ARRAY", "[false]"), "[false]");
        assert_eq!(answer("TO_ARRAY", r#"[{"a":1,"b":[2]}]"#), "[1,[2]]");
    }
}
