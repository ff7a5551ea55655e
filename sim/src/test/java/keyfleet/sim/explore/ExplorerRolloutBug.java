package keyfleet.sim.explore;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.Rollout.Aborted;
import keyfleet.rollout.controller.Rollout.Aborting;
import keyfleet.rollout.controller.RolloutEvent;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.controller.RolloutSpec;

/// Bugs that an implementation of rollouts could have. Each overrides one rule of the protocol.
enum ExplorerRolloutBug implements RolloutProtocol {
  /// An order counts as obeyed when it is written.
  ABORTED_AT_ONCE {
    @Override
    public Rollout next(Rollout rollout, RolloutEvent event) {
      Rollout next = CORRECT.next(rollout, event);
      return next instanceof Aborting(RolloutRun run, var stopOrder)
          ? new Aborted(RolloutRun.of(run.spec(), run.claim(), run.progress()), stopOrder.cause())
          : next;
    }
  },

  /// A silent node no longer counts as in flight.
  SLOT_GIVEN_AWAY {
    @Override
    public Rollout next(Rollout rollout, RolloutEvent event) {
      RolloutSpec spec = rollout.run().spec();
      RolloutLimits careless = new RolloutLimits(1, 1, spec.plan().batches().size(), 1);
      Rollout next = CORRECT.next(under(rollout, spec, careless), event);
      return under(next, spec, spec.limits());
    }

    private Rollout under(Rollout rollout, RolloutSpec s, RolloutLimits limits) {
      RolloutSpec other =
          new RolloutSpec(
              s.id(),
              s.incarnation(),
              s.firstAttempt(),
              s.component(),
              s.plan(),
              limits,
              s.timings());
      RolloutRun run = rollout.run();
      RolloutRun changed =
          RolloutRun.of(other, run.claim(), run.progress()).withDriverView(run.driverView());
      return rollout instanceof Rollout.Created
          ? new Rollout.Created(changed)
          : rollout.with(changed);
    }
  },

  /// A superseded driver overwrites the orders of its successor.
  DESIRED_BY_PUT {
    @Override
    public boolean canReplace(DesiredState next, DesiredState present) {
      return true;
    }
  },

  /// A node that prepares counts as staged.
  APPLIED_BEFORE_STAGED {
    @Override
    public Observed observe(Observed shown) {
      return new Observed(
          shown.present(),
          shown.reports().stream()
              .map(it ->
                  it.phase() == NodePhase.PREPARING
                      ? withAnswer(it, NodePhase.STAGED, it.rollbackReason())
                      : it)
              .toList(),
          shown.candidates());
    }
  },

  /// A node that was cut off for too long counts as failed.
  UNCONFIRMED_IS_FAILED {
    @Override
    public Observed observe(Observed shown) {
      return new Observed(
          shown.present(),
          shown.reports().stream()
              .map(it ->
                  it.rollbackReason() == RollbackReason.UNCONFIRMED
                      ? withAnswer(it, it.phase(), RollbackReason.UNHEALTHY)
                      : it)
              .toList(),
          shown.candidates());
    }
  };

  private static NodeReport withAnswer(NodeReport it, NodePhase phase, RollbackReason reason) {
    return new NodeReport(it.node(), it.task(), phase, reason, it.claim(), it.running());
  }
}
