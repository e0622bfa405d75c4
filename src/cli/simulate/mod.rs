//! `tracewright simulate`: a plant of stations that work against a running service, by HTTP alone. It builds, fails, replaces,
//! moves, counts and reports; it tells how fast the service takes it, and at the end compares its own books with what the
//! service answers.

mod books;
mod building;
mod client;
mod counting;
mod figures;
mod messages;
mod plant;
mod shelf;
mod station;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::task::JoinSet;

use self::client::Client;
use self::figures::Figures;
use self::plant::Plant;
use self::station::Station;
use super::AnyError;

/// How often the figures are printed.
const PRINTED_EVERY: Duration = Duration::from_secs(1);

/// What is simulated.
#[derive(Debug, Clone, Args)]
pub struct SimulateArgs {
    /// Where the service answers, with the prefix of its API.
    #[arg(long, default_value = "http://127.0.0.1:8000/api", value_name = "URL")]
    url: String,
    /// A user with the scope admin.
    #[arg(long, default_value = "cadmin", value_name = "NAME")]
    user: String,
    /// That user's password.
    #[arg(long, env = "TRACEWRIGHT_SIMULATE_PASSWORD", hide_env_values = true, value_name = "PASSWORD")]
    password: String,
    /// Stations that work at the same time.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    stations: u32,
    /// Events a second of all stations together; 0 for as many as the service takes.
    #[arg(long, default_value_t = 0.0, value_name = "EVENTS")]
    rate: f64,
    /// How long, in seconds, or as `90s`, `30m`, `2h`.
    #[arg(long = "for", default_value = "60s", value_parser = duration, value_name = "TIME")]
    lasting: Duration,
}

/// A time as people write it.
fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) =
        text.find(|letter: char| letter.is_ascii_alphabetic()).map_or((text, "s"), |at| text.split_at(at));
    let number: u64 = number.parse().map_err(|_| format!("`{text}` is no time: use 90s, 30m or 2h"))?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return Err(format!("`{unit}` is no unit of time: use s, m or h")),
    };
    Ok(Duration::from_secs(number.saturating_mul(seconds)))
}

/// Simulates a plant. `false`: its books do not agree with the service, or something failed.
pub async fn run(args: SimulateArgs) -> Result<bool, AnyError> {
    let figures = Arc::new(Figures::default());
    let manager = Client::login(&args.url, &args.user, &args.password, Arc::clone(&figures)).await?;
    println!("Preparing a plant with {} stations ...", args.stations);
    let plant = Arc::new(Plant::build(&manager, args.stations).await?);
    let until = Instant::now() + args.lasting;
    let pace = (args.rate > 0.0).then(|| Duration::from_secs_f64(f64::from(args.stations) / args.rate));
    let mut stations = JoinSet::new();
    for number in 0..args.stations {
        let client = manager.with_own_token(&format!("simulated station {number}")).await?;
        let station = Station::new(Arc::clone(&plant), client, number as usize, pace);
        stations.spawn(station.work(until));
    }
    let printing = tokio::spawn(print_figures(Arc::clone(&figures)));
    let mut books = books::Books::default();
    let mut failures = Vec::new();
    while let Some(ended) = stations.join_next().await {
        match ended? {
            Ok((own, client)) => {
                books.add(own);
                client.revoke(&manager).await?;
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    printing.abort();
    for line in &plant.lines {
        line.device.client.revoke(&manager).await?;
    }
    println!("{}", figures.summary());
    let differences = books.compare(&manager, &plant).await?;
    for line in failures.iter().chain(&differences) {
        println!("{line}");
    }
    let is_good = failures.is_empty() && differences.is_empty();
    if is_good {
        println!("The books of {} stations agree with the service.", args.stations);
    }
    Ok(is_good)
}

/// Prints how it goes, until it is stopped.
async fn print_figures(figures: Arc<Figures>) {
    println!("{}", Figures::HEAD);
    let mut clock = tokio::time::interval(PRINTED_EVERY);
    clock.tick().await;
    loop {
        clock.tick().await;
        println!("{}", figures.line());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_with_or_without_a_unit() {
        let seconds = |text: &str| duration(text).map(|time| time.as_secs());
        assert_eq!(seconds("90"), Ok(90));
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("30m"), Ok(1_800));
        assert_eq!(seconds("2h"), Ok(7_200));
        for wrong in ["", "m", "3d", "-1s", "1.5h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
