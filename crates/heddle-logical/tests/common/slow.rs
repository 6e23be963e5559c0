//! Phases and steps, slow and plain: sets, closures and repetition until nothing changes.

#![allow(clippy::unwrap_used, clippy::needless_range_loop, reason = "plain above all")]

use std::collections::{BTreeMap, BTreeSet};

use heddle_logical::{Events, Kind, LogicalOptions, PhaseSteps, Stepping, Structure};

use super::rows_of;

type Part = BTreeSet<usize>;

struct Trace<'a> {
    events: &'a Events,
    row: Vec<usize>,
}

impl Trace<'_> {
    fn next(&self, event: usize) -> Option<usize> {
        (event + 1 < self.row.len() && self.row[event + 1] == self.row[event]).then_some(event + 1)
    }

    fn previous(&self, event: usize) -> Option<usize> {
        (event > 0 && self.row[event - 1] == self.row[event]).then(|| event - 1)
    }

    fn collectives(&self) -> Vec<Vec<usize>> {
        let ends = self.events.first_of_collective.windows(2);
        ends.map(|e| self.events.members[e[0] as usize..e[1] as usize].iter().map(|&m| m as usize).collect()).collect()
    }

    fn messages(&self) -> Vec<(usize, usize)> {
        self.events.messages.iter().map(|&(s, r)| (s as usize, r as usize)).collect()
    }

    /// Edges between parts, by place in the list.
    fn edges(&self, parts: &[Part]) -> BTreeSet<(usize, usize)> {
        let of = |event| parts.iter().position(|part| part.contains(&event)).unwrap();
        let pairs = (0..self.row.len()).filter_map(|event| Some((of(event), of(self.next(event)?))));
        pairs.filter(|(a, b)| a != b).collect()
    }

    fn merge_cycles(&self, parts: &mut Vec<Part>) {
        let reach = closure(parts.len(), &self.edges(parts));
        let first = |part: usize| *parts[part].first().unwrap();
        let mut pairs = Vec::new();
        for a in 0..parts.len() {
            for b in 0..a {
                if reach[a][b] && reach[b][a] {
                    pairs.push((first(a), first(b)));
                }
            }
        }
        unite(parts, &pairs);
    }
}

/// Unites parts until all pairs of events are in one part.
fn unite(parts: &mut Vec<Part>, pairs: &[(usize, usize)]) {
    for &(a, b) in pairs {
        let a = parts.iter().position(|part| part.contains(&a)).unwrap();
        let b = parts.iter().position(|part| part.contains(&b)).unwrap();
        if a != b {
            let other = parts[b].clone();
            parts[a].extend(other);
            parts.remove(b);
        }
    }
}

/// What can be reached from each node by one edge or more.
fn closure(nodes: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; nodes]; nodes];
    for &(a, b) in edges {
        reach[a][b] = true;
    }
    for via in 0..nodes {
        for from in 0..nodes {
            if reach[from][via] {
                for to in 0..nodes {
                    reach[from][to] |= reach[via][to];
                }
            }
        }
    }
    reach
}

