//! Files that nobody else on the machine reads: documents hold what opens sessions, and hashes of passwords.

use std::fs;
use std::io;
use std::path::Path;

/// From now on the process makes folders and files that only its user uses; with `group`, that the user's group reads too.
pub fn keep_private(group: bool) {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(if group { 0o027 } else { 0o077 }));
    #[cfg(not(unix))]
    let _ = group;
}

/// Takes from others what they may do with a folder and with the files that lie directly in it, where an earlier version has let
/// them. Tells whether there was anything to take. A folder that is not there yet is fine.
pub fn mend(folder: &Path, group: bool) -> io::Result<bool> {
    if !folder.is_dir() {
        return Ok(false);
    }
    let mut is_mended = close_to_others(folder, group)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            is_mended |= close_to_others(&path, group)?;
        }
    }
    Ok(is_mended)
}

#[cfg(unix)]
fn close_to_others(path: &Path, group: bool) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::symlink_metadata(path)?.permissions().mode();
    let allowed = mode & if group { 0o7750 } else { 0o7700 };
    let is_wider = allowed != mode & 0o7777;
    if is_wider {
        fs::set_permissions(path, fs::Permissions::from_mode(allowed))?;
    }
    Ok(is_wider)
}

#[cfg(not(unix))]
fn close_to_others(_: &Path, _: bool) -> io::Result<bool> {
    Ok(false)
}
