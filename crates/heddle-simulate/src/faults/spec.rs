//! Faults as they are written: `slow:ranks=5-9,factor=1.8,from=310ms`.

use std::sync::Arc;

use super::{Between, Fault, Growth, Slope, When, Who};

/// How each kind is written, by kind.
const FORMS: [(&str, &[&str], &str); 10] = [
    ("stall", &["rank", "node", "at", "for"], "stall:rank=5,at=120ms,for=14ms"),
    ("slow", &["rank", "node", "factor", "from", "until", "function"], "slow:rank=5,factor=1.8,from=310ms"),
    ("drift", &["rank", "node", "to", "per-second"], "drift:rank=5,to=2"),
    ("link", &["rank", "node", "factor"], "link:ranks=3-17,factor=4"),
    ("card", &["rank", "node", "factor"], "card:node=2,factor=2.6"),
    ("network", &["factor", "from", "until"], "network:factor=20"),
    ("noise", &["rank", "node", "every", "for", "at"], "noise:every=10ms,for=1ms,rank=5"),
    ("factors", &["file"], "factors:file=FILE"),
    ("imbalance", &["to", "shape"], "imbalance:to=1.6"),
    ("clock", &["rank", "node", "offset", "drift"], "clock:rank=5,offset=3ms"),
];

/// More ranks than this are no list that somebody has written.
const MOST_LISTED: u32 = 1 << 24;

impl Fault {
    /// Reads a fault as it is written: `KIND:KEY=VALUE,…`. `read` gives the text of a file, for a fault that names one.
    ///
    /// # Errors
    ///
    /// Says in words what is wrong, and what would be right.
    pub fn parse(text: &str, read: &dyn Fn(&str) -> Result<String, String>) -> Result<Fault, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let Some((kind, keys, example)) = FORMS.iter().find(|form| form.0 == kind) else {
            return Err(format!("there is no fault '{kind}'; there are {}", Fault::KINDS.join(", ")));
        };
        let mut spec = Spec { kind, keys, example, pairs: Vec::new() };
        for pair in rest.split(',').filter(|pair| !pair.is_empty()) {
            spec.add(pair)?;
        }
        spec.fault(read)
    }
}

