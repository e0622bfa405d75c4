//! Who may read what below `/media/`.

use crate::auth::{Caller, Scope};
use crate::error::Result;

/// What it takes to read a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing.
    Nothing,
    /// A valid session.
    Session,
    /// A scope.
    Scope(Scope),
    /// The user's own folder, or a scope.
    OwnOr(String, Scope),
}

impl Need {
    /// Of a path below `/media/`; `None` where nothing is read that way.
    pub(super) fn of(segments: &[String], public: &[String]) -> Option<Self> {
        let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
        let need = match parts.as_slice() {
            ["config", _, _] => Self::Nothing,
            ["product", _, "image.jpg"] | ["product", _, "doc", _] | ["product", _, "meta", _, _] => {
                Self::Scope(Scope::ProductCatalogueRead)
            }
            ["step", _, _] => Self::Scope(Scope::ProcessTemplateRead),
            ["user", name] if name.strip_suffix(".jpg").is_some() => Self::Session,
            ["user", key, _, ..] => Self::OwnOr((*key).to_owned(), Scope::OrgUserRead),
            ["serial", _, _, ..] => Self::Scope(Scope::SerialRead),
            ["traceability", _, _, ..] => Self::Scope(Scope::ProductionWorkOrderRead),
            ["issue", _, _, ..] => Self::Scope(Scope::CollaborationIssueRead),
            ["task", _, _, ..] => Self::Scope(Scope::CollaborationTaskRead),
            _ => return None,
        };
        let is_public = parts.first().is_some_and(|folder| public.iter().any(|open| open == folder));
        Some(if is_public { Self::Nothing } else { need })
    }

    /// 403 unless the caller has what it takes.
    pub(super) fn check(&self, caller: &Caller) -> Result<()> {
        match self {
            Self::Nothing | Self::Session => Ok(()),
            Self::Scope(scope) => caller.require(*scope),
            Self::OwnOr(key, _) if caller.user_key() == key => Ok(()),
            Self::OwnOr(_, scope) => caller.require(*scope),
        }
    }
}

/// The parts of a path, each decoded once. `None` for one that no file can have: empty, hidden, or leading elsewhere.
pub(super) fn segments(path: &str) -> Option<Vec<String>> {
    path.split('/')
        .map(|raw| {
            let text = percent_encoding::percent_decode_str(raw).decode_utf8().ok()?;
            let is_name = !text.is_empty() && !text.starts_with('.') && !text.contains(['/', '\\', '\0']);
            is_name.then(|| text.into_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(path: &str, public: &[&str]) -> Option<Need> {
        let public: Vec<String> = public.iter().map(|folder| (*folder).to_owned()).collect();
        Need::of(&segments(path)?, &public)
    }

    #[test]
    fn each_folder_needs_what_its_page_says_and_others_are_not_there() {
        assert_eq!(need("config/company_logo/x.png", &[]), Some(Need::Nothing));
        assert_eq!(need("product/p/image.jpg", &[]), Some(Need::Scope(Scope::ProductCatalogueRead)));
        assert_eq!(need("product/p/image.jpg", &["product"]), Some(Need::Nothing));
        assert_eq!(need("user/ada.jpg", &[]), Some(Need::Session));
        assert_eq!(need("user/u1/cv/x.pdf", &[]), Some(Need::OwnOr("u1".to_owned(), Scope::OrgUserRead)));
        for path in ["product_import/x", "count_import/x", "product/p/other.jpg", "product/p", "step/s", "x/y"] {
            assert_eq!(need(path, &["product_import"]), None, "{path}");
        }
    }

    #[test]
    fn parts_that_lead_elsewhere_are_no_path() {
        for path in ["../secret", "product/%2e%2e/x", "product//x", "product/.x", "a/b%2Fc", "a/b%5Cc", "a/%00", "a/"] {
            assert_eq!(segments(path), None, "{path}");
        }
        assert_eq!(segments("step/s/a%20b.mp4").unwrap(), ["step", "s", "a b.mp4"]);
        assert_eq!(segments("step/s/%252e").unwrap()[2], "%2e", "decoded once");
    }
}
