//! What a file says about itself beside its events: rank, size of the world, process groups, time base.

use heddle_model::{WarningKind, Warnings};
use serde_json::Value;

use super::{number, scan};

/// More ranks than this are not believed.
pub(super) const MOST_RANKS: u64 = 1 << 21;

/// A process group as the file lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) description: String,
    /// Global ranks; empty if they are not said.
    pub(super) ranks: Vec<u32>,
    pub(super) size: Option<u32>,
}

/// What is known of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileInfo {
    pub(super) name: String,
    /// Nanoseconds that its times are behind 1970.
    pub(super) base: i64,
    pub(super) rank: Option<u32>,
    pub(super) world: Option<u32>,
    pub(super) groups: Vec<Group>,
    /// The path it was first written to.
    pub(super) written_to: String,
    pub(super) is_kineto: bool,
    pub(super) has_decimals: bool,
    pub(super) events: u64,
    pub(super) flows: u64,
}

impl FileInfo {
    pub(super) fn new(name: &str) -> FileInfo {
        FileInfo { name: name.to_owned(), ..FileInfo::default() }
    }

    /// Takes a key beside the events; the last one of a name wins.
    pub(super) fn note(&mut self, key: &[u8], value: &[u8], warnings: &mut Warnings) {
        self.is_kineto = true;
        match key {
            b"baseTimeNanoseconds" => match number::integer(value) {
                Some(base) => self.base = base,
                None => self.warn(warnings, "the time base is not a whole number; it was ignored"),
            },
            b"traceName" => self.written_to = scan::text(scan::content(value)).into_owned(),
            b"distributedInfo" => match serde_json::from_slice::<Value>(value) {
                Ok(info) => self.distributed(&info, warnings),
                Err(_) => self.warn(warnings, "distributedInfo is not sound JSON and was not used"),
            },
            _ => {}
        }
    }

    fn warn(&self, warnings: &mut Warnings, text: &str) {
        warnings.add(WarningKind::Corrupt, || self.name.clone(), text);
    }

    fn distributed(&mut self, info: &Value, warnings: &mut Warnings) {
        let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        let believed = |value: u64| (value < MOST_RANKS).then_some(value as u32);
        self.rank = number(&info["rank"]).and_then(believed);
        self.world = number(&info["world_size"]).and_then(believed).filter(|world| *world > 0);
        if let (Some(rank), Some(world)) = (self.rank, self.world)
            && rank >= world
        {
            self.warn(warnings, "the rank is not below the size of the world; the world was made larger");
        }
        for group in info["pg_config"].as_array().into_iter().flatten() {
            let text = |key: &str| match &group[key] {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => String::new(),
            };
            let ranks = match &group["ranks"] {
                Value::Array(ranks) => ranks.iter().filter_map(number).filter_map(believed).collect(),
                Value::String(list) => rank_list(list.as_bytes()).unwrap_or_default(),
                _ => Vec::new(),
            };
            let size = number(&group["pg_size"]).and_then(believed);
            self.groups.push(Group { name: text("pg_name"), description: text("pg_desc"), ranks, size });
        }
    }

    /// The rank as a name says it: `rank0`, `rank-0`, `rank_0`.
    pub(super) fn rank_in_name(text: &str) -> Option<u32> {
        let lower = text.to_ascii_lowercase();
        lower.match_indices("rank").find_map(|(at, _)| {
            let rest = lower[at + 4..].trim_start_matches(['-', '_', '=']);
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok().filter(|rank| u64::from(*rank) < MOST_RANKS)
        })
    }
}

/// The ranks of a list in text, `[0, 1, 2]`; `None` if it is shortened or no list.
pub(super) fn rank_list(text: &[u8]) -> Option<Vec<u32>> {
    let inside = std::str::from_utf8(text).ok()?.trim().strip_prefix('[')?.strip_suffix(']')?;
    if inside.trim().is_empty() {
        return Some(Vec::new());
    }
    inside.split(',').map(|rank| rank.trim().parse().ok().filter(|rank| u64::from(*rank) < MOST_RANKS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_say_the_rank() {
        for (name, rank) in [
            ("run/rank0.json", Some(0)),
            ("rank-34.Oct_1.pt.trace.json.gz", Some(34)),
            ("sampled_rank_12", Some(12)),
            ("ranks.json", None),
            ("frankfurt7.json", None),
            ("rank99999999999.json", None),
        ] {
            assert_eq!(FileInfo::rank_in_name(name), rank, "{name}");
        }
        assert_eq!(rank_list(b"[0, 1,2 ]"), Some(vec![0, 1, 2]));
        assert_eq!(rank_list(b"[0, 1, ...]"), None);
        assert_eq!(rank_list(b"[]"), Some(vec![]));
    }
}
