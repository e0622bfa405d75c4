//! Which methods a path has, for the answer to a request with another one.

use poem::http::HeaderValue;
use poem_openapi::registry::MetaApi;

/// The paths of the API with their methods, as the `Allow` header lists them.
#[derive(Clone)]
pub struct Methods {
    root_path: String,
    paths: Vec<(String, HeaderValue)>,
}

impl Methods {
    /// Those of these APIs, below the prefix and without it.
    pub fn new(apis: &[MetaApi], root_path: &str) -> Self {
        let described = apis.iter().flat_map(|api| &api.paths).filter_map(|path| {
            let names: Vec<&str> = path.operations.iter().map(|operation| operation.method.as_str()).collect();
            Some((path.path.clone(), HeaderValue::from_str(&names.join(", ")).ok()?))
        });
        Self { root_path: root_path.to_owned(), paths: described.collect() }
    }

    /// What `Allow` says for a path. Pages beside the API can only be read.
    pub(super) fn of(&self, path: &str) -> HeaderValue {
        let path = path.strip_prefix(&self.root_path).unwrap_or(path);
        let found = self.paths.iter().find(|(pattern, _)| fits(pattern, path));
        found.map_or(HeaderValue::from_static("GET"), |(_, methods)| methods.clone())
    }
}

/// Whether a path has the form of a pattern, whose parameters stand in braces or behind a colon.
fn fits(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some(part), Some(given)) if part == given || part.starts_with(['{', ':']) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_fits_one_part_of_a_path() {
        for (pattern, path, expected) in [
            ("/a/:b", "/a/1", true),
            ("/a/{b}/c", "/a/1/c", true),
            ("/a/:b", "/a", false),
            ("/a", "/a/1", false),
            ("/a/:b", "/b/1", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }
}
