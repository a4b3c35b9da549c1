//! The memory that is free on the machine, or less within a container.

use std::fs;
use std::path::Path;

/// Bytes that can be used without swapping; `None` where the system does not tell.
pub fn bytes() -> Option<u64> {
    let free = meminfo(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    Some(of_group(Path::new("/sys/fs/cgroup"), &own).map_or(free, |left| free.min(left)))
}

fn meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// What the control groups of this process leave it: the least of all that have a limit.
fn of_group(root: &Path, own: &str) -> Option<u64> {
    let mut least: Option<u64> = None;
    for line in own.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (folder, limit, used) = match controllers {
            "" => (root.to_owned(), "memory.max", "memory.current"),
            "memory" => (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"),
            _ => continue,
        };
        let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
        // A limit of any group above holds, too; inside a container the path may start further up than the files.
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            let place = folder.join(group);
            if let Some(limit) = number(&place.join(limit)) {
                // What the system holds of files counts as used, but is given back when it is needed.
                let cached = cache(&place.join("memory.stat"));
                let used = number(&place.join(used)).unwrap_or_default().saturating_sub(cached);
                let left = limit.saturating_sub(used);
                least = Some(least.map_or(left, |least| least.min(left)));
            }
        }
    }
    least
}

fn cache(stat: &Path) -> u64 {
    let text = fs::read_to_string(stat).unwrap_or_default();
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("inactive_file ").or_else(|| of("total_inactive_file ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_all_groups_above_count() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("outer/inner");
        fs::create_dir_all(&place).unwrap();
        let write = |path: &str, text: &str| fs::write(root.path().join(path), text).unwrap();
        write("outer/memory.max", "5000\n");
        write("outer/memory.current", "2000\n");
        write("outer/memory.stat", "anon 1500\ninactive_file 500\n");
        write("outer/inner/memory.max", "max\n");
        assert_eq!(of_group(root.path(), "0::/outer/inner\n"), Some(3500));
        assert_eq!(of_group(root.path(), "0::/\n"), None);
        assert_eq!(meminfo("MemTotal: 9 kB\nMemAvailable:   12 kB\n"), Some(12 << 10));
    }
}
