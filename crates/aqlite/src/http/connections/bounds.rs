//! How many connections are open, in all and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::warn;

use super::Limits;
use super::phase::Phase;
use crate::auth::throttle::network;

/// File descriptors that everything else in the process may need.
const OTHER_FILES: usize = 256;

/// The connections that are open.
pub(super) struct Bounds {
    limits: Limits,
    proxies: Vec<IpNet>,
    open: Mutex<Open>,
    /// Goes with the last place, of which who holds the other end learns.
    _last: mpsc::Sender<()>,
}

#[derive(Default)]
struct Open {
    next: u64,
    connections: HashMap<u64, Connection>,
    from: HashMap<IpAddr, usize>,
}

struct Connection {
    /// `None`: it is not counted by its address.
    address: Option<IpAddr>,
    phase: Arc<Phase>,
}

/// The place of a connection, until it is dropped.
pub(super) struct Place {
    bounds: Arc<Bounds>,
    number: u64,
    phase: Arc<Phase>,
}

impl Place {
    /// What the connection is doing.
    pub fn phase(&self) -> &Arc<Phase> {
        &self.phase
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.bounds.open.lock().remove(self.number);
    }
}

impl Bounds {
    pub fn new(mut limits: Limits, proxies: &[IpNet], last: mpsc::Sender<()>) -> Self {
        // the process may have two ports
        let files = open_files().saturating_sub(OTHER_FILES) / 2;
        if files < limits.most {
            warn!(files, "the limit of open files allows no more connections");
            limits.most = files.max(1);
        }
        Self { limits, proxies: proxies.to_vec(), open: Mutex::default(), _last: last }
    }

    /// A place for a connection. Where all are taken, one that rests gives way.
    pub fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Place> {
        let peer = peer.to_canonical();
        let address = (!self.proxies.iter().any(|proxies| proxies.contains(&peer))).then(|| network(peer));
        let mut open = self.open.lock();
        let from_there = address.map_or(0, |address| open.from.get(&address).copied().unwrap_or_default());
        if from_there >= self.limits.most_per_address && !open.make_room(|other| other.address == address) {
            return None;
        }
        if open.connections.len() >= self.limits.most && !open.make_room(|_| true) {
            return None;
        }
        let phase = Arc::new(Phase::new(&self.limits));
        let number = open.next;
        open.next += 1;
        open.connections.insert(number, Connection { address, phase: Arc::clone(&phase) });
        if let Some(address) = address {
            *open.from.entry(address).or_default() += 1;
        }
        Some(Place { bounds: Arc::clone(self), number, phase })
    }

    /// Ends every connection on which nothing is asked for so long, and the others with their answers.
    pub fn end_after(&self, time: Duration) {
        let time = Instant::now() + time;
        for connection in self.open.lock().connections.values() {
            connection.phase.end_at(time);
        }
    }
}

impl Open {
    /// Ends the connection of these that has rested the longest, if one rests.
    fn make_room(&mut self, is_one: impl Fn(&Connection) -> bool) -> bool {
        let these = self.connections.iter().filter(|(_, connection)| is_one(connection));
        let resting = these.filter_map(|(number, connection)| Some((connection.phase.rests_since()?, *number)));
        let Some((_, number)) = resting.min() else { return false };
        // it may have begun with a request just now; then the new one has to come again
        let ends = self.connections.get(&number).is_some_and(|connection| connection.phase.end_if_it_rests());
        if ends {
            self.remove(number);
        }
        ends
    }

    fn remove(&mut self, number: u64) {
        let Some(address) = self.connections.remove(&number).and_then(|connection| connection.address) else { return };
        if let Some(count) = self.from.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.from.remove(&address);
            }
        }
    }
}

/// How many files the process may have open, after asking for as many as it can get: what it starts with is made for
/// programs that wait for a few of them in an old way.
#[cfg(unix)]
fn open_files() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let before = limit.current;
        limit.current = limit.maximum;
        if let Err(cause) = setrlimit(Resource::Nofile, limit) {
            warn!(%cause, "the limit of open files stays as it is");
            limit.current = before;
        }
    }
    limit.current.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn open_files() -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests {
    use http::Version;

    use super::*;

    fn bounds(most: usize, most_per_address: usize) -> Arc<Bounds> {
        let proxies: [IpNet; 1] = ["10.9.0.0/16".parse().expect("a network")];
        Arc::new(Bounds::new(Limits { most, most_per_address, ..Limits::default() }, &proxies, mpsc::channel(1).0))
    }

    fn from(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[tokio::test]
    async fn an_address_has_so_many_places_that_are_at_work_and_others_have_theirs() {
        let bounds = bounds(10, 2);
        let places: Vec<Place> = (0..2).map(|_| bounds.take(from(1)).expect("a place")).collect();
        let busy: Vec<_> = places.iter().map(|place| place.phase().begin(Version::HTTP_11)).collect();
        assert!(bounds.take(from(1)).is_none());
        assert!(bounds.take(from(2)).is_some());
        drop((busy, places));
        assert!(bounds.take(from(1)).is_some(), "they are free again");
    }

    #[tokio::test]
    async fn where_all_places_are_taken_the_connection_that_has_rested_the_longest_gives_way() {
        let bounds = bounds(3, 10);
        let places: Vec<Place> = (1..=3).map(|last| bounds.take(from(last)).expect("a place")).collect();
        let _busy = places[0].phase().begin(Version::HTTP_11);
        // it rests from now on
        drop(places[1].phase().begin(Version::HTTP_11));
        let newest = bounds.take(from(4)).expect("a place");
        let goes_on = |place: &Place| !place.phase().ends();
        assert_eq!([&places[0], &places[1], &places[2], &newest].map(goes_on), [true, true, false, true]);
        assert_eq!(bounds.open.lock().connections.len(), 3);
        drop(places);
        assert_eq!(bounds.open.lock().from.len(), 1, "nothing is kept of those that have gone");
    }

    #[tokio::test]
    async fn a_trusted_proxy_may_have_any_number_of_connections() {
        let bounds = bounds(10, 1);
        let proxy = IpAddr::from([10, 9, 0, 1]);
        let busy = |place: &Place| place.phase().begin(Version::HTTP_11);
        let places: Vec<Place> = (0..5).map(|_| bounds.take(proxy).expect("a place")).collect();
        let _busy: Vec<_> = places.iter().map(busy).collect();
        assert!(bounds.take(proxy).is_some());
    }
}
