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

/// Mistakes that someone could make in building a rollout. Each bends one law.
enum ExplorerRolloutBug implements RolloutProtocol {
  /// Told is taken for obeyed.
  ABORTED_AT_ONCE {
    @Override
    public Rollout next(Rollout rollout, RolloutEvent event) {
      Rollout next = CORRECT.next(rollout, event);
      return next instanceof Aborting(RolloutRun rolloutRun, var stopOrder)
          ? new Aborted(
              RolloutRun.of(rolloutRun.spec(), rolloutRun.claim(), rolloutRun.progress()),
              stopOrder.cause())
          : next;
    }
  },

  /// Whoever is silent counts no more.
  SLOT_GIVEN_AWAY {
    @Override
    public Rollout next(Rollout rollout, RolloutEvent event) {
      RolloutSpec spec = rollout.run().spec();
      RolloutLimits careless = new RolloutLimits(1, 1, spec.plan().batches().size(), 1);
      Rollout next = CORRECT.next(under(rollout, spec, careless), event);
      return under(next, spec, spec.limits());
    }

    private Rollout under(Rollout rollout, RolloutSpec s, RolloutLimits rolloutLimits) {
      RolloutSpec other =
          new RolloutSpec(
              s.id(),
              s.incarnation(),
              s.firstAttempt(),
              s.component(),
              s.plan(),
              rolloutLimits,
              s.timings());
      RolloutRun rolloutRun = rollout.run();
      RolloutRun changed =
          RolloutRun.of(other, rolloutRun.claim(), rolloutRun.progress())
              .withDriverView(rolloutRun.driverView());
      return rollout instanceof Rollout.Created
          ? new Rollout.Created(changed)
          : rollout.with(changed);
    }
  },

  /// A driver that was superseded writes over the one that leads.
  DESIRED_BY_PUT {
    @Override
    public boolean mayReplace(DesiredState next, DesiredState present) {
      return true;
    }
  },

  /// A node that has begun to prepare is taken for one that is ready.
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

  /// A node that was cut off for too long is held against the release.
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

  private static NodeReport withAnswer(
      NodeReport it, NodePhase nodePhase, RollbackReason rollbackReason) {
    return new NodeReport(
        it.node(), it.task(), nodePhase, rollbackReason, it.claim(), it.running());
  }
}
