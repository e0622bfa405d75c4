//! Requests of any form: the method, path and body of `root` are whatever comes, and the answer never blames the engine.
#![no_main]

use std::sync::OnceLock;

use aqlite::{Engine, Options};
use bytes::Bytes;
use http::{Method, Request, StatusCode};
use libfuzzer_sys::fuzz_target;

const METHODS: [Method; 6] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::HEAD];

fuzz_target!(|input: (u8, &str, &[u8])| {
    let (method, path, body) = input;
    let request = Request::builder()
        .method(METHODS[usize::from(method) % METHODS.len()].clone())
        .uri(format!("/{path}"))
        .header("authorization", "Basic cm9vdDpzZWNyZXQ=")
        .body(Bytes::copy_from_slice(body));
    let Ok(request) = request else { return };
    let answer = engine().handle(request);
    assert_ne!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR, "{:?}", answer.body());
});

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let data_dir = tempfile::tempdir().expect("a folder").keep();
        let options = Options { data_dir, root_password: "secret".to_owned(), jwt_secret: None };
        Engine::open(options).expect("opens")
    })
}
