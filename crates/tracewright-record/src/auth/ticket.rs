//! Tickets: what a browser shows in an address, because its event streams cannot send a header. Nothing is stored of them.

use chrono::Utc;
use poem::Request;
use serde::{Deserialize, Serialize};

use super::Caller;
use super::token::{Claims, Signer, TICKET, USER};
use crate::error::{Error, Result};

/// How long a ticket opens its stream, in seconds.
pub const LIFE: i64 = 90;

/// What a ticket says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// Key of the token it was made with.
    pub jti: String,
    /// Key of the user.
    pub sub: String,
    /// The topic it opens.
    pub topic: String,
    /// What it is for.
    pub ctx: String,
    /// When it was issued.
    pub iat: i64,
    /// When it ends.
    pub exp: i64,
}

impl From<Ticket> for Claims {
    fn from(ticket: Ticket) -> Self {
        let Ticket { jti, sub, ctx, iat, exp, .. } = ticket;
        Self { jti, sub, ctyp: USER.to_owned(), iat, exp, ctx, scope: None }
    }
}

impl Signer {
    /// A ticket for a topic.
    pub fn ticket(&self, caller: &Caller, topic: &str) -> Result<String> {
        let now = Utc::now().timestamp();
        self.sign(&Ticket {
            jti: caller.claims.jti.clone(),
            sub: caller.claims.sub.clone(),
            topic: topic.to_owned(),
            ctx: TICKET.to_owned(),
            iat: now,
            exp: now + LIFE,
        })
    }

    /// Reads a ticket for a topic: signature, time and topic must be right.
    pub(super) fn read_ticket(&self, presented: &str, topic: &str) -> Result<Ticket> {
        let ticket: Ticket = self.verify(presented, false)?;
        if ticket.ctx == TICKET && ticket.topic == topic { Ok(ticket) } else { Err(Error::Credentials) }
    }
}

/// The ticket in the address of a request.
pub(super) fn presented(request: &Request) -> Option<String> {
    let query = request.uri().query()?;
    let tickets = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "ticket");
    tickets.last().map(|(_, ticket)| ticket.trim().to_owned()).filter(|ticket| !ticket.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::Actor;

    fn caller(signer: &Signer) -> Caller {
        let token = signer.session("anna", "admin").unwrap().token;
        let claims = signer.read(&token, false).unwrap();
        Caller { claims, present_scope: "admin".to_owned(), is_api: false, session_key: None, actor: Actor::default() }
    }

    #[test]
    fn a_ticket_names_user_topic_and_token_and_lives_90_seconds() {
        let signer = Signer::new("key");
        let caller = caller(&signer);
        let ticket = signer.read_ticket(&signer.ticket(&caller, "task").unwrap(), "task").unwrap();
        assert_eq!((ticket.sub.as_str(), ticket.topic.as_str(), ticket.ctx.as_str()), ("anna", "task", "sse_ticket"));
        assert_eq!((ticket.jti, ticket.exp - ticket.iat), (caller.claims.jti, 90));
    }

    #[test]
    fn a_ticket_opens_no_other_topic_nothing_after_its_time_and_is_no_token() {
        let signer = Signer::new("key");
        let caller = caller(&signer);
        let made = signer.ticket(&caller, "task").unwrap();
        assert!(signer.read_ticket(&made, "issue").is_err());
        assert!(signer.read(&made, false).is_err());
        assert!(signer.read_ticket(&signer.session("anna", "admin").unwrap().token, "task").is_err());
        let ticket = signer.read_ticket(&made, "task").unwrap();
        let late = signer.sign(&Ticket { exp: ticket.iat - 1, ..ticket }).unwrap();
        assert!(signer.read_ticket(&late, "task").is_err());
    }
}
