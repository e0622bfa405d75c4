//! Users: who there is, what they may do, their pictures and their passwords.

mod model;
mod passwords;
mod picture;
mod preferences;
mod rules;

use std::sync::Arc;

use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use serde::Serialize;

pub use self::passwords::Passwords;
pub(crate) use self::passwords::{access as password_access, store as store_password};
pub use self::picture::Pictures;

pub(crate) use self::model::UserNew;
use self::model::{UserRow, UserUpdate};
use self::rules::Target;
use super::found::{References, not_found};
use super::{Answer, Area, Created, Envelope, setup};
use crate::app::App;
use crate::aql::guards::TOUCH;
use crate::aql::schema::{INSERT_USER, insert_user};
use crate::aql::security::{CLOSE_SESSIONS_OF_USER, close_sessions_of_user};
use crate::aql::user::{self, NAME_TAKEN, ONE, OTHER_ADMINISTRATORS, REVOKE_TOKENS, TARGET, UPDATE};
use crate::auth::{Caller, OrOwnUser, Scope, meet_at_tokens, password};
use crate::error::Result;
use crate::openapi::{Fails, Query};
use crate::store::{Access, Transaction, typed};
use crate::{clock, secrets, transaction};

/// Every operation about users.
pub type Api = (Users, Pictures, Passwords);

/// The operations of a running service.
pub fn new(app: &Arc<App>) -> Api {
    (Users(Arc::clone(app)), Pictures(Arc::clone(app)), Passwords(Arc::clone(app)))
}

/// Users.
pub struct Users(Arc<App>);

/// A one-time password, and whose.
#[derive(Serialize)]
struct NewLogin {
    temp_psw: String,
    user_key: String,
}

/// What becomes of a user who is archived.
#[derive(Serialize)]
struct Archived {
    trash: bool,
    active: bool,
}

fn yes() -> bool {
    true
}

#[OpenApi(tag = "Area::Organization")]
impl Users {
    /// List users
    ///
    /// In the order of surname, name and user name, without archived ones. `email` and `hourly_cost` are null for who may
    /// not change users, but for their own.
    #[oai(path = "/user", method = "get", operation_id = "get_user_list_user_get")]
    async fn list(
        &self,
        #[oai(scope = "Scope::OrgUserRead")] caller: Caller,
        #[oai(default = "yes")] active_only: Query<bool>,
    ) -> Result<Json<Answer<Vec<UserRow>>>> {
        let params = user::list::Params { active_only: *active_only, now: &clock::now() };
        let rows: Vec<UserRow> = user::list(&self.0.store, params).await?;
        Ok(Json(Answer::detail(rows.into_iter().map(|row| row.shown_to(&caller)).collect())))
    }

    /// Create a user with a one-time password
    ///
    /// `detail` holds `user_key` and `temp_psw`, which is shown only here; the user sets a password of their own at the
    /// first login. Nobody gives scopes that grant more than they have themselves. 409 when a user, also an archived one,
    /// has the name in any case.
    #[oai(path = "/user", method = "post", operation_id = "create_user_user_post")]
    async fn create(
        &self,
        #[oai(scope = "Scope::OrgUserCreate")] caller: Caller,
        body: Json<UserNew>,
        _fails: Fails<409>,
    ) -> Result<Created<Envelope>> {
        rules::check_grant(&caller, "", &body.scope)?;
        let temp_psw = secrets::one_time_password();
        let hash = password::hash(temp_psw.clone()).await?;
        let user_key = transaction!(self.0.store.acting(caller.actor()), body.access(), |trx| {
            body.create(trx, &hash, None).await
        })?;
        let detail = NewLogin { temp_psw, user_key };
        Ok(Created::Created(Json(Envelope::of(&detail).with_message("User created"))))
    }

