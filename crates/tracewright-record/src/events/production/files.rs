//! Files that were recorded with the steps of a batch are copied to each of its serials.

use std::path::PathBuf;

use super::pieces::Piece;
use super::steps::{Entry, Recorded};
use super::work::Work;
use crate::error::Result;
use crate::events::Call;
use crate::media::{self, CopiedFolders, Source};
use crate::production::part;

/// Copies what lies with the fields of steps that are done. A folder that is missing is fine; the copies go away again unless
/// the call is committed.
pub async fn copy(
    call: &mut Call<'_>,
    work: &Work,
    batch_key: &str,
    pieces: &[Piece],
    recorded: &[Recorded],
) -> Result<()> {
    let root = call.recorder.settings.media_root();
    let below = |parts: &[&str]| -> Option<PathBuf> {
        parts
            .iter()
            .all(|part| media::is_part(part))
            .then(|| parts.iter().fold(root.clone(), |path, part| path.join(part)))
    };
    let mut pairs = Vec::new();
    for step in recorded {
        for entry in &step.form_data {
            let Entry { form_field_key, custom_field_key, .. } = part(entry);
            let (Some(form_field), Some(custom_field)) = (form_field_key.as_str(), custom_field_key.as_str()) else {
                continue;
            };
            let order = work.order.key.as_str();
            let Some(from) = below(&["traceability", order, batch_key, &step.step_key, custom_field, form_field])
            else {
                continue;
            };
            if !tokio::fs::try_exists(&from).await.unwrap_or(false) {
                continue;
            }
            let targets = pieces.iter().filter_map(|piece| below(&["serial", &piece.key, form_field]));
            pairs.extend(targets.map(|to| (Source::Folder(from.clone()), to)));
        }
    }
    if !pairs.is_empty() {
        call.keep_files(CopiedFolders::make(pairs).await?);
    }
    Ok(())
}
