//! Order of strings: Unicode collation of the root locale, as ArangoDB's default locale gives it.

mod ascii;

use std::cmp::Ordering;
use std::sync::LazyLock;

use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationCaseFirst;
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};

static COLLATOR: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
    let mut preferences = CollatorPreferences::default();
    preferences.case_first = Some(CollationCaseFirst::Upper);
    Collator::try_new(preferences, CollatorOptions::default()).expect("the root collation is compiled in")
});

/// Twice the rank of each printable ASCII character, plus one for lower case, which comes second; 0 for the characters
/// that collation ignores. Taken from the collator itself at the first use.
static ASCII: LazyLock<[u8; 128]> = LazyLock::new(|| {
    let mut table = [0; 128];
    let mut printable: Vec<u8> = (0x20..0x7f).collect();
    let text = |c: u8| char::from(c).to_string();
    printable.sort_by(|a, b| COLLATOR.compare(&text(*a), &text(*b)));
    let mut rank = 0;
    for c in printable {
        if !c.is_ascii_lowercase() {
            rank += 2;
        }
        table[c as usize] = rank | u8::from(c.is_ascii_lowercase());
    }
    table
});

/// Compares as AQL's `<` and `SORT` do. Strings that differ but collate alike compare as equal.
pub fn compare(a: &str, b: &str) -> Ordering {
    compare_ascii(a.as_bytes(), b.as_bytes()).unwrap_or_else(|| COLLATOR.compare(a, b))
}

/// The comparison for strings of printable ASCII, which is nearly all of them: first by rank regardless of case, then by
/// case. `None` when another character occurs.
fn compare_ascii(a: &[u8], b: &[u8]) -> Option<Ordering> {
    // a character further on could combine with an earlier one: only pure ASCII is decided here
    if !is_printable(a) || !is_printable(b) {
        return None;
    }
    let table = &*ASCII;
    let mut case = Ordering::Equal;
    // texts of one kind mostly begin alike: eight bytes at a time say nothing
    let eights = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let alike = 8 * eights.take_while(|(x, y)| x == y).count();
    for (x, y) in a[alike..].iter().zip(&b[alike..]).filter(|(x, y)| x != y) {
        let (wx, wy) = (table[*x as usize & 127], table[*y as usize & 127]);
        let primary = (wx >> 1).cmp(&(wy >> 1));
        if primary.is_ne() {
            return Some(primary);
        }
        case = case.then(wx.cmp(&wy));
    }
    Some(a.len().cmp(&b.len()).then(case))
}

/// Appends a key of printable ASCII: comparing two of them bytewise gives the order of [`compare_ascii`].
pub(crate) fn ascii_key(text: &[u8], out: &mut Vec<u8>) {
    let table = &*ASCII;
    out.extend(text.iter().map(|c| table[*c as usize & 127] >> 1));
    out.push(0);
    out.extend(text.iter().map(|c| table[*c as usize & 127] & 1));
}

/// Nothing but printable ASCII? Eight bytes at a time, of which the last may be looked at twice.
pub(crate) fn is_printable(text: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    // what is no printable byte has its high bit in one of the three; others do only beside such a one
    let odd = |eight: &[u8; 8]| {
        let v = u64::from_le_bytes(*eight);
        v | v.wrapping_sub(ONES * 0x20) | v.wrapping_add(ONES)
    };
    match text.last_chunk() {
        Some(last) => text.as_chunks::<8>().0.iter().fold(odd(last), |all, eight| all | odd(eight)) & HIGH == 0,
        None => text.iter().fold(true, |all, c| all & (0x20..0x7f).contains(c)),
    }
}

/// Appends a sort key: comparing two of them bytewise gives the same order as [`compare`].
pub fn sort_key(s: &str, out: &mut Vec<u8>) {
    if !ascii::sort_key(s.as_bytes(), out) {
        let Ok(()) = COLLATOR.write_sort_key_to(s, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_is_told_from_any_other() {
        for len in [0, 1, 7, 8, 9, 15, 16, 17, 24] {
            for at in 0..len {
                for byte in 0..=255u8 {
                    let mut text = vec![b'~'; len];
                    text[at] = byte;
                    assert_eq!(is_printable(&text), (0x20..0x7f).contains(&byte), "{byte} at {at} of {len}");
                }
            }
        }
    }
    use proptest::prelude::*;

    #[test]
    fn upper_case_comes_first_and_accents_follow_their_letter() {
        let mut words = ["b", "a", "C", "A", "ä", "ö", "z", "Ä", "ß", "_", "1", "10", "2"];
        words.sort_by(|a, b| compare(a, b));
        assert_eq!(words, ["_", "1", "10", "2", "A", "a", "Ä", "ä", "b", "C", "ö", "ß", "z"]);
    }

    proptest! {
        #[test]
        fn the_shortcut_for_ascii_agrees_with_the_collator(a in "[ -~]{0,8}", b in "[ -~é\u{1}]{0,8}") {
            prop_assert_eq!(compare(&a, &b), COLLATOR.compare(&a, &b));
        }

        #[test]
        fn sort_keys_order_as_the_comparison_does(a in "[ -~éÄß]{0,8}", b in "[ -~éÄß]{0,8}") {
            let (mut ka, mut kb) = (Vec::new(), Vec::new());
            sort_key(&a, &mut ka);
            sort_key(&b, &mut kb);
            prop_assert_eq!(ka.cmp(&kb), compare(&a, &b));
        }

        #[test]
        fn sort_keys_of_ascii_are_those_of_the_collator(text in "[ -~]{0,80}", word in "[a-zA-Z]{0,80}") {
            for text in [&text, &word] {
                let (mut own, mut collator) = (Vec::new(), Vec::new());
                sort_key(text, &mut own);
                let Ok(()) = COLLATOR.write_sort_key_to(text, &mut collator);
                prop_assert_eq!(own, collator);
            }
        }
    }
}
