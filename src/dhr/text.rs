//! Text that fits: lines of a given width, and characters that can be drawn.

use unicode_linebreak::linebreaks;

use super::fonts::{Fonts, Weight};
use crate::sheets::shortened;

/// A way to set text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub weight: Weight,
    pub size: f32,
    /// From base line to base line.
    pub leading: f32,
}

/// A text in lines.
pub(super) struct Lines {
    pub lines: Vec<String>,
    /// Whether characters had to be written by their numbers.
    pub has_substitutes: bool,
}

/// More characters than a line has.
const WIDEST: usize = 2_000;

/// Breaks a text into lines no wider than `width`. A word that is wider than a line is broken where the line ends.
pub(super) fn wrap(fonts: &Fonts, style: Style, text: &str, width: f32) -> Lines {
    let (text, has_substitutes) = drawable(fonts, style.weight, text);
    let mut wrapper = Wrapper { fonts, style, width, lines: Vec::new(), line: String::new(), used: 0.0 };
    for paragraph in text.split('\n') {
        wrapper.paragraph(paragraph);
    }
    Lines { lines: wrapper.lines, has_substitutes }
}

/// The text as one line, cut off with an ellipsis when it is wider than `width`. It stands on every page, so of a very long one
/// no more is looked at than any line can hold.
pub(super) fn one_line(fonts: &Fonts, style: Style, text: &str, width: f32) -> String {
    let (text, _) = drawable(fonts, style.weight, shortened(text, WIDEST));
    let text = text.replace('\n', " ");
    if fonts.width(style.weight, style.size, &text) <= width {
        return text;
    }
    let mut room = width - fonts.width_of_char(style.weight, style.size, '…');
    let fits = |c: &char| {
        room -= fonts.width_of_char(style.weight, style.size, *c);
        room >= 0.0
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// The text in characters that can be drawn. Others are told by their numbers, such as `[U+56F3]`.
fn drawable(fonts: &Fonts, weight: Weight, text: &str) -> (String, bool) {
    let mut drawn = String::with_capacity(text.len());
    let mut has_substitutes = false;
    let mut characters = text.trim_end().chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => drawn.push('\n'),
            '\t' => drawn.push_str("    "),
            _ if is_invisible(c) => {}
            _ if !c.is_control() && fonts.has(weight, c) => drawn.push(c),
            _ => {
                has_substitutes = true;
                drawn.push_str(&number(c));
            }
        }
    }
    (drawn, has_substitutes)
}

fn number(c: char) -> String {
    format!("[U+{:04X}]", u32::from(c))
}

/// Characters that steer how others are drawn and have no shape.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0100}'..='\u{e01ef}')
}

struct Wrapper<'a> {
    fonts: &'a Fonts,
    style: Style,
    width: f32,
    lines: Vec<String>,
    line: String,
    used: f32,
}

impl Wrapper<'_> {
    fn paragraph(&mut self, text: &str) {
        let mut start = 0;
        for (end, _) in linebreaks(text) {
            self.word(&text[start..end]);
            start = end;
        }
        self.break_line();
    }

    /// A word with the blanks behind it.
    fn word(&mut self, word: &str) {
        let visible = self.measure(word.trim_end());
        if !self.line.is_empty() && self.used + visible > self.width {
            self.break_line();
        }
        if visible > self.width {
            self.cut(word);
        } else {
            self.line.push_str(word);
            self.used += self.measure(word);
        }
    }

    fn cut(&mut self, word: &str) {
        for c in word.chars() {
            let advance = self.fonts.width_of_char(self.style.weight, self.style.size, c);
            if !self.line.is_empty() && self.used + advance > self.width {
                self.break_line();
            }
            self.line.push(c);
            self.used += advance;
        }
    }

    fn break_line(&mut self) {
        self.lines.push(self.line.trim_end().to_owned());
        self.line.clear();
        self.used = 0.0;
    }

    fn measure(&self, text: &str) -> f32 {
        self.fonts.width(self.style.weight, self.style.size, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dhr::file::PdfFile;

    const STYLE: Style = Style { weight: Weight::Regular, size: 10.0, leading: 13.0 };

    fn fonts() -> Fonts {
        Fonts::load(&mut PdfFile::new(tempfile::tempfile().unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn no_line_is_wider_than_allowed() {
        let fonts = fonts();
        let word = "unbreakable".repeat(20);
        let text = format!("Some words and {word} and עברית and Ελληνικά\n\nlast");
        let wrapped = wrap(&fonts, STYLE, &text, 120.0);
        for line in &wrapped.lines {
            assert!(fonts.width(STYLE.weight, STYLE.size, line) <= 120.5, "{line}");
        }
        let joined = wrapped.lines.concat().replace(' ', "");
        assert_eq!(joined, text.replace([' ', '\n'], ""));
        assert_eq!(wrapped.lines[wrapped.lines.len() - 2..], ["", "last"]);
    }

    #[test]
    fn a_column_narrower_than_a_letter_still_ends() {
        assert_eq!(wrap(&fonts(), STYLE, "abc", 1.0).lines, ["a", "b", "c"]);
    }

    #[test]
    fn characters_without_a_glyph_are_told_by_their_number() {
        let wrapped = wrap(&fonts(), STYLE, "図\u{7}a\u{200b}b", 500.0);
        assert!(wrapped.has_substitutes);
        assert_eq!(wrapped.lines, ["[U+56F3][U+0007]ab"]);
    }

    #[test]
    fn latin_greek_cyrillic_and_symbols_are_drawn_as_they_are() {
        for text in ["Zażółć gęślą jaźń ß ñ", "Ωμέγα", "Проверка тормозов", "± ° µ ≤ ≥ ∞ → € ✓ ☑☐⊟ • …"]
        {
            for weight in [Weight::Regular, Weight::Bold] {
                let wrapped = wrap(&fonts(), Style { weight, ..STYLE }, text, 500.0);
                assert!(!wrapped.has_substitutes, "{text} {weight:?} {:?}", wrapped.lines);
            }
        }
    }

    #[test]
    fn a_line_that_must_stay_one_is_cut_off() {
        let fonts = fonts();
        assert_eq!(one_line(&fonts, STYLE, "short", 100.0), "short");
        let cut = one_line(&fonts, STYLE, &"long ".repeat(50), 100.0);
        assert!(cut.ends_with('…') && fonts.width(STYLE.weight, STYLE.size, &cut) <= 100.5);
    }
}
