//! The names of workers from `activity.data`: lines `name <worker> <device>`, process after process. No line says which
//! process it is of; workers count from 0 in each, so a number that does not grow begins the next one.

use heddle_model::Warnings;

use super::beside::find;
use super::text::for_each_line_beside;
use crate::{Input, OpenError};

/// More workers of one process are not believed.
const MOST: u32 = 1 << 16;

/// Workers by process, then number; `None` if there is no such file beside `main`.
pub(super) fn workers(
    input: &Input,
    main: &str,
    warnings: &mut Warnings,
) -> Result<Option<Vec<Vec<String>>>, OpenError> {
    let Some(name) = find(input.files, main, "activity.data") else { return Ok(None) };
    let mut processes: Vec<Vec<String>> = Vec::new();
    for_each_line_beside(input, &name, warnings, |_, line| {
        let mut words = line.splitn(3, |byte| *byte == b'\t');
        if words.next() != Some(b"name") {
            return;
        }
        let number = words.next().and_then(|text| std::str::from_utf8(text).ok()?.trim().parse::<u32>().ok());
        let (Some(number), Some(device)) = (number.filter(|number| *number < MOST), words.next()) else { return };
        if processes.last().is_none_or(|workers| number < workers.len() as u32) {
            processes.push(Vec::new());
        }
        if let Some(workers) = processes.last_mut().filter(|workers| number == workers.len() as u32) {
            workers.push(short_name(&String::from_utf8_lossy(device)));
        }
    })?;
    Ok(Some(processes))
}

/// `CUDA 0.0 (Tesla V100 12.3 GiB)` is `CUDA0_0`, as in a Paje trace.
fn short_name(device: &str) -> String {
    let device = device.split('(').next().unwrap_or(device).trim();
    let shortened = device.chars().filter(|letter| !letter.is_whitespace());
    shortened.map(|letter| if letter == '.' { '_' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_as_workers_are() {
        for (device, name) in [("CUDA 0.0 (Tesla 1.2 GiB)", "CUDA0_0"), ("CPU 12", "CPU12"), ("", "")] {
            assert_eq!(short_name(device), name);
        }
    }
}
