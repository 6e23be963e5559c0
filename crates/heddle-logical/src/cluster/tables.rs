//! What is kept of a clustering, in `derived/logical-HASH/clusters-HASH/`.
//!
//! Changing a column, or what is computed, changes the format: raise [`FORMAT`] with it.

use heddle_store::table;

/// Number of this layout. Results of another are made again.
pub(super) const FORMAT: u32 = 1;

table! {
    /// Rows of the scope, ascending.
    MemberRows, MemberTable = "members" packed {
        /// The row of logical time.
        row: u32 => "row",
        /// Its leaf.
        leaf: u32 => "leaf",
        /// How far it is from its medoid: the mean of squares.
        apart: f64 => "apart",
    }
}

table! {
    /// Clusters before they are joined.
    LeafRows, LeafTable = "leaves" {
        /// The row that stands for it.
        medoid: u32 => "medoid_row",
        /// How many rows it has.
        members: u32 => "members",
        /// The row with its largest value.
        largest_row: u32 => "largest_row",
        /// The step of that value.
        largest_step: u32 => "largest_step",
        /// That value; null if none is known.
        largest: f64 => "largest" nullable,
        /// Its first row in the table of totals.
        first_total: u64 => "first_total",
    }
}

table! {
    /// Joints of the hierarchy, from the nearest pair to the root.
    MergeRows, MergeTable = "merges" {
        /// The upper child.
        first: u32 => "first",
        /// The lower child.
        second: u32 => "second",
        /// How far they are apart: the mean of squares; infinite if they cannot be compared.
        height: f64 => "height",
    }
}

table! {
    /// What the members of each leaf do at each step, by leaf, then by step; only where there is something.
    TotalRows, TotalTable = "totals" packed {
        /// The step.
        step: u32 => "step",
        /// Members that send.
        sends: u32 => "sends",
        /// The sum of what is known of their values, and of how many it is known.
        send_sum: f64 => "send_sum",
        /// Of how many.
        send_known: u32 => "send_known",
        /// The same of the aggregates before them.
        send_aggregate_sum: f64 => "send_aggregate_sum",
        /// Of how many.
        send_aggregate_known: u32 => "send_aggregate_known",
        /// Members that receive.
        receives: u32 => "receives",
        /// As for sends.
        receive_sum: f64 => "receive_sum",
        /// Of how many.
        receive_known: u32 => "receive_known",
        /// The same of the aggregates before them.
        receive_aggregate_sum: f64 => "receive_aggregate_sum",
        /// Of how many.
        receive_aggregate_known: u32 => "receive_aggregate_known",
        /// Members that take part in collectives.
        collectives: u32 => "collectives",
        /// As for sends.
        collective_sum: f64 => "collective_sum",
        /// Of how many.
        collective_known: u32 => "collective_known",
        /// The same of the aggregates before them.
        collective_aggregate_sum: f64 => "collective_aggregate_sum",
        /// Of how many.
        collective_aggregate_known: u32 => "collective_aggregate_known",
    }
}
