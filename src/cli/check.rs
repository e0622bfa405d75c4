//! `tracewright check`: is everything in place? It changes nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::HumanCount;

use super::{explain, files};
use crate::audit::{self, Report};
use crate::settings::Settings;
use crate::store::{Store, is_locked};

/// How long a running service may take to say that it is ready.
const PATIENCE: Duration = Duration::from_secs(10);

/// Options of `check`.
#[derive(Debug, Clone, Copy, Args)]
pub struct CheckArgs {
    /// Read everything, too: in the files of the embedded database each page, each document, each entry of each index, the
    /// log, for which the service must not be running; in any database the journal, and whether what is stored follows from
    /// what was recorded: work orders, jobs, batches, work sessions, work in progress, serials and what they contain,
    /// movements, lists, stock, counting sessions, issues, tasks and messages. Each difference is told with its document.
    #[arg(long)]
    deep: bool,
}

/// What was found about one subject.
struct Finding {
    subject: &'static str,
    outcome: Outcome,
}

/// Good news or bad.
pub(super) enum Outcome {
    /// All is well; some words about it.
    Fine(String),
    /// What is wrong and what to do about it.
    Problem(String),
}

/// Looks at everything, says what was found, and tells whether all is fine.
pub async fn run(args: CheckArgs, settings: &Settings) -> bool {
    let mut findings = vec![
        Finding { subject: "settings", outcome: Outcome::Fine(format!("listen on {}", settings.listen)) },
        Finding { subject: "data folder", outcome: folder("data_dir", &settings.data_dir) },
        Finding { subject: "media folder", outcome: folder("media_root", &settings.media_root()) },
    ];
    let mut is_readable = false;
    if args.deep {
        let outcome = files::check(settings).await;
        // What files do not hold together says nothing about what was recorded.
        is_readable = matches!(outcome, Outcome::Fine(_));
        findings.push(Finding { subject: "stored data", outcome });
    }
    findings.extend(database(settings, is_readable).await);
    let mut all_fine = true;
    for Finding { subject, outcome } in &findings {
        let (mark, text) = match outcome {
            Outcome::Fine(text) => ("ok", text),
            Outcome::Problem(text) => ("PROBLEM", text),
        };
        all_fine &= mark == "ok";
        println!("{mark:8} {subject:13} {}", text.replace('\n', "\n                       "));
    }
    all_fine
}

/// Whether files can be written in a folder, or the folder can be made.
fn folder(key: &str, path: &Path) -> Outcome {
    let existing = first_existing(path);
    match tempfile::tempfile_in(&existing) {
        Ok(_) if existing == path => Outcome::Fine(path.display().to_string()),
        Ok(_) => Outcome::Fine(format!("{} (created when it is needed)", path.display())),
        Err(error) => Outcome::Problem(format!(
            "{} cannot be written: {error}\nGive the service's user the right to write in {}, or set `{key}` to another folder.",
            path.display(),
            existing.display()
        )),
    }
}

fn first_existing(path: &Path) -> PathBuf {
    let existing = path.ancestors().find(|ancestor| ancestor.exists());
    existing.filter(|ancestor| !ancestor.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf()
}

/// Whether a service answers at the address of the settings and says that it is ready: what has the database open then,
/// where the engine has no port of its own to be asked at.
async fn service_is_ready(settings: &Settings) -> bool {
    let mut address = settings.listen;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let Ok(client) = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build() else { return false };
    let answer = client.get(format!("http://{address}/readyz")).send().await;
    answer.is_ok_and(|answer| answer.status().is_success())
}

async fn database(settings: &Settings, with_journal: bool) -> Vec<Finding> {
    let fine = |subject, text: String| Finding { subject, outcome: Outcome::Fine(text) };
    let problem = |subject, text: String| Finding { subject, outcome: Outcome::Problem(text) };
    if settings.database.is_embedded() && !settings.data_dir.join("db").exists() {
        return vec![fine("database", "embedded, not there yet; the first `tracewright serve` creates it".to_owned())];
    }
    let name = format!("`{}` at {}", settings.database.name, settings.database.url);
    let store = match Store::attach(settings).await {
        Ok(store) => store,
        Err(error) if is_locked(&*error) && service_is_ready(settings).await => {
            let text = format!("{name}, open in the service that listens on {} and is ready", settings.listen);
            return vec![fine("database", text)];
        }
        Err(error) => return vec![problem("database", explain(&error, settings))],
    };
    let missing = store.missing().await;
    let has_all = missing.as_ref().is_ok_and(|missing| missing.collections.is_empty());
    let schema = match missing {
        Err(error) => problem("schema", explain(&error.into(), settings)),
        Ok(missing) if missing.is_empty() => fine("schema", "all collections, indexes and views are there".to_owned()),
        Ok(missing) => {
            let indexes =
                missing.indexes.iter().map(|index| format!("{} ({})", index.collection, index.fields.join(", ")));
            let mut lines: Vec<String> =
                missing.collections.iter().map(|name| format!("missing collection {name}")).collect();
            lines.extend(indexes.map(|index| format!("missing index {index}")));
            lines.extend(missing.views.iter().map(|view| format!("missing view {}", view.name)));
            lines.push("`tracewright serve` creates what is missing when it starts.".to_owned());
            problem("schema", lines.join("\n"))
        }
    };
    let mut findings = vec![fine("database", name), schema];
    if with_journal && has_all {
        findings.push(Finding { subject: "recorded data", outcome: recorded(&store, settings).await });
    }
    if let Err(error) = store.close().await {
        findings.push(problem("database", explain(&error.into(), settings)));
    }
    findings
}

/// Whether what is stored follows from what was recorded.
async fn recorded(store: &Store, settings: &Settings) -> Outcome {
    let report = match audit::run(store, &mut files::Bars::new()).await {
        Ok(report) => report,
        Err(error) => return Outcome::Problem(explain(&error.into(), settings)),
    };
    let Report { events, changes, judged, unjudged, difference_count, differences } = report;
    let read = format!(
        "{} events and {} sealed changes read; {} documents without events not judged",
        HumanCount(events),
        HumanCount(changes),
        HumanCount(unjudged)
    );
    if difference_count == 0 {
        return Outcome::Fine(format!("{} documents follow from their events; {read}", HumanCount(judged)));
    }
    let mut lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
    let more = difference_count - differences.len() as u64;
    if more > 0 {
        lines.push(format!("and {} more", HumanCount(more)));
    }
    lines.push(format!(
        "{} differences between what is stored and what was recorded; {read}. See docs/operations.md.",
        HumanCount(difference_count)
    ));
    Outcome::Problem(lines.join("\n"))
}
