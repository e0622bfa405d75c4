//! A database server: the engine behind its own port stands in for one.

use crate::{ADMIN_PASSWORD, Service};
use aqlite::{Engine, Options};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The password of its root user.
pub const PASSWORD: &str = "root-password";

/// A database server.
pub struct DatabaseServer {
    /// What `database.url` says.
    pub url: String,
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
    _folder: TempDir,
}

impl DatabaseServer {
    /// Starts it on a random port, over an empty folder.
    pub async fn start() -> Self {
        Self::start_with(aqlite::Settings::default()).await
    }

    /// The same with limits of its own.
    pub async fn start_with(settings: aqlite::Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options =
            Options { data_dir: folder.path().to_owned(), root_password: PASSWORD.to_owned(), jwt_secret: None };
        let engine = Engine::open_with(options, settings).unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(aqlite::http::serve(engine, listener, async { drop(stopped.await) }));
        Self { url, stop, served, _folder: folder }
    }

    /// A service over it.
    pub async fn service(&self) -> Service {
        Self::service_at(&self.url).await
    }

    /// A service over a database server at an address.
    pub async fn service_at(url: &str) -> Service {
        let settings = [("database.url", url), ("database.password", PASSWORD), ("admin_password", ADMIN_PASSWORD)];
        Service::start_with(&settings).await
    }

    /// Ends it; from then on its connections are closed, those that the service keeps among them.
    pub async fn end(self) {
        drop(self.stop);
        self.served.await.unwrap().unwrap();
    }
}
