//! The tokens of `/_open/auth`: HS256, as ArangoDB's.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use crate::error::code;
use crate::{Error, Result};

/// How long a token is good for.
const LIFETIME: Duration = Duration::from_hours(30 * 24);
const ISSUER: &str = "arangodb";

/// What a token says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claims {
    /// The user it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_username: Option<String>,
    /// Name of the server it stands for: its holder may do anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
    /// Always `arangodb`.
    pub iss: String,
    /// When it was issued, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iat: Option<u64>,
    /// When it ends, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exp: Option<u64>,
}

/// Issues and checks tokens with one secret.
pub struct Tokens {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

impl Tokens {
    /// Of a secret; without one it is made up and lives as long as the process.
    pub fn new(secret: Option<&str>) -> Result<Self> {
        let generated = &mut [0; 32];
        let secret = if let Some(secret) = secret {
            secret.as_bytes()
        } else {
            getrandom::fill(generated).map_err(|e| Error::new(code::SYS_ERROR, format!("no randomness: {e}")))?;
            generated
        };
        let mut validation = Validation::new(Algorithm::HS256);
        // a token without an end is valid: servers and operators use such ones
        validation.required_spec_claims.clear();
        validation.set_issuer(&[ISSUER]);
        validation.validate_aud = false;
        Ok(Self { encoding: EncodingKey::from_secret(secret), decoding: DecodingKey::from_secret(secret), validation })
    }

    /// A token for a user.
    pub fn issue(&self, user: &str) -> Result<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let claims = Claims {
            preferred_username: Some(user.to_owned()),
            server_id: None,
            iss: ISSUER.to_owned(),
            iat: Some(now),
            exp: Some(now + LIFETIME.as_secs()),
        };
        jsonwebtoken::encode(&Header::default(), &claims, &self.encoding)
            .map_err(|e| Error::new(code::INTERNAL, format!("cannot sign a token: {e}")))
    }

    /// What a token says, if it is ours and has not ended.
    pub fn verify(&self, token: &str) -> Option<Claims> {
        let claims = jsonwebtoken::decode::<Claims>(token, &self.decoding, &self.validation).ok()?.claims;
        (claims.iss == ISSUER).then_some(claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_user() {
        let tokens = Tokens::new(Some("key")).expect("key");
        let token = tokens.issue("ann").expect("signed");
        assert_eq!(tokens.verify(&token).and_then(|c| c.preferred_username).as_deref(), Some("ann"));
    }

    #[test]
    fn a_token_of_another_secret_is_refused() {
        let token = Tokens::new(Some("key")).expect("key").issue("ann").expect("signed");
        assert!(Tokens::new(Some("other")).expect("key").verify(&token).is_none());
        assert!(Tokens::new(Some("key")).expect("key").verify(&format!("{token}x")).is_none());
    }
}
