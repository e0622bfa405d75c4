//! Slugs: what tells the names of fields apart.

use std::sync::LazyLock;

use regex::Regex;

static PARENTHESISED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\([^)]*\)").ok());

/// The name in lower case without its parenthesised parts, each run of other characters than a-z and 0-9 replaced by
/// one underscore, none at the ends.
pub(super) fn of(name: &str) -> String {
    let lower = name.to_lowercase();
    let open = match PARENTHESISED.as_ref() {
        Some(parts) => parts.replace_all(&lower, ""),
        None => lower.as_str().into(),
    };
    let words = open.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn letters_and_digits_are_kept_in_lower_case() {
        assert_eq!(of("Torque 2"), "torque_2");
    }

    #[test]
    fn parenthesised_parts_are_dropped() {
        assert_eq!(of("Torque (Nm) left (x)"), "torque_left");
        assert_eq!(of("Torque(Nm)left"), "torqueleft");
        assert_eq!(of("Torque (Nm"), "torque_nm");
    }

    #[test]
    fn a_run_of_other_characters_is_one_underscore_and_none_stands_at_the_ends() {
        assert_eq!(of("  a -- b! "), "a_b");
        assert_eq!(of("Größe"), "gr_e");
        assert_eq!(of("città"), "citt");
        assert_eq!(of("(all)"), "");
        assert_eq!(of("é"), "");
    }
}
