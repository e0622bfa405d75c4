//! Measuring, and the tables that come of it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ureq::http::Method;

use crate::client::{Client, Failure};
use crate::queries::{CASES, Case, Request};
use crate::wakeful::Wakeful;

/// Rounds that are not counted: caches fill, plans settle.
const WARM_UP: usize = 5;
/// Fewer rounds make no median.
const LEAST_ROUNDS: usize = 15;
const MOST_ROUNDS: usize = 3000;

/// The times of one case in milliseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// Name of the case.
    pub name: String,
    /// The median.
    pub median: f64,
    /// The fastest round: what the median would be on a machine with nothing else to do.
    pub best: f64,
    /// ArangoDB's median, where it was measured.
    pub arangodb: Option<f64>,
    /// How often it ran.
    pub rounds: usize,
}

/// Measures the cases whose name contains `only`, each for about `time`.
pub fn measure(client: &Client, only: &str, time: Duration) -> Result<Vec<Measured>, Failure> {
    let mut connection = client.wakeful()?;
    let chosen = CASES.iter().filter(|case| case.name.contains(only));
    chosen.map(|case| measure_one(client, &mut connection, case, time)).collect()
}

fn measure_one(client: &Client, connection: &mut Wakeful, case: &Case, time: Duration) -> Result<Measured, Failure> {
    let failed = |e: Failure| format!("{}: {e}", case.name);
    for round in 0..WARM_UP {
        let request = request(client, case, round)?;
        let answer = connection.ask(&request).and_then(succeeded);
        answer.and_then(|answer| check(case, answer)).map_err(failed)?;
    }
    let mut times = Vec::new();
    let began = Instant::now();
    while times.len() < LEAST_ROUNDS || (began.elapsed() < time && times.len() < MOST_ROUNDS) {
        let request = request(client, case, WARM_UP + times.len())?;
        let sent = Instant::now();
        let answer = connection.ask(&request);
        times.push(sent.elapsed());
        answer.and_then(succeeded).map_err(failed)?;
    }
    times.sort_unstable();
    let milliseconds = |t: Duration| t.as_secs_f64() * 1000.0;
    Ok(Measured {
        name: case.name.to_owned(),
        median: milliseconds(times[times.len() / 2]),
        best: milliseconds(times[0]),
        arangodb: case.arangodb,
        rounds: times.len(),
    })
}

/// What is asked in a round.
fn request(client: &Client, case: &Case, round: usize) -> Result<Vec<u8>, Failure> {
    match case.request {
        Request::Aql(text, parameters) => {
            let query = json!({"query": text, "bindVars": parameters(round), "batchSize": 100_000});
            client.request(&Method::POST, "/_api/cursor", &query.to_string())
        }
        Request::Get(path) => client.request(&Method::GET, &path(round), ""),
    }
}

/// The body of an answer that is no error.
fn succeeded((status, body): (u16, &[u8])) -> Result<&[u8], Failure> {
    if status < 400 { Ok(body) } else { Err(format!("{status} {}", String::from_utf8_lossy(body))) }
}

/// A fast wrong answer is worth nothing.
fn check(case: &Case, answer: &[u8]) -> Result<(), Failure> {
    let Some(expected) = case.rows else { return Ok(()) };
    let answer: Value = serde_json::from_slice(answer).map_err(|e| e.to_string())?;
    let rows = answer["result"].as_array().map_or(0, Vec::len);
    if rows == expected { Ok(()) } else { Err(format!("{rows} rows instead of {expected}")) }
}

/// The medians beside ArangoDB's, as a Markdown table.
pub fn table(run: &[Measured]) -> String {
    let mut lines = vec![
        "| query | median ms | best ms | ArangoDB 3.9 ms | ratio |".to_owned(),
        "|---|--:|--:|--:|--:|".to_owned(),
    ];
    lines.extend(run.iter().map(|m| {
        let (arangodb, ratio) = m.arangodb.map_or_else(
            || (String::from("-"), String::from("-")),
            |arangodb| (arangodb.to_string(), format!("{:.2}", m.median / arangodb)),
        );
        format!("| {} | {:.3} | {:.3} | {arangodb} | {ratio} |", m.name, m.median, m.best)
    }));
    lines.join("\n")
}

/// Two runs side by side, as a Markdown table; cases that only one of them has are left out.
pub fn comparison(before: &[Measured], after: &[Measured]) -> String {
    let mut lines = vec!["| query | A ms | B ms | B / A |".to_owned(), "|---|--:|--:|--:|".to_owned()];
    for a in before {
        if let Some(b) = after.iter().find(|b| b.name == a.name) {
            lines.push(format!("| {} | {:.3} | {:.3} | {:.2} |", a.name, a.median, b.median, b.median / a.median));
        }
    }
    lines.join("\n")
}

/// Writes a run to a file.
pub fn save(path: &Path, run: &[Measured]) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(run).map_err(|e| e.to_string())?;
    fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Reads a run from a file.
pub fn read(path: &Path) -> Result<Vec<Measured>, Failure> {
    let text = fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{} is no saved run: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, median: f64) -> Measured {
        Measured { name: name.to_owned(), median, best: median, arangodb: Some(2.0), rounds: 20 }
    }

    #[test]
    fn the_ratio_is_to_arangodbs_median() {
        assert!(table(&[measured("a", 1.0)]).ends_with("| a | 1.000 | 1.000 | 2 | 0.50 |"));
    }

    #[test]
    fn a_comparison_has_the_cases_of_both_runs() {
        let text = comparison(&[measured("a", 2.0), measured("b", 1.0)], &[measured("a", 1.0)]);
        assert!(text.ends_with("| a | 2.000 | 1.000 | 0.50 |"));
    }

    #[test]
    fn the_number_of_rows_is_checked() {
        let case = &CASES[0];
        assert!(check(case, br#"{"result": [1]}"#).is_ok());
        assert!(check(case, br#"{"result": []}"#).is_err());
    }
}
