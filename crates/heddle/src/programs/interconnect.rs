//! The links of the simulated machine: what `--topology` and its companions say.

use std::sync::Arc;

use anyhow::Context;
use clap::Args as ClapArgs;

use heddle_simulate::{Interconnect, Seats};
use heddle_topology::mapping::read_placement;
use heddle_topology::routing::RoutingKind;
use heddle_topology::{Mapping, Shape};

use super::parse_bandwidth;
use crate::commands::Usage;

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Simulated links")]
pub(super) struct InterconnectArgs {
    /// Nodes and links that messages share: a torus, 8x8x8, or a mesh, mesh:8x8x8. Without it every message has the network
    /// to itself
    #[arg(long, value_name = "SIZES")]
    topology: Option<Shape>,
    /// Where ranks sit: block, round-robin, an order of the dimensions and T for the cores (TXYZ, XYZT …), tile, tiltZ, tiltZY, or
    /// a map file or list of hosts
    #[arg(long, value_name = "NAME|FILE", default_value = "block", requires = "topology")]
    mapping: String,
    /// Which links a message takes: dor (dimension by dimension), dor-simgrid, or asp (all shortest paths share it)
    #[arg(long, value_name = "NAME", default_value_t = RoutingKind::default(), requires = "topology")]
    routing: RoutingKind,
    /// What a link carries one way, in GB/s; by default as much as a sender's network card (--bandwidth)
    #[arg(long, value_name = "GB/S", value_parser = parse_bandwidth, requires = "topology")]
    link_bandwidth: Option<f64>,
    /// What the ranks of a node can together put on the network, in GB/s; by default as much as its links carry together
    #[arg(long, value_name = "GB/S", value_parser = parse_bandwidth, requires = "topology")]
    injection_bandwidth: Option<f64>,
}

impl InterconnectArgs {
    /// The links, if there are to be any.
    pub(super) fn interconnect(&self, ranks_per_node: u32) -> anyhow::Result<Option<Interconnect>> {
        let Some(shape) = &self.topology else { return Ok(None) };
        let seats = match self.mapping.parse::<Mapping>() {
            Ok(mapping) => Seats::Rule(mapping),
            Err(unknown) => {
                let path = std::path::Path::new(&self.mapping);
                if !path.exists() {
                    let text = format!("--mapping {}: there is no such file, and {unknown}", self.mapping);
                    return Err(Usage(text).into());
                }
                let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", self.mapping))?;
                let placement = read_placement(&text, shape, None, ranks_per_node, &|_| None);
                Seats::Listed(Arc::new(placement.with_context(|| format!("the mapping {} is wrong", self.mapping))?))
            }
        };
        Ok(Some(Interconnect {
            shape: shape.clone(),
            seats,
            routing: self.routing,
            link_bandwidth: self.link_bandwidth,
            injection_bandwidth: self.injection_bandwidth,
        }))
    }
}
