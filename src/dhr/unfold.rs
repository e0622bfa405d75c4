//! What the streams of an attached PDF file unfold to. The reader of such files unfolds the streams that hold objects as a
//! whole and keeps them, so a small file could fill the memory. Here streams are measured, and nothing of them is kept.

use std::io::{self, Read};

use flate2::read::DeflateDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;
use hayro_syntax::object::dict::keys;

use super::picture::Remark;

/// The most that one stream may unfold to.
const STREAM_BYTES: u64 = 112 * 1024 * 1024;
/// The most that the streams with objects may unfold to together.
const OBJECT_BYTES: u64 = 128 * 1024 * 1024;
/// The most that is unfolded of one attachment in all, be it only to measure it: some seconds of work.
const ATTACHMENT_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// A byte unfolds to no more than this many, see the limits of the format.
const FLATE_RATIO: u64 = 1032;
/// A code of twelve bits stands for no more than 4096 bytes.
const LZW_RATIO: u64 = 2731;
/// Two bytes stand for no more than 128.
const RUN_LENGTH_RATIO: u64 = 64;
/// The most streams of a file.
const MOST_STREAMS: usize = 500_000;
/// How often the file may be gone through in all: a stream that does not end reaches over those behind it.
const MOST_PASSES: usize = 2;

const STREAM: &[u8] = b"stream";
const END: &[u8] = b"end";

/// What may still be unfolded of an attachment. Each of its streams is bounded; many of them together could still keep a
/// thread busy for minutes.
pub(super) struct Budget {
    left: u64,
}

#[cfg(test)]
impl Budget {
    /// A smaller one.
    pub(super) fn of(left: u64) -> Self {
        Self { left }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: ATTACHMENT_BYTES }
    }
}

/// What compressed data unfold to.
enum Unfolded {
    /// So many bytes.
    Bytes(u64),
    /// More than was asked for or is left.
    TooMuch,
    /// They are damaged: another reader may make more of them than this one.
    Damaged,
}

impl Budget {
    /// Unfolds data into `target`, up to a little more than `limit` and than is left.
    fn unfold(&mut self, data: &[u8], limit: u64, target: &mut impl io::Write) -> Unfolded {
        let limit = limit.min(self.left);
        let mut reader = inflate(data).take(limit + 1);
        let outcome = io::copy(&mut reader, target);
        self.spend(limit + 1 - reader.limit());
        match outcome {
            Ok(size) if size <= limit => Unfolded::Bytes(size),
            Ok(_) => Unfolded::TooMuch,
            Err(_) => Unfolded::Damaged,
        }
    }

    fn spend(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes);
    }
}

/// Refuses a file that would become too large when it is opened.
pub(super) fn check(bytes: &[u8], budget: &mut Budget) -> Result<(), Remark> {
    let refused = || Err("The PDF file is too large to be printed once it is unfolded.".to_owned());
    let Some((streams, rest)) = streams(bytes) else { return refused() };
    let is_encrypted = streams.iter().map(|(head, _)| head).chain([&rest]).any(|head| head.has(b"Encrypt"));
    let mut objects: u64 = 0;
    let mut passed = 0;
    for (head, data) in streams {
        let layers = head.layers();
        let length = positions(data, b"endstream").next().unwrap_or(data.len());
        passed += length;
        if layers.len() > 1 || passed > MOST_PASSES * bytes.len() {
            return refused();
        }
        let bound = layers.iter().fold(length as u64, |length, ratio| length.saturating_mul(*ratio));
        let holds_objects = head.holds_objects();
        if !holds_objects && bound <= STREAM_BYTES {
            continue;
        }
        let is_readable = layers == [FLATE_RATIO] && (!is_encrypted || head.is_table());
        let unfolded = if is_readable { budget.unfold(data, STREAM_BYTES, &mut io::sink()) } else { Unfolded::Damaged };
        let size = match unfolded {
            Unfolded::Bytes(size) => size,
            Unfolded::TooMuch => return refused(),
            Unfolded::Damaged => bound,
        };
        if holds_objects {
            objects = objects.saturating_add(size);
        }
        if objects > OBJECT_BYTES {
            return refused();
        }
    }
    Ok(())
}

/// What precedes a stream, and all that follows.
type Begun<'a> = (Head, &'a [u8]);

