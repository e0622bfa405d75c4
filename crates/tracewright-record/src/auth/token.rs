//! Tokens: HS256 JWTs, each with a record in the database that can revoke it.

use chrono::{DateTime, Duration, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use quick_cache::sync::Cache;
use rand::RngExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::aql::rows::TokenDocument;
use crate::clock;
use crate::error::{Error, Result};

/// Context of a token that opens sessions and operations.
pub const SESSION: &str = "session";
/// Context of the record of an API token. The token itself says [`SESSION`], so that it passes where sessions pass.
pub const API: &str = "api";
/// Context of a token that opens nothing but the change of its user's password.
pub const PASSWORD_RESET: &str = "pwd_reset";
/// Context of a token of a running job; it opens operations like a session.
pub const JOB: &str = "job";
/// Context of a ticket, which opens one stream of notifications.
pub const TICKET: &str = "sse_ticket";
/// The kind of consumer that people are.
pub const USER: &str = "user";

/// So many tokens are known again without checking their signature,
const KNOWN: usize = 1024;
/// unless they are longer than any that is issued here.
const LONGEST_KNOWN: usize = 4096;

/// What a token says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// Key of the token's record.
    pub jti: String,
    /// Key of the consumer, for people their user key.
    pub sub: String,
    /// Kind of consumer.
    pub ctyp: String,
    /// When it was issued.
    pub iat: i64,
    /// When it ends.
    pub exp: i64,
    /// What it is for.
    pub ctx: String,
    /// The user's scopes, separated by spaces; absent on reset tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// A fresh token and its record.
pub struct Issued {
    /// The token.
    pub token: String,
    /// The document for the collection `Token`.
    pub record: TokenDocument,
}

/// Signs and reads tokens.
pub struct Signer {
    encoding: EncodingKey,
    decoding: DecodingKey,
    /// Tokens whose signature was checked: each comes with every request of its user.
    known: Cache<Box<str>, Claims>,
}

impl Signer {
    /// A signer with a secret key.
    pub fn new(secret: &str) -> Self {
        Self {
            encoding: EncodingKey::from_secret(secret.as_bytes()),
            decoding: DecodingKey::from_secret(secret.as_bytes()),
            known: Cache::new(KNOWN),
        }
    }

    /// A secret for one purpose that follows from the key: every process with the key has the same.
    pub fn derived(&self, purpose: &str) -> Result<String> {
        jsonwebtoken::crypto::sign(purpose.as_bytes(), &self.encoding, Algorithm::HS256)
            .map_err(|error| Error::internal("A secret could not be made.", error))
    }

    /// A session token for a user: 24 hours.
    pub fn session(&self, user_key: &str, scope: &str) -> Result<Issued> {
        let now = Utc::now();
        self.issue(user_key, SESSION, Some(scope.to_owned()), now, now + Duration::hours(24))
    }

    /// A token to set a new password with: 5 minutes.
    pub fn password_reset(&self, user_key: &str) -> Result<Issued> {
        let now = Utc::now();
        self.issue(user_key, PASSWORD_RESET, None, now, now + Duration::minutes(5))
    }

    /// An API token for a user.
    pub fn api(&self, user_key: &str, scope: &str, description: &str, expires: DateTime<Utc>) -> Result<Issued> {
        let mut issued = self.issue(user_key, SESSION, Some(scope.to_owned()), Utc::now(), expires)?;
        API.clone_into(&mut issued.record.context);
        issued.record.description = Some(description.to_owned());
        Ok(issued)
    }

    fn issue(
        &self,
        user_key: &str,
        context: &str,
        scope: Option<String>,
        now: DateTime<Utc>,
        expires: DateTime<Utc>,
    ) -> Result<Issued> {
        let claims = Claims {
            jti: new_key(),
            sub: user_key.to_owned(),
            ctyp: USER.to_owned(),
            iat: now.timestamp(),
            exp: expires.timestamp(),
            ctx: context.to_owned(),
            scope,
        };
        let token = self.sign(&claims)?;
        let record = TokenDocument {
            key: claims.jti,
            signature: kept_signature(&token),
            revoked: false,
            issued_to: format!("User/{user_key}"),
            issued_at: clock::stored(now),
            expires_at: clock::stored(expires),
            // Existing databases know no other context for tokens of a login.
            context: SESSION.to_owned(),
            description: None,
        };
        Ok(Issued { token, record })
    }

    /// What these claims are as a token.
    pub(super) fn sign(&self, claims: &impl Serialize) -> Result<String> {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &self.encoding)
            .map_err(|e| Error::internal("The token could not be signed. Please try again.", e))
    }

    /// Reads a token: its signature must be ours and, unless `even_expired`, its time not over.
    pub fn read(&self, token: &str, even_expired: bool) -> Result<Claims> {
        if let Some(claims) = self.known.get(token) {
            let is_over = claims.exp < Utc::now().timestamp();
            return if is_over && !even_expired { Err(Error::Credentials) } else { Ok(claims) };
        }
        let claims: Claims = self.verify(token, even_expired)?;
        if token.len() <= LONGEST_KNOWN {
            self.known.insert(token.into(), claims.clone());
        }
        Ok(claims)
    }

    /// The claims of a token, of any kind.
    pub(super) fn verify<T: DeserializeOwned>(&self, token: &str, even_expired: bool) -> Result<T> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        validation.validate_exp = !even_expired;
        jsonwebtoken::decode::<T>(token, &self.decoding, &validation)
            .map(|data| data.claims)
            .map_err(|_| Error::Credentials)
    }
}

