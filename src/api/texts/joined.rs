//! Characters that accents behind a character make of it.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

/// By what a character is without its accents: every one that it is with some, in lower case. Hangul, whose letters become
/// syllables in the same way, is left out: there are thousands.
static JOINED: LazyLock<HashMap<char, Vec<char>>> = LazyLock::new(|| {
    let mut joined: HashMap<char, Vec<char>> = HashMap::new();
    for character in ('\u{a0}'..='\u{2ffff}').filter(|character| !is_hangul(*character)) {
        let plain = plain(character);
        if plain != character && character.to_lowercase().eq([character]) {
            joined.entry(plain).or_default().push(character);
        }
    }
    joined
});

/// A character without its accents.
fn plain(character: char) -> char {
    character.nfd().next().unwrap_or(character)
}

/// Whether it is a syllable of Hangul, or a letter that is a part of some.
pub fn is_hangul(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}')
}

/// What may stand in the place of a character when accents behind it are joined with it.
pub fn with_accents(character: char) -> Vec<char> {
    let plain = plain(character);
    let all = std::iter::once(plain).chain(JOINED.get(&plain).into_iter().flatten().copied());
    all.filter(|other| *other != character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_accents_and_digits_have_none() {
        let of_e = with_accents('e');
        assert!(['é', 'ê', 'ế', 'ẹ'].iter().all(|letter| of_e.contains(letter)), "{of_e:?}");
        assert!(!of_e.contains(&'É') && !of_e.contains(&'e'));
        assert!(with_accents('7').is_empty() && with_accents(' ').is_empty());
    }

    #[test]
    fn a_letter_with_an_accent_may_get_another_one() {
        assert!(with_accents('ê').contains(&'ệ') && with_accents('ê').contains(&'e'));
    }
}
