//! The user of the database as whom queries are asked.

use http::Method;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::{Client, Store, StoreError, send, written};
use super::{OfCollection, Refusal, SECRET};
use crate::aql;
use crate::settings::Settings;

/// Numbers by which the database says that a user exists, and that somebody has no right.
const DUPLICATE_USER: u16 = 1702;
const FORBIDDEN: u16 = 11;
/// The user API answers at the root of the server; requests begin at the path of a database.
const USERS: &str = "../../_api/user";

/// What to do where the service cannot keep a user of its own.
const BY_HAND: &str = "Create a user with read access to this database and no access to the collections Change, Token and User, and \
     name it in the settings aql.username and aql.password.";

/// A user of the database as it is created.
#[derive(Serialize)]
struct NewUser<'a> {
    user: &'a str,
    passwd: &'a str,
    active: bool,
}

/// What a user may do with a collection or a database.
#[derive(Serialize)]
struct Grant {
    grant: &'static str,
}

/// The same as the database tells it.
#[derive(Deserialize)]
struct Level {
    #[serde(default)]
    result: Value,
}

/// The user of the database as whom queries are asked.
pub(super) struct Account {
    username: String,
    password: String,
    /// Whether the service creates it; else somebody has, and it stays as it is.
    is_own: bool,
    database: String,
}

impl Account {
    /// That of the settings, or the service's own.
    pub(super) fn of(settings: &Settings, own_password: String) -> Self {
        let database = settings.database.name.clone();
        match settings.aql.username.clone() {
            Some(username) => {
                let password = settings.aql.password.clone().unwrap_or_default();
                Self { username, password, is_own: false, database }
            }
            None => Self { username: format!("{database}_aql"), password: own_password, is_own: true, database },
        }
    }

    /// A client in its name. Its grants are put in order where it is the service's own; whoever it is, it has to show that
    /// it reads no secrets and writes nothing, whatever the server makes of grants.
    pub(super) async fn prepare(&self, store: &Store) -> Result<Client, Refusal> {
        if self.is_own {
            self.create(store).await.map_err(|error| self.not_created(error))?;
        }
        let client = store.inner.client.in_name_of(&self.username, &self.password);
        self.must_be_harmless(store, &client).await?;
        Ok(client)
    }

    /// Creates the user, or sets its password, and then its grants: what is closed before what is open.
    async fn create(&self, store: &Store) -> Result<(), StoreError> {
        let inner = &store.inner;
        let put = async |method: Method, path: String, body: String| {
            send::<IgnoredAny>(&inner.client, &inner.database, method, &path, Some(body)).await
        };
        let user = written(&NewUser { user: &self.username, passwd: &self.password, active: true })?;
        match put(Method::POST, USERS.to_owned(), user.clone()).await {
            Err(error) if error.number() == Some(DUPLICATE_USER) => {
                put(Method::PATCH, format!("{USERS}/{}", self.username), user).await?;
            }
            other => drop(other?),
        }
        let grants = format!("{USERS}/{}/database/{}", self.username, self.database);
        for collection in SECRET {
            put(Method::PUT, format!("{grants}/{collection}"), written(&Grant { grant: "none" })?).await?;
        }
        let reading = written(&Grant { grant: "ro" })?;
        put(Method::PUT, format!("{grants}/*"), reading.clone()).await?;
        put(Method::PUT, grants, reading).await?;
        Ok(())
    }

    fn not_created(&self, error: StoreError) -> Refusal {
        match error {
            StoreError::Refused { number, message } => Refusal::Unusable(format!(
                "The service could not create the database user {} for AQL ({message}, error {number}). {BY_HAND}",
                self.username
            )),
            other => other.into(),
        }
    }

    async fn must_be_harmless(&self, store: &Store, client: &Client) -> Result<(), Refusal> {
        let database = &store.inner.database;
        let path = format!("{USERS}/{}/database/{}", self.username, self.database);
        let level: Result<Level, StoreError> = send(client, database, Method::GET, &path, None).await;
        let Level { result: level } = level.map_err(|error| self.not_usable(error))?;
        if level != "ro" {
            let text = format!(
                "The database user {} has the access level {} to this database; AQL is asked with `ro` alone. {BY_HAND}",
                self.username, level
            );
            return Err(Refusal::Unusable(text));
        }
        for collection in SECRET {
            let body = written(&OfCollection::of(&aql::console::PROBE, collection))?;
            let asked: Result<IgnoredAny, StoreError> =
                send(client, database, Method::POST, "_api/cursor", Some(body)).await;
            match asked {
                Err(error) if error.number() == Some(FORBIDDEN) => {}
                Ok(_) => {
                    let text = format!(
                        "The database user {} can read the collection {collection}, which holds secrets: grants have \
                         no effect where the server does without authentication. {BY_HAND}",
                        self.username
                    );
                    return Err(Refusal::Unusable(text));
                }
                Err(error) => return Err(self.not_usable(error)),
            }
        }
        Ok(())
    }

    fn not_usable(&self, error: StoreError) -> Refusal {
        match error {
            StoreError::Refused { number, message } => Refusal::Unusable(format!(
                "The database does not take its user {} for AQL ({message}, error {number}). {BY_HAND}",
                self.username
            )),
            other => other.into(),
        }
    }
}
