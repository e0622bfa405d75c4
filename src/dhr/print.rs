//! From rows to pages, in the order of the record.

use std::fs::File;
use std::io;

use super::Setting;
use super::attachments;
use super::document::Document;
use super::file::PdfFile;
use super::layout::Layout;
use super::logo::Logo;
use super::outline::Outline;
use super::record::Record;
use super::rows::Rows;
use super::table::Table;

const TITLE: &str = "Device History Record";
const SUBSTITUTES: &str =
    "Characters that the fonts of this record do not contain are written as their Unicode numbers, such as [U+56F3].";

/// Prints the records of some serials into one document.
pub(super) struct Printer {
    layout: Layout,
    setting: Setting,
    outline: Outline,
}

impl Printer {
    pub(super) fn new(file: File, setting: Setting, outline: Outline) -> io::Result<Self> {
        let mut file = PdfFile::new(file)?;
        let logo = Logo::embed(&mut file, &setting.media_root, setting.logo.as_deref())?;
        let document = Document::new(file, setting.company.clone(), logo, setting.time)?;
        Ok(Self { layout: Layout::new(document), setting, outline })
    }

    /// Prints these serials in their order.
    pub(super) fn print(self, keys: &[String], mut rows: Rows) -> io::Result<(File, u64)> {
        let Self { mut layout, setting, outline } = self;
        let components = outline.components();
        let mut title = TITLE.to_owned();
        for (index, key) in keys.iter().enumerate() {
            let Some(row) = rows.take(key)? else { continue };
            let installed = components.get(key.as_str()).map_or(&[][..], Vec::as_slice);
            let record = Record::new(&row, installed, setting.options.step_data);
            drop(row);
            if index == 0 {
                title = format!("{TITLE} {}", record.tag);
            }
            print_record(&mut layout, &setting, &record)?;
        }
        layout.document.finish(&title)
    }
}

fn print_record(layout: &mut Layout, setting: &Setting, record: &Record) -> io::Result<()> {
    layout.begin_record(TITLE, &record.tag)?;
    print_header(layout, record)?;
    print_data(layout, record)?;
    print_steps(layout, record)?;
    print_components(layout, record)?;
    if layout.has_substitutes {
        layout.note(SUBSTITUTES)?;
    }
    if setting.options.attachments {
        attachments::append(layout, &setting.media_root, record)?;
    }
    Ok(())
}

fn print_header(layout: &mut Layout, record: &Record) -> io::Result<()> {
    let mut table = Table::begin(layout, &[], &[0.22, 0.78])?;
    for (label, value) in &record.header {
        table.row(&[label, value])?;
    }
    table.end()
}

fn print_data(layout: &mut Layout, record: &Record) -> io::Result<()> {
    if record.data.is_empty() {
        return Ok(());
    }
    layout.heading("Serial Data")?;
    let mut table = Table::begin(layout, &["Field", "Value", "Last update", "User"], &[0.29, 0.37, 0.16, 0.18])?;
    for group in &record.data {
        table.band(&group.phase);
        for entry in &group.entries {
            if entry.is_separator {
                table.subtitle(&entry.label)?;
            } else {
                table.row(&[&entry.label, &entry.value, &entry.updated, &entry.user])?;
            }
        }
    }
    table.end()
}

fn print_steps(layout: &mut Layout, record: &Record) -> io::Result<()> {
    let Some(steps) = &record.steps else { return Ok(()) };
    layout.heading("Step Execution Data")?;
    if steps.is_empty() {
        return layout.note("No executed step is recorded.");
    }
    let mut table = Table::begin(layout, &["Phase", "Step", "Operator", "Timestamp"], &[0.24, 0.38, 0.21, 0.17])?;
    for step in steps {
        table.row(&[&step.phase, &step.step, &step.operator, &step.time])?;
    }
    table.end()
}

fn print_components(layout: &mut Layout, record: &Record) -> io::Result<()> {
    if !record.components.is_empty() {
        layout.heading("Component Serials")?;
        let mut table = Table::begin(layout, &["Code", "Description", "S/N"], &[0.25, 0.48, 0.27])?;
        for [code, description, number] in &record.components {
            table.row(&[code, description, number])?;
        }
        table.end()?;
    }
    if !record.detailed.is_empty() {
        layout.heading("Child Serials with Detailed Data")?;
        for child in &record.detailed {
            layout.bullet(child)?;
        }
    }
    Ok(())
}
