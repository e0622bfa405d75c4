//! Failed logins behind proxies: the client's address counts, and only where the proxy is trusted.

use crate::common::{ADMIN_PASSWORD, Service, answer};

async fn log_in(service: &Service, name: &str, password: &str, forwarded: &str) -> u16 {
    let form = [("username", name), ("password", password)];
    let request = service.client.post(service.url("/api/auth")).header("x-forwarded-for", forwarded).form(&form);
    answer(request).await.0.as_u16()
}

async fn behind(trusted: &str) -> Service {
    Service::start_with(&[("admin_password", ADMIN_PASSWORD), ("trusted_proxies", trusted)]).await
}

#[tokio::test]
async fn behind_a_trusted_proxy_failures_of_one_client_do_not_lock_out_another() {
    let service = behind("127.0.0.1").await;
    for number in 0..10 {
        assert_eq!(log_in(&service, &format!("guess{number}"), "wrong", "192.0.2.1").await, 401);
    }
    assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, "192.0.2.1").await, 429, "the address has to wait");
    assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, "198.51.100.9, 192.0.2.1").await, 429, "whatever it claims");
    assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, "192.0.2.2").await, 200);
}

#[tokio::test]
async fn without_trust_nobody_gives_themselves_another_address() {
    let service = behind("10.0.0.0/8").await;
    for number in 0..10 {
        let address = format!("192.0.2.{number}");
        assert_eq!(log_in(&service, &format!("guess{number}"), "wrong", &address).await, 401);
    }
    assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, "192.0.2.77").await, 429);
}

#[tokio::test]
async fn a_success_clears_its_own_name_and_not_the_failures_of_others_from_there() {
    let service = behind("").await;
    for number in 0..9 {
        assert_eq!(log_in(&service, &format!("guess{number}"), "wrong", "").await, 401);
    }
    assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, "").await, 200);
    assert_eq!(log_in(&service, "guess9", "wrong", "").await, 401);
    assert_eq!(log_in(&service, "cadmin", ADMIN_PASSWORD, "").await, 429, "ten failures from the address");
}
