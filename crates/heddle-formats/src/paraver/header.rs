//! The first line of a `.prv`: how long the trace is, which nodes, applications, tasks and threads there are.
//!
//! All of it is claims, and threads are claimed by a number alone: a few bytes must not make a billion locations.

use heddle_model::Ns;

use crate::OpenError;

/// More threads than this together are not believed.
pub(super) const MOST_THREADS: u64 = 1 << 18;

/// One task: what MPI calls a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// Its application, from 0.
    pub(super) application: u32,
    /// Its first location.
    pub(super) first: u32,
    /// How many threads it has.
    pub(super) threads: u32,
    /// Its node, from 1; 0 if not said.
    pub(super) node: u32,
}

/// What the header says.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// Nanoseconds in a unit of time.
    pub(super) unit: i64,
    /// Length of the trace.
    pub(super) duration: Ns,
    /// First task of each application, and one more for the end.
    pub(super) applications: Vec<u32>,
    /// All tasks, by application.
    pub(super) tasks: Vec<Task>,
    /// The task of each location.
    pub(super) task_of: Vec<u32>,
    /// How many communicator lines are to follow.
    pub(super) communicators: u64,
    /// Threads that were claimed beyond what is believed.
    pub(super) left_out: u64,
}

impl Header {
    /// Reads the line. `place` is how errors call the file.
    pub(super) fn parse(line: &[u8], place: &str) -> Result<Header, OpenError> {
        let mut at = Cursor { line, at: 0 };
        at.parse().map_err(|what| OpenError::Wrong {
            place: format!("{place} line 1, column {}", at.at + 1),
            what: format!("the header of a Paraver trace should have {what} here"),
        })
    }

    /// The location of a thread; all three numbers count from 1.
    #[inline]
    pub(super) fn locate(&self, application: i64, task: i64, thread: i64) -> Option<u32> {
        let application = usize::try_from(application.checked_sub(1)?).ok()?;
        let (first, end) = (*self.applications.get(application)?, *self.applications.get(application + 1)?);
        let task = u32::try_from(task.checked_sub(1)?).ok()?;
        if task >= end - first {
            return None;
        }
        let task = self.tasks.get((first + task) as usize)?;
        let thread = u32::try_from(thread.checked_sub(1)?).ok()?;
        (thread < task.threads).then(|| task.first + thread)
    }

    /// The main location of a task of an application, both counted from 1.
    pub(super) fn main_of(&self, application: i64, task: i64) -> Option<u32> {
        self.locate(application, task, 1)
    }

    /// The main location of the process of a location.
    #[inline]
    pub(super) fn main(&self, location: u32) -> u32 {
        self.task(location).map_or(location, |task| task.first)
    }

    /// The task of a location.
    #[inline]
    pub(super) fn task(&self, location: u32) -> Option<&Task> {
        self.tasks.get(*self.task_of.get(location as usize)? as usize)
    }

    /// The main locations of all tasks of an application, counted from 0.
    pub(super) fn mains(&self, application: u32) -> impl Iterator<Item = u32> + '_ {
        let of = |at: u32| self.applications.get(at as usize).copied().unwrap_or(0) as usize;
        self.tasks.get(of(application)..of(application + 1)).unwrap_or_default().iter().map(|task| task.first)
    }
}

struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

type Parsed<T> = Result<T, &'static str>;

