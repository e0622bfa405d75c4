//! Attachments as browsers load them.

use reqwest::{Method, Response};
use serde_json::json;
use tracewright_testkit::{ADMIN_PASSWORD, Service};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";

async fn started() -> Service {
    let service = Service::start().await;
    put(&service, "product/p/image.jpg", PNG);
    service
}

fn put(service: &Service, path: &str, content: &[u8]) {
    let file = service.data_dir.path().join("media").join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
}

async fn get(service: &Service, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = service.client.get(service.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

async fn by_cookie(service: &Service, path: &str, token: &str) -> Response {
    get(service, path, &[("cookie", &format!("theme=dark; Authorization=Bearer%20{token}"))]).await
}

#[tokio::test]
async fn a_picture_is_read_by_header_or_cookie_under_both_prefixes() {
    let service = started().await;
    let token = service.token("u", "library").await;
    for path in ["/media/product/p/image.jpg", "/api/media/product/p/image.jpg"] {
        assert_eq!(get(&service, path, &[]).await.status(), 401);
        assert_eq!(get(&service, path, &[("authorization", &format!("Bearer {token}"))]).await.status(), 200);
        let response = by_cookie(&service, path, &token).await;
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"image/png".parse().unwrap())
        );
        assert_eq!(response.headers()["content-disposition"].to_str().unwrap().split(';').next(), Some("inline"));
        assert_eq!(response.headers()["cache-control"], "private, no-cache");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert_eq!(response.headers()["content-security-policy"], "default-src 'none'; sandbox");
        assert_eq!(response.headers()["cross-origin-resource-policy"], "same-site");
        assert_eq!(response.bytes().await.unwrap(), PNG);
    }
    let wrong = [("authorization", "Bearer wrong"), ("cookie", &format!("Authorization={token}"))];
    assert_eq!(get(&service, "/media/product/p/image.jpg", &wrong).await.status(), 401, "the header counts");
    let empty = [("authorization", "Bearer "), ("cookie", &format!("Authorization={token}"))];
    assert_eq!(get(&service, "/media/product/p/image.jpg", &empty).await.status(), 200, "an empty header does not");
}

