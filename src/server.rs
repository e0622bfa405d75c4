//! The HTTP server: the API with and without its prefix, the document, the explorer, the health pages.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use poem::endpoint::{BoxEndpoint, make_sync};
use poem::http::Method;
use poem::{Endpoint, EndpointExt, Response, Route, get};
use tokio::net::{TcpListener, TcpSocket, ToSocketAddrs, lookup_host};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::api::{self, Api, filing};
use crate::app::App;
use crate::auth::DemandError;
use crate::background::Background;
use crate::events::counting::Applier;
use crate::http::guard::{self, Guarded};
use crate::http::{
    self, Answers, AtRoot, Compress, Context, Discard, InlinePage, MediaFiles, Methods, Observe, Origins,
    explorer_files, explorer_page, healthz, metrics_page, readyz,
};
use crate::openapi;
use crate::settings::Settings;
use crate::trail::seal::Sealer;

/// How long running requests may take to finish after the signal to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(30);

/// A bound socket, not yet served.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
}

/// Refuses addresses that somebody else listens at, before anything is created that a start makes only once. Where that is
/// there already, another service at work in the same folder is what has to be told.
pub async fn check_addresses(settings: &Settings) -> std::io::Result<()> {
    if settings.database.is_embedded() && settings.data_dir.join("db").exists() {
        return Ok(());
    }
    let engine = &settings.database.embedded_listen;
    if settings.database.is_embedded() && !engine.is_empty() {
        could_bind(engine).await.map_err(|error| engine_cannot_listen(engine, &error))?;
    }
    let listen = settings.listen;
    could_bind(listen).await.map_err(|error| cannot_listen(listen, &error))
}

