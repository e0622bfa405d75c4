//! Pages, what stands at the foot of each, and bookmarks.
//!
//! The foot of a page is a stream of its own, written when the number of pages is known.

use std::fs::File;
use std::io;

use chrono::{DateTime, Datelike, Timelike, Utc};
use pdf_writer::writers::{Catalog, DocumentInfo};
use pdf_writer::{Content, Date, Finish, Name, Rect, Ref, Settings, TextStr};

use super::file::PdfFile;
use super::fonts::{Fonts, Weight};
use super::logo::Logo;
use super::text::{self, Style};
use super::value;

/// A4, in points.
pub(super) const WIDTH: f32 = 595.28;
const HEIGHT: f32 = 841.89;
/// Left and right.
pub(super) const MARGIN: f32 = 48.0;
/// Where content begins, from the top.
pub(super) const TOP: f32 = 62.0;
/// Where content ends, from the top.
pub(super) const BOTTOM: f32 = HEIGHT - 68.0;
/// Width of what stands between the margins.
pub(super) const BREADTH: f32 = WIDTH - 2.0 * MARGIN;

const HEAD_LINE: f32 = 40.0;
const FOOT_RULE: f32 = HEIGHT - 52.0;
const FOOT_LINE: f32 = HEIGHT - 35.0;
/// Between the texts at the foot.
const FOOT_GAP: f32 = 20.0;
const LOGO_HEIGHT: f32 = 22.0;
const LOGO_WIDTH: f32 = 90.0;
const LOGO: Name<'static> = Name(b"Logo");
const SMALL: Style = Style { weight: Weight::Regular, size: 7.5, leading: 10.0 };

/// A colour, each part from 0 to 1.
pub(super) type Colour = [f32; 3];
pub(super) const INK: Colour = [0.10, 0.13, 0.17];
pub(super) const MUTED: Colour = [0.38, 0.42, 0.48];
pub(super) const RULE: Colour = [0.78, 0.81, 0.85];
pub(super) const ACCENT: Colour = [0.10, 0.29, 0.52];

/// A rectangle from its upper left corner, measured from the top of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

/// A PDF in the making: some pages are done, one may be open.
pub(super) struct Document {
    pub file: PdfFile,
    pub fonts: Fonts,
    tree: Ref,
    pages: Vec<(Ref, Ref)>,
    open: Option<Page>,
    bookmarks: Vec<Bookmark>,
    company: String,
    logo: Option<Logo>,
    time: DateTime<Utc>,
}

struct Page {
    id: Ref,
    content: Content,
    objects: Vec<(String, Ref)>,
}

struct Bookmark {
    title: String,
    page: Ref,
    y: f32,
    is_record: bool,
}

impl Document {
    pub(super) fn new(mut file: PdfFile, company: String, logo: Option<Logo>, time: DateTime<Utc>) -> io::Result<Self> {
        let fonts = Fonts::load(&mut file)?;
        let tree = file.reserve();
        let (pages, bookmarks) = (Vec::new(), Vec::new());
        Ok(Self { file, fonts, tree, pages, open: None, bookmarks, company, logo, time })
    }

