//! How much memory the process may use: what its container or service unit allows, or what the machine has.

use std::fs::read_to_string;
use std::path::Path;

/// Bytes of memory this process may use, as far as the system tells.
pub(super) fn available_by_system() -> Option<usize> {
    available_below(Path::new("/"))
}

/// The same for a system whose files lie below a folder.
fn available_below(root: &Path) -> Option<usize> {
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().filter_map(|line| limit_of(root, line));
    // where there is no limit an old kernel names a number beyond all memory
    physical_below(root).into_iter().chain(limits).min()
}

/// The least limit of a group and those around it. A line is `number:controllers:path`; without controllers it is of the
/// second version, which has one tree for all of them.
fn limit_of(root: &Path, line: &str) -> Option<usize> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, group) = (parts.next()?, parts.next()?.trim_start_matches('/'));
    let (tree, file) = match controllers {
        "" => (root.join("sys/fs/cgroup"), "memory.max"),
        _ if controllers.split(',').any(|c| c == "memory") => {
            (root.join("sys/fs/cgroup/memory"), "memory.limit_in_bytes")
        }
        _ => return None,
    };
    // in a container the path may be one of the machine outside, and the tree begins at the group itself
    let own = tree.join(group);
    let around = own.ancestors().take_while(|folder| folder.starts_with(&tree));
    around.filter_map(|folder| read_to_string(folder.join(file)).ok()?.trim().parse().ok()).min()
}

/// Bytes of memory the machine has.
pub fn physical() -> Option<usize> {
    physical_below(Path::new("/"))
}

fn physical_below(root: &Path) -> Option<usize> {
    kilobytes(&read_to_string(root.join("proc/meminfo")).ok()?, "MemTotal:")
}

/// The bytes of a line like `MemTotal:  16384 kB` of Linux' descriptions.
pub(crate) fn kilobytes(info: &str, name: &str) -> Option<usize> {
    let line = info.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a system with 16 MB and these files.
    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let machine = [("proc/meminfo", "MemFree: 1 kB\nMemTotal:       16384 kB\n")];
        for (path, content) in machine.iter().chain(files) {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("creates");
            std::fs::write(path, content).expect("writes");
        }
        folder
    }

    fn available_in(files: &[(&str, &str)]) -> Option<usize> {
        available_below(system(files).path())
    }

    #[test]
    fn memory_is_read_in_bytes() {
        assert_eq!(kilobytes("Foo: 1 kB\nMemTotal:       16384 kB\n", "MemTotal:"), Some(16_777_216));
        assert_eq!(kilobytes("nothing", "MemTotal:"), None);
    }

    #[test]
    fn without_groups_it_is_what_the_machine_has() {
        assert_eq!(available_in(&[]), Some(16 << 20));
        assert_eq!(available_below(Path::new("/no/such/folder")), None);
    }

    #[test]
    fn the_second_version_says_it_for_the_container_itself() {
        let here = ("proc/self/cgroup", "0::/\n");
        assert_eq!(available_in(&[here, ("sys/fs/cgroup/memory.max", "4194304\n")]), Some(4 << 20));
        assert_eq!(available_in(&[here, ("sys/fs/cgroup/memory.max", "max\n")]), Some(16 << 20));
    }

    #[test]
    fn the_least_limit_of_the_groups_around_counts() {
        let files = [
            ("proc/self/cgroup", "0::/system.slice/tracewright.service\n"),
            ("sys/fs/cgroup/system.slice/tracewright.service/memory.max", "8388608\n"),
            ("sys/fs/cgroup/system.slice/memory.max", "4194304\n"),
        ];
        assert_eq!(available_in(&files), Some(4 << 20));
        assert_eq!(available_in(&files[..2]), Some(8 << 20));
    }

    #[test]
    fn the_first_version_has_a_tree_for_memory() {
        let groups = ("proc/self/cgroup", "12:cpu,cpuacct:/docker/1\n5:memory:/docker/1\n1:name=systemd:/docker/1\n");
        let limit = |path, content| available_in(&[groups, (path, content)]);
        // the path of the machine outside does not exist inside
        assert_eq!(limit("sys/fs/cgroup/memory/memory.limit_in_bytes", "4194304\n"), Some(4 << 20));
        assert_eq!(limit("sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "2097152\n"), Some(2 << 20));
        assert_eq!(limit("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"), Some(16 << 20));
        assert_eq!(limit("sys/fs/cgroup/cpu/docker/1/memory.limit_in_bytes", "1\n"), Some(16 << 20));
    }
}
