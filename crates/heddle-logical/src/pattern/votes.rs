//! The order in which ranks send and receive, by a vote: every rank says which orders its own events fit.
//!
//! Two orders are told apart. In **rounds** a rank sends everything it has to send, then receives; in **pairs** every send has
//! its receive beside it. Many ranks fit both, those with one send and one receive first of all: they follow the others.

/// What a rank does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Sends; whether it is one message.
    Send { is_single: bool },
    /// Receives so many messages at once.
    Receive { messages: u32 },
}

/// What ranks say of the order of their sends and receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Votes {
    /// Ranks that fit rounds only.
    rounds: u64,
    /// Ranks that fit pairs only.
    pairs: u64,
    /// Ranks that fit both.
    either: u64,
    /// Ranks that fit none.
    neither: u64,
    /// Ranks that fit rounds, and wait for several messages right after a send.
    wait_alls: u64,
    /// Most rounds of a rank that fits rounds.
    pub(super) most_rounds: u32,
    /// Whether some rank receives twice in a row.
    pub(super) has_several_waits: bool,
    /// Most messages that were received at once.
    pub(super) most_received: u32,
    messages: u64,
    /// Messages that are received one step after they were sent.
    next_step: u64,
}

/// The order that most ranks have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    SendsThenReceives,
    SendsThenWaitAll,
    Alternating,
    Unknown,
}

impl Votes {
    /// The vote of a rank.
    pub(super) fn rank(&mut self, acts: impl Iterator<Item = Act>) {
        let (mut begins_with_send, mut are_pairs, mut count, mut rounds) = (false, true, 0u64, 0);
        let (mut is_wait_all, mut has_several_waits) = (false, false);
        let mut before = None;
        for act in acts {
            let is_send = matches!(act, Act::Send { .. });
            if before.is_none() {
                begins_with_send = is_send;
            }
            rounds += u32::from(is_send && before != Some(true));
            // The second of a pair differs from the first.
            are_pairs &= count.is_multiple_of(2) || before != Some(is_send);
            match act {
                Act::Send { is_single } => are_pairs &= is_single,
                Act::Receive { messages } => {
                    are_pairs &= messages <= 1;
                    is_wait_all |= messages > 1 && before == Some(true);
                    has_several_waits |= before == Some(false);
                    self.most_received = self.most_received.max(messages);
                }
            }
            before = Some(is_send);
            count += 1;
        }
        if count == 0 {
            return;
        }
        let has_pairs = are_pairs && count > 1;
        *match (begins_with_send, has_pairs) {
            (true, true) => &mut self.either,
            (true, false) => &mut self.rounds,
            (false, true) => &mut self.pairs,
            (false, false) => &mut self.neither,
        } += 1;
        if begins_with_send {
            self.most_rounds = self.most_rounds.max(rounds);
            self.wait_alls += u64::from(is_wait_all);
        }
        self.has_several_waits |= has_several_waits;
    }

    /// A message, and whether it is received one step after it was sent.
    pub(super) fn message(&mut self, is_next_step: bool) {
        self.messages += 1;
        self.next_step += u64::from(is_next_step);
    }

    /// Both together.
    pub(super) fn plus(&mut self, other: &Votes) {
        self.rounds += other.rounds;
        self.pairs += other.pairs;
        self.either += other.either;
        self.neither += other.neither;
        self.wait_alls += other.wait_alls;
        self.most_rounds = self.most_rounds.max(other.most_rounds);
        self.has_several_waits |= other.has_several_waits;
        self.most_received = self.most_received.max(other.most_received);
        self.messages += other.messages;
        self.next_step += other.next_step;
    }

