//! A diagnosis as files of a store, so that it is worked out once.
//!
//! [`run`] has what grows with the trace, [`findings`] what was made of it. Writing takes every struct apart by name, so a new
//! field does not compile until it is kept; reading puts them together and believes nothing: what does not fit the trace counts
//! as damage, and a damaged result as none.
//!
//! **To add a field**: add a column to the table of its struct, where it is written and where it is read, and raise [`FORMAT`].

mod findings;
mod run;

use std::path::Path;

use heddle_model::{LocationId, Ns, RegionId};
use heddle_store::{Store, StoreError};

use crate::diagnosis::Diagnosis;
use crate::rows::Rows;

/// Goes up whenever results of an older version are not those of this one: new fields, or other numbers.
const FORMAT: u32 = 2;

/// What the place of a result is named after.
pub(crate) const KIND: &str = "diagnosis";

/// All that decides a result.
pub(crate) fn key() -> String {
    format!("{KIND} {FORMAT}")
}

/// Writes a diagnosis into an empty directory.
pub(crate) fn write(directory: &Path, diagnosis: &Diagnosis) -> Result<(), StoreError> {
    let Diagnosis { verdict, findings, whole, split, clocks, spreads, run } = diagnosis;
    findings::write_findings(directory, findings)?;
    findings::write_spreads(directory, spreads)?;
    findings::write_clocks(directory, *clocks)?;
    findings::write_whole(directory, *verdict, *whole, *split)?;
    run::write(directory, run)
}

/// Reads it again.
pub(crate) fn read(directory: &Path, store: &Store) -> Result<Diagnosis, StoreError> {
    let rows = Rows::new(store);
    let check = Check { directory, rows: &rows };
    let (verdict, whole, split) = findings::read_whole(&check)?;
    Ok(Diagnosis {
        verdict,
        findings: findings::read_findings(&check)?,
        whole,
        split,
        clocks: findings::read_clocks(&check)?,
        spreads: findings::read_spreads(&check)?,
        run: run::read(&check)?,
    })
}

/// Times and sums beyond this are damage: several can be added without overflow.
const MOST: i64 = i64::MAX / 16;

/// Whether what was read fits the trace.
struct Check<'a> {
    directory: &'a Path,
    rows: &'a Rows<'a>,
}

impl Check<'_> {
    fn that(&self, fits: bool, what: &str) -> Result<(), StoreError> {
        if fits {
            return Ok(());
        }
        Err(StoreError::Damaged { path: self.directory.to_owned(), what: format!("{what} does not fit the trace") })
    }

    /// A number that counts through a list.
    fn one_of<T: Copy>(&self, all: &[T], number: u8, what: &str) -> Result<T, StoreError> {
        let found = all.get(usize::from(number)).copied();
        self.that(found.is_some(), what)?;
        found.ok_or_else(|| StoreError::Damaged { path: self.directory.to_owned(), what: what.to_owned() })
    }

    fn is_row(&self, location: LocationId) -> bool {
        self.rows.of(location).is_some()
    }

    fn is_location(&self, location: LocationId) -> bool {
        u64::from(location.0) < self.rows.store.locations.len()
    }

    /// A function, or none.
    fn is_region(&self, region: RegionId) -> bool {
        region == RegionId::NONE || region.index() < self.rows.region_count()
    }

    fn is_time(time: i64) -> bool {
        (-MOST..=MOST).contains(&time)
    }

    fn is_window(window: (Ns, Ns)) -> bool {
        Check::is_time(window.0.0) && Check::is_time(window.1.0) && window.0 <= window.1
    }

    /// Where the parts of a list begin, by row and for the end: as many as it takes, in order, and within the list.
    fn is_cut(&self, first: &[usize], whole: usize) -> bool {
        first.len() == self.rows.len() + 1
            && first.first() == Some(&0)
            && first.last() == Some(&whole)
            && first.is_sorted()
    }
}

#[cfg(test)]
mod tests {
    use heddle_model::SystemNodeId;
    use heddle_store::{NoProgress, store_simulation};
    use heddle_testkit::{Act, Call, Hand};

    use super::*;
    use crate::finding::{Finding, FindingKind, Verdict};
    use crate::suspect::{Cut, Group, Place, Suspect};

