//! Sort keys of printable ASCII, byte for byte those of the collator, which takes twenty times as long: each of these
//! characters has weights of its own, and how they are put together was learned from the collator itself.

use std::sync::LazyLock;

use super::{COLLATOR, is_printable};

/// Ends a level of a key.
const LEVEL_SEPARATOR: u8 = 1;
/// Tell that another lead byte follows one that was not repeated: a lesser one, or a greater one.
const LESSER_LEAD: u8 = 3;
const GREATER_LEAD: u8 = 0xff;
/// Longer texts are left to the collator.
const LONGEST: usize = 64;

/// What the collator makes of printable ASCII.
struct Learned {
    primaries: [Primary; 128],
    /// Second level of so many characters.
    secondary: [Vec<u8>; LONGEST + 1],
    /// Third level of so many characters that are not in upper case, at the end of a text.
    tertiary_at_end: [Vec<u8>; LONGEST + 1],
    /// The same before a character in upper case, with that character.
    tertiary_with_upper: [Vec<u8>; LONGEST + 1],
}

/// What a character is on the first level.
#[derive(Clone, Copy, Default)]
struct Primary {
    lead: u8,
    /// The lead byte is written once for several characters that have it.
    is_shared: bool,
    rest: [u8; 3],
    rest_len: u8,
}

static LEARNED: LazyLock<Learned> = LazyLock::new(|| {
    let lower = |count: usize| "a".repeat(count);
    Learned {
        primaries: std::array::from_fn(|c| Primary::of(u8::try_from(c).unwrap_or_default())),
        secondary: std::array::from_fn(|count| levels(&lower(count))[1].clone()),
        tertiary_at_end: std::array::from_fn(|count| levels(&lower(count))[2].clone()),
        tertiary_with_upper: std::array::from_fn(|count| levels(&(lower(count) + "A"))[2].clone()),
    }
});

/// The three levels of a text's key.
fn levels(text: &str) -> [Vec<u8>; 3] {
    let mut key = Vec::new();
    let Ok(()) = COLLATOR.write_sort_key_to(text, &mut key);
    let mut levels = key.split(|byte| *byte == LEVEL_SEPARATOR).map(<[u8]>::to_vec);
    std::array::from_fn(|_| levels.next().unwrap_or_default())
}

impl Primary {
    fn of(c: u8) -> Self {
        let text = char::from(c).to_string();
        let [primary, ..] = levels(&text);
        let Some((lead, rest)) = primary.split_first().filter(|_| is_printable(&[c])) else { return Self::default() };
        let mut own = Self { lead: *lead, rest_len: u8::try_from(rest.len()).unwrap_or_default(), ..Self::default() };
        own.rest[..rest.len()].copy_from_slice(rest);
        own.is_shared = levels(&text.repeat(2))[0].len() < 2 * primary.len();
        own
    }
}

/// Appends the sort key of a text, if that is printable ASCII and not too long.
pub(super) fn sort_key(text: &[u8], out: &mut Vec<u8>) -> bool {
    if text.len() > LONGEST || !is_printable(text) {
        return false;
    }
    let learned = &*LEARNED;
    out.reserve(4 * text.len() + 2);
    let mut shared_lead = None;
    for c in text {
        let primary = &learned.primaries[usize::from(*c & 127)];
        if shared_lead != Some(primary.lead) {
            if let Some(before) = shared_lead {
                out.push(if primary.lead < before { LESSER_LEAD } else { GREATER_LEAD });
            }
            out.push(primary.lead);
            shared_lead = primary.is_shared.then_some(primary.lead);
        }
        for byte in &primary.rest[..usize::from(primary.rest_len)] {
            out.push(*byte);
        }
    }
    out.push(LEVEL_SEPARATOR);
    out.extend_from_slice(&learned.secondary[text.len()]);
    out.push(LEVEL_SEPARATOR);
    let mut since_upper = 0;
    for c in text {
        if c.is_ascii_uppercase() {
            out.extend_from_slice(&learned.tertiary_with_upper[since_upper]);
            since_upper = 0;
        } else {
            since_upper += 1;
        }
    }
    out.extend_from_slice(&learned.tertiary_at_end[since_upper]);
    true
}
