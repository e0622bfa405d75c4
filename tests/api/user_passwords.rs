//! Passwords of users, and their pictures.

use tracewright_testkit::{Service, answer};

use crate::user_support::{PASSWORD, as_clerk, call, start_session, stored, user, works};
use image::{DynamicImage, ImageFormat};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const NEW: &str = "Other-words-22";

async fn set(service: &Service, key: &str, token: &str, body: Value) -> (u16, Value) {
    let (status, body) = service.send(Method::PUT, &format!("/user/{key}/password"), token, body).await;
    (status.as_u16(), body)
}

/// A service with the user `anna`, who must set a password, and the token for that.
async fn with_reset_token() -> (Service, String) {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({"reset_password": true})).await;
    let token = service.login("anna", PASSWORD).await;
    (service, token)
}

#[tokio::test]
async fn a_reset_token_sets_the_password_of_its_own_user_once() {
    let (service, token) = with_reset_token().await;
    user(&service, "bert", "operator", json!({})).await;
    let body = json!({"new_password": NEW});
    assert_eq!(set(&service, "bert", &token, body.clone()).await.0, 401, "another user");
    let (status, answer) = set(&service, "anna", &token, body.clone()).await;
    assert_eq!(
        (status, &answer["message"], &answer["detail"]),
        (200, &json!("Password updated correctly"), &Value::Null)
    );
    assert_eq!(set(&service, "anna", &token, body).await.0, 401, "twice");
    let (_, login) = service.auth("anna", NEW).await;
    assert_eq!(login["detail"]["action"], "start_session");
    let anna = stored(&service, "User", "anna").await;
    assert_eq!(anna["reset_password"], false);
    assert!(anna["psw_hash"].as_str().unwrap().starts_with("$argon2id$"));
}

#[tokio::test]
async fn with_a_reset_token_the_current_password_is_not_looked_at() {
    let (service, token) = with_reset_token().await;
    let body = json!({"new_password": NEW, "current_password": "anything"});
    assert_eq!(set(&service, "anna", &token, body).await.0, 200);
}

#[tokio::test]
async fn who_is_logged_in_sets_their_password_with_the_current_one_and_is_logged_out() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let token = service.login("anna", PASSWORD).await;
    let session = start_session(&service, &token, "anna").await;
    let beside = service.token("anna", "operator").await;

    let (status, body) = set(&service, "anna", &token, json!({"new_password": NEW})).await;
    let entry = &body["detail"][0];
    assert_eq!((status, &entry["type"], &entry["loc"]), (422, &json!("missing"), &json!(["body", "current_password"])));

    let wrong = json!({"new_password": NEW, "current_password": "Wrong-words-1"});
    let (status, body) = set(&service, "anna", &token, wrong).await;
    assert_eq!(status, 403, "{body}");
    assert!(body["detail"]["message"].is_string());
    assert!(works(&service, &token).await, "nobody is thrown out for it");
    assert_eq!(service.auth("anna", NEW).await.0, 401);

    let token = service.token("anna", "operator").await;
    let right = json!({"new_password": NEW, "current_password": PASSWORD});
    assert_eq!(set(&service, "anna", &token, right).await.0, 200);
    for token in [&token, &beside] {
        assert!(!works(&service, token).await, "all sessions end");
    }
    assert_eq!(stored(&service, "UserSession", &session).await["active"], false);
    assert_eq!(service.auth("anna", PASSWORD).await.0, 401);
    assert_eq!(service.auth("anna", NEW).await.0, 200);
}

#[tokio::test]
async fn wrong_current_passwords_are_slowed_down_like_logins() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let token = service.token("anna", "operator").await;
    for _ in 0..10 {
        let wrong = json!({"new_password": NEW, "current_password": "Wrong-words-1"});
        assert_eq!(set(&service, "anna", &token, wrong).await.0, 403);
    }
    let wrong = json!({"new_password": NEW, "current_password": "Wrong-words-1"});
    assert_eq!(set(&service, "anna", &token, wrong).await.0, 429);
    let right = json!({"new_password": NEW, "current_password": PASSWORD});
    assert_eq!(set(&service, "anna", &token, right).await.0, 200);
}

