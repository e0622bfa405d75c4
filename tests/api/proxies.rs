//! Failed logins behind proxies: the client's address counts, and only where the proxy is trusted.

use tracewright_testkit::{ADMIN_PASSWORD, Service, answer};

async fn log_in(service: &Service, name: &str, password: &str, forwarded: &str) -> u16 {
    let form = [("username", name), ("password", password)];
    let request = service.client.post(service.url("/api/auth")).header("x-forwarded-for", forwarded).form(&form);
    answer(request).await.0.as_u16()
}

async fn behind(trusted: &str) -> Service {
    Service::start_with(&[("admin_password", ADMIN_PASSWORD), ("trusted_proxies", trusted)]).await
}

/// Fails ten times: the next failure from there has to wait.
async fn fail(service: &Service, forwarded: impl Fn(usize) -> String) {
    for number in 0..10 {
        assert_eq!(log_in(service, "cadmin", "wrong", &forwarded(number)).await, 401);
    }
}

#[tokio::test]
async fn behind_a_trusted_proxy_failures_count_for_the_client_it_names() {
    let service = behind("127.0.0.1").await;
    fail(&service, |_| "192.0.2.1".to_owned()).await;
    assert_eq!(log_in(&service, "cadmin", "wrong", "192.0.2.1").await, 429);
    assert_eq!(log_in(&service, "cadmin", "wrong", "198.51.100.9, 192.0.2.1").await, 429, "whatever it claims");
    assert_eq!(log_in(&service, "cadmin", "wrong", "192.0.2.2").await, 401);
    for address in ["192.0.2.1", "192.0.2.2"] {
        assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, address).await, 200, "{address}");
    }
}

#[tokio::test]
async fn without_trust_nobody_gives_themselves_another_address() {
    let service = behind("10.0.0.0/8").await;
    fail(&service, |number| format!("192.0.2.{number}")).await;
    assert_eq!(log_in(&service, "cadmin", "wrong", "192.0.2.77").await, 429);
}

#[tokio::test]
async fn a_success_clears_its_own_name_and_not_the_failures_of_others_from_there() {
    let service = behind("").await;
    for _ in 0..10 {
        assert_eq!(log_in(&service, "guess", "wrong", "").await, 401);
    }
    fail(&service, |_| String::new()).await;
    assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, "").await, 200);
    assert_eq!(log_in(&service, "cadmin", "wrong", "").await, 401);
    assert_eq!(log_in(&service, "guess", "wrong", "").await, 429);
}
