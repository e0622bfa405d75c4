//! `tracewright user`: users without the API, for the first one and for lost passwords.

use std::io::BufRead;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value};

use super::AnyError;
use crate::aql::rows::User;
use crate::auth::login::end_logins;
use crate::auth::{meet_at_tokens, password, scopes};
use crate::settings::Settings;
use crate::store::{Access, Store, typed};
use crate::{aql, clock, defaults, secrets, transaction};

/// What can be done with users.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a user.
    Add(AddArgs),
    /// Set a user's password. Open sessions of the user end, API tokens stay.
    Passwd(PasswdArgs),
    /// List the users.
    List,
}

/// A new user.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// Name to log in with.
    username: String,
    /// What the user may do, with blanks between: admin, library, production, operator, quality, warehouse, task,
    /// traceability, reporting.
    #[arg(long)]
    scope: String,
    /// First name.
    #[arg(long)]
    name: Option<String>,
    /// Surname.
    #[arg(long)]
    surname: Option<String>,
    /// Address for mail.
    #[arg(long)]
    email: Option<String>,
    #[command(flatten)]
    password: PasswordArgs,
}

/// Whose password.
#[derive(Debug, Args)]
pub struct PasswdArgs {
    /// Name to log in with.
    username: String,
    #[command(flatten)]
    password: PasswordArgs,
}

/// Where the password comes from.
#[derive(Debug, Args)]
struct PasswordArgs {
    /// Read the password, of at least 10 characters, from the first line of the standard input. Without this a one-time password is made up and
    /// printed, and the user sets a new one at the next login.
    #[arg(long)]
    password_stdin: bool,
}

/// Runs a command.
pub async fn run(command: UserCommand, settings: &Settings) -> Result<(), AnyError> {
    match command {
        UserCommand::Add(args) => add(args, settings).await,
        UserCommand::Passwd(args) => passwd(args, settings).await,
        UserCommand::List => list(settings).await,
    }
}

/// A user as it is stored.
#[derive(Default, Serialize)]
struct NewUser<'a> {
    username: &'a str,
    name: Option<&'a str>,
    surname: Option<&'a str>,
    email: Option<&'a str>,
    scope: &'a str,
    site_key: &'a str,
    department_key: Option<&'a str>,
    hourly_cost: Option<f64>,
    preferences: Map<String, Value>,
    active: bool,
    trash: bool,
    image: bool,
    created_at: String,
    last_user_session: Option<&'a str>,
    last_login: Option<&'a str>,
    #[serde(flatten)]
    password: NewPassword,
}

/// What is stored of a password.
#[derive(Default, Serialize)]
struct NewPassword {
    psw_hash: String,
    reset_password: bool,
}

impl NewPassword {
    async fn of(password: &Password) -> Result<Self, AnyError> {
        Ok(Self { psw_hash: password::hash(password.text.clone()).await?, reset_password: password.one_time })
    }
}

async fn add(args: AddArgs, settings: &Settings) -> Result<(), AnyError> {
    check_scope(&args.scope)?;
    let password = Password::from(&args.password)?;
    let store = Store::open_beside(settings).await?;
    if let Some(administrator) = defaults::create(&store, settings).await? {
        administrator.announce();
    }
    let user = typed::bound(&NewUser {
        username: &args.username,
        name: args.name.as_deref(),
        surname: args.surname.as_deref(),
        email: args.email.as_deref(),
        scope: &args.scope,
        site_key: "0",
        active: true,
        created_at: clock::now(),
        password: NewPassword::of(&password).await?,
        ..NewUser::default()
    })?;
    let access = Access::of(&[aql::user::NAME_TAKEN, aql::schema::INSERT_USER]).one_by_one(&["User"]);
    let added: bool = transaction!(store, access, |trx| {
        let params = aql::user::name_taken::Params { username: &args.username, user_key: None };
        if aql::user::name_taken(trx, params).await? {
            return Ok(false);
        }
        aql::schema::insert_user(trx, aql::schema::insert_user::Params { user: &user }).await?;
        Ok(true)
    })?;
    if !added {
        let text = format!("the user name `{}` is taken. `tracewright user list` shows who there is.", args.username);
        return Err(text.into());
    }
    println!("User `{}` added.", args.username);
    password.announce();
    Ok(store.close().await?)
}