    fn store(directory: &Path) -> Store {
        let hand = Hand::new(vec![
            vec![Call("work", 0, 12, vec![]), Call("MPI_Send", 12, 13, vec![Act::Send(1, 0)])],
            vec![Call("work", 0, 4, vec![]), Call("MPI_Recv", 4, 13, vec![Act::Recv(0, 0)])],
        ]);
        store_simulation(&hand.source(), "made", &directory.join("made.heddle"), 1 << 29, &NoProgress).unwrap()
    }

    fn finding(kind: FindingKind, group: Option<Group>) -> Finding {
        let cut = |location| Cut { location: LocationId(location), start: Ns(0), end: Ns(12), excess: 8 };
        let suspect = Suspect {
            kind,
            locations: vec![LocationId(0), LocationId(1)],
            group,
            pairs: vec![(LocationId(0), LocationId(1)), (LocationId(1), LocationId(0))],
            place: Place { region: RegionId(1), before: Some(RegionId(0)) },
            since: Ns(2),
            until: Ns(12),
            is_throughout: true,
            usual: 4.0,
            found: 12.5,
            visits: 17,
            slow_visits: 3,
            z: 9.25,
            period: Some(1e7),
            cuts: vec![cut(0), cut(1)],
        };
        Finding {
            suspect,
            cost_share: 0.25,
            functions: vec![(RegionId(0), 0.15), (RegionId::NONE, 0.1)],
            without: Some(5),
            without_dearer: None,
            waiting: 1,
            window: (Ns(4), Ns(12)),
        }
    }

    #[test]
    fn findings_are_read_as_they_were_written() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path());
        let mut diagnosis = Diagnosis::new(&store, &NoProgress).unwrap();
        diagnosis.verdict = Verdict::Faulty;
        let mut bare = finding(FindingKind::SlowNodes, None);
        (bare.without, bare.suspect.period, bare.suspect.is_throughout) = (None, None, false);
        bare.suspect.place = Place { region: RegionId::NONE, before: None };
        (bare.suspect.locations, bare.suspect.pairs, bare.suspect.cuts) = (vec![], vec![], vec![]);
        let stride = Group::Stride { first: 3, stride: 4, count: 5 };
        diagnosis.findings = vec![
            finding(FindingKind::SlowLink, Some(Group::Node(SystemNodeId(0)))),
            bare,
            finding(FindingKind::SlowRanks, Some(stride)),
        ];
        write(directory.path(), &diagnosis).unwrap();
        let read = read(directory.path(), &store).unwrap();
        assert_eq!(read.findings, diagnosis.findings);
        assert_eq!(read.verdict, Verdict::Faulty);
    }

    #[test]
    fn what_does_not_fit_the_trace_is_damage() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path());
        let refused = |change: &dyn Fn(&mut Diagnosis)| {
            let mut diagnosis = Diagnosis::new(&store, &NoProgress).unwrap();
            diagnosis.findings = vec![finding(FindingKind::Stall, Some(Group::Node(SystemNodeId(0))))];
            change(&mut diagnosis);
            write(directory.path(), &diagnosis).unwrap();
            read(directory.path(), &store).is_err()
        };
        assert!(!refused(&|_| {}));
        assert!(refused(&|diagnosis| diagnosis.findings[0].suspect.locations[1] = LocationId(2)));
        assert!(refused(&|diagnosis| diagnosis.findings[0].suspect.pairs[0].1 = LocationId(u32::MAX)));
        assert!(refused(&|diagnosis| diagnosis.findings[0].suspect.cuts[0].start = Ns(i64::MIN)));
        assert!(refused(&|diagnosis| diagnosis.findings[0].suspect.place.region = RegionId(77)));
        assert!(refused(&|diagnosis| diagnosis.findings[0].suspect.group = Some(Group::Node(SystemNodeId(9)))));
        assert!(refused(&|diagnosis| diagnosis.findings[0].window = (Ns(5), Ns(4))));
        assert!(refused(&|diagnosis| diagnosis.run.waits.list[0].culprit = LocationId(5)));
        assert!(refused(&|diagnosis| diagnosis.run.waits.list[0].enter = i64::MAX));
        assert!(refused(&|diagnosis| diagnosis.run.waits.list[0].span.0 = 0));
        assert!(refused(&|diagnosis| diagnosis.run.waits.first[1] = 9));
        assert!(refused(&|diagnosis| diagnosis.run.delays.charges[0].wait = 1));
        assert!(refused(&|diagnosis| diagnosis.run.delays.costs[0].0 = 2));
        assert!(refused(&|diagnosis| diagnosis.run.path[0].location = LocationId(2)));
        assert!(refused(&|diagnosis| diagnosis.run.front.truncate(7)));
    }
}