/// Fails where none of the addresses of a name can be bound.
async fn could_bind(name: impl ToSocketAddrs) -> std::io::Result<()> {
    let mut outcome = Err(std::io::ErrorKind::AddrNotAvailable.into());
    for address in lookup_host(name).await? {
        outcome = bind_only(address).map(drop);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// A socket that has the address and takes no connection: who connects to one that is only looked at would be cut off.
fn bind_only(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // connections of a service that has ended may still be in their last minute
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> std::io::Error {
    let text = format!("cannot listen on {address}: {error}\nChoose another address with --listen.");
    std::io::Error::new(error.kind(), text)
}

fn engine_cannot_listen(address: &str, error: &std::io::Error) -> std::io::Error {
    let text = format!(
        "the embedded engine cannot listen on {address}: {error}\n\
         Choose another address with --database-embedded-listen, or none with an empty one."
    );
    std::io::Error::new(error.kind(), text)
}

/// Binds the address of the settings.
pub async fn bind(app: Arc<App>) -> std::io::Result<Bound> {
    // Before anybody could ask for them.
    filing::end_left(&app).await;
    let listen = app.settings.listen;
    let listener = TcpListener::bind(listen).await.map_err(|error| cannot_listen(listen, &error))?;
    let address = listener.local_addr()?;
    Ok(Bound { listener, address, app })
}

impl Bound {
    /// The address that was bound; its port is real even when the settings asked for any.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a browser on this machine opens the explorer.
    pub fn explorer_address(&self) -> String {
        let address = self.address;
        if address.ip().is_unspecified() {
            format!("http://localhost:{}/", address.port())
        } else {
            format!("http://{address}/")
        }
    }

    /// Serves until `stop` is ready, then lets running requests finish.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        // Compiled here once, and not by everyone who says when to stop.
        self.serve_until(stop.boxed()).await
    }

    async fn serve_until(self, stop: BoxFuture<'static, ()>) -> std::io::Result<()> {
        let routes = routes(Arc::clone(&self.app)).map_err(std::io::Error::other)?;
        if self.app.settings.explorer {
            tracing::info!("the explorer is open at {}", self.explorer_address());
        }
        tracing::info!("the API can be tried at http://{}{}/docs", self.address, self.app.settings.root_path);
        let (background, applier) = (Background::start(&self.app), Applier::start(&self.app.recorder));
        let sealer = Sealer::start(self.app.store.clone());
        let hub = self.app.notifications.clone();
        let stop = async move {
            stop.await;
            // Streams have no end that could be waited for.
            hub.stop();
        };
        let settings = &self.app.settings;
        let (limits, proxies) = (settings.connections.limits(), &settings.trusted_proxies);
        let served = http::serve(self.listener, limits, proxies, routes, stop, STOP_PATIENCE).await;
        applier.stop().await;
        background.stop().await;
        sealer.stop().await;
        served
    }
}

/// The embedded engine's own port, at which analysts reach it with any driver.
pub struct EnginePort {
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

/// Serves the embedded engine at the address of the settings, when there is an engine and an address.
pub async fn bind_engine(app: &App) -> std::io::Result<Option<EnginePort>> {
    let address = &app.settings.database.embedded_listen;
    let Some(engine) = app.store.engine().cloned().filter(|_| !address.is_empty()) else { return Ok(None) };
    let listener = TcpListener::bind(address).await.map_err(|error| engine_cannot_listen(address, &error))?;
    tracing::info!(%address, "the embedded engine answers");
    let (stop, stopped) = oneshot::channel();
    let served = tokio::spawn(aqlite::http::serve(engine, listener, async { drop(stopped.await) }));
    Ok(Some(EnginePort { stop, served }))
}

impl EnginePort {
    /// Stops answering.
    pub async fn close(self) -> std::io::Result<()> {
        drop(self.stop);
        self.served.await.map_err(std::io::Error::other)?
    }
}

/// The OpenAPI document as text. There is none while an operation does not say who may call it.
pub fn document(root_path: &str) -> Result<String, DemandError> {
    guard::check::<Api>()?;
    Ok(described(root_path))
}

fn described(root_path: &str) -> String {
    with_token_url(openapi::service(Documented, root_path).spec(), root_path)
}

/// The page to try the operations on.
fn docs_page(root_path: &str) -> InlinePage {
    InlinePage::new(with_token_url(openapi::service(Documented, root_path).swagger_ui_html(), root_path))
}

/// Everything the service answers.
fn routes(app: Arc<App>) -> Result<impl Endpoint<Output = Response>, DemandError> {
    let root_path = app.settings.root_path.clone();
    guard::check::<Api>()?;
    // Made when somebody asks for them: together they took most of the time of a start.
    let (of_document, of_page) = (root_path.clone(), root_path.clone());
    let spec = LazyLock::new(move || described(&of_document));
    let docs = LazyLock::new(move || docs_page(&of_page));
    let service = openapi::service(Guarded::new(api::new(&app), &app)?, &root_path);
    let api = Route::new()
        .at(
            "/openapi.json",
            get(page("/openapi.json", move || Response::builder().content_type("application/json").body(spec.clone()))),
        )
        .at("/docs", get(page("/docs", move || docs.answer())))
        .nest("/", service);
    let api: Arc<BoxEndpoint<'static>> = Arc::new(api.boxed());

    let page = explorer_page().filter(|_| app.settings.explorer).map(get);
    let mut routes = Route::new()
        .at("/healthz", get(healthz))
        .at("/readyz", get(readyz))
        .at("/metrics", get(metrics_page))
        .at("/media/:folder/*path", get(MediaFiles::new(&app, "/media/")))
        .nest("/", AtRoot { page, inner: Arc::clone(&api) });
    if !root_path.is_empty() {
        let prefix = format!("{root_path}/media/");
        routes = routes.at(format!("{prefix}:folder/*path"), get(MediaFiles::new(&app, &prefix))).nest(&root_path, api);
    }
    // The web app takes the path that is stored of the logo for its address.
    if let Some(root) = std::path::absolute(app.settings.media_root()).ok().filter(|root| root != Path::new("/media")) {
        let prefix = format!("{}/", root.display());
        routes = routes.at(format!("{prefix}config/:key/:name"), get(MediaFiles::only(&app, &prefix, "config")));
    }
    if app.settings.explorer {
        for (path, file) in explorer_files() {
            routes = routes.at(path, get(file));
        }
    }
    let methods = Methods::new(&<Documented as poem_openapi::OpenApi>::meta(), &root_path);
    let origins = &app.settings.cors_allowed_origins;
    Ok(routes
        .data(Arc::clone(&app))
        .with(Answers(methods))
        .with_if(!origins.is_empty(), Origins::new(origins))
        .with(Compress)
        .with(Discard)
        .with(Observe(app)))
}

/// The API as far as the document is concerned: it needs no running service.
struct Documented;

impl poem_openapi::OpenApi for Documented {
    fn meta() -> Vec<poem_openapi::registry::MetaApi> {
        Guarded::<Api>::meta()
    }

    fn register(registry: &mut poem_openapi::registry::Registry) {
        Guarded::<Api>::register(registry);
    }

    fn add_routes(
        self,
        _: &mut std::collections::HashMap<String, std::collections::HashMap<Method, BoxEndpoint<'static>>>,
    ) {
    }
}

/// The document names the token URL under the usual prefix.
fn with_token_url(text: String, root_path: &str) -> String {
    if root_path == "/api" { text } else { text.replace("\"/api/auth\"", &format!("\"{root_path}/auth\"")) }
}

fn page<R: poem::IntoResponse + 'static>(
    route: &'static str,
    content: impl Fn() -> R + Send + Sync + 'static,
) -> impl Endpoint + 'static {
    make_sync(move |request| {
        if let Some(context) = request.data::<Context>() {
            context.set_route(route);
        }
        content().into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_is_only_looked_at_takes_no_connection() {
        let socket = bind_only("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = socket.local_addr().unwrap();
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
        let _listener = socket.listen(1).unwrap();
        assert!(tokio::net::TcpStream::connect(address).await.is_ok());
        assert!(could_bind(address).await.is_err(), "somebody listens there");
    }
}
