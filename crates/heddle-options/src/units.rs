//! Numbers with units, as people type them: times and sizes.

/// Nanoseconds from a number with a unit: `1.5s`, `40us`. Zero needs none.
pub fn time(text: &str) -> Result<i64, String> {
    let (digits, unit) = split(text);
    let unit = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "" if digits == "0" => 1.0,
        "" => return Err(format!("`{text}` has no unit of time; write {text}ns, {text}us, {text}ms or {text}s")),
        other => return Err(format!("`{other}` is not a unit of time; use ns, us, ms or s")),
    };
    let number: f64 = digits.parse().map_err(|_| format!("`{text}` is not a time; write for instance 1.5s"))?;
    Ok((number * unit).round() as i64)
}

/// A window of time; an open end is `None`.
pub fn time_window(text: &str) -> Result<(Option<i64>, Option<i64>), String> {
    let window = ends(text, "1.2s:1.5s", time)?;
    match window {
        (Some(from), Some(to)) if from >= to => Err("the window must begin before it ends".to_owned()),
        window => Ok(window),
    }
}

/// Bytes from a number with or without a unit: `64`, `4K`, `1.5M`, `2GiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = split(text);
    let unit = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1u64,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        other => return Err(format!("`{other}` is not a unit of bytes; use K, M, G or T")),
    };
    match digits.parse::<f64>() {
        Ok(number) if number >= 0.0 => Ok((number * unit as f64) as u64),
        _ => Err(format!("`{text}` is not a number of bytes; write for instance 64K")),
    }
}

/// `FROM:TO`, either end open.
pub fn ends<T>(
    text: &str,
    example: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<(Option<T>, Option<T>), String> {
    let (from, to) = text.split_once(':').ok_or_else(|| format!("must be FROM:TO, for instance {example}"))?;
    let end = |word: &str| if word.trim().is_empty() { Ok(None) } else { read(word.trim()).map(Some) };
    Ok((end(from)?, end(to)?))
}

/// The number and the unit behind it.
fn split(text: &str) -> (&str, &str) {
    let digits = text.trim_end_matches(char::is_alphabetic);
    (digits.trim(), &text[digits.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read() {
        assert_eq!(time_window("1.2s:1500ms"), Ok((Some(1_200_000_000), Some(1_500_000_000))));
        assert_eq!(time_window(":40us"), Ok((None, Some(40_000))));
        assert_eq!(time_window("0.5µs:"), Ok((Some(500), None)));
        for wrong in ["", "1s", "2s:1s", "1:2", "xs:2s"] {
            assert!(time_window(wrong).is_err(), "{wrong}");
        }
        assert_eq!((bytes("64"), bytes("1.5K"), bytes("2GiB")), (Ok(64), Ok(1536), Ok(2 << 30)));
        assert!(["", "x", "1Q", "-1"].iter().all(|wrong| bytes(wrong).is_err()));
    }
}
