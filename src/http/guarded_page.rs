//! A page whose scripts and styles stand within it, with leave to run these and no others.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use poem::Response;
use poem::http::header::CACHE_CONTROL;
use sha2::{Digest, Sha256};

use super::explorer::guarded;

/// A page with scripts and styles within.
#[derive(Clone)]
pub struct InlinePage {
    content: Bytes,
    policy: String,
}

impl InlinePage {
    /// A page as it is sent.
    pub fn new(content: String) -> Self {
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
             form-action 'self'; frame-ancestors 'none'",
            hashes(&content, "script"),
            hashes(&content, "style"),
        );
        Self { content: content.into(), policy }
    }

    /// The page.
    pub fn answer(&self) -> Response {
        let page = guarded(Response::builder(), &self.policy).header(CACHE_CONTROL, "no-cache");
        page.content_type("text/html; charset=utf-8").body(self.content.clone())
    }
}

/// The sources of a policy that are the elements of this name.
fn hashes(page: &str, name: &str) -> String {
    let (begin, end) = (format!("<{name}"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once(&begin) {
        let Some((text, next)) = after.split_once('>').and_then(|(_, text)| text.split_once(&end)) else { break };
        found.push(format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text))));
        rest = next;
    }
    if found.is_empty() { "'none'".to_owned() } else { found.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_what_stands_in_the_page() {
        let page = "<style a='b'>x</style><script>alert(1)</script><p><script charset=\"UTF-8\">2</script>";
        let policy = InlinePage::new(page.to_owned()).policy;
        let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
        assert!(policy.contains(&format!("script-src {} {};", hash("alert(1)"), hash("2"))), "{policy}");
        assert!(policy.contains(&format!("style-src {};", hash("x"))), "{policy}");
        assert_eq!(hashes("no page", "script"), "'none'");
    }
}
