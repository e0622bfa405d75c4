//! Blocks that follow one another down the pages.

use std::io;

use super::document::{ACCENT, Area, BOTTOM, BREADTH, Document, INK, MARGIN, MUTED, TOP};
use super::fonts::Weight;
use super::text::{self, Style};

const TITLE: Style = Style { weight: Weight::Bold, size: 20.0, leading: 26.0 };
const HEADING: Style = Style { weight: Weight::Bold, size: 12.0, leading: 16.0 };
const BODY: Style = Style { weight: Weight::Regular, size: 9.0, leading: 12.5 };
const NOTE: Style = Style { weight: Weight::Regular, size: 8.0, leading: 11.0 };

/// The first page has no line at its top.
const FIRST_TOP: f32 = 44.0;
/// A heading is not left alone at the foot of a page: below it there is room for the head of a table, the name of a group
/// and the first lines of a row.
const WITH_HEADING: f32 = 112.0;
const BEFORE_HEADING: f32 = 20.0;
const BULLET_INDENT: f32 = 12.0;

/// The place where the next block goes.
pub(super) struct Layout {
    pub document: Document,
    /// From the top of the page.
    pub y: f32,
    tag: String,
    /// Whether a value of the present record was written with substitutes.
    pub has_substitutes: bool,
}

impl Layout {
    pub(super) fn new(document: Document) -> Self {
        Self { document, y: BOTTOM, tag: String::new(), has_substitutes: false }
    }

    /// Begins the record of a serial on a page of its own. Of the whole document, every page but the first tells above
    /// which serial it is of.
    pub(super) fn begin_record(&mut self, title: &str, tag: &str) -> io::Result<()> {
        tag.clone_into(&mut self.tag);
        self.has_substitutes = false;
        let is_first = self.document.is_empty();
        self.document.begin_page(Some(tag).filter(|_| !is_first))?;
        self.y = if is_first { FIRST_TOP } else { TOP };
        self.document.bookmark(tag, 0.0, true);
        self.y += TITLE.size;
        self.document.text(TITLE, ACCENT, MARGIN, self.y, title);
        self.y += 18.0;
        Ok(())
    }

    /// Goes on at the top of the next page.
    pub(super) fn next_page(&mut self) -> io::Result<()> {
        self.document.begin_page(Some(&self.tag))?;
        self.y = TOP;
        Ok(())
    }

    /// Room that is left on the page.
    pub(super) fn room(&self) -> f32 {
        BOTTOM - self.y
    }

    /// Goes on at the next page unless there is room for `height`.
    pub(super) fn need(&mut self, height: f32) -> io::Result<()> {
        if self.room() < height { self.next_page() } else { Ok(()) }
    }

    /// Leaves room between blocks, but none at the top of a page.
    pub(super) fn skip(&mut self, height: f32) {
        if self.y > TOP {
            self.y += height;
        }
    }

    /// A heading of a section.
    pub(super) fn heading(&mut self, title: &str) -> io::Result<()> {
        self.skip(BEFORE_HEADING);
        self.need(WITH_HEADING)?;
        self.document.bookmark(title, self.y, false);
        for line in self.wrap(HEADING, title, BREADTH) {
            self.document.text(HEADING, ACCENT, MARGIN, self.y + HEADING.size, &line);
            self.y += HEADING.leading;
        }
        self.y += 5.0;
        Ok(())
    }

    /// A remark in small letters.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.skip(6.0);
        for line in self.wrap(NOTE, text, BREADTH) {
            self.need(NOTE.leading)?;
            self.document.text(NOTE, MUTED, MARGIN, self.y + NOTE.size, &line);
            self.y += NOTE.leading;
        }
        Ok(())
    }

    /// An item of a list.
    pub(super) fn bullet(&mut self, text: &str) -> io::Result<()> {
        for (index, line) in self.wrap(BODY, text, BREADTH - BULLET_INDENT).into_iter().enumerate() {
            self.need(BODY.leading)?;
            let base = self.y + BODY.size;
            if index == 0 {
                self.document.text(BODY, ACCENT, MARGIN + 1.0, base, "•");
            }
            self.document.text(BODY, INK, MARGIN + BULLET_INDENT, base, &line);
            self.y += BODY.leading;
        }
        self.y += 2.0;
        Ok(())
    }

    /// A line above an attachment, cut off where it does not fit.
    pub(super) fn caption(&mut self, text: &str) {
        let line = text::one_line(&self.document.fonts, NOTE, text, BREADTH);
        self.document.text(NOTE, MUTED, MARGIN, self.y + NOTE.size, &line);
        self.y += NOTE.leading + 4.0;
    }

    /// What is left of the page between the margins.
    pub(super) fn rest_of_page(&self) -> Area {
        Area { x: MARGIN, y: self.y, width: BREADTH, height: self.room() }
    }

    /// Lines of a text, remembering whether it needed substitutes.
    pub(super) fn wrap(&mut self, style: Style, text: &str, width: f32) -> Vec<String> {
        let wrapped = text::wrap(&self.document.fonts, style, text, width);
        self.has_substitutes |= wrapped.has_substitutes;
        wrapped.lines
    }
}
