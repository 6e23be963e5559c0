//! Which rank each file is. Never guessed in silence: whatever was not in the file itself is said in a warning.

use heddle_model::{WarningKind, Warnings};

use super::info::FileInfo;
use super::rows::CommRow;
use crate::OpenError;

/// Finds the rank of every file; the number of ranks in the world, 0 if there is none.
pub(super) fn settle_ranks(
    files: &mut [FileInfo],
    comms: &[CommRow],
    warnings: &mut Warnings,
) -> Result<u32, OpenError> {
    let several = files.len() > 1;
    if !several && !files.iter().any(|file| file.is_kineto) {
        return Ok(0);
    }
    for (number, file) in files.iter_mut().enumerate() {
        if file.rank.is_some() {
            continue;
        }
        let mut rows = comms.iter().filter(|row| row.file as usize == number);
        let guesses = [
            (rows.find_map(|row| row.arguments.rank), "the rows of its collectives"),
            (FileInfo::rank_in_name(&file.name), "its name"),
            (FileInfo::rank_in_name(&file.written_to), "the name it was written to"),
        ];
        // One file stands for itself; what it is called matters only among others.
        let found = guesses.into_iter().take(if several { 3 } else { 1 }).find_map(|(rank, by)| Some((rank?, by)));
        if let Some((rank, by)) = found {
            file.rank = Some(rank);
            let text = format!("a file does not say its rank; {by} gives rank {rank}, which was used");
            warnings.add(WarningKind::Assumed, || file.name.clone(), &text);
        } else if !several {
            file.rank = Some(0);
            let text = "the file does not say its rank; it was taken as rank 0";
            warnings.add(WarningKind::Assumed, || file.name.clone(), text);
        }
    }
    fill_up(files, warnings);
    let mut by_rank: Vec<(u32, &str)> = files.iter().map(|file| (file.rank.unwrap_or(0), file.name.as_str())).collect();
    by_rank.sort_unstable();
    if let Some(pair) = by_rank.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(OpenError::Wrong {
            place: pair[1].1.to_owned(),
            what: format!(
                "rank {} is also that of {}; give one file for each rank. To compare two runs, import each into a store \
                 and open the stores",
                pair[0].0, pair[0].1
            ),
        });
    }
    let highest = by_rank.last().map_or(0, |(rank, _)| rank + 1);
    let mut worlds: Vec<u32> = files.iter().filter_map(|file| file.world).collect();
    worlds.sort_unstable();
    worlds.dedup();
    if worlds.len() > 1 {
        let text = "the files disagree about the size of the world; the largest was used";
        warnings.add(WarningKind::Assumed, || files[0].name.clone(), text);
    }
    Ok(worlds.last().copied().unwrap_or(0).max(highest))
}

/// Files of several that still have no rank get the free ones in the order they were given.
fn fill_up(files: &mut [FileInfo], warnings: &mut Warnings) {
    let mut taken: Vec<u32> = files.iter().filter_map(|file| file.rank).collect();
    let mut next = 0;
    for file in files.iter_mut().filter(|file| file.rank.is_none()) {
        while taken.contains(&next) {
            next += 1;
        }
        file.rank = Some(next);
        taken.push(next);
        let text = "files that do not say their rank; they were assigned the free ranks in the order given";
        warnings.add(WarningKind::Assumed, || file.name.clone(), text);
    }
}
