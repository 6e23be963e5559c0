//! The tables of a store: the whole on-disk format, in one place.
//!
//! Changing a column here changes the format: raise [`crate::FORMAT_VERSION`] with it.

use heddle_model::{
    CollectiveOp, CommId, LocationId, MetricId, MetricMode, Name, Ns, Paradigm, Rank, RegionId, SpanRow, SystemNodeId,
    TaskId,
};

use crate::table::table;

table! {
    /// Places in the machine, parents before children.
    SystemNodeRows, SystemNodeTable = "system_tree" {
        /// Its name.
        name: Name => "name",
        /// `machine`, `node`, `process`, `accelerator`, or the file's word.
        class: Name => "class",
        /// What it is a part of.
        parent: SystemNodeId => "parent" nullable,
    }
}

table! {
    /// Streams of execution. A location's spans are the rows from `first_span` on.
    LocationRows, LocationTable = "locations" {
        /// Its id in the trace.
        file_id: u64 => "file_id",
        /// Its name.
        name: Name => "name",
        /// `cpu-thread`, `accelerator-stream`, `metric`.
        kind: Name => "kind",
        /// Its process or accelerator context in the system tree.
        parent: SystemNodeId => "parent" nullable,
        /// Rank of its process in the world.
        rank: Rank => "rank" nullable,
        /// Whether it is its process' main location: the one that its rank's messages go to.
        is_main: u8 => "is_main",
        /// Its first row in the spans table.
        first_span: u64 => "first_span",
        /// How many spans it has.
        spans: u64 => "spans",
        /// How many events the trace has for it.
        events: u64 => "events",
        /// Its last event.
        last: Ns => "last_ns" nullable,
    }
}

impl LocationTable {
    /// The location of a span: the last that begins at or before it, since empty ones before it begin there too.
    pub fn of_span(&self, span: SpanRow) -> LocationId {
        let after = self.first_span.partition_point(0..self.len(), |first| first <= span.0);
        LocationId(after.saturating_sub(1) as u32)
    }
}

table! {
    /// Functions and states, with how often and how long they were visited.
    RegionRows, RegionTable = "regions" {
        /// Its name.
        name: String => "name",
        /// Who it belongs to: `mpi`, `user`, `openmp` …
        paradigm: String => "paradigm",
        /// What it does: `send`, `wait`, `collective` …
        role: String => "role",
        /// Source file.
        file: String => "file" nullable,
        /// First line in it.
        line: u32 => "line" nullable,
        /// The colour that the trace wants it drawn in, as 0xRRGGBB.
        colour: u32 => "colour" nullable,
        /// Number of spans.
        count: u64 => "count",
        /// Sum of their durations, recursive ones too.
        total: i64 => "total_ns",
        /// The same without the time in regions called from it.
        exclusive: i64 => "exclusive_ns",
    }
}

impl RegionTable {
    /// Who a region belongs to.
    pub fn paradigm_of(&self, region: RegionId) -> Paradigm {
        Paradigm::from_name(self.paradigm.get(u64::from(region.0)))
    }

    /// Whether calls of a region communicate.
    pub fn communicates(&self, region: RegionId) -> bool {
        self.paradigm_of(region).is_communication()
    }

    /// For each region whether it communicates and was visited; `None` in a trace without communication.
    pub fn communication(&self) -> Option<Vec<bool>> {
        let communication: Vec<bool> = self
            .count
            .iter(0..self.len())
            .zip(0..)
            .map(|(count, region)| count > 0 && self.communicates(RegionId(region)))
            .collect();
        communication.contains(&true).then_some(communication)
    }
}

table! {
    /// Communicators. Members have a table of their own.
    CommunicatorRows, CommunicatorTable = "communicators" {
        /// Its name.
        name: String => "name" nullable,
        /// `intra`, `inter` or `self`.
        kind: String => "kind",
        /// What it was made from.
        parent: CommId => "parent" nullable,
        /// Its first row in the members table. Communicators with equal members share their rows.
        first_member: u64 => "first_member",
        /// Size of the group, of the first one for an inter-communicator.
        members: u32 => "members",
        /// First row of the second group.
        first_remote: u64 => "first_remote" nullable,
        /// Size of the second group.
        remote: u32 => "remote_members" nullable,
        /// Whether any message or collective uses it; in a measurement, which has neither, all are in use.
        used: u8 => "used",
    }
}

table! {
    /// Lists of locations: the position in a list is the rank in the communicator.
    CommunicatorMemberRows, CommunicatorMemberTable = "communicator_members" packed {
        /// The member; null where the trace names a location that it does not define.
        location: LocationId => "location" nullable,
    }
}

table! {
    /// Counters.
    MetricRows, MetricTable = "metrics" {
        /// Its name.
        name: String => "name",
        /// Unit of its values.
        unit: String => "unit",
        /// `accumulated`, `absolute` or `relative`.
        mode: String => "mode",
    }
}