    /// What they decide.
    pub(super) fn order(&self) -> Order {
        let most = self.either + self.rounds.max(self.pairs);
        if self.neither > most || (self.rounds > 0 && self.pairs > 0) {
            return Order::Unknown;
        }
        // One round of a send and a receive is no alternation yet.
        if self.pairs > 0 || (self.rounds == 0 && self.most_rounds > 1) {
            let is_majority = 2 * self.next_step > self.messages;
            return if is_majority { Order::Alternating } else { Order::Unknown };
        }
        if self.wait_alls > 0 { Order::SendsThenWaitAll } else { Order::SendsThenReceives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks as letters: S sends one message, B several, R receives one, 2 to 9 so many at once.
    fn votes(ranks: &[&str]) -> Votes {
        let mut votes = Votes::default();
        for rank in ranks {
            votes.rank(rank.chars().map(|letter| match letter {
                'S' => Act::Send { is_single: true },
                'B' => Act::Send { is_single: false },
                'R' => Act::Receive { messages: 1 },
                several => Act::Receive { messages: several.to_digit(10).unwrap() },
            }));
        }
        votes
    }

    /// What they decide, if all messages are received in the next step.
    fn order(ranks: &[&str]) -> Order {
        let mut votes = votes(ranks);
        votes.message(true);
        votes.order()
    }

    #[test]
    fn sends_then_receives() {
        assert_eq!(order(&["SSRR", "SSRR"]), Order::SendsThenReceives);
        assert_eq!(order(&["SR", "SR"]), Order::SendsThenReceives, "one pair is no alternation");
        assert_eq!(order(&["SR", "SSRR", "SSSRRR"]), Order::SendsThenReceives);
        assert_eq!(order(&["BRR", "BRR"]), Order::SendsThenReceives);
        assert_eq!(order(&["SSR3"]), Order::SendsThenReceives, "several at once, but not right after the sends");
    }

    #[test]
    fn sends_then_wait_all() {
        assert_eq!(order(&["SS2", "SS2"]), Order::SendsThenWaitAll);
        assert_eq!(order(&["B4", "B4"]), Order::SendsThenWaitAll);
        assert_eq!(order(&["SR", "B2", "B2", "SR"]), Order::SendsThenWaitAll, "the ends of a line wait for one");
        assert_eq!(order(&["SR", "B2", "SR"]), Order::SendsThenWaitAll, "one wait for all is one more than none");
        assert_eq!(order(&["SRSRSR", "B2B2B2", "SRSRSR"]), Order::SendsThenWaitAll, "the same again and again");
        let votes = votes(&["SRSR", "B2B2B2", "S5R"]);
        assert_eq!((votes.most_rounds, votes.most_received, votes.has_several_waits), (3, 5, true));
    }

    #[test]
    fn in_turn() {
        assert_eq!(order(&["SRSR", "RSRS"]), Order::Alternating);
        assert_eq!(order(&["SRSR", "SRSR"]), Order::Alternating, "all send first, again and again");
        assert_eq!(order(&["SR", "RS"]), Order::Alternating);
        assert_eq!(order(&["SRRS", "RSSR"]), Order::Alternating, "pairs may be turned");
        assert_eq!(order(&["SR", "SRSR", "RSRS", "SRR"]), Order::Alternating, "ends of a line have fewer");
    }

    #[test]
    fn in_turn_if_most_messages_take_one_step() {
        let mut votes = votes(&["SRSR", "RSRS"]);
        votes.message(true);
        votes.message(false);
        assert_eq!(votes.order(), Order::Unknown, "half is no majority");
        votes.message(true);
        assert_eq!(votes.order(), Order::Alternating);
    }

    #[test]
    fn no_common_order() {
        assert_eq!(order(&["RSRS", "SSRR"]), Order::Unknown, "one in turn, one in rounds");
        assert_eq!(order(&["RRSS", "RRSS", "SSRR"]), Order::Unknown, "most fit nothing");
        assert_eq!(order(&["RRSS", "SSRR"]), Order::SendsThenReceives, "not more than the others");
        assert_eq!(
            order(&["RRSS", "RRSS", "RRSS", "SR", "SSRR", "SSRR"]),
            Order::SendsThenReceives,
            "a rank votes once"
        );
        assert_eq!(order(&["", "SSRR"]), Order::SendsThenReceives, "who does nothing has no vote");
        assert_eq!(order(&["R", "S2"]), Order::SendsThenWaitAll);
    }
}
