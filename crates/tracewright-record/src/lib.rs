//! What happens in the plant, and what follows from it.
//!
//! [`events`] keeps the journal, [`audit`] looks whether what is stored follows from it, [`production`] has the rules of work
//! orders and jobs, [`counters`] give codes, [`notifications`] tell pages, [`media`] keeps files, [`sheets`] reads tables. Of HTTP
//! only two things are known here: who calls ([`auth`]), and the form of what is sent ([`openapi`]). The queries of all that are
//! in [`aql`].

pub mod aql;
pub mod audit;
pub mod auth;
pub mod counters;
pub mod events;
pub mod media;
pub mod notifications;
pub mod openapi;
pub mod production;
pub mod sheets;

// So that paths begin with the module, whichever crate it is in.
use tracewright_model::clock;
use tracewright_store::{cut, error, settings, store, trail, transaction};
