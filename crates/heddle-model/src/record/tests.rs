use super::*;

/// Records of all kinds, with times and numbers that depend on `from`.
fn block(from: u32) -> RecordBlock {
    let time = |at: u32| Ns(i64::from(100 * from + at));
    let message = |tag| MessageEnd { peer: LocationId(1), comm: CommId(2), tag, bytes: 3, request: RequestId(4) };
    let end = |sent| CollectiveEnd {
        op: CollectiveOp::UNKNOWN,
        comm: CommId(2),
        root: LocationId::NONE,
        sent,
        received: 6,
        request: RequestId(7),
        number: None,
    };
    let task = TaskInfo {
        id: TaskId(u64::from(from)),
        submitted: time(3),
        ready: Ns::NONE,
        iteration: 1,
        tile: [TaskInfo::UNKNOWN; 2],
    };
    let mut block = RecordBlock::default();
    block.enter(time(10), RegionId(from));
    block.send(time(11), message(from));
    block.isend(time(12), message(from + 1));
    block.recv_request(time(13), RequestId(u64::from(from)));
    block.recv(time(14), message(from + 2));
    block.irecv(time(15), message(from + 3));
    block.send_complete(time(16), RequestId(u64::from(from) + 1));
    block.request_cancelled(time(17), RequestId(u64::from(from) + 2));
    block.collective_begin(time(18));
    block.collective_end(time(19), end(u64::from(from)));
    block.collective_request(time(20), RequestId(u64::from(from) + 3));
    block.collective_complete(time(21), end(u64::from(from) + 1));
    block.metric(time(22), MetricValue { metric: MetricId(from), value: 0.5 });
    block.mark(time(23), MarkText { name: "mark".to_owned(), text: from.to_string() });
    block.task(time(24), task);
    block.depends_on(time(24), TaskId(u64::from(from)));
    block.leave(time(25), None);
    block.last = Some(time(26));
    block.events = 16;
    block
}

fn contents(block: &RecordBlock) -> (Vec<(Ns, Event<'_>)>, Option<Ns>, u64) {
    (block.iter().collect(), block.last, block.events)
}

#[test]
fn kinds_are_listed_in_the_order_of_their_numbers() {
    assert!(KINDS.iter().enumerate().all(|(at, kind)| *kind as usize == at));
}

#[test]
fn all_ways_to_append_give_the_same_records() {
    let (mut copied, mut moved, mut whole) = (RecordBlock::default(), RecordBlock::default(), RecordBlock::default());
    for from in [1, 2, 3] {
        copied.append(&block(from), 70);
        moved.append_from(&mut block(from), 70);
        whole.append_all(block(from), 70);
    }
    assert_eq!(contents(&copied), contents(&moved));
    assert_eq!(contents(&copied), contents(&whole));
    // Each record has its own fields, and all times are earlier.
    let expected: Vec<_> = [1, 2, 3].map(block).into();
    let expected: Vec<_> = expected.iter().flat_map(RecordBlock::iter).collect();
    assert_eq!(copied.len(), expected.len());
    for ((time, event), (expected_time, expected)) in copied.iter().zip(expected) {
        assert_eq!(time.0, expected_time.0 - 70);
        match (event, expected) {
            (Event::Task(found), Event::Task(task)) => {
                assert_eq!((found.submitted.0, found.ready), (task.submitted.0 - 70, Ns::NONE));
            }
            (event, expected) => assert_eq!(event, expected),
        }
    }
}
