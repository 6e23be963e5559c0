//! CLOG-1, the logs of MPE before MPE2 (`NAME.clog`): recognised, so that the user learns how to convert them, not read.
//!
//! Such a log has no name at its beginning, unlike its successor. It is blocks of 64 KiB, or of 1 KiB from before 2000, of
//! records in the order of big-endian machines. A record begins with its time (a double), its type, its length counted in
//! doubles, and its process.

/// What to do with one.
pub(crate) const ADVICE: &str = "a log of the first kind of CLOG, which MPE wrote before MPE2; Heddle reads CLOG-2 and SLOG-2. MPE2's clogTOslog2 makes a \
     SLOG-2 of it, which Heddle opens: clogTOslog2 NAME.clog (clog2TOslog2, beside it, is for CLOG-2 only)";

/// Bytes of what every record begins with: time, type, length, process, and four that mean nothing.
const HEADER: usize = 24;
/// So many records that make sense, one behind the other, do not come about by chance.
const ENOUGH: usize = 4;

/// Whether a file begins like a log of the first kind.
pub(crate) fn recognise(head: &[u8]) -> bool {
    let mut rest = head;
    for found in 0..ENOUGH {
        match Record::parse(rest) {
            None => return false,
            // Short logs end early.
            Some(record) if record.is_end => return found > 0,
            Some(record) => rest = rest.get(record.length..).unwrap_or_default(),
        }
    }
    true
}

struct Record {
    length: usize,
    is_end: bool,
}

impl Record {
    /// `None` if this is not the beginning of a record.
    fn parse(bytes: &[u8]) -> Option<Record> {
        let (time, rest) = bytes.get(..HEADER)?.split_first_chunk::<8>()?;
        let mut numbers = rest.chunks_exact(4).map(|bytes| bytes.try_into().map_or(0, i32::from_be_bytes));
        let (kind, length, process) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let time = f64::from_be_bytes(*time).abs();
        // Ends of a block and of the log have times of their own, and lengths that mean little.
        if matches!(kind, -2 | -1) {
            return (0..1 << 24).contains(&process).then_some(Record { length: HEADER, is_end: true });
        }
        // Seconds: of a run, or since 1970. Definitions may have none.
        let is_time = time == 0.0 || (1e-9..1e11).contains(&time);
        let makes_sense =
            is_time && (1..=8).contains(&kind) && (4..=32).contains(&length) && (0..1 << 24).contains(&process);
        makes_sense.then_some(Record { length: length as usize * 8, is_end: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(time: f64, kind: i32, doubles: i32) -> Vec<u8> {
        let mut bytes = time.to_be_bytes().to_vec();
        for number in [kind, doubles, 3, 0] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.resize((doubles as usize * 8).max(HEADER), 0);
        bytes
    }

    #[test]
    fn a_log_of_the_first_kind_is_recognised() {
        // Time shift, state definition, raw event, message.
        let log = [record(0.0, 8, 4), record(0.0, 6, 13), record(0.25, 1, 7), record(0.5, 2, 6)].concat();
        assert!(recognise(&log));
        let short = [record(0.0, 8, 4), record(0.0, -2, 4)].concat();
        assert!(recognise(&short));
    }

    #[test]
    fn other_files_are_not() {
        let mut little_endian = Vec::new();
        for _ in 0..4 {
            little_endian.extend(0.25_f64.to_le_bytes());
            little_endian.extend([1i32, 4, 0, 0, 0, 0].iter().flat_map(|number| number.to_le_bytes()));
        }
        for head in [&b""[..], b"CLOG-02.44", b"%EventDef PajeDefine", &[0; 4096], &[0xff; 4096], &little_endian] {
            assert!(!recognise(head), "{head:?}");
        }
    }
}