struct Spec<'a> {
    kind: &'static str,
    keys: &'static [&'static str],
    example: &'static str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Spec<'a> {
    fn add(&mut self, pair: &'a str) -> Result<(), String> {
        let (kind, example) = (self.kind, self.example);
        let (key, value) =
            pair.split_once('=').ok_or_else(|| format!("'{pair}' is not KEY=VALUE; an example: {example}"))?;
        let key = match key {
            "ranks" => "rank",
            "nodes" => "node",
            key => key,
        };
        if !self.keys.contains(&key) {
            return Err(format!("{kind} has no '{key}'; it has {}; an example: {example}", self.keys.join(", ")));
        }
        if self.get(key).is_some() {
            return Err(format!("{kind} has two values for '{key}'"));
        }
        self.pairs.push((key, value));
        Ok(())
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.pairs.iter().find(|pair| pair.0 == key).map(|pair| pair.1)
    }

    fn need(&self, key: &str) -> Result<&'a str, String> {
        self.get(key).ok_or_else(|| format!("{} needs {key}=…; an example: {}", self.kind, self.example))
    }

    fn fault(&self, read: &dyn Fn(&str) -> Result<String, String>) -> Result<Fault, String> {
        Ok(match self.kind {
            "stall" => Fault::Stall { who: self.some()?, at_ns: self.time("at")?, for_ns: self.time("for")? },
            "slow" => Fault::Slow {
                who: self.some()?,
                factor: self.number("factor")?,
                when: self.when()?,
                function: self.get("function").map(str::to_owned),
            },
            "drift" => Fault::Drift { who: self.some()?, growth: self.growth()? },
            "link" => Fault::Link { between: self.between()?, factor: self.number("factor")? },
            "card" => Fault::Card { who: self.some()?, factor: self.number("factor")? },
            "network" => Fault::Network { factor: self.number("factor")?, when: self.when()? },
            "noise" => Fault::Noise {
                who: self.who()?,
                every_ns: self.time("every")?,
                for_ns: self.time("for")?,
                at_ns: self.optional_time("at")?,
            },
            "factors" => Fault::Factors { by_rank: factors(&read(self.need("file")?)?)? },
            "imbalance" => Fault::Imbalance { to: self.number("to")?, shape: self.shape()? },
            _ => Fault::Clock { who: self.some()?, offset_ns: self.offset()?, drift: self.clock_drift()? },
        })
    }

    fn who(&self) -> Result<Who, String> {
        match (self.get("rank"), self.get("node")) {
            (None, None) => Ok(Who::All),
            (Some(ranks), None) => Ok(Who::Ranks(list(ranks)?)),
            (None, Some(nodes)) => Ok(Who::Nodes(list(nodes)?)),
            (Some(_), Some(_)) => Err(format!("{} has rank or node, not both", self.kind)),
        }
    }

    /// The same where a fault of everybody would be none.
    fn some(&self) -> Result<Who, String> {
        match self.who()? {
            Who::All => Err(format!("{} needs rank=… or node=…; an example: {}", self.kind, self.example)),
            who => Ok(who),
        }
    }

    fn between(&self) -> Result<Between, String> {
        let (is_rank, text) = match (self.get("rank"), self.get("node")) {
            (Some(ranks), None) => (true, ranks),
            (None, Some(nodes)) => (false, nodes),
            _ => return Err(format!("link needs ranks=A-B or nodes=A-B; an example: {}", self.example)),
        };
        let ends = text.split_once('-').and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
        match ends {
            Some((one, other)) if one != other => {
                Ok(if is_rank { Between::Ranks(one, other) } else { Between::Nodes(one, other) })
            }
            _ => Err(format!("'{text}' is no pair; a link is between two, for instance 3-17")),
        }
    }

    fn number(&self, key: &str) -> Result<f64, String> {
        let text = self.need(key)?;
        text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| format!("{key}={text} is no number"))
    }

    fn time(&self, key: &str) -> Result<u64, String> {
        time(self.need(key)?)
    }

    fn optional_time(&self, key: &str) -> Result<Option<u64>, String> {
        self.get(key).map(time).transpose()
    }

    fn when(&self) -> Result<When, String> {
        Ok(When { from_ns: self.optional_time("from")?.unwrap_or(0), until_ns: self.optional_time("until")? })
    }

    fn growth(&self) -> Result<Growth, String> {
        match (self.get("to"), self.get("per-second")) {
            (Some(_), None) => Ok(Growth::To(self.number("to")?)),
            (None, Some(_)) => Ok(Growth::PerSecond(self.number("per-second")?)),
            _ => Err(format!("drift needs to=… or per-second=…; an example: {}", self.example)),
        }
    }

    fn shape(&self) -> Result<Slope, String> {
        match self.get("shape") {
            None | Some("linear") => Ok(Slope::Linear),
            Some("hill") => Ok(Slope::Hill),
            Some(other) => Err(format!("imbalance has no shape '{other}'; it has linear, hill")),
        }
    }

    fn offset(&self) -> Result<i64, String> {
        let Some(text) = self.get("offset") else {
            return if self.get("drift").is_some() { Ok(0) } else { self.time("offset").map(|_| 0) };
        };
        let (sign, size) = text.strip_prefix('-').map_or((1, text), |size| (-1, size));
        let ns = time(size)?;
        i64::try_from(ns).map(|ns| sign * ns).map_err(|_| format!("{text} is too long a time"))
    }

    fn clock_drift(&self) -> Result<f64, String> {
        if self.get("drift").is_none() { Ok(0.0) } else { self.number("drift") }
    }
}

