//! Indicators of a product: how long a piece takes, and what went wrong.

use std::sync::Arc;

use chrono::{Days, Utc};
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use serde_json::Value;

use crate::api::Area;
use crate::api::found::not_found;
use crate::app::App;
use crate::aql::product::{self, stats};
use crate::auth::{Caller, Scope};
use crate::clock;
use crate::error::Result;
use crate::openapi::Fails;

/// How far the indicators look back.
const WINDOW: Days = Days::new(365);
const MILLISECONDS: f64 = 1_000.0;

/// Indicators of products.
pub struct Stats(pub Arc<App>);

/// Milliseconds a piece: what is planned, and how what was measured is distributed. Null where nothing was measured.
#[derive(Debug, Default, PartialEq, Object)]
struct ProcessingTime {
    /// What the process plans.
    standard: Option<f64>,
    median: Option<f64>,
    min: Option<f64>,
    p10: Option<f64>,
    p20: Option<f64>,
    p30: Option<f64>,
    p40: Option<f64>,
    p50: Option<f64>,
    p60: Option<f64>,
    p70: Option<f64>,
    p80: Option<f64>,
    p90: Option<f64>,
    max: Option<f64>,
    /// Of the sample: null below two values.
    std_dev: Option<f64>,
}

/// The time of a phase.
#[derive(Debug, Object)]
struct PhaseProcessingTime {
    #[oai(rename = "_key")]
    key: String,
    alias: Option<String>,
    processing_time: ProcessingTime,
}

/// Indicators of a product.
#[derive(Debug, Object)]
struct ProductStats {
    product_processing_time: ProcessingTime,
    /// In the order of the process.
    phase_processing_times: Vec<PhaseProcessingTime>,
    /// Issues linked to the product and to a phase, with `phase_key`: a row for each such pair, newest first.
    issues: Vec<Value>,
}

#[OpenApi(tag = "Area::Product")]
impl Stats {
    /// Indicators of a product
    ///
    /// Over the last 365 days, in milliseconds a piece: the hundred newest closed work orders, the batches of each phase, and
    /// the issues of the product.
    #[oai(
        path = "/product/:product_key/stats",
        method = "get",
        operation_id = "get_product_stats_product__product_key__stats_get"
    )]
    async fn stats(
        &self,
        #[oai(scope = "Scope::ProductCatalogueRead")] _caller: Caller,
        product_key: Path<String>,
        _fails: Fails<404>,
    ) -> Result<Json<ProductStats>> {
        let since = clock::stored(Utc::now() - WINDOW);
        let params = stats::Params { product_key: &product_key, since: &since };
        let measured = product::stats(&self.0.store, params).await?;
        let measured = measured.ok_or_else(|| not_found("Product", &product_key))?;
        let phases = measured.phases.into_iter().map(|phase| PhaseProcessingTime {
            key: phase.key,
            alias: phase.alias,
            processing_time: ProcessingTime::of(phase.standard, phase.times),
        });
        Ok(Json(ProductStats {
            product_processing_time: ProcessingTime::of(measured.standard, measured.times),
            phase_processing_times: phases.collect(),
            issues: measured.issues,
        }))
    }
}

impl ProcessingTime {
    /// Of the planned seconds and the measured milliseconds.
    fn of(standard_seconds: Option<f64>, mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |percent| percentile(&times, percent);
        Self {
            standard: standard_seconds.map(|seconds| seconds * MILLISECONDS),
            median: at(50.0),
            min: at(0.0),
            p10: at(10.0),
            p20: at(20.0),
            p30: at(30.0),
            p40: at(40.0),
            p50: at(50.0),
            p60: at(60.0),
            p70: at(70.0),
            p80: at(80.0),
            p90: at(90.0),
            max: at(100.0),
            std_dev: deviation(&times),
        }
    }
}

/// The percentile of sorted values, by linear interpolation between the closest ranks.
fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let rank = percent / 100.0 * sorted.len().checked_sub(1)? as f64;
    let below = *sorted.get(rank.floor() as usize)?;
    let above = *sorted.get(rank.ceil() as usize)?;
    Some(below + (above - below) * rank.fract())
}

/// The deviation of a sample; none below two values.
fn deviation(values: &[f64]) -> Option<f64> {
    let degrees = values.len().checked_sub(1).filter(|degrees| *degrees > 0)?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / degrees as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_between_the_closest_ranks() {
        let time = ProcessingTime::of(Some(2.0), vec![40.0, 10.0, 20.0, 30.0]);
        assert_eq!(time.standard, Some(2_000.0));
        assert_eq!((time.min, time.median, time.max), (Some(10.0), Some(25.0), Some(40.0)));
        assert_eq!(time.p10, Some(13.0));
        assert!((time.std_dev.unwrap() - 12.909_944).abs() < 1e-6);
    }

    #[test]
    fn without_values_there_is_only_the_standard_and_one_has_no_deviation() {
        assert_eq!(ProcessingTime::of(None, Vec::new()), ProcessingTime::default());
        let one = ProcessingTime::of(None, vec![7.0]);
        assert_eq!((one.min, one.p90, one.max, one.std_dev), (Some(7.0), Some(7.0), Some(7.0), None));
    }
}
