//! Where a request comes from, also behind proxies.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ipnet::IpNet;
use poem::http::HeaderName;
use poem::{FromRequest, Request, RequestBody};

use crate::app::App;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of the client: of the other end of the connection, or, where that is a proxy that the settings trust, the one
/// the proxy names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl<'a> FromRequest<'a> for ClientAddress {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        let peer = request.remote_addr().as_socket_addr().map(SocketAddr::ip);
        let trusted = request.data::<Arc<App>>().map_or(&[][..], |app| &app.settings.trusted_proxies);
        let headers = request.headers().get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        let forwarded: Vec<&str> = headers.flat_map(|value| value.split(',')).collect();
        Ok(Self(peer.map(|peer| client(peer, &forwarded, trusted))))
    }
}

/// Each proxy adds whom it was called by at the right end, so the addresses are good from there to the first that is no
/// trusted proxy's; what stands further left is what that one claims.
fn client(peer: IpAddr, forwarded: &[&str], trusted: &[IpNet]) -> IpAddr {
    let mut client = peer.to_canonical();
    for entry in forwarded.iter().rev() {
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
    use super::*;

    fn seen(peer: &str, forwarded: &[&str]) -> String {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "fd00::/8", "127.0.0.1/32"].map(|net| net.parse().unwrap()).to_vec();
        client(peer.parse().unwrap(), forwarded, &trusted).to_string()
    }

    #[test]
    fn a_peer_that_is_no_trusted_proxy_is_the_client_whatever_it_claims() {
        assert_eq!(seen("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(client("127.0.0.1".parse().unwrap(), &["198.51.100.7"], &[]).to_string(), "127.0.0.1");
    }

    #[test]
    fn behind_trusted_proxies_the_last_address_that_is_none_of_theirs_counts() {
        assert_eq!(seen("127.0.0.1", &[" 198.51.100.7 "]), "198.51.100.7");
        assert_eq!(seen("127.0.0.1", &["1.1.1.1", "198.51.100.7", "10.1.2.3"]), "198.51.100.7");
        assert_eq!(seen("::ffff:10.0.0.1", &["2001:db8::1", "fd00::2"]), "2001:db8::1");
    }

    #[test]
    fn without_a_usable_address_the_proxy_itself_counts() {
        assert_eq!(seen("127.0.0.1", &[]), "127.0.0.1");
        assert_eq!(seen("127.0.0.1", &["198.51.100.7", "unknown"]), "127.0.0.1");
        assert_eq!(seen("127.0.0.1", &["10.0.0.9"]), "10.0.0.9", "all are proxies: the one furthest away");
    }

    #[test]
    fn addresses_may_have_ports() {
        assert_eq!(seen("127.0.0.1", &["198.51.100.7:4711"]), "198.51.100.7");
        assert_eq!(seen("127.0.0.1", &["[2001:db8::1]:4711"]), "2001:db8::1");
        assert_eq!(seen("127.0.0.1", &["[2001:db8::1]"]), "2001:db8::1");
    }
}
