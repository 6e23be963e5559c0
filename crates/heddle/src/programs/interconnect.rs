//! The links of the simulated machine: what `--topology` and its companions say.

use std::sync::Arc;

use anyhow::Context;
use clap::Args as ClapArgs;

use heddle_network::{HostNames, TopologyFile};
use heddle_simulate::{Interconnect, Seats};
use heddle_topology::mapping::read_placement;
use heddle_topology::routing::RoutingKind;
use heddle_topology::{Mapping, Shape};

use super::parse_bandwidth;
use crate::commands::Usage;
use crate::option_args::text_file;
use crate::text::printable;

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Simulated links")]
pub(super) struct InterconnectArgs {
    /// Nodes and links that messages share: a torus, 8x8x8, a mesh, mesh:8x8x8, a fat-tree by the children of its switches,
    /// fat-tree:4x4x4, a dragonfly, dragonfly:9x4x2, or a file: Slurm's topology.conf or topology.yaml, what ibnetdiscover
    /// prints, or a SimGrid platform. Without it every message has the network to itself
    #[arg(long, value_name = "SHAPE|FILE")]
    topology: Option<String>,
    /// Where ranks sit: block, round-robin, an order of the dimensions and T for the cores (TXYZ, XYZT …), tile, tiltZ, tiltZY, or
    /// a map file or list of hosts
    #[arg(long, value_name = "NAME|FILE", default_value = "block", requires = "topology")]
    mapping: String,
    /// Which links a message takes. On a torus dor (dimension by dimension, by default), dor-simgrid, or asp (all shortest paths
    /// share it); on a fat-tree d-mod-k (by default) or spread; on a dragonfly minimal (by default) or valiant
    #[arg(long, value_name = "NAME", requires = "topology")]
    routing: Option<RoutingKind>,
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
        let Some(topology) = &self.topology else { return Ok(None) };
        let (shape, hosts) = read_shape(topology)?;
        let seats = match self.mapping.parse::<Mapping>() {
            Ok(mapping) => Seats::Rule(mapping),
            Err(unknown) => {
                let Some(text) = text_file("mapping", &self.mapping)? else {
                    let text = format!("--mapping {}: there is no such file, and {unknown}", self.mapping);
                    return Err(Usage(text).into());
                };
                let placement = read_placement(&text, &shape, None, ranks_per_node, &|name| hosts.find(name));
                Seats::Listed(Arc::new(placement.with_context(|| format!("the mapping {} is wrong", self.mapping))?))
            }
        };
        Ok(Some(Interconnect {
            routing: self.routing.unwrap_or(RoutingKind::of(&shape)[0]),
            shape,
            seats,
            link_bandwidth: self.link_bandwidth,
            injection_bandwidth: self.injection_bandwidth,
        }))
    }
}

/// A shape by its text, or from a file; and the names of its hosts.
fn read_shape(topology: &str) -> anyhow::Result<(Shape, HostNames)> {
    let Some(text) = text_file("topology", topology)? else {
        let shape = topology.parse().map_err(|error| Usage(format!("--topology: {error}")))?;
        return Ok((shape, HostNames::default()));
    };
    let wrong = |error| Usage(format!("--topology: {topology}: {error}"));
    let TopologyFile { shape, hosts, notes } = TopologyFile::read(&text, &[]).map_err(wrong)?;
    for note in notes {
        eprintln!("{}", printable(&note));
    }
    Ok((shape, hosts))
}
