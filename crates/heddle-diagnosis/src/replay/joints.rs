//! Collectives as a replay needs them: who must have joined before whom goes on.

use bytemuck::{Pod, Zeroable};
use heddle_model::{LocationId, SpanRow};
use heddle_store::StoreError;

use crate::by_row::{ByRow, Gathered};
use crate::rows::Rows;
use crate::waits::{Dependence, Member, common_end, dependence, has_payload, members_of, relays};

/// A collective that members need each other in.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) needs: Dependence,
    /// How many must have joined before anybody goes on.
    pub(super) members: u32,
    /// The root's row, where there is one.
    pub(super) root: u32,
    /// For scans, by row: its place in the order of ranks.
    pub(super) places: Vec<(u32, u32)>,
}

impl Joint {
    /// The place of a row in the order of ranks.
    pub(super) fn place(&self, row: u32) -> Option<u32> {
        let at = self.places.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        Some(self.places[at].1)
    }
}

/// A member of a collective, as its row sees it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Joining {
    pub(super) span: SpanRow,
    pub(super) begin: i64,
    pub(super) enter: i64,
    pub(super) collective: u32,
    row: u32,
    /// 1 if others need it, and 1 if it needs others.
    pub(super) counts: u32,
    pub(super) needs: u32,
}

/// All collectives, and by row those that it joins. The end of the world is the one after the last.
pub(super) fn joints(rows: &Rows<'_>) -> Result<(Vec<Option<Joint>>, ByRow<Joining>), StoreError> {
    let table = &rows.store.collectives;
    let payload = has_payload(rows);
    let mut joints = Vec::with_capacity(table.len() as usize + 1);
    let (mut joins, mut relayed) = (Gathered::new(rows), Gathered::new(rows));
    let mut joining = Vec::new();
    for collective in 0..=table.len() {
        let (members, needs, root) = if collective < table.len() {
            let needs = dependence(table.op.get(collective)).filter(|_| table.doubtful.get(collective) == 0);
            let (members, root) = members_of(rows, collective, payload);
            (members, needs, root)
        } else {
            (common_end(rows), Some(Dependence::All), None)
        };
        let Some(needs) = needs.filter(|_| members.len() > 1) else {
            joints.push(None);
            continue;
        };
        let row_of = |location: LocationId| rows.of(location).map_or(u32::MAX, |row| row as u32);
        let position_of_root = root;
        let root = root.map_or(u32::MAX, |root| row_of(members[root].location));
        let last = members.iter().filter(|member| member.sends).map(|member| member.begin).max().unwrap_or(i64::MIN);
        let mut counted = 0;
        for (position, member) in members.iter().enumerate() {
            let Some(row) = rows.of(member.location) else { continue };
            let is_root = row as u32 == root;
            let counts = match needs {
                Dependence::All => member.sends,
                Dependence::Root => is_root,
                Dependence::IntoRoot => is_root || member.sends,
                Dependence::Lower => true,
            };
            counted += u32::from(counts);
            let needs = match needs {
                // Who left before the last came did not need it.
                Dependence::All => member.receives && member.leave >= last,
                Dependence::Root => !is_root && root != u32::MAX && member.receives,
                Dependence::IntoRoot => is_root,
                Dependence::Lower => position > 0,
            };
            joining.push(Joining {
                span: member.span,
                begin: member.begin,
                enter: member.enter.max(member.begin),
                collective: collective as u32,
                row: row as u32,
                counts: u32::from(counts),
                needs: u32::from(needs),
            });
        }
        joins.extend(joining.drain(..))?;
        let mut places = Vec::new();
        if needs == Dependence::Lower {
            places.extend(members.iter().map(|member| row_of(member.location)).zip(0..));
            places.sort_unstable();
        }
        joints.push(Some(Joint { needs, members: counted, root, places }));
        relayed.extend(held_up(rows, needs, &members, position_of_root))?;
    }
    // Who was held up by another than the root needs that one alone: a collective of its own.
    for [late, held] in relayed.list()?.iter() {
        let collective = joints.len() as u32;
        joints.push(Some(Joint { needs: Dependence::All, members: 1, root: u32::MAX, places: Vec::new() }));
        let late = Joining { collective, counts: 1, needs: 0, ..*late };
        joins.extend([late, Joining { collective, counts: 0, needs: 1, ..*held }])?;
    }
    let joins = joins.by_row(rows, |joining| joining.row as usize, |joining| joining.span)?;
    Ok((joints, joins))
}

/// Members that others than the root held up, each behind who did, with their rows.
fn held_up(rows: &Rows<'_>, needs: Dependence, members: &[Member], root: Option<usize>) -> Vec<[Joining; 2]> {
    let joining = |member: &Member| {
        let enter = member.enter.max(member.begin);
        let (row, span, begin) = (rows.of(member.location)? as u32, member.span, member.begin);
        Some(Joining { span, begin, enter, collective: 0, row, counts: 0, needs: 0 })
    };
    let relays = relays(needs, members, root);
    let both = |(held, late): (&Member, Option<usize>)| Some([joining(&members[late?])?, joining(held)?]);
    members.iter().zip(relays).filter_map(both).collect()
}
