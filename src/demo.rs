//! The demo factory.

use crate::error::Result;
use crate::store::Store;

/// Loads the demo factory into an empty database.
pub async fn load(_store: &Store) -> Result<()> {
    Ok(())
}
