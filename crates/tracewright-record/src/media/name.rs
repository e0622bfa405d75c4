//! Names of files and folders that come from outside.

/// The longest name that common file systems take, in bytes.
const LONGEST: usize = 255;

/// Names that mean a device on Windows, whatever their extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The file name in what a client calls its file: the last part of a path in either notation. `None` when nothing
/// remains that every file system takes as the name of a file, and for names with a dot in front: such files are hidden.
pub fn file_name(raw: &str) -> Option<String> {
    let last = raw.rsplit(['/', '\\']).next().unwrap_or_default().trim_matches(' ');
    (is_part(last) && !last.starts_with('.')).then(|| last.to_owned())
}

/// Whether a text can be one part of a path as it is, and nothing but one part.
pub fn is_part(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST
        && !text.chars().all(|c| c == '.')
        && !text.chars().any(|c| c.is_control() || matches!(c, '/' | '\\'))
        && !is_device(text)
}

fn is_device(text: &str) -> bool {
    let stem = text.split('.').next().unwrap_or_default().trim().to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().filter_map(|port| stem.strip_prefix(port)).any(|number| {
        let mut digits = number.chars();
        matches!((digits.next(), digits.next()), (Some('1'..='9' | '¹' | '²' | '³'), None))
    });
    numbered || DEVICES.contains(&stem.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_reduced_to_its_last_part() {
        for raw in ["logo.png", "/etc/logo.png", "..\\..\\logo.png", "C:\\images\\logo.png", "../a\\b/ logo.png "] {
            assert_eq!(file_name(raw).as_deref(), Some("logo.png"), "{raw}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for raw in ["", " ", ".", "..", "...", "a/..", "a\\..", "folder/", "folder\\"] {
            assert_eq!(file_name(raw), None, "{raw}");
        }
    }

    #[test]
    fn control_characters_are_refused() {
        for raw in ["a\0.png", "a\nb", "a\u{7f}", "\u{85}x"] {
            assert_eq!(file_name(raw), None, "{raw:?}");
        }
    }

    #[test]
    fn device_names_are_refused_with_any_extension_and_case() {
        for raw in ["NUL", "con.txt", "Aux.tar.gz", "com1", "LPT9.log", "com².txt", "nul .txt"] {
            assert_eq!(file_name(raw), None, "{raw}");
        }
        for raw in ["null", "console.txt", "com0", "com10", "lpt"] {
            assert_eq!(file_name(raw).as_deref(), Some(raw));
        }
    }

    #[test]
    fn names_longer_than_a_file_system_takes_are_refused() {
        assert!(file_name(&"x".repeat(255)).is_some());
        assert!(file_name(&"x".repeat(256)).is_none());
        assert!(file_name(&"é".repeat(128)).is_none());
    }

    #[test]
    fn names_in_any_script_are_kept() {
        assert_eq!(file_name("Prüfprotokoll 7.pdf").as_deref(), Some("Prüfprotokoll 7.pdf"));
        assert_eq!(file_name("図面.pdf").as_deref(), Some("図面.pdf"));
    }

    #[test]
    fn names_with_a_dot_in_front_are_refused() {
        for raw in [".hidden", "folder/.hidden", " .x"] {
            assert_eq!(file_name(raw), None, "{raw}");
        }
        assert_eq!(file_name("a.b").as_deref(), Some("a.b"));
    }

    #[test]
    fn a_part_is_not_trimmed_or_reduced() {
        assert!(is_part("company_logo"));
        assert!(!is_part("a/b"));
        assert!(!is_part(".."));
    }
}
