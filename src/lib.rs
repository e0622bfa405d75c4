//! tracewright: production traceability. Which serial contains which, made from which lot, in which work order.
//!
//! A request travels through [`server`] and the middleware of `http` to its handler in [`api`], where each area of the
//! interface has its module. [`auth`] holds the one table of operations with their scopes. A handler binds parameters to a
//! stored query ([`aql`], from `aql/<area>/<query>.aql`) and runs it through [`store`], which alone knows whether the database is the
//! embedded engine or a server. [`openapi`] is the document and the checks of form that follow from it, [`error`] the one
//! error of all of them with its status and body. `dhr` sets device history records as PDF, `media` keeps files,
//! `sheets` reads tables, [`counters`] give codes, `production` has the rules of work orders and jobs, [`events`] keeps the
//! journal, [`trail`] who changed what else, [`notifications`] tells pages of it, [`demo`] is the factory of `serve --demo`, and [`cli`] the commands of
//! the program, of which `serve` is one.
//!
//! What is below the operations are crates of their own, `tracewright-record` and `tracewright-store`. Their modules stand at the root
//! of this one, so that a path begins with the module, whichever crate it is in.
//!
//! Public is what the program and the tests in `tests/` reach, and nothing else: so the compiler tells what nobody uses.

pub mod api;
pub mod app;
pub mod aql;
mod background;
pub mod cli;
mod defaults;
pub mod demo;
mod dhr;
mod http;
mod logging;
mod runtime;
pub mod server;

use tracewright_record::{media, production, sheets};
use tracewright_store::{cut, under_way};

pub use http::guard;
pub use tracewright_model::clock;
pub use tracewright_record::{audit, auth, counters, events, notifications, openapi};
pub use tracewright_store::{error, secrets, settings, store, trail, transaction};
