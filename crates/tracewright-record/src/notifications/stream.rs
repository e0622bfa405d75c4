//! A stream on the wire: server-sent events, one chunk after the other as the reader takes them.

use std::collections::VecDeque;
use std::io::Write as _;
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chrono::Utc;
use futures_util::stream::{self, Stream};
use rand::RngExt;
use serde_json::Value;
use tokio::time::{Instant, Sleep, sleep_until};

use super::message::data_lines;
use super::replay::{Replay, Sent};
use super::{Message, Place, Subscription};

/// How much is copied into one chunk. A connection whose reader is slow holds a few chunks, so they are small; what is larger
/// than one goes out as it is, shared with other streams.
const CHUNK: usize = 4 * 1024;
/// After how many milliseconds a client comes back. Each is told another time, so that not all come at once.
const RETRY: RangeInclusive<u32> = 2000..=5000;
/// For how long after it has caught up a stream knows what it has sent already.
const MEMORY: Duration = Duration::from_mins(1);

/// What a client gets before anything is live.
pub enum Beginning {
    /// Nothing: only what is new counts.
    Live,
    /// What it has missed.
    Replay(Box<Replay>),
    /// That what it has missed is not kept any more, and it has to read everything anew.
    Resync,
}

/// A stream that is being sent.
struct Sending {
    subscription: Subscription,
    /// The line with the topic as it stands in the path.
    event: String,
    ready: VecDeque<Bytes>,
    last: Option<Place>,
    replay: Option<Box<Replay>>,
    /// What was sent before the stream was live, and until when that matters.
    sent: Option<(Sent, Instant)>,
    alive_until: Pin<Box<Sleep>>,
    latest: Instant,
}

/// The chunks of a stream. `name` is the topic as the path has it.
pub fn chunks(
    subscription: Subscription,
    name: &str,
    beginning: Beginning,
) -> impl Stream<Item = Bytes> + Send + use<> {
    let (now, silence) = (Instant::now(), subscription.silence());
    let greeting = format!("retry: {}\n: listening\n\n", rand::rng().random_range(RETRY));
    let mut sending = Sending {
        subscription,
        event: format!("event: {name}\n"),
        ready: VecDeque::from([greeting.into()]),
        last: None,
        replay: None,
        sent: None,
        alive_until: Box::pin(sleep_until(now + silence)),
        latest: now,
    };
    match beginning {
        Beginning::Live => {}
        Beginning::Replay(replay) => sending.replay = Some(replay),
        Beginning::Resync => sending.resync(),
    }
    stream::unfold(sending, |mut sending| async move { sending.next().await.map(|chunk| (chunk, sending)) })
}

