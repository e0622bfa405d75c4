//! The users, kept in `_system/_users` and, for every request to see, in memory.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use quick_cache::sync::Cache;

use super::Identity;
use super::access_tokens::{self, AccessToken, user_of};
use super::grants::{self, Grants, Level};
use super::password::PasswordHash;
use crate::error::code;
use crate::txn::{Store, Txn, TxnOptions, WriteOptions};
use crate::value::{Object, SmolStr, Value};
use crate::{Error, Result};

const COLLECTION: &str = "_users";
/// So many are known again by what they show.
const PROVEN: usize = 256;

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    /// Key of the document in `_users`; empty before it is stored.
    key: SmolStr,
    /// The name to log in with.
    pub name: SmolStr,
    /// An inactive user cannot log in and may do nothing.
    pub active: bool,
    password: PasswordHash,
    /// Whatever else is kept about the user.
    pub extra: Value,
    /// What the user may do.
    pub grants: Grants,
    /// What the user's programs log in with.
    pub access_tokens: Vec<AccessToken>,
}

impl User {
    /// One that is not stored yet, without any grant.
    pub(super) fn new(name: &str, new: NewUser) -> Result<Self> {
        Ok(Self {
            key: SmolStr::default(),
            name: name.into(),
            active: new.active.unwrap_or(true),
            password: PasswordHash::new(new.password.as_deref().unwrap_or_default())?,
            extra: new.extra.unwrap_or_else(empty_object),
            grants: Grants::new(),
            access_tokens: Vec::new(),
        })
    }

    /// What tells the user from everybody else, also from those who had the name before or will have it.
    pub(super) fn id(&self) -> &SmolStr {
        &self.key
    }

    /// What is stored instead of the password; it changes whenever that is set.
    pub(super) fn password_hash(&self) -> &str {
        self.password.hash()
    }

    /// What the user may do in a database.
    pub fn database_level(&self, database: &str) -> Level {
        if self.active { grants::database_level(&self.grants, database) } else { Level::None }
    }

    /// What the user may do with a collection.
    pub fn collection_level(&self, database: &str, collection: &str) -> Level {
        if self.active { grants::collection_level(&self.grants, database, collection) } else { Level::None }
    }

    /// The grant that decides about a collection, if there is one.
    pub fn explicit_collection_level(&self, database: &str, collection: &str) -> Option<Level> {
        grants::explicit_collection_level(&self.grants, database, collection)
    }

    /// May the user read and write every collection of the database but the protected ones?
    pub fn is_unrestricted(&self, database: &str) -> bool {
        self.database_level(database) == Level::Rw
            && [database, "*"].iter().all(|db| self.grants.get(*db).is_none_or(|g| g.collections.is_empty()))
    }

    /// What the user API shows.
    pub fn to_public(&self) -> Object {
        let mut public = Object::default();
        public.insert("user".into(), Value::Str(self.name.clone()));
        public.insert("active".into(), Value::Bool(self.active));
        public.insert("extra".into(), self.extra.clone());
        public
    }

    fn to_document(&self) -> Value {
        let mut document = Object::default();
        document.insert("user".into(), Value::Str(self.name.clone()));
        document.insert("source".into(), Value::str("LOCAL"));
        document.insert(
            "authData".into(),
            Value::from_pairs([("active", Value::Bool(self.active)), ("simple", self.password.to_value())]),
        );
        document.insert("databases".into(), grants::to_value(&self.grants));
        document.insert("userData".into(), self.extra.clone());
        if !self.access_tokens.is_empty() {
            document.insert("accessTokens".into(), access_tokens::to_value(&self.access_tokens));
        }
        Value::object(document)
    }

    fn from_document(document: &Value) -> Option<Self> {
        let auth = document.get("authData");
        Some(Self {
            key: document.get("_key").as_str()?.into(),
            name: document.get("user").as_str()?.into(),
            active: auth.get("active").truthy(),
            password: PasswordHash::from_value(&auth.get("simple"))?,
            extra: Some(document.get("userData")).filter(Value::is_object).unwrap_or_else(empty_object),
            grants: grants::from_value(&document.get("databases")),
            access_tokens: access_tokens::from_value(&document.get("accessTokens")),
        })
    }
}

fn empty_object() -> Value {
    Value::object(Object::default())
}

