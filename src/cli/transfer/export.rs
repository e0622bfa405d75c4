//! The database into a folder.

use std::fs;
use std::path::Path;

use aqlite::dump::layout::{DESCRIPTION, file_prefix, structure_file};
use aqlite::dump::{HAS_MANIFEST, Output, Unfinished};
use indicatif::ProgressBar;
use serde::Serialize;

use super::files::{named, write_line};
use super::{ExportArgs, bar};
use crate::cli::AnyError;
use crate::settings::Settings;
use crate::store::{Access, Store, StoreError, Transaction};

/// Writes every collection as it was at one moment.
pub async fn export(args: &ExportArgs, settings: &Settings) -> Result<(), AnyError> {
    let store = Store::attach(settings).await?;
    let mut unfinished = Unfinished::begin(&args.dir)?;
    let names = store.collection_names().await?;
    let mut total = 0;
    for name in &names {
        total += store.count(name).await?;
    }
    let bar = bar(total);
    // One transaction over all of them reads one state of the database, whatever is written meanwhile.
    let access = Access { read: names.iter().map(String::as_str).collect(), ..Access::default() };
    let mut attempts = store.attempts(access);
    let transaction = attempts.begin().await?;
    let written = write_all(&store, &transaction, &names, args.lines, &mut unfinished, &bar).await;
    drop(transaction);
    written?;
    if !args.lines {
        let name = &settings.database.name;
        let properties = Properties { name, is_system: false };
        let description = Description { database: name, use_envelope: false, last_tick: "0", properties };
        let mut description = serde_json::to_value(description)?;
        description[HAS_MANIFEST] = true.into();
        write_json(&unfinished.folder().join(DESCRIPTION), &description)?;
    }
    unfinished.finish()?;
    bar.finish_and_clear();
    println!("{} documents of {} collections written to {}.", bar.position(), names.len(), args.dir.display());
    Ok(store.close().await?)
}

/// What a dump says of its database, as arangodump writes it.
#[derive(Serialize)]
struct Description<'a> {
    database: &'a str,
    #[serde(rename = "useEnvelope")]
    use_envelope: bool,
    #[serde(rename = "lastTickAtDumpStart")]
    last_tick: &'a str,
    properties: Properties<'a>,
}

/// What it says of the properties of the database.
#[derive(Serialize)]
struct Properties<'a> {
    name: &'a str,
    #[serde(rename = "isSystem")]
    is_system: bool,
}

async fn write_all(
    store: &Store,
    transaction: &Transaction,
    names: &[String],
    as_lines: bool,
    unfinished: &mut Unfinished,
    bar: &ProgressBar,
) -> Result<(), AnyError> {
    let dir = unfinished.folder().to_owned();
    for name in names {
        bar.set_message(name.clone());
        let path = if as_lines {
            dir.join(format!("{name}.jsonl"))
        } else {
            let prefix = file_prefix(name);
            write_json(&dir.join(structure_file(&prefix)), &store.structure(name).await?)?;
            dir.join(format!("{prefix}.data.json.gz"))
        };
        let begin = bar.position();
        let mut output = Output::create(&path, !as_lines)?;
        let failed = |error| StoreError::Answer(named(&path, error).to_string());
        transaction
            .each_batch(name, |documents| {
                for document in documents {
                    write_line(&mut output, document).map_err(failed)?;
                }
                bar.inc(documents.len() as u64);
                Ok(())
            })
            .await?;
        output.finish(&path)?;
        unfinished.counted(&path, bar.position() - begin);
    }
    Ok(())
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), AnyError> {
    Ok(fs::write(path, serde_json::to_string(value)? + "\n").map_err(|error| named(path, error))?)
}
