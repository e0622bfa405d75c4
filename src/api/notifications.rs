//! Notifications: streams of server-sent events, and the tickets that browsers open them with.

use std::sync::Arc;

use futures_util::StreamExt;
use poem::http::header::CACHE_CONTROL;
use poem::http::{HeaderName, StatusCode};
use poem::{Body, IntoResponse, Request, Response};
use poem_openapi::param::{Header, Path};
use poem_openapi::payload::Json;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchemaRef, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiResponse, Object, OpenApi};

use crate::api::Area;
use crate::app::App;
use crate::auth::{Caller, OrTicket, Scope, ticket};
use crate::cut::Cut;
use crate::error::{Error, Result};
use crate::notifications::{self, Beginning, Refused, Subscriber, Topic};
use crate::openapi::{Fails, Query};

/// What tells proxies to hand on what they get at once.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Streams of notifications.
pub struct Notifications(pub(super) Arc<App>);

/// What a ticket is asked for.
#[derive(Debug, Object)]
struct SseTicketRequest {
    /// The topic, as the address of the stream will have it.
    topic: String,
}

/// A ticket.
#[derive(Debug, Object)]
struct SseTicketResponse {
    /// Shown as `ticket` in the address of the stream.
    ticket: String,
    /// For how many seconds it opens the stream, any number of times.
    expires_in: i64,
}

/// One message of a stream.
#[derive(Debug, Object)]
struct ServerSentEvent {
    /// One line of JSON.
    data: String,
    /// The topic as the address has it.
    event: String,
    /// What `Last-Event-ID` names when the client comes back.
    id: String,
    /// After how many milliseconds a client comes back; told once, at the beginning.
    #[oai(validator(minimum(value = "0")))]
    retry: Option<i64>,
}

/// A stream of server-sent events.
struct EventStream(Body);

impl IntoResponse for EventStream {
    fn into_response(self) -> Response {
        Response::builder()
            .content_type("text/event-stream")
            .header(CACHE_CONTROL, "no-store")
            .header(ACCEL_BUFFERING, "no")
            .body(self.0)
    }
}

impl ApiResponse for EventStream {
    fn meta() -> MetaResponses {
        let schema: MetaSchemaRef = ServerSentEvent::schema_ref();
        let content = vec![MetaMediaType { content_type: "text/event-stream", schema }];
        let response =
            MetaResponse { description: "", status: Some(200), status_range: None, content, headers: Vec::new() };
        MetaResponses { responses: vec![response] }
    }

    fn register(registry: &mut Registry) {
        ServerSentEvent::register(registry);
    }
}

#[OpenApi(tag = "Area::Notification")]
impl Notifications {
    /// A ticket for a stream
    ///
    /// Browsers open event streams without a header, so the address carries a ticket. It opens this topic, any number of times
    /// until it expires; the stream goes on after that.
    #[expect(clippy::unused_async, reason = "handlers are async")]
    #[oai(path = "/notification/ticket", method = "post", operation_id = "mint_ticket_notification_ticket_post")]
    async fn ticket(
        &self,
        #[oai(scope = "Scope::NotificationStreamSubscribe")] caller: Caller,
        body: Json<SseTicketRequest>,
    ) -> Result<Json<SseTicketResponse>> {
        Topic::of(&body.topic, &["body", "topic"])?.must_be_open_to(&caller)?;
        let ticket = self.0.auth.signer.ticket(&caller, &body.topic)?;
        Ok(Json(SseTicketResponse { ticket, expires_in: ticket::LIFE }))
    }

    /// A stream of what happens
    ///
    /// Server-sent events of a topic: `inventory`, `serial`, `production`, `issue`, `task`, `message` or `user:` with the own
    /// key; each also under its older name with `-notification` behind it. Any other topic is silent. A client that names the
    /// last id it has got is sent what it has missed of the last ten minutes; when that is not known any more it gets a
    /// message `RESYNC` and has to read anew.
    #[expect(clippy::too_many_arguments, reason = "one a parameter of the interface")]
    #[oai(path = "/notification/:topic", method = "get", operation_id = "message_stream_notification__topic__get")]
    async fn stream(
        &self,
        request: &Request,
        #[oai(scope = "Scope::NotificationStreamSubscribe")] caller: OrTicket,
        /// What the stream is about.
        topic: Path<String>,
        /// A ticket in place of the header.
        #[oai(name = "ticket")]
        _ticket: Query<Option<String>>,
        /// The last id, where a client cannot send the header.
        last_event_id: Query<Option<String>>,
        /// The last id that the client has got.
        #[oai(name = "Last-Event-ID")]
        last_id: Header<Option<String>>,
        _fails: Fails<429>,
    ) -> Result<EventStream> {
        let topic = Topic::of(&topic, &["path", "topic"])?;
        if !caller.has_ticket() {
            topic.must_be_open_to(&caller)?;
        }
        let app = &self.0;
        let subscriber = Subscriber {
            user_key: caller.user_key().into(),
            token_key: caller.claims.jti.as_str().into(),
            topic: topic.published.into(),
            scope: topic.scope(),
            cut: request.data::<Cut>().cloned().unwrap_or_default(),
        };
        let subscription = app.notifications.open(subscriber).map_err(refused)?;
        notifications::listen(&app.store, &app.notifications).await?;
        // An address that is opened again still has the id of the first time; the header has the latest.
        let last_id = last_id.as_deref().or(last_event_id.as_deref());
        let beginning = notifications::beginning(&app.store, subscription.subscriber(), last_id).await?;
        if !matches!(beginning, Beginning::Replay(_)) {
            subscription.attach();
        }
        let chunks = notifications::chunks(subscription, topic.name, beginning);
        Ok(EventStream(Body::from_bytes_stream(chunks.map(Ok::<_, std::io::Error>))))
    }
}

fn refused(refused: Refused) -> Error {
    match refused {
        Refused::TooMany => {
            Error::message(StatusCode::TOO_MANY_REQUESTS, "Too many streams are open. Close some windows of the app.")
        }
        Refused::Stopping => {
            Error::message(StatusCode::SERVICE_UNAVAILABLE, "The service is being stopped. Please try again.")
        }
    }
}