    /// Change a user
    ///
    /// What is absent stays; members that the body does not know are 422. Everybody may change their own `preferences`; the
    /// rest needs the scope. Only administrators change administrators, nobody gives scopes that grant more than they have
    /// themselves, and the last administrator stays one. A user who is disabled or gets another scope is logged out.
    #[oai(path = "/user/:user_key", method = "patch", operation_id = "update_user_user__user_key__patch")]
    async fn update(
        &self,
        #[oai(scope = "Scope::OrgUserWrite")] caller: OrOwnUser,
        user_key: Path<String>,
        body: Json<UserUpdate>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Answer<UserRow>>> {
        let is_own_matter = caller.user_key() == *user_key && body.names_only_preferences();
        if !is_own_matter {
            caller.require(Scope::OrgUserWrite)?;
        }
        let changes = body.changes()?;
        let checked = body.checked();
        let department = checked.department_key;
        let mut references = References::default();
        if let Some(key) = department {
            references.add(&["department_key".into()], "Department", key);
        }
        let queries = [TARGET, NAME_TAKEN, OTHER_ADMINISTRATORS, UPDATE, ONE];
        let access =
            references.access(rules::logging_out(Access::of(&queries)).one_by_one(&["User"]).in_turn(&["Token"]));
        let row: UserRow = transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let target = Target::find(trx, &user_key).await?;
            if !is_own_matter {
                target.check_caller(&caller)?;
            }
            if let Some(scope) = checked.scope {
                rules::check_grant(&caller, &target.scope, scope)?;
            }
            if department != target.department_key.as_deref() {
                references.check(trx).await?;
            }
            if let Some(username) = checked.username {
                rules::refuse_name(trx, username, Some(user_key.as_str())).await?;
            }
            let after = target.after(checked.scope, checked.active);
            target.keep_one_administrator(trx, &after).await?;
            trx.watch("User", [&*user_key]).await?;
            user::update(trx, user::update::Params { user_key: &user_key, changes: &changes }).await?;
            if after.scope != target.scope || checked.active == Some(false) {
                rules::log_out(trx, &user_key).await?;
            }
            let row = user::one(trx, user::one::Params { user_key: &user_key, now: &clock::now() }).await?;
            row.ok_or_else(|| not_found("User", &user_key))
        })?;
        Ok(Json(Answer::detail(row.shown_to(&caller)).with_message("User updated")))
    }

    /// Archive a user
    ///
    /// The record stays in the database for what refers to it; its sessions and all its tokens end. 409 for oneself and for
    /// the last administrator.
    #[oai(path = "/user/:user_key", method = "delete", operation_id = "archive_user_user__user_key__delete")]
    async fn archive(
        &self,
        #[oai(scope = "Scope::OrgUserDelete")] caller: Caller,
        user_key: Path<String>,
        _fails: Fails<404, 409>,
    ) -> Result<Json<Envelope>> {
        let queries = [TOUCH, TARGET, OTHER_ADMINISTRATORS, UPDATE, CLOSE_SESSIONS_OF_USER, REVOKE_TOKENS];
        let access = Access::of(&queries).one_by_one(&["User"]).in_turn(&["Token"]);
        transaction!(self.0.store.acting(caller.actor()), access, |trx| {
            let target = Target::find(trx, &user_key).await?;
            if caller.user_key() == *user_key {
                return Err(rules::conflict("Nobody archives themselves."));
            }
            target.check_caller(&caller)?;
            target.keep_one_administrator(trx, &target.after(None, Some(false))).await?;
            trx.watch("User", [&*user_key]).await?;
            let changes = &typed::bound(&Archived { trash: true, active: false })?;
            user::update(trx, user::update::Params { user_key: &user_key, changes }).await?;
            meet_at_tokens(trx, &user_key).await?;
            let params = close_sessions_of_user::Params { user_key: &user_key, now: &clock::now() };
            close_sessions_of_user(trx, params).await?;
            user::revoke_tokens(trx, user::revoke_tokens::Params { user_key: &user_key }).await
        })?;
        Ok(Json(Envelope::named("user_key", user_key.0).with_message("User archived successfully")))
    }
}

impl UserNew {
    fn references(&self) -> References<'_> {
        let mut references = References::default();
        if let Some(key) = &self.department_key {
            references.add(&["department_key".into()], "Department", key);
        }
        references
    }

    /// What storing a new user reads, writes and holds.
    pub(crate) fn access(&self) -> Access<'static> {
        self.references().access(Access::of(&[NAME_TAKEN, INSERT_USER]).one_by_one(&["User"]))
    }

    /// Checks and stores a new user with the hash of a one-time password, under a key where one is given.
    pub(crate) async fn create(&self, trx: &Transaction, hash: &str, key: Option<&str>) -> Result<String> {
        self.references().check(trx).await?;
        rules::refuse_name(trx, &self.username, None).await?;
        let user = setup::keyed(self.document(hash.to_owned()), key);
        let key = insert_user(trx, insert_user::Params { user: &user }).await?;
        trx.created("User", [key.as_str()]);
        Ok(key)
    }
}