#[tokio::test]
async fn a_session_sets_no_password_but_its_own_users() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let admin = service.token("admin_key", "admin").await;
    let body = json!({"new_password": NEW, "current_password": PASSWORD});
    assert_eq!(set(&service, "anna", &admin, body).await.0, 401);
}

#[tokio::test]
async fn a_new_password_has_ten_to_128_characters() {
    let (service, token) = with_reset_token().await;
    for (password, kind) in [("123456789", "string_too_short"), (&"x".repeat(129), "string_too_long")] {
        let (status, body) = set(&service, "anna", &token, json!({ "new_password": password })).await;
        assert_eq!((status, &body["detail"][0]["type"]), (422, &json!(kind)));
    }
    assert_eq!(set(&service, "anna", &token, json!({"new_password": "1234567890"})).await.0, 200);
}

#[tokio::test]
async fn a_password_is_never_repeated_in_an_error() {
    let (service, token) = with_reset_token().await;
    for body in [
        json!({"new_password": "s3cr3t-x"}),
        json!({"new_password": ["s3cr3t-xyz"]}),
        json!({"new_password": "s3cr3t-xyz", "current_password": 7}),
        json!({"current_password": "s3cr3t-xyz"}),
    ] {
        let (status, answer) = set(&service, "anna", &token, body).await;
        assert_eq!(status, 422);
        assert!(!answer.to_string().contains("s3cr3t"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_new_passwords_at_once_a_token_sets_one() {
    let service = Service::start().await;
    user(&service, "fresh", "operator", json!({"reset_password": true})).await;
    let reset = service.login("fresh", PASSWORD).await;
    user(&service, "anna", "operator", json!({})).await;
    let session = service.token("anna", "operator").await;
    for (key, token) in [("fresh", &reset), ("anna", &session)] {
        let new = |number: usize| {
            set(&service, key, token, json!({"new_password": format!("{NEW}{number}"), "current_password": PASSWORD}))
        };
        let answers = futures_util::future::join_all((0..4).map(new)).await;
        let done = answers.iter().filter(|(status, _)| *status == 200).count();
        assert_eq!(done, 1, "{answers:?}");
        assert!(answers.iter().all(|(status, _)| [200, 401, 403].contains(status)), "{answers:?}");
    }
}

#[tokio::test]
async fn a_reset_gives_a_one_time_password_and_ends_sessions() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let token = service.login("anna", PASSWORD).await;
    let session = start_session(&service, &token, "anna").await;
    let (status, body) = call(&service, Method::DELETE, "/user/anna/password", Value::Null).await;
    assert_eq!((status, &body["message"]), (200, &json!("Password updated correctly")));
    assert!(!works(&service, &token).await);
    assert_eq!(stored(&service, "UserSession", &session).await["active"], false);
    assert_eq!(service.auth("anna", PASSWORD).await.0, 401);
    let temp_psw = body["detail"]["temp_psw"].as_str().unwrap();
    assert_eq!(temp_psw.len(), 12);
    let (status, login) = service.auth("anna", temp_psw).await;
    assert_eq!((status.as_u16(), &login["detail"]["action"]), (200, &json!("reset_password")));
}

#[tokio::test]
async fn only_administrators_reset_the_password_of_an_administrator() {
    let service = Service::start().await;
    user(&service, "boss", "admin quality", json!({})).await;
    let (status, body) = as_clerk(&service, "operator", Method::DELETE, "/user/boss/password", Value::Null).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("admin")));
    assert_eq!(service.auth("boss", PASSWORD).await.0, 200, "nothing has changed");
}

#[tokio::test]
async fn nobody_resets_the_password_of_who_may_do_more() {
    let service = Service::start().await;
    user(&service, "anna", "quality production", json!({})).await;
    let (status, body) = as_clerk(&service, "quality", Method::DELETE, "/user/anna/password", Value::Null).await;
    assert_eq!((status, &body["detail"]["required_scope"]), (403, &json!("production")));
    assert_eq!(service.auth("anna", PASSWORD).await.0, 200, "nothing has changed");
    let (status, _) =
        as_clerk(&service, "quality production", Method::DELETE, "/user/anna/password", Value::Null).await;
    assert_eq!(status, 200);
}

fn picture(format: ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    DynamicImage::new_rgb8(2, 2).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

async fn put_picture(service: &Service, key: &str, part: &'static str, bytes: Vec<u8>) -> (StatusCode, Value) {
    let token = service.token("admin_key", "admin").await;
    let form = Form::new().part(part, Part::bytes(bytes).file_name("../../face.png"));
    answer(service.request(Method::PUT, &format!("/user/{key}/image"), &token).multipart(form)).await
}

/// What lies in the folder of the pictures.
fn files(service: &Service) -> Vec<String> {
    let folder = service.data_dir.path().join("media/user");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn pictures_of_two_users_with_the_same_name_are_two_files() {
    let service = Service::start().await;
    let (png, gif) = (picture(ImageFormat::Png), picture(ImageFormat::Gif));
    for (key, bytes) in [("a1", &png), ("a2", &gif)] {
        user(&service, key, "operator", json!({"name": "Anna", "surname": "Rossi"})).await;
        let (status, body) = put_picture(&service, key, "new_image", bytes.clone()).await;
        assert_eq!(
            (status.as_u16(), &body["message"], &body["detail"]),
            (200, &json!("File saved correctly"), &Value::Null)
        );
        assert_eq!(stored(&service, "User", key).await["image"], true);
    }
    assert_eq!(files(&service), ["a1.jpg", "a2.jpg"]);
    let read = |name: &str| std::fs::read(service.data_dir.path().join("media/user").join(name)).unwrap();
    assert_eq!((read("a1.jpg"), read("a2.jpg")), (png, gif.clone()), "kept as they were sent");
    put_picture(&service, "a1", "new_image", gif.clone()).await;
    assert_eq!(read("a1.jpg"), gif, "a new one takes the place of the earlier one");
}

#[tokio::test]
async fn what_is_no_picture_is_422_and_leaves_no_file() {
    let service = Service::start().await;
    user(&service, "anna", "operator", json!({})).await;
    let (status, body) = put_picture(&service, "anna", "new_image", b"a text file".to_vec()).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["loc"]), (422, &json!(["body", "new_image"])));
    let (status, body) = put_picture(&service, "anna", "other", picture(ImageFormat::Png)).await;
    assert_eq!((status.as_u16(), &body["detail"][0]["type"]), (422, &json!("missing")));
    assert_eq!(files(&service), [""; 0]);
    assert_ne!(stored(&service, "User", "anna").await["image"], true);
}

#[tokio::test]
async fn a_picture_of_nobody_is_404_and_leaves_no_file() {
    let service = Service::start().await;
    user(&service, "gone", "operator", json!({"trash": true})).await;
    for key in ["none", "gone", "..%2F..%2Fx", "%2e%2e"] {
        let (status, body) = put_picture(&service, key, "new_image", picture(ImageFormat::Png)).await;
        assert_eq!(status, 404, "{key}: {body}");
    }
    assert_eq!(files(&service), [""; 0]);
}

#[tokio::test]
async fn a_picture_beyond_the_limit_is_413_and_leaves_the_earlier_one() {
    let service = Service::start_with(&[("upload_limit_bytes", "4000")]).await;
    user(&service, "anna", "operator", json!({})).await;
    assert_eq!(put_picture(&service, "anna", "new_image", picture(ImageFormat::Png)).await.0, 200);
    let mut large = picture(ImageFormat::Bmp);
    large.resize(5000, 0);
    assert_eq!(put_picture(&service, "anna", "new_image", large).await.0, 413);
    assert_eq!(std::fs::read(service.data_dir.path().join("media/user/anna.jpg")).unwrap(), picture(ImageFormat::Png));
    assert_eq!(files(&service), ["anna.jpg"]);
}

#[tokio::test]
async fn only_administrators_change_the_picture_of_an_administrator() {
    let service = Service::start().await;
    user(&service, "boss", "admin", json!({})).await;
    let token = service.token("clerk", "org:user:write").await;
    let form = Form::new().part("new_image", Part::bytes(picture(ImageFormat::Png)).file_name("x.png"));
    let (status, _) = answer(service.request(Method::PUT, "/user/boss/image", &token).multipart(form)).await;
    assert_eq!(status, 403);
    assert_eq!(files(&service), [""; 0]);
}
