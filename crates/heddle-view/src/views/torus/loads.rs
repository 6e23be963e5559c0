//! The traffic on a torus.

use std::ops::Deref;

use heddle_network::Network;
use heddle_topology::{Cable, Torus};

use super::options::TorusOptions;
use crate::analyses::Trace;
use crate::request::ViewRequest;
use crate::views::machine::loads::Loads;

/// The traffic of a picture of a torus.
pub(crate) struct TorusLoads<'a> {
    loads: Loads<'a>,
    pub(crate) torus: &'a Torus,
    /// What is shown of the torus.
    pub(crate) shown: TorusOptions,
}

impl<'a> TorusLoads<'a> {
    /// The loads that a request asks for; none if there is no torus.
    pub(crate) fn of(trace: &'a Trace<'_>, request: &ViewRequest) -> Option<TorusLoads<'a>> {
        TorusLoads::on(trace, trace.network.as_ref()?, request)
    }

    /// The same on a machine with another mapping.
    pub(crate) fn on(trace: &Trace<'_>, network: &'a Network, request: &ViewRequest) -> Option<TorusLoads<'a>> {
        let torus = network.machine.shape.torus()?;
        Some(TorusLoads { loads: Loads::on(trace, network, request), torus, shown: request.options.checked() })
    }

    /// The load of a cable.
    pub(crate) fn cable(&self, cable: Cable) -> f64 {
        self.cables[cable.index()]
    }
}

impl<'a> Deref for TorusLoads<'a> {
    type Target = Loads<'a>;

    fn deref(&self) -> &Loads<'a> {
        &self.loads
    }
}
