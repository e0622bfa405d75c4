//! The tokens of `/_open/auth`: HS256, as ArangoDB's.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};

use super::users::User;
use crate::error::code;
use crate::{Error, Result};

/// How long a token is good for.
const LIFETIME: Duration = Duration::from_hours(30 * 24);
const ISSUER: &str = "arangodb";
/// So many tokens are known again without checking their signature,
const KNOWN: usize = 256;
/// unless they are longer than any that is issued here.
const LONGEST_KNOWN: usize = 1024;

/// What a token says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claims {
    /// The user it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred_username: Option<String>,
    /// Belongs to the password of that user. Tokens that others made with the same secret do without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_mark: Option<String>,
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
    /// Tokens that were good: each comes with every request of its user.
    known: Cache<Box<str>, Known>,
}

/// A token that was good.
#[derive(Clone)]
struct Known {
    /// The user as he was then.
    user: Arc<User>,
    exp: Option<u64>,
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
        Ok(Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
            validation,
            known: Cache::new(KNOWN),
        })
    }

    /// A token for a user, good until the password changes.
    pub fn issue(&self, user: &User) -> Result<String> {
        let now = now();
        let claims = Claims {
            preferred_username: Some(user.name.to_string()),
            password_mark: Some(self.mark(user)?),
            server_id: None,
            iss: ISSUER.to_owned(),
            iat: Some(now),
            exp: Some(now + LIFETIME.as_secs()),
        };
        jsonwebtoken::encode(&Header::default(), &claims, &self.encoding).map_err(|e| unsigned(&e))
    }

    /// Does the user still have the password that a token was issued for?
    pub fn is_current(&self, claims: &Claims, user: &User) -> bool {
        match &claims.password_mark {
            Some(mark) => self.mark(user).is_ok_and(|now| now == *mark),
            None => true,
        }
    }

    /// What changes with a user's password, and tells nothing about it to those who do not know the secret.
    fn mark(&self, user: &User) -> Result<String> {
        jsonwebtoken::crypto::sign(user.password_hash().as_bytes(), &self.encoding, Algorithm::HS256)
            .map_err(|e| unsigned(&e))
    }

    /// The user, as he was then, for whom a token was good before; `None` also when it may have ended since.
    pub fn known(&self, token: &str) -> Option<Arc<User>> {
        let known = self.known.get(token)?;
        known.exp.is_none_or(|exp| now() < exp).then_some(known.user)
    }

    /// Notes that a token is good for this user, as long as nothing about him changes.
    pub fn note_known(&self, token: &str, claims: &Claims, user: &Arc<User>) {
        if token.len() <= LONGEST_KNOWN {
            self.known.insert(token.into(), Known { user: Arc::clone(user), exp: claims.exp });
        }
    }

    /// What a token says, if it is ours and has not ended.
    pub fn verify(&self, token: &str) -> Option<Claims> {
        let claims = jsonwebtoken::decode::<Claims>(token, &self.decoding, &self.validation).ok()?.claims;
        (claims.iss == ISSUER).then_some(claims)
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn unsigned(cause: &jsonwebtoken::errors::Error) -> Error {
    Error::new(code::INTERNAL, format!("cannot sign a token: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::NewUser;

    fn user(password: &str) -> User {
        User::new("ann", NewUser { password: Some(password.to_owned()), ..NewUser::default() }).expect("random")
    }

    #[test]
    fn a_token_names_its_user() {
        let tokens = Tokens::new(Some("key")).expect("key");
        let token = tokens.issue(&user("pw")).expect("signed");
        assert_eq!(tokens.verify(&token).and_then(|c| c.preferred_username).as_deref(), Some("ann"));
    }

    #[test]
    fn a_token_of_another_secret_is_refused() {
        let token = Tokens::new(Some("key")).expect("key").issue(&user("pw")).expect("signed");
        assert!(Tokens::new(Some("other")).expect("key").verify(&token).is_none());
        assert!(Tokens::new(Some("key")).expect("key").verify(&format!("{token}x")).is_none());
    }

    #[test]
    fn a_token_is_known_until_it_ends() {
        let tokens = Tokens::new(Some("key")).expect("key");
        let user = Arc::new(user("pw"));
        let claims = tokens.verify(&tokens.issue(&user).expect("signed")).expect("ours");
        assert!(tokens.known("a").is_none());
        tokens.note_known("a", &claims, &user);
        assert!(tokens.known("a").is_some_and(|known| Arc::ptr_eq(&known, &user)));
        tokens.note_known("a", &Claims { exp: Some(now()), ..claims }, &user);
        assert!(tokens.known("a").is_none());
    }

    #[test]
    fn a_token_is_good_for_one_password_even_when_the_next_one_is_the_same() {
        let tokens = Tokens::new(Some("key")).expect("key");
        let (before, after) = (user("pw"), user("pw"));
        let claims = tokens.verify(&tokens.issue(&before).expect("signed")).expect("ours");
        assert!(tokens.is_current(&claims, &before));
        assert!(!tokens.is_current(&claims, &after));
        assert!(tokens.is_current(&Claims { password_mark: None, ..claims }, &after), "made by somebody else");
    }
}