impl MetricTable {
    /// How values of a counter are to be read.
    pub fn mode_of(&self, metric: MetricId) -> MetricMode {
        let row = u64::from(metric.0);
        let name = if row < self.len() { self.mode.get(row) } else { "" };
        let modes = [MetricMode::Accumulated, MetricMode::Absolute, MetricMode::Relative];
        modes.into_iter().find(|mode| mode.name() == name).unwrap_or(MetricMode::Absolute)
    }
}

table! {
    /// Stays in regions, by location, then in the order they were entered.
    SpanRows, SpanTable = "spans" packed {
        /// When it was entered.
        start: Ns => "start_ns",
        /// When it was left.
        end: Ns => "end_ns" - start,
        /// Where.
        region: RegionId => "region",
        /// How many spans are open around it.
        depth: u16 => "depth",
    }
}

table! {
    /// Matched messages, by sending location, then in the order they were sent.
    MessageRows, MessageTable = "messages" packed {
        /// Where it was sent.
        send_location: LocationId => "send_location",
        /// Where it was received.
        recv_location: LocationId => "recv_location" - send_location,
        /// The send record.
        send: Ns => "send_ns" - SpanRows.start[send_span],
        /// The completion of the receive.
        recv: Ns => "recv_ns" - SpanRows.end[recv_span],
        /// Length as the sender says.
        bytes: u64 => "bytes",
        /// Tag.
        tag: u32 => "tag",
        /// Communicator.
        comm: CommId => "comm",
        /// The call that sent it.
        send_span: SpanRow => "send_span" nullable,
        /// The call that completed the receive.
        recv_span: SpanRow => "recv_span" nullable,
        /// When a non-blocking receive was posted.
        posted: Ns => "recv_posted_ns" - recv nullable,
        /// When a non-blocking send was complete.
        completed: Ns => "send_completed_ns" - send nullable,
    }
}

table! {
    /// The rows of the messages table in the order of their receives: by receiving location, then call.
    MessageByReceiveRows, MessageByReceiveTable = "messages_by_receive" packed {
        /// A row of the messages table.
        message: u64 => "message",
    }
}

table! {
    /// Messages whose ends name different lengths, in the order of the messages table.
    LengthMismatchRows, LengthMismatchTable = "length_mismatches" {
        /// A row of the messages table.
        message: u64 => "message",
        /// Length as the receiver says.
        received: u64 => "bytes_received",
    }
}

impl LengthMismatchTable {
    /// Whether a message is among them.
    pub fn contains(&self, message: u64) -> bool {
        let at = self.message.partition_point(0..self.len(), |other| other < message);
        at < self.len() && self.message.get(at) == message
    }
}

table! {
    /// Ends of messages that found no partner.
    UnmatchedRows, UnmatchedTable = "unmatched" {
        /// Whose end it is.
        location: LocationId => "location",
        /// `send`, `receive`, or `posted-receive`: posted and never completed.
        kind: String => "kind",
        /// When.
        time: Ns => "time_ns",
        /// The call.
        span: SpanRow => "span" nullable,
        /// The other side, where it is known.
        peer: LocationId => "peer" nullable,
        /// Length.
        bytes: u64 => "bytes" nullable,
        /// Tag.
        tag: u32 => "tag" nullable,
        /// Communicator.
        comm: CommId => "comm" nullable,
    }
}

table! {
    /// Collective operations, by communicator, then in the order the communicator made them.
    CollectiveRows, CollectiveTable = "collectives" packed {
        /// Communicator.
        comm: CommId => "comm",
        /// Number of the operation; its name is in exports.
        op: CollectiveOp => "op",
        /// Root, where it has one.
        root: LocationId => "root" nullable,
        /// First row in the members table.
        first_member: u64 => "first_member",
        /// How many took part.
        members: u32 => "members",
        /// 1 if a member is missing or members disagree about operation or root.
        doubtful: u8 => "doubtful",
    }
}

table! {
    /// Who took part in a collective, by collective, then location.
    CollectiveMemberRows, CollectiveMemberTable = "collective_members" packed {
        /// Which location.
        location: LocationId => "location",
        /// Its call; for a non-blocking collective the one that completed it.
        span: SpanRow => "span" nullable,
        /// When it began, or was posted.
        start: Ns => "start_ns" - SpanRows.start[span],
        /// When it was over.
        end: Ns => "end_ns" - SpanRows.end[span],
        /// Bytes given, as the recorder counts them.
        sent: u64 => "bytes_sent",
        /// Bytes got.
        received: u64 => "bytes_received",
    }
}

table! {
    /// Counter values, by location, then time.
    MetricValueRows, MetricValueTable = "metric_values" packed {
        /// Where.
        location: LocationId => "location",
        /// Which counter.
        metric: MetricId => "metric",
        /// When.
        time: Ns => "time_ns",
        /// The value, in the metric's unit.
        value: f64 => "value",
    }
}

table! {
    /// Instants with a name.
    MarkRows, MarkTable = "marks" {
        /// Where; null for the whole trace.
        location: LocationId => "location" nullable,
        /// When.
        time: Ns => "time_ns",
        /// What kind.
        name: String => "name",
        /// What it says.
        text: String => "text" nullable,
    }
}

