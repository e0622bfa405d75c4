//! Passwords: Argon2id, and the bcrypt hashes of existing databases. Hashing runs beside the request threads.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use aqlite::auth::throttle::network;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, Result};

/// Characters that a new password has at least. Passwords that are shorter already go on working.
pub const SHORTEST: usize = 10;

/// What is wrong with a new password, when something is.
pub fn mistake(password: &str) -> Option<String> {
    (password.chars().count() < SHORTEST).then(|| format!("a password has at least {SHORTEST} characters"))
}

/// OWASP's parameters: 19 MiB, two passes, one lane.
fn argon2() -> Argon2<'static> {
    let params = Params::new(19 * 1024, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Each hash takes memory and a core, so no more run at once than there are cores.
static SLOTS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from))));

/// Verified in place of a missing hash, so that an unknown user costs the same time.
static DUMMY: LazyLock<String> = LazyLock::new(|| hash_now("no user has this password").unwrap_or_default());

/// The same as existing databases hash.
static OLD_DUMMY: LazyLock<String> =
    LazyLock::new(|| bcrypt::hash("no user has this password", OLD_COST).unwrap_or_default());

/// The work factor of the hashes in existing databases.
const OLD_COST: u32 = 12;

/// Hashes computed for a check, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    argon2: u32,
    bcrypt: u32,
}

/// A check that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// What it found.
    pub verdict: Verdict,
    /// What it cost.
    pub spent: Spent,
}

/// What the check of a password found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The password is right.
    Right,
    /// The password is right and its hash should be replaced by one of today's.
    RightButOld,
    /// The password is wrong, or there is no hash.
    Wrong,
}

/// Addresses for which somebody hashes or waits to, with the one right that each of them has.
static TURNS: LazyLock<Mutex<HashMap<IpAddr, Arc<Semaphore>>>> = LazyLock::new(Mutex::default);

/// The right to hash.
pub struct Slot {
    _slot: OwnedSemaphorePermit,
    _turn: Option<Turn>,
}

/// The right of an address; dropped, the next one from there has it.
struct Turn {
    address: IpAddr,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.get(&self.address).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            turns.remove(&self.address);
        }
    }
}

/// Waits for the right to hash.
pub async fn slot() -> Result<Slot> {
    let slot = Arc::clone(&SLOTS).acquire_owned().await.map_err(failed)?;
    Ok(Slot { _slot: slot, _turn: None })
}

/// Waits for the right to hash for a client. Those of one address take turns: however many attempts come from there, others
/// wait for one of them at most.
pub async fn slot_for(address: Option<IpAddr>) -> Result<Slot> {
    let turn = match address.map(network) {
        Some(address) => Some(turn(address).await?),
        None => None,
    };
    Ok(Slot { _turn: turn, ..slot().await? })
}

async fn turn(address: IpAddr) -> Result<Turn> {
    let semaphore = {
        let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(address).or_insert_with(|| Arc::new(Semaphore::new(1))))
    };
    // made first, so that one who gives up while waiting leaves nothing behind
    let mut turn = Turn { address, permit: None };
    turn.permit = Some(semaphore.acquire_owned().await.map_err(failed)?);
    Ok(turn)
}

/// Hashes a password.
pub async fn hash(password: String) -> Result<String> {
    let _slot = slot().await?;
    blocking(move || hash_now(&password)).await?
}

/// Checks a password against a stored hash; without one it takes the same time and is wrong.
pub async fn verify(_slot: &Slot, password: String, stored: Option<String>) -> Result<Verified> {
    blocking(move || {
        let mut spent = Spent::default();
        let verdict = verify_now(&password, stored.as_deref().unwrap_or(&DUMMY), &mut spent);
        Verified { verdict: if stored.is_some() { verdict } else { Verdict::Wrong }, spent }
    })
    .await
}

/// Does the work that a check has spared, so that every failure has cost one hash of each kind, whatever kind the user
/// has and whether there is such a user at all.
pub async fn level(_slot: &Slot, password: String, mut spent: Spent) -> Result<Spent> {
    blocking(move || {
        for (count, dummy) in [(spent.argon2, &*DUMMY), (spent.bcrypt, &*OLD_DUMMY)] {
            if count == 0 {
                verify_now(&password, dummy, &mut spent);
            }
        }
        spent
    })
    .await
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(failed)
}

fn failed(cause: impl std::fmt::Display) -> Error {
    Error::internal("The password could not be processed. Please try again.", cause.to_string())
}

fn hash_now(password: &str) -> Result<String> {
    argon2().hash_password(password.as_bytes()).map(|hash| hash.to_string()).map_err(failed)
}

fn verify_now(password: &str, stored: &str, spent: &mut Spent) -> Verdict {
    if stored.starts_with("$2") {
        spent.bcrypt += 1;
        return match bcrypt::verify(password, stored) {
            Ok(true) => Verdict::RightButOld,
            _ => Verdict::Wrong,
        };
    }
    spent.argon2 += 1;
    match argon2().verify_password(password.as_bytes(), stored) {
        Ok(()) => Verdict::Right,
        Err(_) => Verdict::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(password: String, stored: Option<String>) -> Result<Verdict> {
        Ok(verify(&slot().await?, password, stored).await?.verdict)
    }

    #[test]
    fn new_passwords_have_at_least_ten_characters() {
        assert!(mistake("ninechars").is_some() && mistake("ééééééééé").is_some());
        assert!(mistake("tenletters").is_none() && mistake("éééééééééé").is_none());
    }

    #[tokio::test]
    async fn every_failure_costs_one_hash_of_each_kind() {
        let old = bcrypt::hash("right", 4).unwrap();
        let new = hash("right".to_owned()).await.unwrap();
        let slot = slot().await.unwrap();
        for stored in [None, Some(old), Some(new)] {
            for password in ["right", "wrong"] {
                let spent = verify(&slot, password.to_owned(), stored.clone()).await.unwrap().spent;
                let total = level(&slot, password.to_owned(), spent).await.unwrap();
                assert_eq!(total, Spent { argon2: 1, bcrypt: 1 }, "{stored:?} {password}");
            }
        }
    }

    #[tokio::test]
    async fn hashes_are_argon2id_with_owasps_parameters() {
        let stored = hash("secret".to_owned()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert_eq!(check("secret".to_owned(), Some(stored.clone())).await.unwrap(), Verdict::Right);
        assert_eq!(check("Secret".to_owned(), Some(stored)).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_right_bcrypt_hash_asks_to_be_replaced() {
        let stored = bcrypt::hash_with_result("resetme", 4).unwrap().format_for_version(bcrypt::Version::TwoB);
        assert!(stored.starts_with("$2b$"));
        assert_eq!(check("resetme".to_owned(), Some(stored.clone())).await.unwrap(), Verdict::RightButOld);
        assert_eq!(check("other".to_owned(), Some(stored)).await.unwrap(), Verdict::Wrong);
    }

    #[tokio::test]
    async fn no_hash_and_an_unreadable_hash_are_wrong() {
        assert_eq!(check("no user has this password".to_owned(), None).await.unwrap(), Verdict::Wrong);
        assert_eq!(check("x".to_owned(), Some("plain".to_owned())).await.unwrap(), Verdict::Wrong);
    }
}
