/// The long-running server process: it joins the fleet as any member does, drives rotations,
/// monitors the fleet, and serves probes and metrics. It decides nothing itself: the loops of
/// `control` decide, with the pure modules below them.
///
/// Start reading at:
/// - [Server]: wires the process and starts its threads
/// - [RotationWorker]: drives rotations with the `RotationLoop` of `control`
/// - [FleetMonitor], [FleetMetrics] and [ServerMetrics]: what the process exports about the fleet
/// - [ProbeServer]: `/livez`, `/readyz`, `/metrics`
///
/// | thread              | what it does                                                                     |
/// |---------------------|----------------------------------------------------------------------------------|
/// | `keyfleet-beat-…`   | writes the member's heartbeats                                                   |
/// | `keyfleet-events-…` | writes the member's events to the [EventLog]                                     |
/// | `keyfleet-worker`   | [RotationWorker]: ticks the rotation loop; a change of the keystore wakes it     |
/// | `keyfleet-rewrap-…` | rewraps records of one batch while `keyfleet-worker` writes another              |
/// | `keyfleet-monitor`  | [FleetMonitor]: takes a [FleetSnapshot] once per heartbeat                       |
/// | `keyfleet-keyrings` | a server of all keyrings looks for new ones                                      |
/// | virtual threads     | [ProbeServer]: each serves one request, from memory                              |
///
/// A process that serves several keyrings has the first five for each of them.
///
/// [FirstUseCheck] probes a new store before the process relies on it. The [EventLog] has one line
/// per event; a lasting state is logged once, not at every tick.
@NullMarked
package keyfleet.server;

import org.jspecify.annotations.NullMarked;
