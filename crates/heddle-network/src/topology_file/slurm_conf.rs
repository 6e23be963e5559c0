//! Slurm's `topology.conf`: a line per switch or block, `Key=Value` pairs separated by blanks.
//!
//! Keys are written in any case; `#` begins a comment, and a backslash at the end of a line continues it on the next.

use super::slurm::{Block, Switch, blocks, tree};
use super::{TopologyFile, TopologyFileError, quote};

/// What a line with such a key is of.
const KEYS: &str = "expected SwitchName, Nodes, Switches and LinkSpeed, or BlockName, Nodes and BlockSizes";

pub(super) fn read(text: &str) -> Result<TopologyFile, TopologyFileError> {
    let (mut switches, mut all_blocks, mut sizes) = (Vec::<Switch>::new(), Vec::<Block>::new(), None);
    let mut has_speed = false;
    for (line, said) in lines(text) {
        let wrong = |what: String| TopologyFileError::at(line, what);
        let (mut switch, mut block, mut nodes, mut below, mut block_sizes, mut speed) =
            (None, None, None, None, None, None);
        for (key, value) in pairs(&said).map_err(wrong)? {
            let place = match key.to_ascii_lowercase().as_str() {
                "switchname" => &mut switch,
                "blockname" => &mut block,
                "nodes" => &mut nodes,
                "switches" => &mut below,
                "blocksizes" => &mut block_sizes,
                "linkspeed" => &mut speed,
                "ringname" => {
                    return Err(wrong("rings cannot be read; a ring of 16 nodes is --topology 16".to_owned()));
                }
                "include" => {
                    return Err(wrong("files that a file includes are not read; put them into one".to_owned()));
                }
                _ => return Err(wrong(format!("{} is no key of a topology; {KEYS}", quote(key)))),
            };
            if place.replace(value).is_some() {
                return Err(wrong(format!("{} is given twice", quote(key))));
            }
        }
        has_speed |= speed.is_some();
        let nodes_list = nodes.unwrap_or_default().to_owned();
        match (switch, block, block_sizes) {
            (Some(name), None, None) => {
                let switches_below = below.unwrap_or_default().to_owned();
                switches.push(Switch { line, name: name.to_owned(), nodes: nodes_list, switches: switches_below });
            }
            (None, Some(name), None) if below.is_none() => {
                all_blocks.push(Block { line, name: name.to_owned(), nodes: nodes_list });
            }
            (None, None, Some(list)) if nodes.is_none() && below.is_none() => {
                let read: Option<Vec<u64>> =
                    list.split(',').map(|size| size.trim().parse().ok().filter(|size| *size > 0)).collect();
                let expected =
                    || wrong(format!("BlockSizes is {}; expected numbers of nodes such as 30,120", quote(list)));
                if sizes.replace((line, read.ok_or_else(expected)?)).is_some() {
                    return Err(wrong("BlockSizes is given twice".to_owned()));
                }
            }
            _ => return Err(wrong(format!("this is neither a switch nor a block; {KEYS}"))),
        }
    }
    let mut notes = Vec::new();
    if has_speed {
        notes.push("LinkSpeed has no unit, and is not used; say with --link-bandwidth what links carry.".to_owned());
    }
    match (switches.first(), all_blocks.first(), sizes) {
        (Some(switch), Some(block), _) => {
            let (line, other) = (switch.line.max(block.line), switch.line.min(block.line));
            let what = format!("a file has switches or blocks, not both; the others begin in line {other}");
            Err(TopologyFileError::at(line, what))
        }
        (Some(_), None, Some((line, _))) => {
            Err(TopologyFileError::at(line, "BlockSizes is for blocks, and the file has switches"))
        }
        (Some(_), None, None) => tree(&switches, notes),
        (None, Some(_), sizes) => {
            let (line, sizes) = sizes.unwrap_or_default();
            blocks(&all_blocks, (line, &sizes), notes)
        }
        (None, None, _) => Err(TopologyFileError::whole(format!("it has no switches and no blocks; {KEYS}"))),
    }
}

/// Lines as they are continued, without comments, each with the number of its first.
fn lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let said = line.split('#').next().unwrap_or_default().trim_end();
        let continued = said.strip_suffix('\\');
        let said = continued.unwrap_or(said);
        match lines.last_mut() {
            Some((_, before)) if is_open => {
                before.push(' ');
                before.push_str(said.trim_start());
            }
            _ => lines.push((number, said.to_owned())),
        }
        is_open = continued.is_some();
    }
    lines.retain(|(_, said)| !said.trim().is_empty());
    lines
}

/// `Key=Value` pairs; a value may stand in double quotes.
fn pairs(said: &str) -> Result<Vec<(&str, &str)>, String> {
    let (mut pairs, mut rest) = (Vec::new(), said.trim());
    // The only line of another form.
    if rest.to_ascii_lowercase().starts_with("include ") {
        return Ok(vec![("include", "")]);
    }
    while !rest.is_empty() {
        let expected = |found: &str| format!("expected Key=Value, found {}", quote(found));
        let (key, after) = rest.split_once('=').ok_or_else(|| expected(rest))?;
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(expected(rest));
        }
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => {
                quoted.split_once('"').ok_or_else(|| format!("the value of {} has no closing quote", quote(key)))?
            }
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        if value.is_empty() {
            return Err(format!("{} has no value", quote(key)));
        }
        pairs.push((key, value));
        rest = next.trim_start();
    }
    Ok(pairs)
}
