//! Hashes, encodings, addresses and random strings.

use std::hash::Hasher;
use std::net::Ipv4Addr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crc::{CRC_32_ISCSI, Crc};
use md5::{Digest, Md5};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rand::distr::{Alphanumeric, SampleString};
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use super::{Function, Host, impure, pure, text};
use crate::Result;
use crate::error::{Error, code};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("MD5", 1, 1, |_, args| Ok(digest::<Md5>(args))),
    pure("SHA1", 1, 1, |_, args| Ok(digest::<Sha1>(args))),
    pure("SHA256", 1, 1, |_, args| Ok(digest::<Sha256>(args))),
    pure("SHA512", 1, 1, |_, args| Ok(digest::<Sha512>(args))),
    pure("CRC32", 1, 1, crc32),
    pure("FNV64", 1, 1, fnv64),
    pure("TO_BASE64", 1, 1, |_, args| Ok(STANDARD.encode(text(args, 0).as_bytes()).into())),
    pure("TO_HEX", 1, 1, |_, args| Ok(hex::encode(text(args, 0).as_bytes()).into())),
    pure("ENCODE_URI_COMPONENT", 1, 1, encode_uri_component),
    pure("IPV4_FROM_NUMBER", 1, 1, ipv4_from_number),
    pure("IPV4_TO_NUMBER", 1, 1, ipv4_to_number),
    impure("UUID", 0, 0, |_, _| Ok(uuid::Uuid::new_v4().to_string().into())),
    impure("RANDOM_TOKEN", 1, 1, random_token),
];

/// Longest `RANDOM_TOKEN()`.
const MAX_TOKEN: i64 = 65_536;

/// What `encodeURIComponent` leaves as it is.
const URI_COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

fn digest<D: Digest>(args: &[Value]) -> Value {
    hex::encode(D::digest(text(args, 0).as_bytes())).into()
}

fn crc32(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    const CASTAGNOLI: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
    Ok(format!("{:X}", CASTAGNOLI.checksum(text(args, 0).as_bytes())).into())
}

fn fnv64(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(text(args, 0).as_bytes());
    Ok(format!("{:X}", hasher.finish()).into())
}

fn encode_uri_component(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    Ok(utf8_percent_encode(&text(args, 0), URI_COMPONENT).to_string().into())
}

fn ipv4_from_number(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match args[0].as_i64().and_then(|number| u32::try_from(number).ok()) {
        Some(number) => Ok(Ipv4Addr::from(number).to_string().into()),
        None => host.wrong_type("IPV4_FROM_NUMBER"),
    }
}

fn ipv4_to_number(host: &mut dyn Host, args: &[Value]) -> Result<Value> {
    match args[0].as_str().and_then(|s| s.parse::<Ipv4Addr>().ok()) {
        Some(address) => Ok(Value::Int(i64::from(u32::from(address)))),
        None => host.wrong_type("IPV4_TO_NUMBER"),
    }
}

fn random_token(_: &mut dyn Host, args: &[Value]) -> Result<Value> {
    let length = args[0].to_i64()?;
    if !(0..=MAX_TOKEN).contains(&length) {
        return Err(Error::new(
            code::QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH,
            "invalid argument type in call to function 'RANDOM_TOKEN()'",
        ));
    }
    Ok(Alphanumeric.sample_string(&mut rand::rng(), length as usize).into())
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::answer;

    #[test]
    fn hashes_are_those_of_the_text() {
        assert_eq!(answer("MD5", r#"["foobar"]"#), r#""3858f62230ac3c915f300c664312c63f""#);
        assert_eq!(answer("MD5", "[null]"), answer("MD5", r#"[""]"#));
        assert_eq!(answer("SHA1", "[true]"), answer("SHA1", r#"["true"]"#));
        assert_eq!(answer("CRC32", r#"["foobar"]"#), r#""D5F5C7F""#);
        assert_eq!(answer("FNV64", r#"["foobar"]"#), r#""85944171F73967E8""#);
    }

    #[test]
    fn addresses_convert_both_ways() {
        assert_eq!(answer("IPV4_TO_NUMBER", r#"["127.0.0.1"]"#), "2130706433");
        assert_eq!(answer("IPV4_FROM_NUMBER", "[2130706433]"), r#""127.0.0.1""#);
        assert_eq!(answer("IPV4_FROM_NUMBER", "[4294967296]"), "warning 1542");
        assert_eq!(answer("IPV4_TO_NUMBER", r#"["milk"]"#), "warning 1542");
    }

    #[test]
    fn a_random_token_has_the_length_asked_for() {
        assert_eq!(answer("RANDOM_TOKEN", "[8]").len(), 10);
        assert_eq!(answer("RANDOM_TOKEN", "[65537]"), "error 1542");
        assert_ne!(answer("UUID", "[]"), answer("UUID", "[]"));
    }

    #[test]
    fn components_keep_the_unreserved_marks() {
        let encoded = answer("ENCODE_URI_COMPONENT", r#"["fünf %/&?=~!*'() x"]"#);
        assert_eq!(encoded, r#""f%C3%BCnf%20%25%2F%26%3F%3D~!*'()%20x""#);
    }
}