async fn passwd(args: PasswdArgs, settings: &Settings) -> Result<(), AnyError> {
    let password = Password::from(&args.password)?;
    let store = Store::attach(settings).await?;
    let params = aql::security::user_by_name::Params { username: &args.username };
    let found = aql::security::user_by_name(&store, params).await?;
    let Some(user) = found.filter(|user| !user.trash) else {
        return Err(format!("there is no user `{}`. `tracewright user list` shows who there is.", args.username).into());
    };
    let changes = typed::bound(&NewPassword::of(&password).await?)?;
    let access = Access::of(&[
        aql::guards::TOUCH,
        aql::user::UPDATE,
        aql::security::CLOSE_SESSIONS_OF_USER,
        aql::security::REVOKE_TOKENS_OF_USER,
    ]);
    transaction!(store, access, |trx| {
        meet_at_tokens(trx, &user.key).await?;
        aql::user::update(trx, aql::user::update::Params { user_key: &user.key, changes: &changes }).await?;
        end_logins(trx, &user.key).await
    })?;
    println!("Password of `{}` set. Open sessions have ended.", args.username);
    password.announce();
    Ok(store.close().await?)
}

async fn list(settings: &Settings) -> Result<(), AnyError> {
    let store = Store::attach(settings).await?;
    let users: Vec<User> =
        aql::user::list(&store, aql::user::list::Params { active_only: false, now: &clock::now() }).await?;
    let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let header = ["user", "name", "active", "last login", "scope"].map(str::to_owned);
    let rows = users.into_iter().map(|user| {
        let name = [user.name, user.surname].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let active = if user.active { "yes" } else { "no" };
        [text(user.username), name, active.to_owned(), text(user.last_login), user.scope]
    });
    let rows: Vec<_> = std::iter::once(header).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [width(0), width(1), width(2), width(3)];
    for row in &rows {
        let [user, name, active, login, scope] = row;
        println!("{user:0$}  {name:1$}  {active:2$}  {login:3$}  {scope}", widths[0], widths[1], widths[2], widths[3]);
    }
    Ok(store.close().await?)
}

/// Coarse scopes are known by name; fine ones have colons in them.
fn check_scope(scope: &str) -> Result<(), AnyError> {
    let known: Vec<&str> = scopes::COARSE.iter().map(|coarse| coarse.name).collect();
    let unknown: Vec<&str> =
        scope.split_whitespace().filter(|name| !name.contains(':') && !known.contains(name)).collect();
    if unknown.is_empty() && !scope.trim().is_empty() {
        return Ok(());
    }
    Err(format!("unknown scope `{}`. Choose from: {}.", unknown.join(" "), known.join(", ")).into())
}

struct Password {
    text: String,
    one_time: bool,
}

impl Password {
    fn from(args: &PasswordArgs) -> Result<Self, AnyError> {
        if !args.password_stdin {
            return Ok(Self { text: secrets::one_time_password(), one_time: true });
        }
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line)?;
        let text = line.trim_end_matches(['\r', '\n']).to_owned();
        if text.is_empty() {
            return Err("the standard input holds no password. Try: echo \"$PASSWORD\" | tracewright user ... \
                        --password-stdin"
                .into());
        }
        if let Some(mistake) = password::mistake(&text) {
            return Err(format!("{mistake}. Nothing was changed.").into());
        }
        Ok(Self { text, one_time: false })
    }

    fn announce(&self) {
        if self.one_time {
            println!("One-time password: {}", self.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_known_by_name_or_have_colons() {
        assert!(check_scope("operator quality serial:read").is_ok());
        assert!(check_scope("").is_err());
        let error = check_scope("operator boss").unwrap_err().to_string();
        assert!(error.contains("`boss`") && error.contains("warehouse"), "{error}");
    }
}