impl Sending {
    /// The next chunk; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.subscription.is_ended() {
                return None;
            }
            if let Some(chunk) = self.ready.pop_front() {
                self.latest = Instant::now();
                return Some(chunk);
            }
            let messages = self.take();
            if !messages.is_empty() {
                self.prepare(&messages);
            } else if let Some(sent) = self.replay.as_mut().and_then(|replay| replay.finish()) {
                self.replay = None;
                self.sent = Some((sent, Instant::now() + MEMORY));
            } else if self.wait().await {
                self.ready.push_back(Bytes::from_static(b":\n\n"));
            }
        }
    }

    /// The next messages, of what was missed as long as there is any.
    fn take(&mut self) -> Vec<Arc<Message>> {
        if let Some(replay) = &mut self.replay {
            return replay.take(CHUNK);
        }
        loop {
            let mut messages = self.subscription.take(CHUNK);
            if messages.is_empty() {
                return messages;
            }
            self.sent.take_if(|(_, until)| *until < Instant::now());
            if let Some((sent, _)) = &self.sent {
                messages.retain(|message| !sent.has(&message.place.key));
            }
            if !messages.is_empty() {
                return messages;
            }
        }
    }

    /// Waits for something to send. `true` when nothing came for so long that a comment line is due.
    async fn wait(&mut self) -> bool {
        let Self { subscription, replay, alive_until, latest, .. } = self;
        let reading = async {
            match replay {
                Some(replay) => replay.read(subscription).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = reading => false,
            () = subscription.changed() => false,
            () = alive_until.as_mut() => {
                // The clock is not wound up for every message, but when it rings.
                let (now, due) = (Instant::now(), *latest + subscription.silence());
                alive_until.as_mut().reset(if due <= now { now + subscription.silence() } else { due });
                due <= now
            }
        }
    }

    /// Puts messages into chunks.
    fn prepare(&mut self, messages: &[Arc<Message>]) {
        let mut text = Vec::new();
        for message in messages {
            // An id never goes back: a late message repeats the one before it.
            if self.last.as_ref().is_none_or(|last| *last < message.place) {
                self.last = Some(message.place.clone());
            }
            self.head(&mut text);
            if message.data.len() > CHUNK {
                self.ready.push_back(std::mem::take(&mut text).into());
                self.ready.push_back(message.data.clone());
            } else {
                text.extend_from_slice(&message.data);
            }
        }
        if !text.is_empty() {
            self.ready.push_back(text.into());
        }
    }

    /// The lines before the data.
    fn head(&self, text: &mut Vec<u8>) {
        if let Some(place) = &self.last {
            // Writing into memory does not fail.
            let _ = writeln!(text, "id: {place}");
        }
        text.extend_from_slice(self.event.as_bytes());
    }

    /// Tells the client to read everything anew. From now on its id is the present.
    fn resync(&mut self) {
        const RESYNC: &str = "RESYNC";
        let topic = &*self.subscription.subscriber().topic;
        let members = [("event_type", RESYNC), ("notification", RESYNC), ("subtopic", topic)];
        let data = data_lines(&Value::from_iter(members));
        self.last = Some(Place { recorded: Utc::now().timestamp_micros(), key: "".into(), index: 0 });
        let mut text = Vec::new();
        self.head(&mut text);
        self.ready.push_back(text.into());
        self.ready.push_back(data);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::notifications::hub::tests::{documents, listening};
    use crate::notifications::{Hub, Limits};
    use futures_util::StreamExt;
    use serde_json::Value;

    fn text(chunk: Option<Bytes>) -> String {
        String::from_utf8(chunk.unwrap().to_vec()).unwrap()
    }

    /// A stream that has sent its greeting, and the greeting.
    async fn begun(hub: &Hub, beginning: Beginning) -> (Pin<Box<dyn Stream<Item = Bytes>>>, String) {
        let mut chunks: Pin<Box<dyn Stream<Item = Bytes>>> =
            Box::pin(chunks(listening(hub, "a", "task"), "task-notification", beginning));
        let greeting = text(chunks.next().await);
        (chunks, greeting)
    }

    #[tokio::test]
    async fn a_stream_begins_with_a_time_to_come_back_after_and_a_comment() {
        let hub = Hub::new(Limits::default());
        let mut times = std::collections::BTreeSet::new();
        for _ in 0..20 {
            let (_, greeting) = begun(&hub, Beginning::Live).await;
            let lines: Vec<&str> = greeting.lines().collect();
            let time: u32 = lines[0].strip_prefix("retry: ").unwrap().parse().unwrap();
            assert!((2000..=5000).contains(&time), "{time}");
            assert!(lines[1].starts_with(':') && greeting.ends_with("\n\n"), "{greeting}");
            times.insert(time);
        }
        assert!(times.len() > 1, "each stream has its own time");
    }

    #[tokio::test]
    async fn a_message_has_an_id_the_topic_of_the_path_and_one_line_of_data() {
        let hub = Hub::new(Limits::default());
        let (mut chunks, _) = begun(&hub, Beginning::Live).await;
        let published = documents("task", [json!({"n": 1})]);
        let key = published[0].key.clone();
        hub.publish(published);
        let message = text(chunks.next().await);
        let lines: Vec<&str> = message.lines().collect();
        assert!(lines[0].strip_prefix("id: ").unwrap().ends_with(&format!("-0-{key}")), "{message}");
        assert_eq!(lines[1..], ["event: task-notification", "data: {\"n\":1}", ""]);
    }

    #[tokio::test]
    async fn an_id_never_goes_back_a_late_message_repeats_the_one_before() {
        let hub = Hub::new(Limits::default());
        let (mut chunks, _) = begun(&hub, Beginning::Live).await;
        let mut late = documents("task", [json!(2)]);
        late[0].recorded = "2026-01-01T00:00:00.000000+00:00".to_owned();
        hub.publish(documents("task", [json!(1)]));
        hub.publish(late);
        let both = text(chunks.next().await);
        let ids: Vec<&str> = both.lines().filter(|line| line.starts_with("id: ")).collect();
        assert_eq!((ids.len(), ids[0]), (2, ids[1]), "{both}");
    }

    #[tokio::test]
    async fn a_large_message_goes_out_as_the_memory_that_streams_share() {
        let hub = Hub::new(Limits::default());
        let (mut one, _) = begun(&hub, Beginning::Live).await;
        let (mut two, _) = begun(&hub, Beginning::Live).await;
        hub.publish(documents("task", [json!("x".repeat(10_000))]));
        assert!(text(one.next().await).starts_with("id: ") && text(two.next().await).starts_with("id: "));
        let (data, same) = (one.next().await.unwrap(), two.next().await.unwrap());
        assert_eq!((data.len(), data.as_ptr()), (10_000 + "data: \"\"\n\n".len(), same.as_ptr()));
    }

    #[tokio::test]
    async fn silence_is_broken_by_an_empty_comment_line_and_only_silence_is() {
        let hub = Hub::new(Limits { silence: Duration::from_millis(200), ..Limits::default() });
        let (mut chunks, _) = begun(&hub, Beginning::Live).await;
        let before = Instant::now();
        assert_eq!(text(chunks.next().await), ":\n\n");
        assert!(before.elapsed() >= Duration::from_millis(150));
        tokio::time::sleep(Duration::from_millis(150)).await;
        hub.publish(documents("task", [json!(1)]));
        assert!(text(chunks.next().await).contains("data: 1"));
        let sent = Instant::now();
        assert_eq!(text(chunks.next().await), ":\n\n");
        assert!(sent.elapsed() >= Duration::from_millis(150), "a message is as good as a comment");
    }

    #[tokio::test]
    async fn who_has_to_read_anew_is_told_so_and_is_live_then() {
        let hub = Hub::new(Limits::default());
        let (mut chunks, _) = begun(&hub, Beginning::Resync).await;
        assert!(text(chunks.next().await).starts_with("id: "));
        let data = text(chunks.next().await);
        let message: Value = serde_json::from_str(data.trim().strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(message, json!({"event_type": "RESYNC", "notification": "RESYNC", "subtopic": "task"}));
        hub.publish(documents("task", [json!(1)]));
        assert!(text(chunks.next().await).ends_with("data: 1\n\n"));
    }

    #[tokio::test]
    async fn a_stream_that_is_to_end_ends() {
        let hub = Hub::new(Limits::default());
        let (mut chunks, _) = begun(&hub, Beginning::Live).await;
        hub.stop();
        assert_eq!(chunks.next().await, None);
        drop(chunks);
        assert_eq!(hub.streams(), 0);
    }
}