/// The attributes of a user as the API gives them; what is `None` is left alone or gets its default.
#[derive(Debug, Default)]
pub struct NewUser {
    /// Password in clear text.
    pub password: Option<String>,
    /// May the user log in?
    pub active: Option<bool>,
    /// Whatever else is kept about the user.
    pub extra: Option<Value>,
}

/// All users.
pub struct Users {
    store: Store,
    known: RwLock<BTreeMap<SmolStr, Arc<User>>>,
    /// Held while users change, so that memory and `_users` agree.
    changing: Mutex<()>,
    /// Who has shown the right password: clients show it with every request. Nothing here tells the password.
    proven: Cache<u64, Arc<User>>,
    /// Makes the marks under which they are kept.
    marks: RandomState,
}

impl Users {
    /// Reads the users; the very first start creates `root`.
    pub fn open(store: &Store, root_password: &str) -> Result<Self> {
        let users = Self {
            store: store.clone(),
            known: RwLock::default(),
            changing: Mutex::default(),
            proven: Cache::new(PROVEN),
            marks: RandomState::new(),
        };
        let known = users.load()?;
        let first_start = known.is_empty();
        *users.known.write() = known;
        if first_start {
            let root = NewUser { password: Some(root_password.to_owned()), ..NewUser::default() };
            users.create("root", root)?;
            users.change("root", |user| {
                let everywhere = user.grants.entry("*".into()).or_default();
                everywhere.level = Some(Level::Rw);
                Ok(())
            })?;
        }
        Ok(users)
    }

    fn load(&self) -> Result<BTreeMap<SmolStr, Arc<User>>> {
        let system = self.store.database("_system")?;
        let collection = system.collection(COLLECTION).ok_or_else(|| Error::plain(code::DATA_SOURCE_NOT_FOUND))?;
        let mut scan = self.store.view().scan(collection, false)?;
        let mut known = BTreeMap::new();
        while let Some((_, document)) = scan.next()? {
            if let Some(user) = User::from_document(&document) {
                known.insert(user.name.clone(), Arc::new(user));
            }
        }
        Ok(known)
    }

    fn begin(&self) -> Result<Txn> {
        self.store.begin(
            &self.store.database("_system")?,
            TxnOptions { write: vec![COLLECTION.into()], ..TxnOptions::default() },
        )
    }

    /// One user.
    pub fn get(&self, name: &str) -> Result<Arc<User>> {
        self.find(name).ok_or_else(|| Error::plain(code::USER_NOT_FOUND))
    }

    /// One user, if there is one of that name.
    pub fn find(&self, name: &str) -> Option<Arc<User>> {
        self.known.read().get(name).cloned()
    }

    /// The same one as he is now; nobody where he is gone, also when somebody else has his name.
    pub fn now(&self, identity: Identity) -> Identity {
        let again = |user: &User| self.find(&user.name).filter(|now| now.key == user.key);
        match identity {
            Identity::User(user) => again(&user).map_or(Identity::Anonymous, Identity::User),
            Identity::Reader(user) => again(&user).map_or(Identity::Anonymous, Identity::Reader),
            other => other,
        }
    }

    /// All users by name.
    pub fn all(&self) -> Vec<Arc<User>> {
        self.known.read().values().cloned().collect()
    }

    /// The user, if the password is right and the user is active. An access token stands for a password, and says itself
    /// whose it is.
    pub fn log_in(&self, name: &str, password: &str) -> Option<Arc<User>> {
        if let Some(owner) = user_of(password) {
            let user = self.find(&owner).filter(|user| user.active && (name.is_empty() || name == owner));
            return user.filter(|user| user.access_tokens.iter().any(|token| token.admits(password)));
        }
        let user = self.find(name).filter(|user| user.active)?;
        // a mark of 64 bits that nobody outside can compute; whoever changes is another one here
        let mark = self.marks.hash_one((name, password));
        if self.proven.get(&mark).is_some_and(|proven| Arc::ptr_eq(&proven, &user)) {
            return Some(user);
        }
        if !user.password.matches(password) {
            return None;
        }
        self.proven.insert(mark, Arc::clone(&user));
        Some(user)
    }

    /// The user whose credentials these were when they were good, as long as nothing about the user has changed since.
    pub fn known_by(&self, credentials: &str) -> Option<Arc<User>> {
        let user = self.proven.get(&self.marks.hash_one(credentials))?;
        self.find(&user.name).filter(|now| Arc::ptr_eq(now, &user))
    }