table! {
    /// Locations that run tasks, whether they got any or not.
    WorkerRows, WorkerTable = "workers" {
        /// Which.
        location: LocationId => "location",
        /// The kind of resource that it is: `CPU`, `CUDA` …
        kind: String => "kind" nullable,
    }
}

table! {
    /// Runs of tasks, by location, then in the order they began. Type and times are those of their spans.
    TaskRows, TaskTable = "tasks" packed {
        /// The run.
        span: SpanRow => "span",
        /// Which task: the process in the upper 24 bits, its number there in the lower 40.
        id: TaskId => "id",
        /// When it was handed to the runtime.
        submitted: Ns => "submitted_ns" nullable,
        /// When all that it waits for was there.
        ready: Ns => "ready_ns" - submitted nullable,
        /// The iteration that the program says it belongs to.
        iteration: u32 => "iteration" nullable,
        /// Row of the tile that it writes.
        tile_row: u32 => "tile_row" nullable,
        /// Column of that tile.
        tile_column: u32 => "tile_column" nullable,
    }
}

table! {
    /// What tasks wait for, in the order of the tasks.
    DependencyRows, DependencyTable = "dependencies" packed {
        /// A row of the tasks.
        task: u64 => "task",
        /// The task that it waits for. Some may not be in the trace.
        on: TaskId => "on",
    }
}

table! {
    /// What was odd about the trace.
    WarningRows, WarningTable = "warnings" {
        /// Kind, as in `info --json`.
        kind: String => "kind",
        /// How often.
        count: u64 => "count",
        /// Where first.
        place: String => "where",
        /// In words.
        text: String => "text",
    }
}

table! {
    /// The machine whose network was measured: one row.
    NetworkMachineRows, NetworkMachineTable = "network/machine" {
        /// What the file calls it: `bgp`.
        hardware: String => "hardware" nullable,
        /// Which links belong to a node: those it is the `source` or `destination` of, or `both`.
        links_of_node: String => "links_of_node",
    }
}

table! {
    /// Dimensions of the torus or mesh that was measured.
    NetworkDimensionRows, NetworkDimensionTable = "network/dimensions" {
        /// Its name.
        name: String => "name",
        /// Number of nodes along it.
        size: u32 => "size",
        /// 1 if the last node is joined to the first.
        wraps: u8 => "wraps",
        /// Cables between the two nodes of a dimension of size 2; 1 in others.
        cables: u32 => "cables",
    }
}

table! {
    /// Nodes, by place.
    NetworkNodeRows, NetworkNodeTable = "network/nodes" {
        /// Its id in the file; null if only links tell of it.
        file_id: i64 => "file_id" nullable,
        /// Its coordinates as one number, the first one fastest.
        place: u32 => "place",
        /// The same as text: `(1,6,5)`.
        coordinates: String => "coordinates",
    }
}

table! {
    /// Directed links, in the order of the file.
    NetworkLinkRows, NetworkLinkTable = "network/links" {
        /// Its id in the file; null if the file gives links none.
        file_id: i64 => "file_id" nullable,
        /// The node that sends: a row of the nodes.
        source: u32 => "source",
        /// The node that receives.
        destination: u32 => "destination",
        /// A row of the dimensions.
        dimension: u32 => "dimension",
        /// 1 towards larger coordinates, around the ring; 0 towards smaller ones.
        is_positive: u8 => "is_positive",
    }
}

table! {
    /// Parts of the program that were measured, in the order in which they first occur.
    NetworkSectionRows, NetworkSectionTable = "network/sections" {
        /// Its number in the file.
        id: i64 => "id",
        /// How often it was measured.
        visits: u32 => "visits",
        /// What it is called.
        name: String => "name" nullable,
    }
}

table! {
    /// Counters of links, then those of nodes.
    NetworkCounterRows, NetworkCounterTable = "network/counters" {
        /// Its name.
        name: String => "name",
        /// `links` or `nodes`.
        of: String => "of",
    }
}

table! {
    /// Where the values of a counter in a section are, by counter, then section. What was not measured has no row.
    NetworkStretchRows, NetworkStretchTable = "network/stretches" {
        /// A row of the counters.
        counter: u32 => "counter",
        /// A row of the sections.
        section: u32 => "section",
        /// The first row in the values.
        first_value: u64 => "first_value",
        /// How many there are.
        values: u64 => "values",
    }
}

table! {
    /// What was counted, by counter, section, and link or node. What was not measured has no row.
    NetworkValueRows, NetworkValueTable = "network/values" {
        /// A row of the links or of the nodes.
        entity: u32 => "entity",
        /// Number of visits with a value.
        visits: u32 => "visits",
        /// Sum over the visits.
        sum: f64 => "sum",
        /// The smallest of them.
        min: f64 => "min",
        /// The largest.
        max: f64 => "max",
    }
}

table! {
    /// Where locations ran: a row for each of them.
    NetworkPlaceRows, NetworkPlaceTable = "network/places" {
        /// A row of the nodes.
        node: u32 => "node" nullable,
    }
}