impl Cursor<'_> {
    fn parse(&mut self) -> Parsed<Header> {
        let mut header = Header::default();
        // The date may be anything, and is not needed.
        self.skip_past(b'(').ok_or("a date in brackets")?;
        self.skip_past(b')').ok_or("the end of a date in brackets")?;
        self.at += 1;
        let duration = self.number("a duration")?;
        header.unit = self.unit();
        header.duration = Ns((duration as i64).saturating_mul(header.unit).clamp(0, Ns::MAX.0));
        self.expect(b':', "a colon after the duration")?;
        self.nodes()?;
        self.expect(b':', "a colon after the nodes")?;
        let applications = self.number("a number of applications")?;
        self.expect(b':', "a colon after the number of applications")?;
        header.applications.push(0);
        for application in 0..applications {
            if application > 0 && self.at >= self.line.len() {
                return Err("another application");
            }
            self.application(application as u32, &mut header)?;
            // One separator of any kind.
            self.at += 1;
        }
        header.communicators = if self.at < self.line.len() { self.number("a number").unwrap_or(0) } else { 0 };
        Ok(header)
    }

    fn application(&mut self, application: u32, header: &mut Header) -> Parsed<()> {
        let count = self.number("a number of tasks")?;
        self.expect(b'(', "a list of tasks in brackets")?;
        for at in 0..count {
            if at > 0 {
                self.expect(b',', "a comma and another task")?;
            }
            let threads = self.number("a number of threads")?;
            self.expect(b':', "a colon and a node")?;
            let node = self.number("the number of a node")?;
            let first = header.task_of.len() as u32;
            // A task takes at least three bytes of the line; its threads take none.
            let room = (MOST_THREADS + header.tasks.len() as u64).saturating_sub(u64::from(first));
            let believed = threads.min(room) as u32;
            header.left_out += threads - u64::from(believed);
            header.task_of.extend(std::iter::repeat_n(header.tasks.len() as u32, believed as usize));
            header.tasks.push(Task {
                application,
                first,
                threads: believed,
                node: u32::try_from(node).unwrap_or(u32::MAX),
            });
        }
        self.expect(b')', "the end of the list of tasks")?;
        header.applications.push(header.tasks.len() as u32);
        Ok(())
    }

    /// Processors are not shown: only that the field is well formed matters.
    fn nodes(&mut self) -> Parsed<()> {
        self.number("a number of nodes")?;
        if self.peek() == Some(b'(') {
            self.skip_past(b')').ok_or("the end of the list of processors")?;
        }
        Ok(())
    }

    fn unit(&mut self) -> i64 {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b':').unwrap_or(rest.len());
        self.at += end;
        match &rest[..end] {
            b"_ns" => 1,
            b"_ms" => 1_000_000,
            // Microseconds, also for what nobody has defined.
            _ => 1_000,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Parsed<()> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(what)
        }
    }

    fn skip_past(&mut self, byte: u8) -> Option<()> {
        let found = self.line.get(self.at..)?.iter().position(|at| *at == byte)?;
        self.at += found + 1;
        Some(())
    }

    fn number(&mut self, what: &'static str) -> Parsed<u64> {
        let start = self.at;
        let mut number = 0u64;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start { Err(what) } else { Ok(number.min(i64::MAX as u64)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Header {
        Header::parse(line.as_bytes(), "x.prv").unwrap()
    }

    #[test]
    fn several_applications_with_threads_and_communicators() {
        let header = parsed("#Paraver (15/11/2026 at 09:30):5000000_ns:2(4,4):2:3(1:1,2:1,1:2),1(2:2),1");
        assert_eq!((header.unit, header.duration, header.communicators), (1, Ns(5_000_000), 1));
        assert_eq!((header.applications.as_slice(), header.task_of.len()), (&[0, 3, 4][..], 6));
        assert_eq!(header.tasks[2], Task { application: 0, first: 3, threads: 1, node: 2 });
        assert_eq!([header.locate(1, 2, 2), header.locate(2, 1, 2), header.locate(2, 2, 1)], [Some(2), Some(5), None]);
        assert_eq!([header.locate(0, 1, 1), header.locate(1, 1, 2), header.locate(3, 1, 1)], [None; 3]);
        assert_eq!(header.mains(0).collect::<Vec<_>>(), [0, 1, 3]);
    }

    #[test]
    fn units_nodes_and_old_separators() {
        assert_eq!(parsed("#Paraver (x):7:0:1:1(1:0)").duration, Ns(7_000));
        assert_eq!(parsed("#Paraver (x):7_ms:3:1:1(1:1)").duration, Ns(7_000_000));
        assert_eq!(parsed("#Paraver (x):7_ns:1(1):2:1(1:1):1(1:1):4").communicators, 4);
    }

    #[test]
    fn claims_are_not_believed_and_nonsense_is_named() {
        let header = parsed("#Paraver (x):7:0:1:2(4000000000:0,1:0)");
        assert_eq!(header.task_of.len() as u64, MOST_THREADS + 1);
        assert!(header.left_out > 0);
        let wrong = Header::parse(b"#Paraver (x):7:0:1:9999999999(1:0", "x.prv").unwrap_err().to_string();
        assert!(wrong.starts_with("x.prv line 1, column 34"), "{wrong}");
    }
}