    /// These credentials are good.
    pub fn note_known(&self, credentials: &str, user: &Arc<User>) {
        self.proven.insert(self.marks.hash_one(credentials), Arc::clone(user));
    }

    /// Creates a user without any grant.
    pub fn create(&self, name: &str, new: NewUser) -> Result<Arc<User>> {
        if name.is_empty() {
            return Err(Error::plain(code::USER_INVALID_NAME));
        }
        let _changing = self.changing.lock();
        if self.find(name).is_some() {
            return Err(Error::plain(code::USER_DUPLICATE));
        }
        let mut user = User::new(name, new)?;
        let mut txn = self.begin()?;
        let collection = txn.collection_for_write(COLLECTION)?;
        user.key = txn.insert(&collection, &user.to_document(), &WriteOptions::default())?.key;
        txn.commit(true)?;
        Ok(self.remember(user))
    }

    /// Changes what the API gives of a user and keeps the rest, also of the extra data.
    pub fn update(&self, name: &str, new: NewUser) -> Result<Arc<User>> {
        self.apply(name, new, |old, extra| Value::from_pairs(old.iter_object().chain(extra.iter_object())))
    }

    /// The same, but extra data that is given takes the place of all there was.
    pub fn replace(&self, name: &str, new: NewUser) -> Result<Arc<User>> {
        self.apply(name, new, |_, extra| extra.clone())
    }

    fn apply(&self, name: &str, new: NewUser, extra: fn(&Value, &Value) -> Value) -> Result<Arc<User>> {
        self.change(name, |user| {
            if let Some(password) = &new.password {
                user.password = PasswordHash::new(password)?;
            }
            user.active = new.active.unwrap_or(user.active);
            if let Some(given) = &new.extra {
                user.extra = extra(&user.extra, given);
            }
            Ok(())
        })
    }

    /// Changes a user in place.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut User) -> Result<()>) -> Result<Arc<User>> {
        let _changing = self.changing.lock();
        let mut user = User::clone(&*self.get(name)?);
        change(&mut user)?;
        let mut txn = self.begin()?;
        let collection = txn.collection_for_write(COLLECTION)?;
        txn.replace(&collection, &Value::Str(user.key.clone()), &user.to_document(), &WriteOptions::default())?;
        txn.commit(true)?;
        Ok(self.remember(user))
    }

    /// Removes a user.
    pub fn remove(&self, name: &str) -> Result<()> {
        let _changing = self.changing.lock();
        let user = self.get(name)?;
        let mut txn = self.begin()?;
        let collection = txn.collection_for_write(COLLECTION)?;
        txn.remove(&collection, &Value::Str(user.key.clone()), &WriteOptions::default())?;
        txn.commit(true)?;
        self.known.write().remove(name);
        Ok(())
    }

    /// Forgets the grants on a database that is gone: one of the same name later starts without them.
    pub fn forget_database(&self, database: &str) -> Result<()> {
        for user in self.all() {
            if user.grants.contains_key(database) {
                self.change(&user.name, |user| {
                    user.grants.remove(database);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    fn remember(&self, user: User) -> Arc<User> {
        let user = Arc::new(user);
        self.known.write().insert(user.name.clone(), Arc::clone(&user));
        user
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_gone_is_nobody_and_the_next_one_of_his_name_is_somebody_else() {
        let dir = tempfile::tempdir().expect("a directory");
        let users = Users::open(&Store::open(dir.path()).expect("opens"), "pw").expect("opens");
        let first = Identity::User(users.create("ann", NewUser::default()).expect("is new"));
        users
            .change("ann", |user| {
                user.extra = Value::Bool(true);
                Ok(())
            })
            .expect("is there");
        let now = users.now(first.clone());
        assert!(matches!(&now, Identity::User(user) if user.extra == Value::Bool(true)), "as he is now");
        assert!(now.is(&first.owner()));
        users.remove("ann").expect("is there");
        assert!(matches!(users.now(first.clone()), Identity::Anonymous));
        let second = Identity::User(users.create("ann", NewUser::default()).expect("is new again"));
        assert!(matches!(users.now(first.clone()), Identity::Anonymous));
        assert!(!second.is(&first.owner()) && second.is(&second.owner()));
        assert!(Identity::Superuser.is(&first.owner()) && !Identity::Anonymous.is(&first.owner()));
    }
}
