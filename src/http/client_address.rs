//! Where a request comes from, also behind proxies.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use poem::{FromRequest, Request, RequestBody};

use crate::app::App;

/// The address of the client: of the other end of the connection, or, where that is a proxy that the settings trust, the one
/// the proxy names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl<'a> FromRequest<'a> for ClientAddress {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        let peer = request.remote_addr().as_socket_addr().map(SocketAddr::ip);
        let trusted = request.data::<Arc<App>>().map_or(&[][..], |app| &app.settings.trusted_proxies);
        Ok(Self(peer.map(|peer| aqlite::http::client_address(peer, request.headers(), trusted))))
    }
}