    /// Whether no page was begun yet.
    pub(super) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.open.is_none()
    }

    /// Ends the open page and begins another; `tag` stands at its top.
    pub(super) fn begin_page(&mut self, tag: Option<&str>) -> io::Result<()> {
        self.end_page()?;
        let id = self.file.reserve();
        let content = Content::with_settings(Settings { pretty: false });
        self.open = Some(Page { id, content, objects: Vec::new() });
        if let Some(tag) = tag {
            let line = text::one_line(&self.fonts, SMALL, tag, BREADTH);
            self.text(SMALL, MUTED, MARGIN, HEAD_LINE, &line);
            self.rule(MARGIN, HEAD_LINE + 6.0, BREADTH);
        }
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        let Some(Page { id, content, objects }) = self.open.take() else { return Ok(()) };
        let (body, foot) = (self.file.reserve(), self.file.reserve());
        self.file.put_stream(body, &content.finish())?;
        let (tree, fonts, logo) = (self.tree, &self.fonts, &self.logo);
        self.file.put(id, |chunk, id| {
            let mut page = chunk.page(id);
            page.parent(tree).media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT));
            page.contents_array([body, foot]);
            let mut resources = page.resources();
            resources.fonts().pairs(fonts.resources());
            let mut named = resources.x_objects();
            named.pairs(objects.iter().map(|(name, object)| (Name(name.as_bytes()), *object)));
            named.pairs(logo.iter().map(|logo| (LOGO, logo.id)));
        })?;
        self.pages.push((id, foot));
        Ok(())
    }

    /// Draws a line of text; `y` is its base line.
    pub(super) fn text(&mut self, style: Style, colour: Colour, x: f32, y: f32, line: &str) {
        let Some(page) = self.open.as_mut().filter(|_| !line.is_empty()) else { return };
        let [red, green, blue] = colour;
        page.content.set_fill_rgb(red, green, blue);
        self.fonts.draw(&mut page.content, style.weight, style.size, (x, HEIGHT - y), line);
    }

    /// Draws a thin horizontal line.
    pub(super) fn rule(&mut self, x: f32, y: f32, width: f32) {
        self.line((x, y), (x + width, y));
    }

    /// Draws a thin line.
    pub(super) fn line(&mut self, from: (f32, f32), to: (f32, f32)) {
        let Some(page) = self.open.as_mut() else { return };
        let [red, green, blue] = RULE;
        page.content.set_stroke_rgb(red, green, blue).set_line_width(0.6);
        page.content.move_to(from.0, HEIGHT - from.1).line_to(to.0, HEIGHT - to.1).stroke();
    }

    /// Fills a rectangle.
    pub(super) fn fill(&mut self, area: Area, colour: Colour) {
        let Some(page) = self.open.as_mut() else { return };
        let [red, green, blue] = colour;
        page.content.set_fill_rgb(red, green, blue);
        page.content.rect(area.x, HEIGHT - area.y - area.height, area.width, area.height).fill_nonzero();
    }

    /// Draws a thin frame.
    pub(super) fn frame(&mut self, area: Area) {
        let Some(page) = self.open.as_mut() else { return };
        let [red, green, blue] = RULE;
        page.content.set_stroke_rgb(red, green, blue).set_line_width(0.6);
        page.content.rect(area.x, HEIGHT - area.y - area.height, area.width, area.height).stroke();
    }

    /// Draws an image or a form. `unit` takes it into the unit square, which becomes the area.
    pub(super) fn object(&mut self, object: Ref, unit: [f32; 6], area: Area) {
        let Some(page) = self.open.as_mut() else { return };
        let name = format!("X{}", page.objects.len());
        let [a, b, c, d, e, f] = unit;
        let (x, y) = (area.x, HEIGHT - area.y - area.height);
        let (w, h) = (area.width, area.height);
        page.content.save_state();
        // Nothing of an attachment reaches beyond its place.
        page.content.rect(x, y, w, h).clip_nonzero().end_path();
        page.content.transform([a * w, b * h, c * w, d * h, e * w + x, f * h + y]);
        page.content.x_object(Name(name.as_bytes())).restore_state();
        page.objects.push((name, object));
    }

    /// Sets a bookmark on the open page.
    pub(super) fn bookmark(&mut self, title: &str, y: f32, is_record: bool) {
        let Some(page) = &self.open else { return };
        self.bookmarks.push(Bookmark { title: title.to_owned(), page: page.id, y: HEIGHT - y, is_record });
    }

    /// Writes what had to wait for the number of pages.
    pub(super) fn finish(mut self, title: &str) -> io::Result<(File, u64)> {
        self.end_page()?;
        self.write_feet()?;
        let outline = self.write_bookmarks()?;
        let Self { mut file, fonts, tree, pages, time, company, .. } = self;
        fonts.write(&mut file)?;
        file.put(tree, |chunk, id| {
            chunk.pages(id).count(pages.len() as i32).kids(pages.iter().map(|(page, _)| *page));
        })?;
        let info = file.reserve();
        file.put(info, |chunk, id| {
            let mut info = chunk.indirect(id).start::<DocumentInfo<'_>>();
            info.title(TextStr(title)).author(TextStr(&company));
            info.creator(TextStr("tracewright")).creation_date(date(time));
        })?;
        let catalog = file.reserve();
        file.put(catalog, |chunk, id| {
            let mut catalog = chunk.indirect(id).start::<Catalog<'_>>();
            catalog.pages(tree).outlines(outline).lang(TextStr("en"));
            catalog.viewer_preferences().display_doc_title(true);
        })?;
        file.finish(catalog, info)
    }

    fn write_feet(&mut self) -> io::Result<()> {
        let printed = format!("Printed {} UTC", value::to_the_minute(self.time));
        let count = self.pages.len();
        for (index, (_, foot)) in self.pages.clone().into_iter().enumerate() {
            let content = Content::with_settings(Settings { pretty: false });
            self.open = Some(Page { id: foot, content, objects: Vec::new() });
            self.draw_foot(&printed, &format!("Page {} of {count}", index + 1));
            let Some(Page { content, .. }) = self.open.take() else { continue };
            self.file.put_stream(foot, &content.finish())?;
        }
        Ok(())
    }

    fn draw_foot(&mut self, printed: &str, number: &str) {
        self.rule(MARGIN, FOOT_RULE, BREADTH);
        let right = WIDTH - MARGIN - self.fonts.width(SMALL.weight, SMALL.size, number);
        let middle = right - FOOT_GAP - self.fonts.width(SMALL.weight, SMALL.size, printed);
        let mut left = MARGIN;
        if let Some((logo, page)) = self.logo.as_ref().zip(self.open.as_mut()) {
            let (width, height) = fit((logo.width, logo.height), (LOGO_WIDTH, LOGO_HEIGHT), f32::INFINITY);
            let y = HEIGHT - FOOT_LINE + SMALL.size * 0.35 - height / 2.0;
            page.content.save_state().transform([width, 0.0, 0.0, height, left, y]).x_object(LOGO).restore_state();
            left += width + 8.0;
        }
        for (line, y) in self.company_lines(middle - left - FOOT_GAP).iter().zip([FOOT_LINE, FOOT_LINE + SMALL.leading])
        {
            self.text(SMALL, MUTED, left, y, line);
        }
        self.text(SMALL, MUTED, middle, FOOT_LINE, printed);
        self.text(SMALL, MUTED, middle, FOOT_LINE + SMALL.leading, "All times are UTC");
        self.text(SMALL, MUTED, right, FOOT_LINE, number);
    }

    /// The company's name on one line or two; a longer one is cut off.
    fn company_lines(&self, width: f32) -> Vec<String> {
        let mut lines = text::wrap(&self.fonts, SMALL, &self.company, width).lines;
        if lines.len() > 2 {
            let rest = lines.split_off(1).join(" ");
            lines.push(text::one_line(&self.fonts, SMALL, &rest, width));
        }
        lines
    }

    /// Records with their sections below them.
    fn write_bookmarks(&mut self) -> io::Result<Ref> {
        let root = self.file.reserve();
        let marks = std::mem::take(&mut self.bookmarks);
        let ids: Vec<Ref> = marks.iter().map(|_| self.file.reserve()).collect();
        let records: Vec<usize> = (0..marks.len()).filter(|at| marks[*at].is_record || *at == 0).collect();
        for (nth, &at) in records.iter().enumerate() {
            let end = records.get(nth + 1).copied().unwrap_or(marks.len());
            let sections = at + 1..end;
            let neighbours = (nth.checked_sub(1).map(|before| records[before]), records.get(nth + 1).copied());
            self.write_bookmark(&ids, &marks[at], (at, root), neighbours, sections.clone())?;
            for section in sections.clone() {
                let before = (section > sections.start).then(|| section - 1);
                let after = (section + 1 < sections.end).then_some(section + 1);
                self.write_bookmark(&ids, &marks[section], (section, ids[at]), (before, after), 0..0)?;
            }
        }
        self.file.put(root, |chunk, id| {
            let mut outline = chunk.outline(id);
            if let (Some(first), Some(last)) = (records.first(), records.last()) {
                outline.first(ids[*first]).last(ids[*last]).count(records.len() as i32);
            }
        })?;
        Ok(root)
    }

    fn write_bookmark(
        &mut self,
        ids: &[Ref],
        mark: &Bookmark,
        (at, parent): (usize, Ref),
        (before, after): (Option<usize>, Option<usize>),
        below: std::ops::Range<usize>,
    ) -> io::Result<()> {
        self.file.put(ids[at], |chunk, id| {
            let mut item = chunk.outline_item(id);
            item.title(TextStr(&mark.title)).parent(parent);
            if let Some(before) = before {
                item.prev(ids[before]);
            }
            if let Some(after) = after {
                item.next(ids[after]);
            }
            if !below.is_empty() {
                // A negative count: closed until somebody opens it.
                item.first(ids[below.start]).last(ids[below.end - 1]).count(-(below.len() as i32));
            }
            item.dest().page(mark.page).xyz(0.0, mark.y, None);
            item.finish();
        })
    }
}

/// The largest size with the given proportions that fits, magnified at most by `limit`.
pub(super) fn fit((width, height): (f32, f32), room: (f32, f32), limit: f32) -> (f32, f32) {
    let scale = (room.0 / width.max(0.1)).min(room.1 / height.max(0.1)).min(limit);
    (width * scale, height * scale)
}

fn date(time: DateTime<Utc>) -> Date {
    Date::new(time.year() as u16)
        .month(time.month() as u8)
        .day(time.day() as u8)
        .hour(time.hour() as u8)
        .minute(time.minute() as u8)
        .second(time.second() as u8)
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}
