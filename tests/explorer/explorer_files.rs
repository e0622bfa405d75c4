//! The files of the explorer as browsers load them.

use reqwest::{Client, Method, Response};
use serde_json::json;
use tracewright_testkit::program::Program;
use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

async fn load(service: &Service, path: &str, headers: &[(&str, &str)]) -> Response {
    let request = service.client.get(service.url(path));
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).unwrap_or_else(|| panic!("no {name}")).to_str().unwrap()
}

/// The files that the program holds, as their folder has them.
fn built() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web/dist");
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

#[tokio::test]
async fn the_root_answers_the_page_which_is_asked_for_anew_each_time() {
    let service = Service::start().await;
    let page = load(&service, "/", &[]).await;
    assert_eq!(page.status(), 200);
    assert_eq!(header(&page, "content-type"), "text/html; charset=utf-8");
    assert_eq!(header(&page, "cache-control"), "no-cache");
    let tag = header(&page, "etag").to_owned();
    assert!(tag.starts_with('"') && tag.len() > 40, "{tag} is strong and of the content");
    let text = page.text().await.unwrap();
    assert!(text.to_lowercase().starts_with("<!doctype html>"), "{text}");
    let again = load(&service, "/", &[("if-none-match", &tag)]).await;
    assert_eq!(again.status(), 304);
    assert_eq!(again.text().await.unwrap(), "");
}

#[tokio::test]
async fn every_file_answers_at_its_path_and_hashed_ones_are_kept_for_good() {
    let service = Service::start().await;
    for name in built().iter().filter(|name| *name != "index.html") {
        let file = load(&service, &format!("/{name}"), &[]).await;
        assert_eq!(file.status(), 200, "{name}");
        let caching = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        assert_eq!(header(&file, "cache-control"), caching, "{name}");
        let kind = match name.rsplit('.').next().unwrap() {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            "woff2" => "font/woff2",
            "png" => "image/png",
            other => panic!("{name}: which type has .{other}?"),
        };
        assert_eq!(header(&file, "content-type"), kind, "{name}");
    }
}

#[tokio::test]
async fn nothing_runs_but_the_explorers_own_files_and_nobody_frames_them() {
    let service = Service::start().await;
    let paths = built().into_iter().map(|name| if name == "index.html" { "/".to_owned() } else { format!("/{name}") });
    for path in paths {
        let file = load(&service, &path, &[]).await;
        let policy = header(&file, "content-security-policy");
        for rule in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.split("; ").any(|given| given == rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{path}: {policy}");
        assert_eq!(header(&file, "x-content-type-options"), "nosniff");
        assert_eq!(header(&file, "referrer-policy"), "no-referrer");
    }
}

#[tokio::test]
async fn a_browser_that_takes_gzip_gets_it_under_a_tag_of_its_own() {
    let service = Service::start().await;
    let largest = built().into_iter().max_by_key(|name| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web/dist").join(name);
        std::fs::metadata(path).unwrap().len()
    });
    let largest = largest.filter(|name| name != "index.html").map_or("/".to_owned(), |name| format!("/{name}"));
    // A client that does not unpack by itself.
    let plain = Client::builder().no_gzip().build().unwrap();
    let whole = plain.get(service.url(&largest)).send().await.unwrap();
    assert!(!whole.headers().contains_key("content-encoding"));
    let packed = plain.get(service.url(&largest)).header("accept-encoding", "br, gzip").send().await.unwrap();
    assert_eq!(header(&packed, "content-encoding"), "gzip");
    assert_eq!(header(&packed, "vary"), "accept-encoding");
    assert_ne!(header(&whole, "etag"), header(&packed, "etag"));
    let (whole, packed) = (whole.bytes().await.unwrap(), packed.bytes().await.unwrap());
    assert!(packed.len() < whole.len());
    assert_eq!(service.client.get(service.url(&largest)).send().await.unwrap().bytes().await.unwrap(), whole);
}

#[tokio::test]
async fn paths_that_are_no_file_answer_like_any_unknown_path() {
    let service = Service::start().await;
    for path in ["/assets/none.js", "/assets/../Cargo.toml", "/index", "/api/", "/explorer"] {
        let (status, body) = answer(service.client.get(service.url(path))).await;
        assert_eq!((status.as_u16(), body), (404, json!({"detail": "Not Found"})), "{path}");
    }
    let (status, body) = answer(service.client.request(Method::POST, service.url("/"))).await;
    assert_eq!((status.as_u16(), body), (405, json!({"detail": "Method Not Allowed"})));
}

#[tokio::test]
async fn the_explorer_can_be_turned_off() {
    let service = Service::start_with(&[("admin_password", ADMIN_PASSWORD), ("explorer", "false")]).await;
    let (status, body) = answer(service.client.get(service.url("/"))).await;
    assert_eq!((status.as_u16(), body), (404, json!({"detail": "Not Found"})));
}

#[tokio::test]
async fn the_page_needs_no_token_and_the_api_still_does() {
    let service = Service::start().await;
    assert_eq!(load(&service, "/", &[("authorization", "Bearer garbage")]).await.status(), 200);
    let (status, body) = answer(service.client.get(service.url("/explore/search?q=x"))).await;
    assert_eq!((status.as_u16(), body), (401, json!({"detail": "Not authenticated"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_with_the_demo_prints_the_address_that_opens_the_explorer() {
    let program = Program::new();
    let service = program.serve(&["--demo"]);
    let address = service.url("/");
    for _ in 0..100 {
        if program.printed().contains(&format!("The explorer is open at {address}; log in as `marco`")) {
            let page = reqwest::get(&address).await.unwrap();
            assert_eq!((page.status().as_u16(), header(&page, "content-type")), (200, "text/html; charset=utf-8"));
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{}", program.printed());
}
