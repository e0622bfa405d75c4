//! The chain of changes: whether any was changed, removed or put in between since it was sealed. Who can write into the database
//! can write the whole chain anew; what tells that is a hash of it kept elsewhere.

use serde_json::Value;

use super::{Audit, text};
use crate::aql::change as stored;
use crate::error::Result;
use crate::trail::chain;
use crate::trail::seal::Head;

/// Changes that are read at once.
const PORTION: usize = 500;
/// What the end of the chain is called.
const HEAD: &str = "ChangeChain/main";

/// Goes along the chain.
pub async fn check(audit: &mut Audit<'_>) -> Result<()> {
    audit.begin("Change").await?;
    let head: Option<Head> = stored::head(audit.trx).await?;
    let mut last = Head::default();
    // The keys of those with the number that was read last: whoever else has it comes again.
    let mut seen: Vec<String> = Vec::new();
    loop {
        let params = stored::sealed::Params { from: last.seq, limit: PORTION + seen.len() };
        let portion = stored::sealed(audit.trx, params).await?;
        let (from, is_end) = (last.seq, portion.len() < PORTION + seen.len());
        for change in portion.iter().filter(|change| !seen.iter().any(|key| key == text(change, "_key"))) {
            let seq = number_of(change).unwrap_or_default();
            follow(audit, &last, seq, change)?;
            audit.report.changes += 1;
            // What is no number, or a smaller one, was told, and does not lead back.
            last = Head { seq: seq.max(last.seq), hash: text(change, "hash").to_owned() };
        }
        let is_last = |change: &&Value| number_of(change) == Some(last.seq);
        seen = portion.iter().filter(is_last).map(|change| text(change, "_key").to_owned()).collect();
        audit.watch.at(audit.report.changes);
        if is_end || last.seq == from {
            break;
        }
    }
    match head {
        None if last.seq == 0 => {}
        None => audit.differs(HEAD.to_owned(), format!("is missing, the chain ends with {}", last.seq)),
        Some(head) if head.seq != last.seq => {
            audit.differs(
                HEAD.to_owned(),
                format!("says that the chain ends with {}, it does with {}", head.seq, last.seq),
            );
        }
        Some(head) if head.hash != last.hash => {
            audit.differs(HEAD.to_owned(), format!("has another hash than change {}", last.seq));
        }
        Some(_) => {}
    }
    Ok(())
}

/// The number of a change in the chain.
fn number_of(change: &Value) -> Option<usize> {
    usize::try_from(change.get("seq")?.as_u64()?).ok()
}

/// Holds a change against itself and the one before it.
fn follow(audit: &mut Audit<'_>, before: &Head, seq: usize, change: &Value) -> Result<()> {
    let id = text(change, "_id").to_owned();
    if seq != before.seq + 1 {
        audit.differs(id.clone(), format!("has the number {seq} in the chain, behind {}", before.seq));
    } else if text(change, "previous") != before.hash {
        audit.differs(id.clone(), format!("{seq} in the chain, does not follow from the one before"));
    }
    if chain::hash(text(change, "previous"), change)? != text(change, "hash") {
        audit.differs(id, format!("{seq} in the chain, is not what was sealed"));
    }
    Ok(())
}