/// The streams of a file, each as what precedes it and all that follows, and what stands behind the last one. `None` when
/// they are too many, or what precedes them lies one over the other.
fn streams(bytes: &[u8]) -> Option<(Vec<Begun<'_>>, Head)> {
    let mut found = Vec::new();
    let mut begin = 0;
    let mut passed = 0;
    for at in positions(bytes, STREAM) {
        let after = at + STREAM.len();
        if bytes[begin..at].ends_with(END) {
            begin = after;
        } else if let Some(data) = behind_line_end(&bytes[after..]) {
            passed += at - begin;
            if found.len() == MOST_STREAMS || passed > MOST_PASSES * bytes.len() {
                return None;
            }
            found.push((Head::of(&bytes[begin..at]), data));
        }
    }
    Some((found, Head::of(&bytes[begin..])))
}

/// The content of a stream, unless it is damaged or larger than `limit` or than is left.
pub(super) fn content(stream: &Stream<'_>, limit: u64, budget: &mut Budget) -> Option<Vec<u8>> {
    let raw = stream.raw_data();
    let filters = stream.filters();
    let is_flate = filters.as_slice() == [Filter::FlateDecode];
    if is_flate && !stream.dict().contains_key(keys::DECODE_PARMS) {
        let mut decoded = Vec::new();
        return match budget.unfold(&raw, limit, &mut decoded) {
            Unfolded::TooMuch => None,
            // Readers show what a damaged stream still holds.
            Unfolded::Bytes(_) | Unfolded::Damaged => Some(decoded),
        };
    }
    let ratio = filters.iter().fold(1, |ratio: u64, filter| ratio.saturating_mul(filter_ratio(*filter)));
    let bound = (raw.len() as u64).saturating_mul(ratio);
    let unfolded = if is_flate { budget.unfold(&raw, limit, &mut io::sink()) } else { Unfolded::Damaged };
    let fits = match unfolded {
        Unfolded::Bytes(_) => true,
        Unfolded::TooMuch => false,
        Unfolded::Damaged => bound <= limit.min(budget.left),
    };
    let decoded = fits.then(|| stream.decoded_data().ok()).flatten()?.into_owned();
    budget.spend(decoded.len() as u64);
    Some(decoded)
}

fn filter_ratio(filter: Filter) -> u64 {
    match filter {
        Filter::FlateDecode => FLATE_RATIO,
        Filter::LzwDecode => LZW_RATIO,
        Filter::RunLengthDecode => RUN_LENGTH_RATIO,
        _ => 1,
    }
}

/// What precedes the data of a stream, with the characters that names spell by their numbers.
struct Head(Vec<u8>);

impl Head {
    fn of(bytes: &[u8]) -> Self {
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
        let mut text = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let [first, tail @ ..] = rest {
            rest = tail;
            let spelled = match tail {
                [high, low, ..] if *first == b'#' => digit(*high).zip(digit(*low)),
                _ => None,
            };
            if let Some((high, low)) = spelled {
                text.push(high << 4 | low);
                rest = &tail[2..];
            } else {
                text.push(*first);
            }
        }
        Self(text)
    }

    /// What stands behind each place where a name stands.
    fn behind<'a>(&'a self, name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let text = &self.0;
        positions(text, name).filter(|at| text[..*at].ends_with(b"/")).filter_map(move |at| {
            let rest = &text[at + name.len()..];
            (!rest.first().is_some_and(u8::is_ascii_alphanumeric)).then_some(rest)
        })
    }

    fn has(&self, name: &[u8]) -> bool {
        self.behind(name).next().is_some()
    }

    /// The table of objects, which is never encrypted.
    fn is_table(&self) -> bool {
        self.has(b"XRef")
    }

    fn holds_objects(&self) -> bool {
        self.has(b"ObjStm") || self.is_table()
    }

    /// How far each compression of the data may unfold it.
    fn layers(&self) -> Vec<u64> {
        let values = self.behind(b"Filter").chain(self.behind(b"F"));
        values.map(filter_ratios).max_by_key(Vec::len).unwrap_or_default()
    }
}

/// The ratios of the filters that a value names: one name, or an array of them.
fn filter_ratios(value: &[u8]) -> Vec<u64> {
    let value = value.trim_ascii_start();
    let names = match value {
        [b'[', rest @ ..] => rest.split(|byte| *byte == b']').next().unwrap_or_default(),
        [b'/', rest @ ..] => &value[..=rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()],
        _ => &[],
    };
    let ratio = |name: &[u8]| match name.trim_ascii() {
        b"FlateDecode" | b"Fl" => Some(FLATE_RATIO),
        b"LZWDecode" | b"LZW" => Some(LZW_RATIO),
        b"RunLengthDecode" | b"RL" => Some(RUN_LENGTH_RATIO),
        _ => None,
    };
    names.split(|byte| *byte == b'/').filter_map(ratio).collect()
}

