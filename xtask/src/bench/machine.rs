//! What the benchmark ran on, in words that mean something on another machine.

use std::fs;

/// Processor, cores and memory.
pub(crate) fn describe() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| field(&text, "model name"));
    let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemTotal"));
    let memory = memory.and_then(|text| text.strip_suffix("kB")?.trim().parse::<f64>().ok());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{}, {cores} {}, {}",
        cpu.unwrap_or_else(|| "unknown processor".to_owned()),
        if cores == 1 { "core" } else { "cores" },
        memory.map_or_else(|| "unknown memory".to_owned(), |kib| format!("{:.0} GiB of memory", kib / 1024.0 / 1024.0)),
    )
}

fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(field(text, "cache size"), None);
    }
}