/// A time with its unit, in nanoseconds.
fn time(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no time; times have a unit, for instance 120ms, 1.5s, 20us, 500ns");
    let unit = text.find(|letter: char| letter.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(unit);
    let scale = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let ns = (number * scale).round();
    // Up to here every nanosecond is a number of its own.
    if (0.0..=9e15).contains(&ns) { Ok(ns as u64) } else { Err(wrong()) }
}

/// Numbers and ranges: `5`, `5-9`, `5-9+12`.
fn list(text: &str) -> Result<Vec<u32>, String> {
    let wrong = || format!("'{text}' is no list of numbers; for instance 5, 5-9 or 5-9+12");
    let mut numbers = Vec::new();
    for part in text.split('+') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
        if first > last || last - first >= MOST_LISTED {
            return Err(wrong());
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// A factor on each line.
fn factors(text: &str) -> Result<Arc<[f64]>, String> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let parsed = lines.map(|(number, line)| {
        line.trim()
            .parse()
            .map_err(|_| format!("line {number} of the factors is '{}', which is no number", line.trim()))
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Fault, String> {
        Fault::parse(text, &|file| if file == "three" { Ok("1\n1.5\n\n2\n".to_owned()) } else { Err("none".into()) })
    }

    #[test]
    fn every_kind_is_read_as_it_is_written() {
        let always = When::default();
        let five = || Who::Ranks(vec![5]);
        for (text, fault) in [
            ("stall:rank=5,at=120ms,for=14ms", Fault::Stall { who: five(), at_ns: 120_000_000, for_ns: 14_000_000 }),
            (
                "slow:ranks=5-7+9,factor=1.8,from=310us,until=1s,function=stencil",
                Fault::Slow {
                    who: Who::Ranks(vec![5, 6, 7, 9]),
                    factor: 1.8,
                    when: When { from_ns: 310_000, until_ns: Some(1_000_000_000) },
                    function: Some("stencil".to_owned()),
                },
            ),
            (
                "slow:node=2,factor=2",
                Fault::Slow { who: Who::Nodes(vec![2]), factor: 2.0, when: always, function: None },
            ),
            ("drift:rank=5,to=2.0", Fault::Drift { who: five(), growth: Growth::To(2.0) }),
            ("drift:rank=5,per-second=0.5", Fault::Drift { who: five(), growth: Growth::PerSecond(0.5) }),
            ("link:ranks=3-17,factor=4", Fault::Link { between: Between::Ranks(3, 17), factor: 4.0 }),
            ("link:nodes=1-0,factor=4", Fault::Link { between: Between::Nodes(1, 0), factor: 4.0 }),
            ("card:rank=5,factor=2.6", Fault::Card { who: five(), factor: 2.6 }),
            ("network:factor=20", Fault::Network { factor: 20.0, when: always }),
            (
                "noise:every=10ms,for=1ms",
                Fault::Noise { who: Who::All, every_ns: 10_000_000, for_ns: 1_000_000, at_ns: None },
            ),
            ("factors:file=three", Fault::Factors { by_rank: Arc::from([1.0, 1.5, 2.0]) }),
            ("imbalance:to=1.6", Fault::Imbalance { to: 1.6, shape: Slope::Linear }),
            ("imbalance:to=1.6,shape=hill", Fault::Imbalance { to: 1.6, shape: Slope::Hill }),
            ("clock:rank=5,offset=-3ms", Fault::Clock { who: five(), offset_ns: -3_000_000, drift: 0.0 }),
            ("clock:rank=5,drift=1e-5", Fault::Clock { who: five(), offset_ns: 0, drift: 1e-5 }),
        ] {
            assert_eq!(parse(text).as_ref(), Ok(&fault), "{text}");
            assert_eq!(text.split(':').next(), Some(fault.kind()));
        }
        for (kind, _, example) in FORMS.iter().filter(|form| form.0 != "factors") {
            assert_eq!(parse(example).map(|fault| fault.kind()), Ok(*kind), "{example}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        for (text, words) in [
            (
                "sloow:rank=1",
                "there is no fault 'sloow'; there are \
                 stall, slow, drift, link, card, network, noise, factors, imbalance, clock",
            ),
            ("slow:rank=1", "slow needs factor=…; an example: slow:rank=5,factor=1.8,from=310ms"),
            ("slow:factor=2", "slow needs rank=… or node=…; an example: slow:rank=5,factor=1.8,from=310ms"),
            ("slow:rank=1,node=2,factor=2", "slow has rank or node, not both"),
            ("slow:rank=1,rank=2,factor=2", "slow has two values for 'rank'"),
            ("slow:rank=1,factor=fast", "factor=fast is no number"),
            (
                "drift:rank=1,too=2",
                "drift has no 'too'; it has rank, node, to, per-second; an example: drift:rank=5,to=2",
            ),
            ("stall:rank=1,at=5,for=1ms", "'5' is no time; times have a unit, for instance 120ms, 1.5s, 20us, 500ns"),
            ("stall:rank=9-5,at=5ms,for=1ms", "'9-5' is no list of numbers; for instance 5, 5-9 or 5-9+12"),
            ("link:ranks=3,factor=2", "'3' is no pair; a link is between two, for instance 3-17"),
            ("link:ranks=3-3,factor=2", "'3-3' is no pair; a link is between two, for instance 3-17"),
            ("imbalance:to=2,shape=bowl", "imbalance has no shape 'bowl'; it has linear, hill"),
            ("clock:rank=3", "clock needs offset=…; an example: clock:rank=5,offset=3ms"),
            ("factors:file=four", "none"),
            ("network", "network needs factor=…; an example: network:factor=20"),
            ("network:20", "'20' is not KEY=VALUE; an example: network:factor=20"),
        ] {
            assert_eq!(parse(text), Err(words.to_owned()), "{text}");
        }
    }
}
