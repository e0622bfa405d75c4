//! Access tokens: passwords for programs, with a name and an end, that their user can take back one by one.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::code;
use crate::value::{Object, SmolStr, Value, parse_json};
use crate::{Error, Result};

/// What every token begins with.
const PREFIX: &str = "v1.";
/// How long a token is good for that names no end.
const LIFETIME: Duration = Duration::from_hours(365 * 24);

/// What is kept of a token; the token itself is known to its user only.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessToken {
    /// Its number among those of its user.
    pub id: u64,
    /// What it is for.
    pub name: SmolStr,
    /// Seconds since 1970 when it was made.
    pub created_at: u64,
    /// Seconds since 1970 when it ends.
    pub valid_until: u64,
    /// Its last characters, to know it again.
    fingerprint: SmolStr,
    hash: SmolStr,
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn hash(token: &str) -> SmolStr {
    hex::encode(Sha256::digest(token)).into()
}

/// The user a token is of, if it is one at all.
pub fn user_of(token: &str) -> Option<SmolStr> {
    let said = String::from_utf8(hex::decode(token.strip_prefix(PREFIX)?).ok()?).ok()?;
    parse_json(&said).ok()?.get("u").as_str().map(SmolStr::from)
}

impl AccessToken {
    /// A new one, and the token itself.
    pub fn new(id: u64, user: &str, name: &str, valid_until: Option<u64>) -> Result<(Self, String)> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|e| Error::new(code::SYS_ERROR, format!("no randomness: {e}")))?;
        let created_at = now();
        let valid_until = valid_until.unwrap_or(created_at + LIFETIME.as_secs());
        let said = Value::from_pairs([
            ("u", Value::str(user)),
            ("e", valid_until.into()),
            ("c", created_at.into()),
            ("r", Value::str(hex::encode(random))),
        ]);
        let token = format!("{PREFIX}{}", hex::encode(said.to_json()));
        let fingerprint = format!("{PREFIX}..{}", &token[token.len() - 6..]).into();
        Ok((Self { id, name: name.into(), created_at, valid_until, fingerprint, hash: hash(&token) }, token))
    }

    fn is_active(&self) -> bool {
        now() < self.valid_until
    }

    /// Is this the token, and has it not ended?
    pub fn admits(&self, token: &str) -> bool {
        self.is_active() && bool::from(hash(token).as_bytes().ct_eq(self.hash.as_bytes()))
    }

    /// What the API shows.
    pub fn to_public(&self) -> Object {
        let mut public = self.to_stored();
        public.shift_remove("hash");
        public.insert("active".into(), Value::Bool(self.is_active()));
        public
    }

    fn to_stored(&self) -> Object {
        [
            ("id", self.id.into()),
            ("name", Value::Str(self.name.clone())),
            ("valid_until", self.valid_until.into()),
            ("created_at", self.created_at.into()),
            ("fingerprint", Value::Str(self.fingerprint.clone())),
            ("hash", Value::Str(self.hash.clone())),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect()
    }

    fn from_stored(stored: &Value) -> Option<Self> {
        let number = |name: &str| stored.get(name).as_i64().and_then(|n| u64::try_from(n).ok());
        let text = |name: &str| stored.get(name).as_str().map(SmolStr::from);
        Some(Self {
            id: number("id")?,
            name: text("name")?,
            created_at: number("created_at")?,
            valid_until: number("valid_until")?,
            fingerprint: text("fingerprint")?,
            hash: text("hash")?,
        })
    }
}

/// As the document of a user keeps them.
pub(super) fn to_value(tokens: &[AccessToken]) -> Value {
    Value::array(tokens.iter().map(|token| Value::object(token.to_stored())).collect())
}

/// Of the document of a user.
pub(super) fn from_value(stored: &Value) -> Vec<AccessToken> {
    stored.iter_array().filter_map(|token| AccessToken::from_stored(&token)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_user_and_is_known_again() {
        let (kept, token) = AccessToken::new(1, "ann", "backup", None).expect("made");
        assert_eq!(user_of(&token).as_deref(), Some("ann"));
        assert!(kept.admits(&token) && !kept.admits(&format!("{token}0")));
        assert!(!kept.to_public().contains_key("hash"));
        let all = [kept];
        assert_eq!(from_value(&to_value(&all)), all);
    }

    #[test]
    fn a_token_ends() {
        let (kept, token) = AccessToken::new(1, "ann", "old", Some(1)).expect("made");
        assert!(!kept.admits(&token));
        assert_eq!(kept.to_public().get("active"), Some(&Value::Bool(false)));
    }

    #[test]
    fn a_password_is_no_token() {
        for text in ["", "v1.", "v1.zz", "v1.abc", "v1.\u{e4}\u{e4}", "secret", "v1.7b7d"] {
            assert_eq!(user_of(text), None, "{text}");
        }
    }
}
