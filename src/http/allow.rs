//! Which methods a path has, for the answer to a request with another one.

use poem::http::HeaderValue;
use poem_openapi::registry::MetaApi;

/// The paths of the API with their methods, for the `Allow` header.
#[derive(Clone)]
pub struct Methods {
    root_path: String,
    paths: Vec<(String, Vec<String>)>,
}

impl Methods {
    /// Those of these APIs, below the prefix and without it.
    pub fn new(apis: &[MetaApi], root_path: &str) -> Self {
        let described = apis.iter().flat_map(|api| &api.paths).map(|path| {
            let names = path.operations.iter().map(|operation| operation.method.to_string());
            (path.path.clone(), names.collect())
        });
        Self { root_path: root_path.to_owned(), paths: described.collect() }
    }

    /// What `Allow` says for a path: the methods of every pattern that it fits. Pages beside the API can only be read.
    pub(super) fn of(&self, path: &str) -> HeaderValue {
        let path = path.strip_prefix(&self.root_path).unwrap_or(path);
        let mut methods: Vec<&str> = Vec::new();
        for name in self.paths.iter().filter(|(pattern, _)| fits(pattern, path)).flat_map(|(_, methods)| methods) {
            if !methods.contains(&name.as_str()) {
                methods.push(name);
            }
        }
        let named = HeaderValue::from_str(&methods.join(", ")).ok().filter(|_| !methods.is_empty());
        named.unwrap_or(HeaderValue::from_static("GET"))
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
