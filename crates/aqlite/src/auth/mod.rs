//! Who may do what: users with their passwords and grants, and the tokens of `/_open/auth`.

mod access;
mod access_tokens;
mod grants;
mod password;
pub mod throttle;
mod tokens;
mod users;

use std::sync::Arc;

pub use access_tokens::AccessToken;
pub use grants::{DatabaseGrant, Grants, Level};
pub use tokens::{Claims, Tokens};
pub use users::{NewUser, User, Users};

use crate::value::SmolStr;

/// Who sent a request.
#[derive(Clone, Debug)]
pub enum Identity {
    /// Nobody: only the open paths answer.
    Anonymous,
    /// A user who proved to be one.
    User(Arc<User>),
    /// The same while the server is read-only: nobody's grants reach further than reading, who is an administrator
    /// stays one.
    Reader(Arc<User>),
    /// The holder of a token for servers: may do anything.
    Superuser,
}

/// Whose something is that lives between requests. A name may be another one's later, what is told apart here is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The user's id; empty for nobody, and for holders of a token for servers.
    id: SmolStr,
    /// The user's name.
    pub name: SmolStr,
}

impl Identity {
    /// This one as the owner of something.
    pub fn owner(&self) -> Owner {
        let id = match self {
            Self::User(user) | Self::Reader(user) => user.id().clone(),
            Self::Anonymous | Self::Superuser => SmolStr::default(),
        };
        Owner { id, name: self.name() }
    }

    /// Is what belongs to an owner this one's? The holder of a token for servers gets at everybody's.
    pub fn is(&self, owner: &Owner) -> bool {
        matches!(self, Self::Superuser) || self.owner() == *owner
    }

    /// Did the request prove who sent it?
    pub fn is_authenticated(&self) -> bool {
        !matches!(self, Self::Anonymous)
    }

    /// The user's name; empty for nobody.
    pub fn name(&self) -> SmolStr {
        match self {
            Self::Anonymous => SmolStr::default(),
            Self::User(user) | Self::Reader(user) => user.name.clone(),
            Self::Superuser => "root".into(),
        }
    }

    /// What this one may do in a database.
    pub fn database_level(&self, database: &str) -> Level {
        match self {
            Self::Anonymous => Level::None,
            Self::User(user) => user.database_level(database),
            Self::Reader(user) => user.database_level(database).min(Level::Ro),
            Self::Superuser => Level::Rw,
        }
    }

    /// What this one may do with a collection.
    pub fn collection_level(&self, database: &str, collection: &str) -> Level {
        match self {
            Self::Anonymous => Level::None,
            Self::User(user) => user.collection_level(database, collection),
            Self::Reader(user) => user.collection_level(database, collection).min(Level::Ro),
            Self::Superuser => Level::Rw,
        }
    }

    /// May this one manage users and databases?
    pub fn is_admin(&self) -> bool {
        match self {
            Self::Reader(user) => user.database_level("_system") == Level::Rw,
            _ => self.database_level("_system") == Level::Rw,
        }
    }

    /// Does no grant restrict this one anywhere in the database? Then nothing needs to be checked per collection.
    /// In `_system` everybody is restricted: the users are there.
    pub fn is_unrestricted(&self, database: &str) -> bool {
        match self {
            Self::Anonymous | Self::Reader(_) => false,
            Self::User(user) => database != "_system" && user.is_unrestricted(database),
            Self::Superuser => true,
        }
    }
}
