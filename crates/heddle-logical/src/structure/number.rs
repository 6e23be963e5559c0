//! Phases one after the other: their first steps, and their numbers.

use rayon::prelude::*;

use super::partitions::Partitions;
use super::steps::LocalSteps;
use super::{PhaseSteps, Structure};

/// Lays phases out behind their predecessors and numbers them. Parts are numbered by their smallest event, that is by
/// row, and two phases on one row never begin at the same step: so first step and part decide.
pub(super) fn number(parts: Partitions, order: &[u32], local: LocalSteps, merge_overlapping: bool) -> Structure {
    let LocalSteps { mut step, length, split } = local;
    let offset = offsets(&parts, order, &length, vec![0; length.len()]);
    let steps = offset.iter().zip(&length).map(|(offset, length)| offset + length).max().unwrap_or(0);
    step.par_iter_mut().zip(&parts.of).for_each(|(step, &part)| *step = *step + offset[part as usize] - 1);

    // Sorted by first step by counting.
    let mut place = vec![0; steps as usize + 1];
    for &offset in &offset {
        place[offset as usize + 1] += 1;
    }
    for step in 1..place.len() {
        place[step] += place[step - 1];
    }
    let mut phases = vec![PhaseSteps { first_step: 0, last_step: 0, is_split: false }; length.len()];
    let mut number = vec![0; length.len()];
    for (part, (&offset, &length)) in offset.iter().zip(&length).enumerate() {
        let place = &mut place[offset as usize];
        number[part] = *place;
        phases[*place as usize] = PhaseSteps { first_step: offset, last_step: offset + length - 1, is_split: false };
        *place += 1;
    }
    for part in split {
        phases[number[part as usize] as usize].is_split = true;
    }
    if merge_overlapping {
        let merged = unite_overlapping(&mut phases);
        for number in &mut number {
            *number = merged[*number as usize];
        }
    }
    let mut phase = parts.of;
    phase.par_iter_mut().for_each(|phase| *phase = number[*phase as usize]);
    Structure { phase, step, phases, steps }
}

/// The first step of each part, behind the last of its predecessors and not before the step given.
pub(super) fn offsets(parts: &Partitions, order: &[u32], length: &[u32], least: Vec<u32>) -> Vec<u32> {
    let mut offset = least;
    for &part in order {
        let end = offset[part as usize] + length[part as usize];
        parts.for_successors(part, |next| offset[next as usize] = end.max(offset[next as usize]));
    }
    offset
}

/// Unites phases whose steps overlap. Gives the new number of each.
pub(super) fn unite_overlapping(phases: &mut Vec<PhaseSteps>) -> Vec<u32> {
    let mut united: Vec<PhaseSteps> = Vec::new();
    let number = phases.iter().map(|phase| {
        match united.last_mut() {
            Some(last) if phase.first_step <= last.last_step => {
                last.last_step = last.last_step.max(phase.last_step);
                last.is_split |= phase.is_split;
            }
            _ => united.push(*phase),
        }
        united.len() as u32 - 1
    });
    let number = number.collect();
    *phases = united;
    number
}