/// What the record of a token keeps of its third part: a hash, since with the part itself whoever reads the database could put
/// the token together again.
pub fn kept_signature(token: &str) -> String {
    format!("sha256:{:x}", Sha256::digest(signature(token)))
}

/// The third part of a token.
pub fn signature(token: &str) -> &str {
    token.rsplit('.').next().unwrap_or_default()
}

fn new_key() -> String {
    let bits = rand::rng().random::<u64>() & 0xffff_ffff_ffff;
    format!("{bits:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_carries_the_claims_and_its_record_the_signature() {
        let signer = Signer::new("key");
        let issued = signer.session("u1", "admin").unwrap();
        let claims = signer.read(&issued.token, false).unwrap();
        assert_eq!((claims.sub.as_str(), claims.ctyp.as_str(), claims.ctx.as_str()), ("u1", "user", "session"));
        assert_eq!(claims.scope.as_deref(), Some("admin"));
        assert_eq!(claims.exp - claims.iat, 24 * 60 * 60);
        assert!(claims.jti.len() == 12 && claims.jti.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase()));
        assert_eq!(issued.record.signature, kept_signature(&issued.token));
        let record = format!("{:?}", issued.record);
        assert!(!record.contains(signature(&issued.token)), "nobody can make the token of its record");
        assert_eq!(issued.record.issued_to, "User/u1");
    }

    #[test]
    fn a_reset_token_has_no_scope_and_lives_five_minutes() {
        let signer = Signer::new("key");
        let claims = signer.read(&signer.password_reset("u1").unwrap().token, false).unwrap();
        assert_eq!((claims.scope, claims.exp - claims.iat, claims.ctx.as_str()), (None, 300, "pwd_reset"));
    }

    #[test]
    fn an_expired_token_is_read_only_on_request() {
        let signer = Signer::new("key");
        let past = Utc::now() - Duration::hours(25);
        let token = signer.issue("u1", SESSION, None, past, past + Duration::hours(24)).unwrap().token;
        assert!(signer.read(&token, false).is_err());
        assert!(signer.read(&token, true).is_ok());
        assert!(signer.read(&token, false).is_err(), "also when it is known");
    }

    #[test]
    fn a_token_that_is_known_says_the_same_again_and_one_like_it_is_refused() {
        let signer = Signer::new("key");
        let token = signer.session("u1", "admin").unwrap().token;
        let claims = signer.read(&token, false).unwrap();
        assert_eq!(signer.read(&token, false).unwrap(), claims);
        let other = Signer::new("key").session("u2", "admin").unwrap().token;
        let forged = format!("{}.{}", other.rsplit_once('.').unwrap().0, signature(&token));
        assert!(signer.read(&forged, false).is_err());
    }

    #[test]
    fn tokens_of_another_key_or_without_signature_are_refused() {
        let token = Signer::new("other").session("u1", "admin").unwrap().token;
        let signer = Signer::new("key");
        assert!(signer.read(&token, true).is_err());
        // {"alg":"none"}
        let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", token.split('.').nth(1).unwrap());
        assert!(signer.read(&unsigned, true).is_err());
        assert!(signer.read("", true).is_err());
    }
}