#[tokio::test]
async fn a_cookie_opens_nothing_else_and_nothing_for_other_sites() {
    let service = started().await;
    let token = service.token("u", "admin").await;
    assert_eq!(by_cookie(&service, "/api/whoami", &token).await.status(), 401);
    assert_eq!(by_cookie(&service, "/api/product", &token).await.status(), 401);
    let cookie = format!("Authorization={token}");
    let foreign = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
    assert_eq!(get(&service, "/media/product/p/image.jpg", &foreign).await.status(), 401);
    let own = [("cookie", cookie.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(get(&service, "/media/product/p/image.jpg", &own).await.status(), 200);
}

#[tokio::test]
async fn a_cookie_ends_with_its_session() {
    let service = started().await;
    let token = service.login("cadmin", ADMIN_PASSWORD).await;
    let key = service.get("/whoami", &token).await.1["detail"]["user_key"].clone();
    let (_, session) = service.send(Method::POST, "/session", &token, json!({"user_key": key})).await;
    assert_eq!(by_cookie(&service, "/media/product/p/image.jpg", &token).await.status(), 200);
    let path = format!("/session/{}", session["detail"]["session_key"].as_str().unwrap());
    assert_eq!(service.send(Method::DELETE, &path, &token, json!(null)).await.0, 200);
    assert_eq!(by_cookie(&service, "/media/product/p/image.jpg", &token).await.status(), 401);
}

#[tokio::test]
async fn each_folder_needs_its_scope() {
    let service = started().await;
    let cases = [
        ("product/p/doc/x.pdf", "product:catalogue:read"),
        ("product/p/meta/f/x.pdf", "product:catalogue:read"),
        ("step/s/x.mp4", "process:template:read"),
        ("serial/s/f/x.pdf", "serial:read"),
        ("traceability/w/b/s/f/x.pdf", "production:work-order:read"),
        ("issue/i/x.pdf", "collaboration:issue:read"),
        ("task/t/x.pdf", "collaboration:task:read"),
        ("user/other/x.pdf", "org:user:read"),
    ];
    let nobody = service.token("nobody", "").await;
    for (path, scope) in cases {
        put(&service, path, b"x");
        let address = format!("/media/{path}");
        let refused = by_cookie(&service, &address, &nobody).await;
        assert_eq!(refused.status(), 403, "{path}");
        let body: serde_json::Value = refused.json().await.unwrap();
        assert_eq!(body["detail"]["required_scope"], scope, "{path}");
        let token = service.token("u", scope).await;
        assert_eq!(by_cookie(&service, &address, &token).await.status(), 200, "{path}");
    }
    put(&service, "user/nobody/x.pdf", b"x");
    assert_eq!(by_cookie(&service, "/media/user/nobody/x.pdf", &nobody).await.status(), 200, "the own folder");
}

#[tokio::test]
async fn the_logo_is_public_and_what_the_settings_open() {
    let service = Service::start_with(&[("admin_password", ADMIN_PASSWORD), ("media_public", "config,product")]).await;
    put(&service, "config/company_logo/x.png", PNG);
    put(&service, "product/p/image.jpg", PNG);
    put(&service, "step/s/x.png", PNG);
    let root = service.data_dir.path().join("media").display().to_string();
    for (path, status) in [
        ("/media/config/company_logo/x.png".to_owned(), 200),
        (format!("{root}/config/company_logo/x.png"), 200),
        (format!("{root}/product/p/image.jpg"), 404),
        ("/media/product/p/image.jpg".to_owned(), 200),
        ("/media/step/s/x.png".to_owned(), 401),
    ] {
        assert_eq!(get(&service, &path, &[]).await.status(), status, "{path}");
    }
}

#[tokio::test]
async fn nothing_but_files_of_known_folders_is_read() {
    let service = started().await;
    let token = service.token("u", "admin").await;
    put(&service, "product_import/0b4b4c7e-0000-4000-8000-000000000000", b"x");
    put(&service, "secret", b"x");
    std::os::unix::fs::symlink("/etc/passwd", service.data_dir.path().join("media/product/p/doc")).unwrap();
    std::fs::create_dir_all(service.data_dir.path().join("media/step/s")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", service.data_dir.path().join("media/step/s/link")).unwrap();
    for path in [
        "/media/product_import/0b4b4c7e-0000-4000-8000-000000000000",
        "/media/product/%2e%2e/secret",
        "/media/product/p/..%2f..%2fsecret",
        "/media/step/s/link",
        "/media/step/s/",
        "/media/step//x",
        "/media/product/p",
        "/media/product/p/.hidden",
        "/media/product/q/image.jpg",
    ] {
        let status = by_cookie(&service, path, &token).await.status();
        assert!(status == 404, "{path}: {status}");
    }
}

#[tokio::test]
async fn what_could_run_in_the_page_is_saved_instead() {
    let service = started().await;
    let token = service.token("u", "library").await;
    for (name, content) in [
        ("x.html", &b"<html><script>alert(1)</script>"[..]),
        ("x.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        ("x.txt", b"<!DOCTYPE html><script>"),
    ] {
        put(&service, &format!("product/p/doc/{name}"), content);
        let response = by_cookie(&service, &format!("/media/product/p/doc/{name}"), &token).await;
        let disposition = response.headers()["content-disposition"].to_str().unwrap();
        assert!(disposition.starts_with("attachment") && disposition.contains(name), "{disposition}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert_eq!(response.headers()["content-security-policy"], "default-src 'none'; sandbox");
    }
}

#[tokio::test]
async fn a_video_is_read_in_parts() {
    let service = started().await;
    let token = service.token("u", "library").await;
    let content: Vec<u8> = (0..1_000_u32).map(|n| n as u8).collect();
    put(&service, "step/s/v.mp4", &content);
    let authorization = format!("Bearer {token}");
    let range = |value: &'static str| [("authorization", authorization.clone()), ("range", value.to_owned())];
    let ask = async |headers: [(&str, String); 2]| {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        get(&service, "/media/step/s/v.mp4", &headers).await
    };
    let response = ask(range("bytes=100-199")).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-range"]),
        (206, &"bytes 100-199/1000".parse().unwrap())
    );
    assert_eq!(response.bytes().await.unwrap(), content[100..200]);
    let response = ask(range("bytes=5000-")).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-range"]),
        (416, &"bytes */1000".parse().unwrap())
    );
    let head = service.client.head(service.url("/media/step/s/v.mp4")).bearer_auth(&token).send().await.unwrap();
    assert_eq!((head.status().as_u16(), head.headers()["content-type"].to_str().unwrap()), (200, "video/mp4"));
    assert!(head.bytes().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_replaced_picture_is_shown_at_the_next_load() {
    let service = started().await;
    let token = service.token("u", "library").await;
    let path = "/media/product/p/image.jpg";
    let first = by_cookie(&service, path, &token).await;
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    let cookie = format!("Authorization={token}");
    let again = async || get(&service, path, &[("cookie", &cookie), ("if-none-match", &tag)]).await;
    assert_eq!(again().await.status(), 304);
    let file = service.data_dir.path().join("media/product/p/image.jpg");
    std::fs::write(file.with_file_name("new"), [PNG, b"!"].concat()).unwrap();
    std::fs::rename(file.with_file_name("new"), &file).unwrap();
    assert_eq!(again().await.status(), 200);
}

#[tokio::test]
async fn pictures_of_users_are_found_by_name_and_never_show_the_wrong_face() {
    let service = started().await;
    let token = service.token("u", "").await;
    service
        .seed(
            "User",
            json!([
                {"_key": "1", "username": "a", "name": "Ada", "surname": "De Luca", "scope": ""},
                {"_key": "2", "username": "b", "name": "Bob", "surname": null, "scope": ""},
                {"_key": "3", "username": "c", "name": "Bob", "surname": "", "scope": ""},
                {"_key": "4", "username": "d", "name": "Ada", "surname": "DeLuca", "scope": "", "trash": true},
            ]),
        )
        .await;
    for key in ["1", "2", "3"] {
        put(&service, &format!("user/{key}.jpg"), PNG);
    }
    put(&service, "user/old.jpg", PNG);
    for (name, status) in [("adadeluca", 200), ("bob", 404), ("old", 200), ("nobody", 404)] {
        assert_eq!(by_cookie(&service, &format!("/media/user/{name}.jpg"), &token).await.status(), status, "{name}");
    }
    assert_eq!(get(&service, "/media/user/adadeluca.jpg", &[]).await.status(), 401);
    // Who gets another name is found under it, and not under the old one any more.
    let admin = service.token("admin", "admin").await;
    let (status, body) = service.send(Method::PATCH, "/user/1", &admin, json!({"surname": "Rossi"})).await;
    assert_eq!(status, 200, "{body}");
    for (name, status) in [("adarossi", 200), ("adadeluca", 404)] {
        assert_eq!(by_cookie(&service, &format!("/media/user/{name}.jpg"), &token).await.status(), status, "{name}");
    }
}
