//! Salted password hashes in ArangoDB's format.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::value::Value;
use crate::{Error, Result, error::code};

/// A salted hash of a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasswordHash {
    salt: String,
    hash: String,
}

impl PasswordHash {
    /// Hashes a password with a fresh salt.
    pub fn new(password: &str) -> Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|e| Error::new(code::SYS_ERROR, format!("no randomness: {e}")))?;
        let salt = hex::encode(bytes);
        let hash = digest(&salt, password);
        Ok(Self { salt, hash })
    }

    /// Is this the password? Takes the same time whatever the answer.
    pub fn matches(&self, password: &str) -> bool {
        digest(&self.salt, password).as_bytes().ct_eq(self.hash.as_bytes()).into()
    }

    /// The hash alone.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The stored form, ArangoDB's `authData.simple` of a user.
    pub fn to_value(&self) -> Value {
        Value::from_pairs([
            ("hash", Value::str(self.hash.as_str())),
            ("salt", Value::str(self.salt.as_str())),
            ("method", Value::str("sha256")),
        ])
    }

    /// Reads the stored form.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |name| value.get(name).as_str().map(str::to_owned);
        (value.get("method").as_str() == Some("sha256")).then_some(())?;
        Some(Self { salt: text("salt")?, hash: text("hash")? })
    }
}

fn digest(salt: &str, password: &str) -> String {
    hex::encode(Sha256::new().chain_update(salt).chain_update(password).finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_matches() {
        let hash = PasswordHash::new("secret").expect("random");
        assert!(hash.matches("secret"));
        assert!(!hash.matches("Secret"));
        assert!(!hash.matches(""));
    }

    #[test]
    fn the_same_password_has_two_hashes() {
        assert_ne!(PasswordHash::new("x").expect("random"), PasswordHash::new("x").expect("random"));
    }

    #[test]
    fn a_hash_survives_its_stored_form() {
        let hash = PasswordHash::new("secret").expect("random");
        assert_eq!(PasswordHash::from_value(&hash.to_value()), Some(hash));
    }
}
