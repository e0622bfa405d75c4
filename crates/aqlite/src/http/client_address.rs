//! Where a request comes from, also behind proxies.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use ipnet::IpNet;

/// The address of a client: of the other end of the connection, or, where that is a trusted proxy, the one the proxy names
/// in `X-Forwarded-For`.
///
/// Each proxy adds whom it was called by at the right end, so the addresses are good from there to the first that is no
/// trusted proxy's; what stands further left is what that one claims.
pub fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut client = peer.to_canonical();
    let lines = headers.get_all("x-forwarded-for").iter().rev().filter_map(|line| line.to_str().ok());
    for entry in lines.flat_map(|line| line.rsplit(',')) {
        if !trusted.iter().any(|network| network.contains(&client)) {
            break;
        }
        match parse(entry) {
            Some(address) => client = address.to_canonical(),
            None => break,
        }
    }
    client
}

/// An address, perhaps with a port.
fn parse(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim();
    let plain = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    plain.parse().ok().or_else(|| Some(entry.parse::<SocketAddr>().ok()?.ip()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn seen(peer: &str, lines: &[&'static str]) -> String {
        let trusted = ["10.0.0.0/8", "fd00::/8", "127.0.0.1/32"].map(|network| network.parse().expect("a network"));
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_static(line));
        }
        client_address(peer.parse().expect("an address"), &headers, &trusted).to_string()
    }

    #[test]
    fn a_peer_that_is_no_trusted_proxy_is_the_client_whatever_it_claims() {
        assert_eq!(seen("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        let headers = [(http::HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static("198.51.100.7"))];
        let local = IpAddr::from([127, 0, 0, 1]);
        assert_eq!(client_address(local, &headers.into_iter().collect(), &[]), local);
    }

    #[test]
    fn behind_trusted_proxies_the_last_address_that_is_none_of_theirs_counts() {
        assert_eq!(seen("127.0.0.1", &[" 198.51.100.7 "]), "198.51.100.7");
        assert_eq!(seen("127.0.0.1", &["1.1.1.1, 198.51.100.7, 10.1.2.3"]), "198.51.100.7");
        assert_eq!(seen("127.0.0.1", &["1.1.1.1", "198.51.100.7", "10.1.2.3"]), "198.51.100.7", "in several lines");
        assert_eq!(seen("::ffff:10.0.0.1", &["2001:db8::1,fd00::2"]), "2001:db8::1");
    }

    #[test]
    fn without_a_usable_address_the_proxy_itself_counts() {
        assert_eq!(seen("127.0.0.1", &[]), "127.0.0.1");
        assert_eq!(seen("127.0.0.1", &["198.51.100.7, unknown"]), "127.0.0.1");
        assert_eq!(seen("127.0.0.1", &["10.0.0.9"]), "10.0.0.9", "all are proxies: the one furthest away");
    }

    #[test]
    fn addresses_may_have_ports() {
        assert_eq!(seen("127.0.0.1", &["198.51.100.7:4711"]), "198.51.100.7");
        assert_eq!(seen("127.0.0.1", &["[2001:db8::1]:4711"]), "2001:db8::1");
        assert_eq!(seen("127.0.0.1", &["[2001:db8::1]"]), "2001:db8::1");
    }
}
