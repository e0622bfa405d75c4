//! The server that tests are to run against instead of the engine in their process, and their scratch databases there.

/// How the names of scratch databases begin: what a run that was killed leaves behind is known by it.
pub(crate) const SCRATCH: &str = "tracewright_test_";

/// A server that tests are to run against, and a user of it who may create databases.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) username: String,
    pub(crate) password: String,
}

impl Server {
    pub(crate) fn of_environment() -> Option<Self> {
        let variable = |name: &str| std::env::var(format!("TRACEWRIGHT_TEST_ARANGO_{name}"));
        let username = variable("USER").unwrap_or_else(|_| "root".to_owned());
        Some(Self { url: variable("URL").ok()?, username, password: variable("PASSWORD").unwrap_or_default() })
    }
}

/// A database on a server, which goes with the last service over it, together with its user for the AQL console.
pub(crate) struct Scratch {
    pub(crate) server: Server,
    pub(crate) database: String,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let Server { url, username, password } = &self.server;
        let (url, username, password) = (url.trim_end_matches('/').to_owned(), username.clone(), password.clone());
        let paths = [format!("/_api/database/{}", self.database), format!("/_api/user/{}_aql", self.database)];
        // A test that ends has no runtime left, or one that must not block.
        let removed = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                for path in paths {
                    let request = reqwest::Client::new().delete(format!("{url}{path}"));
                    drop(request.basic_auth(&username, Some(&password)).send().await);
                }
            });
        });
        drop(removed.join());
    }
}
