//! The sender's network card, which takes one message at a time, when every message has the network behind it to itself.

use crate::faults::Wires;

/// A message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) bytes: u64,
    /// When its first byte left the sender's network card. In runs with contention, where cards and links are asked in the order
    /// of time, when the card got it.
    pub(crate) injected: i64,
}

impl Transfer {
    /// When the last byte is there, with the network to itself.
    pub(crate) fn arrival(&self, wires: &Wires) -> i64 {
        let network = wires.between(self.from, self.to, self.injected);
        self.injected + network.transfer(self.bytes) + network.latency()
    }
}

/// When a network card is busy.
///
/// Usually that is one number. But a rank runs ahead while its rendezvous sends still wait for their receives, so their
/// data may have to be put before what was handed over later: while any is open, all stretches are kept.
#[derive(Debug, Default)]
pub(crate) struct Nic {
    /// Everything before has been sent.
    free: i64,
    /// Later stretches, in order, without overlap.
    busy: Vec<(i64, i64)>,
    /// Rendezvous sends that wait.
    open: u32,
}

impl Nic {
    /// A rendezvous send begins to wait.
    pub(crate) fn open(&mut self) {
        self.open += 1;
    }

    /// Data that was waiting is handed over.
    pub(crate) fn close(&mut self, handed: i64, length: i64) -> i64 {
        let at = self.inject(handed, length);
        self.open -= 1;
        if self.open == 0 {
            self.free = self.busy.last().map_or(self.free, |last| last.1);
            self.busy.clear();
        }
        at
    }

    /// A message is handed over: when it enters the wire, at the first time from `handed` on when there is room.
    pub(crate) fn inject(&mut self, handed: i64, length: i64) -> i64 {
        if self.open == 0 {
            let at = handed.max(self.free);
            self.free = at + length;
            return at;
        }
        let mut at = handed.max(self.free);
        let mut place = self.busy.partition_point(|stretch| stretch.1 <= at);
        while let Some((start, end)) = self.busy.get(place).filter(|stretch| stretch.0 < at + length) {
            debug_assert!(start < end);
            at = *end;
            place += 1;
        }
        if length > 0 {
            self.busy.insert(place, (at, at + length));
        }
        at
    }

    /// Nothing is sent after this.
    pub(crate) fn last(&self) -> i64 {
        self.busy.last().map_or(self.free, |last| last.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_follow_each_other() {
        let mut nic = Nic::default();
        assert_eq!([nic.inject(10, 5), nic.inject(11, 5), nic.inject(40, 0)], [10, 15, 40]);
        assert_eq!(nic.last(), 40);
    }

    #[test]
    fn data_that_waited_goes_before_what_was_handed_over_later() {
        let mut nic = Nic::default();
        nic.open();
        nic.open();
        assert_eq!([nic.inject(100, 10), nic.inject(105, 10)], [100, 110]);
        assert_eq!(nic.close(50, 20), 50, "there is room");
        assert_eq!(nic.close(65, 31), 120, "there is not: from 70 to 100 only 30 are free");
        assert_eq!((nic.inject(0, 1), nic.last()), (151, 152));
    }
}
