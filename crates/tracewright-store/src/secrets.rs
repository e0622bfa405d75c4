//! Secrets that the service makes for itself: generated once, kept in the data directory, readable by nobody else. And those
//! of its users, as far as answers must not repeat them.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rand::RngExt;
use rand::distr::Alphanumeric;
use serde_json::Value;

/// Reads the secret `name` of the data directory, generating it on the first call.
pub fn load_or_create(data_dir: &Path, name: &str) -> io::Result<String> {
    let path = data_dir.join(name);
    create_private_dir(data_dir).and_then(|()| read_or_generate(&path)).map_err(|error| {
        let text = format!(
            "cannot keep a secret in {}: {error}\n\
             Let this user write to the data folder, or choose another one with --data-dir.",
            path.display()
        );
        io::Error::new(error.kind(), text)
    })
}

fn read_or_generate(path: &Path) -> io::Result<String> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => {
            let secret = random(48);
            file.write_all(secret.as_bytes())?;
            file.sync_all()?;
            Ok(secret)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let secret = fs::read_to_string(path)?.trim().to_owned();
            if secret.is_empty() {
                let text = "the file is empty; remove it to have a new one generated";
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            Ok(secret)
        }
        Err(error) => Err(error),
    }
}

/// What stands in place of a secret.
pub const HIDDEN: &str = "**********";

/// What the names of members that hold secrets have in them.
const SECRET: [&str; 5] = ["password", "psw", "secret", "token", "credential"];

/// Whether a member of this name holds what nobody but its owner may read.
pub fn is_secret(name: &str) -> bool {
    let has = |part: &&str| name.as_bytes().windows(part.len()).any(|w| w.eq_ignore_ascii_case(part.as_bytes()));
    SECRET.iter().any(has)
}

/// Puts [`HIDDEN`] in place of what secret members hold, at any depth.
pub fn hide(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(hide),
        Value::Object(members) => {
            for (name, member) in members {
                if is_secret(name) && !member.is_null() { *member = HIDDEN.into() } else { hide(member) }
            }
        }
        _ => {}
    }
}

/// A random text of letters and digits.
pub fn random(length: usize) -> String {
    rand::rng().sample_iter(Alphanumeric).take(length).map(char::from).collect()
}

/// A password for one login, which people read from a screen and type: no characters that look alike.
pub fn one_time_password() -> String {
    let mut random = rand::rng();
    (0..ONE_TIME_LENGTH).map(|_| char::from(LEGIBLE[random.random_range(..LEGIBLE.len())])).collect()
}

const ONE_TIME_LENGTH: usize = 12;
/// Letters and digits without `0 O o`, `1 I l`.
const LEGIBLE: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

fn create_private_dir(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_secret_is_generated_once_and_only_its_owner_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let first = load_or_create(dir.path(), "secret").unwrap();
        assert_eq!(first.len(), 48);
        assert_eq!(load_or_create(dir.path(), "secret").unwrap(), first);
        let mode = fs::metadata(dir.path().join("secret")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_one_time_password_has_twelve_characters_that_do_not_look_alike() {
        let passwords: Vec<String> = (0..100).map(|_| one_time_password()).collect();
        assert!(passwords.iter().all(|password| password.len() == 12));
        assert!(!passwords.concat().contains(['0', 'O', 'o', '1', 'I', 'l']));
        assert_ne!(passwords[0], passwords[1]);
    }

    #[test]
    fn what_secret_members_hold_is_hidden_at_any_depth_and_nothing_else() {
        let mut value =
            serde_json::json!({"name": "a", "list": [{"New_Password": "b", "client_secret": null}], "psw_hash": ["c"]});
        hide(&mut value);
        let expected = serde_json::json!(
            {"name": "a", "list": [{"New_Password": HIDDEN, "client_secret": null}], "psw_hash": HIDDEN}
        );
        assert_eq!(value, expected);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        let error = load_or_create(&dir.path().join("file"), "secret").unwrap_err().to_string();
        assert!(error.contains("/file/secret: ") && error.contains("--data-dir"), "{error}");
    }

    #[test]
    fn an_empty_secret_file_is_an_error_and_not_an_empty_key() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret"), "\n").unwrap();
        assert!(load_or_create(dir.path(), "secret").is_err());
    }
}
