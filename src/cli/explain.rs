//! Errors in words that say what to do next.

use super::AnyError;
use crate::error::Error;
use crate::settings::Settings;
use crate::store::{StoreError, is_locked};

/// Error numbers of the database that a person can do something about.
const FORBIDDEN: u16 = 11;
const DATABASE_NOT_FOUND: u16 = 1228;
const COLLECTION_NOT_FOUND: u16 = 1203;

/// The error, and what to do about it where that is known.
pub fn explain(error: &AnyError, settings: &Settings) -> String {
    let database = &settings.database;
    if is_locked(&**error) {
        let folder = settings.data_dir.display();
        return format!(
            "the database in {folder} is in use by another process, probably a running tracewright.\n\
             Stop it, or choose another folder with --data-dir. Commands reach a running service by its setting \
             `database.embedded_listen`, which is `{}` here.",
            database.embedded_listen
        );
    }
    if let Some(Error::Unavailable(cause) | Error::HandingOver(cause)) = error.downcast_ref() {
        return unreachable_database(cause, settings);
    }
    match error.downcast_ref::<StoreError>() {
        Some(StoreError::Unreachable(cause) | StoreError::HandingOver(cause)) => unreachable_database(cause, settings),
        Some(StoreError::Refused { number: FORBIDDEN, .. }) => format!(
            "the database refused user `{}`: wrong user or password, or no right to the database `{}`.\n\
             Set `database.username` and `database.password` (TRACEWRIGHT_DATABASE__PASSWORD){}.",
            database.username,
            database.name,
            if database.is_embedded() {
                "; the embedded engine's is in the data folder, file `database_password`"
            } else {
                ""
            }
        ),
        Some(StoreError::Refused { number: DATABASE_NOT_FOUND, .. }) => format!(
            "there is no database `{}` yet.\n`tracewright serve` creates it, `tracewright import DIR` fills it.",
            database.name
        ),
        Some(StoreError::Refused { number: COLLECTION_NOT_FOUND, .. }) => format!(
            "the database `{}` has none of tracewright's collections yet.\n`tracewright serve` creates them.",
            database.name
        ),
        _ => error.to_string(),
    }
}

fn unreachable_database(cause: &str, settings: &Settings) -> String {
    let url = &settings.database.url;
    format!(
        "the database at {url} cannot be reached: {cause}\n\
         Is it running? Is `database.url` right? `curl {}/_api/version` should answer.",
        url.trim_end_matches('/')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(error: StoreError) -> String {
        let settings = Settings::with(&[("database.url", "http://db.example:8529".to_owned())]).unwrap();
        explain(&error.into(), &settings)
    }

    #[test]
    fn an_unreachable_server_is_named_with_what_to_try() {
        let text = explained(StoreError::Unreachable("refused".to_owned()));
        assert!(text.contains("curl http://db.example:8529/_api/version"), "{text}");
    }

    #[test]
    fn a_wrong_password_names_the_setting() {
        let text = explained(StoreError::Refused { number: 11, message: String::new() });
        assert!(text.contains("TRACEWRIGHT_DATABASE__PASSWORD"), "{text}");
    }
}