/// The length of the longest path to each node of a graph without cycles.
fn depths(nodes: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<usize> {
    let mut depth = vec![0; nodes];
    loop {
        let before = depth.clone();
        for &(a, b) in edges {
            depth[b] = depth[b].max(depth[a] + 1);
        }
        if depth == before {
            return depth;
        }
        assert!(depth.iter().all(|&d| d <= nodes), "a cycle is left");
    }
}

pub(crate) fn structure(events: &Events, options: &LogicalOptions) -> Structure {
    let trace = Trace { events, row: rows_of(events) };
    let count = events.kind.len();
    let mut parts: Vec<Part> = (0..count).map(|event| Part::from([event])).collect();
    let is_given = !events.given_phase.is_empty();
    let is_border = |event: usize| options.collective_borders && events.kind[event] == Kind::Collective;
    if is_given {
        parts = given(&trace);
    } else {
        let joined = (1..count).filter(|&e| events.is_joined[e] && !is_border(e) && !is_border(e - 1));
        unite(&mut parts, &joined.map(|e| (e - 1, e)).collect::<Vec<_>>());
        unite(&mut parts, &trace.messages());
        for members in trace.collectives() {
            unite(&mut parts, &members.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>());
        }
        trace.merge_cycles(&mut parts);
        if options.leap_merge || options.leap_skip {
            leaps(&trace, &mut parts, options.leap_skip);
        }
    }
    lay_out(&trace, &parts, options)
}

fn given(trace: &Trace) -> Vec<Part> {
    let mut number = trace.events.given_phase.clone();
    loop {
        let before = number.clone();
        for event in 0..number.len() {
            if let Some(previous) = trace.previous(event) {
                number[event] = number[event].max(number[previous]);
            }
        }
        let pairs = trace.messages().into_iter().map(|(s, r)| vec![s, r]);
        for class in pairs.chain(trace.collectives()) {
            let most = class.iter().map(|&e| number[e]).max().unwrap_or(0);
            for e in class {
                number[e] = most;
            }
        }
        if number == before {
            break;
        }
    }
    let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
    for (event, number) in number.into_iter().enumerate() {
        parts.entry(number).or_default().insert(event);
    }
    parts.into_values().collect()
}

fn leaps(trace: &Trace, parts: &mut Vec<Part>, skip: bool) {
    let all: BTreeSet<usize> = trace.row.iter().copied().collect();
    let rows = |part: &Part| -> BTreeSet<usize> { part.iter().map(|&e| trace.row[e]).collect() };
    let gap = |early: &Part, late: &Part| -> f64 {
        let shared = rows(early).intersection(&rows(late)).copied().collect::<Vec<_>>();
        let gaps = shared.into_iter().map(|row| {
            let last = early.iter().filter(|&&e| trace.row[e] == row).map(|&e| trace.events.leave[e].0).max().unwrap();
            let first = late.iter().filter(|&&e| trace.row[e] == row).map(|&e| trace.events.enter[e].0).min().unwrap();
            (first - last) as f64
        });
        gaps.fold(f64::INFINITY, f64::min)
    };
    let mut leap = 0;
    loop {
        let edges = trace.edges(parts);
        let depth = depths(parts.len(), &edges);
        let now: Vec<usize> = (0..parts.len()).filter(|&p| depth[p] == leap).collect();
        if now.is_empty() {
            return;
        }
        let covered: BTreeSet<usize> = now.iter().flat_map(|&p| rows(&parts[p])).collect();
        let mut pairs = Vec::new();
        if covered != all {
            let below = |p: usize| edges.iter().filter(move |e| e.0 == p).map(|e| e.1);
            for &p in &now {
                let above: Vec<usize> =
                    edges.iter().filter(|e| e.1 == p && depth[e.0] + 1 == leap).map(|e| e.0).collect();
                let children: Vec<usize> = below(p).filter(|&c| depth[c] == leap + 1).collect();
                let dp = above.iter().map(|&q| gap(&parts[q], &parts[p])).fold(f64::INFINITY, f64::min);
                let dc = children.iter().map(|&c| gap(&parts[p], &parts[c])).fold(f64::INFINITY, f64::min);
                if dc > 10.0 * dp {
                    pairs.extend(above.iter().map(|&q| (p, q)));
                } else {
                    pairs.extend(children.iter().filter(|&&c| !rows(&parts[c]).is_subset(&covered)).map(|&c| (p, c)));
                }
            }
            if pairs.is_empty() && !skip {
                for &p in &now {
                    pairs.extend(below(p).filter(|&c| depth[c] == leap + 1).map(|c| (p, c)));
                }
            }
        }
        if pairs.is_empty() {
            leap += 1;
        } else {
            let first = |part: usize| *parts[part].first().unwrap();
            let pairs: Vec<(usize, usize)> = pairs.iter().map(|&(a, b)| (first(a), first(b))).collect();
            unite(parts, &pairs);
        }
    }
}

/// Steps in a phase, from 0, and whether collectives were taken apart.
fn local_steps(trace: &Trace, part: &Part, stepping: Stepping) -> (BTreeMap<usize, usize>, bool) {
    let kind = |event: usize| trace.events.kind[event];
    let is_node = |event: usize| stepping == Stepping::Earliest || kind(event) != Kind::Receive;
    let next = |event: usize| trace.next(event).filter(|next| part.contains(next));
    let node_from = |mut event: usize| loop {
        if is_node(event) {
            return Some(event);
        }
        event = next(event)?;
    };
    // What is ordered as one.
    let mut nodes: Vec<Part> = trace
        .collectives()
        .into_iter()
        .map(Part::from_iter)
        .filter(|c| c.first().is_some_and(|m| part.contains(m)))
        .collect();
    for &event in part.iter().filter(|&&event| is_node(event)) {
        if !nodes.iter().any(|node| node.contains(&event)) {
            nodes.push(Part::from([event]));
        }
    }
    let mut messages: Vec<(usize, usize)> = trace.messages();
    messages.retain(|&(s, r)| part.contains(&s) && kind(s) == Kind::Send && kind(r) == Kind::Receive);
    let mut is_split = false;
    let edges_of = |nodes: &[Part], messages: &[(usize, usize)]| {
        let of = |event: usize| nodes.iter().position(|node| node.contains(&event)).unwrap();
        let mut edges = BTreeSet::new();
        for (place, node) in nodes.iter().enumerate() {
            edges.extend(node.iter().filter_map(|&e| Some((place, of(node_from(next(e)?)?)))));
        }
        edges.extend(messages.iter().filter_map(|&(s, r)| Some((of(s), of(node_from(r)?)))));
        edges
    };
    let edges = edges_of(&nodes, &messages);
    let reach = closure(nodes.len(), &edges);
    if (0..nodes.len()).any(|node| reach[node][node]) {
        is_split = true;
        let (cyclic, rest): (Vec<_>, Vec<_>) = nodes.drain(..).enumerate().partition(|&(place, _)| reach[place][place]);
        nodes.extend(rest.into_iter().map(|(_, node)| node));
        nodes.extend(cyclic.into_iter().flat_map(|(_, node)| node).map(|event| Part::from([event])));
        let reach = closure(nodes.len(), &edges_of(&nodes, &messages));
        let of = |event: usize| nodes.iter().position(|node| node.contains(&event)).unwrap();
        messages.retain(|&(s, r)| node_from(r).is_none_or(|t| !(reach[of(s)][of(t)] && reach[of(t)][of(s)])));
    }
    let stride = depths(nodes.len(), &edges_of(&nodes, &messages));
    let mut step: BTreeMap<usize, usize> = BTreeMap::new();
    if stepping == Stepping::Earliest {
        for (node, &stride) in nodes.iter().zip(&stride) {
            step.extend(node.iter().map(|&e| (e, stride)));
        }
        return (step, is_split);
    }
    let step_receive = |step: &mut BTreeMap<usize, usize>, receive: usize| {
        let previous = trace.previous(receive).filter(|p| part.contains(p)).map(|p| step[&p] as i64);
        let senders = messages.iter().filter(|m| m.1 == receive).map(|m| step[&m.0] as i64);
        let value = 1 + senders.chain(previous).max().unwrap_or(-1);
        step.insert(receive, value as usize);
        value
    };
    let mut top = -1;
    for k in 0..=stride.iter().copied().max().unwrap_or(0) {
        let now: Vec<usize> =
            nodes.iter().zip(&stride).filter(|n| *n.1 == k).flat_map(|n| n.0.iter().copied()).collect();
        for &event in &now {
            let before =
                (0..event).rev().take_while(|e| part.contains(e) && trace.row[*e] == trace.row[event] && !is_node(*e));
            for receive in before.collect::<Vec<_>>().into_iter().rev() {
                top = top.max(step_receive(&mut step, receive));
            }
        }
        if !now.is_empty() {
            top += 1;
        }
        step.extend(now.iter().map(|&e| (e, top as usize)));
    }
    for &event in part {
        if !step.contains_key(&event) {
            step_receive(&mut step, event);
        }
    }
    (step, is_split)
}

fn lay_out(trace: &Trace, parts: &[Part], options: &LogicalOptions) -> Structure {
    let locals: Vec<(BTreeMap<usize, usize>, bool)> =
        parts.iter().map(|part| local_steps(trace, part, options.stepping)).collect();
    let length: Vec<usize> = locals.iter().map(|local| local.0.values().max().unwrap() + 1).collect();
    let edges = trace.edges(parts);
    let mut offset = vec![0; parts.len()];
    loop {
        let before = offset.clone();
        for &(a, b) in &edges {
            offset[b] = offset[b].max(offset[a] + length[a]);
        }
        if offset == before {
            break;
        }
    }
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&part| {
        let rows = parts[part].iter().map(|&e| trace.row[e]).min();
        (offset[part], rows, parts[part].iter().map(|&e| trace.events.enter[e]).min())
    });
    let count = trace.row.len();
    let mut result = Structure { phase: vec![0; count], step: vec![0; count], phases: Vec::new(), steps: 0 };
    for part in order {
        let (first, last) = (offset[part] as u32, (offset[part] + length[part] - 1) as u32);
        result.steps = result.steps.max(last + 1);
        let overlaps = result.phases.last().is_some_and(|phase| options.merge_overlapping && first <= phase.last_step);
        if overlaps {
            let phase = result.phases.last_mut().unwrap();
            phase.last_step = phase.last_step.max(last);
            phase.is_split |= locals[part].1;
        } else {
            result.phases.push(PhaseSteps { first_step: first, last_step: last, is_split: locals[part].1 });
        }
        for (&event, &step) in &locals[part].0 {
            result.phase[event] = result.phases.len() as u32 - 1;
            result.step[event] = (offset[part] + step) as u32;
        }
    }
    result
}