/// The data of a stream, with or without the header that should stand before them. A sum behind them does not matter.
fn inflate(data: &[u8]) -> DeflateDecoder<&[u8]> {
    match data {
        [method, flags, rest @ ..]
            if method & 0x0F == 8 && flags & 0x20 == 0 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31) =>
        {
            DeflateDecoder::new(rest)
        }
        _ => DeflateDecoder::new(data),
    }
}

fn behind_line_end(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [b'\r', b'\n', rest @ ..] | [b'\n' | b'\r', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Where a text stands.
fn positions<'a>(bytes: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    memchr::memmem::find_iter(bytes, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dhr::file::compress;

    const MEGABYTE: usize = 1024 * 1024;

    fn checked(bytes: &[u8]) -> Result<(), Remark> {
        check(bytes, &mut Budget::default())
    }

    /// A stream of so many megabytes of zeros, as a part of a file.
    fn stream(members: &str, megabytes: usize) -> Vec<u8> {
        stream_of(members, &vec![0; megabytes * MEGABYTE])
    }

    fn stream_of(members: &str, content: &[u8]) -> Vec<u8> {
        let data = compress(content).unwrap();
        [format!("1 0 obj <<{members}>> stream\r\n").as_bytes(), &data, b"\nendstream endobj\n"].concat()
    }

    #[test]
    fn one_stream_may_not_unfold_without_limit_whatever_it_is() {
        let large = stream("/Type/XObject /Filter/FlateDecode", 113);
        assert!(large.len() < MEGABYTE);
        assert!(checked(&large).is_err());
        assert!(checked(&stream("/Type/XObject /Filter/FlateDecode", 111)).is_ok());
    }

    #[test]
    fn streams_with_objects_are_counted_together() {
        let objects = stream("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", 50);
        assert!(checked(&objects.repeat(2)).is_ok());
        assert!(checked(&objects.repeat(3)).is_err());
        let images = stream("/Type /XObject /Filter /FlateDecode", 50);
        assert!(checked(&images.repeat(3)).is_ok());
    }

    #[test]
    fn what_many_streams_unfold_to_together_is_bounded() {
        // What its length already bounds is not measured, so part of it hardly shrinks.
        let mut content = vec![0; 10 * MEGABYTE];
        let mut state = 1_u32;
        for byte in &mut content[..200_000] {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = (state >> 24) as u8;
        }
        let images = stream_of("/Type /XObject /Filter /FlateDecode", &content).repeat(3);
        let within = |megabytes: u64| check(&images, &mut Budget::of(megabytes * MEGABYTE as u64));
        assert!(within(31).is_ok());
        assert!(within(29).is_err());
    }

    #[test]
    fn names_may_spell_letters_by_their_numbers() {
        let objects = stream("/Type/#4fbj#53tm/Filter[/Fl#61teDecode]", 50);
        assert!(checked(&objects.repeat(3)).is_err());
    }

    #[test]
    fn data_that_are_compressed_twice_are_refused_and_names_elsewhere_are_no_filters() {
        assert!(checked(&stream("/Filter [ /FlateDecode /FlateDecode ]", 1)).is_err());
        assert!(
            checked(&stream("/Filter [/ASCII85Decode /FlateDecode] /Resources <</Font <</Fl 3 0 R>> >>", 1)).is_ok()
        );
    }

    #[test]
    fn what_cannot_be_measured_counts_as_what_it_might_become() {
        let encrypted = |megabytes| {
            [stream("/Type/ObjStm/Filter/FlateDecode", megabytes), b"trailer <</Encrypt 9 0 R>>".to_vec()].concat()
        };
        assert!(checked(&encrypted(20)).is_ok());
        assert!(checked(&encrypted(140)).is_err());
        let mut damaged = stream("/Type/ObjStm/Filter/FlateDecode", 100);
        let at = positions(&damaged, STREAM).next().unwrap();
        damaged[at + 12..at + 40].fill(0xFF);
        damaged.splice(at + 40..at + 40, std::iter::repeat_n(0xFF, 200_000));
        assert!(checked(&damaged).is_err());
    }

    #[test]
    fn many_streams_and_streams_without_an_end_are_refused_soon() {
        assert!(checked(&b"stream\n".repeat(200_000)).is_err());
        assert!(checked(&b"stream\n endstream\n".repeat(MOST_STREAMS + 1)).is_err());
        assert!(checked(&b"stream\n endstream\n".repeat(1_000)).is_ok());
    }

    #[test]
    fn anything_is_looked_at_without_harm() {
        for bytes in
            [&b""[..], b"stream", b"endstream", b"stream\n", b"/Filter/", b"<</Filter[ stream\r\nx", b"#", b"/F#"]
        {
            assert!(checked(bytes).is_ok(), "{bytes:?}");
        }
    }
}
