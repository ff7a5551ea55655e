package keyfleet.sim;

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
enum RolloutBug implements RolloutLaws {
  /// Told is taken for obeyed.
  ABORTED_AT_ONCE {
    @Override
    public Rollout next(Rollout rollout, RolloutEvent event) {
      Rollout next = TRUE.next(rollout, event);
      return next instanceof Aborting(RolloutRun run, var recall)
          ? new Aborted(RolloutRun.of(run.spec(), run.lead(), run.ledger()), recall.cause())
          : next;
    }
  },

  /// Whoever is silent counts no more.
  SLOT_GIVEN_AWAY {
    @Override
    public Rollout next(Rollout rollout, RolloutEvent event) {
      RolloutSpec spec = rollout.run().spec();
      RolloutLimits careless = new RolloutLimits(1, 1, spec.plan().batches().size(), 1);
      Rollout next = TRUE.next(under(rollout, spec, careless), event);
      return under(next, spec, spec.limits());
    }

    private Rollout under(Rollout rollout, RolloutSpec s, RolloutLimits limits) {
      RolloutSpec other =
          new RolloutSpec(
              s.id(), s.incarnation(), s.attempt(), s.component(), s.plan(), limits, s.times());
      RolloutRun run = rollout.run();
      RolloutRun changed =
          RolloutRun.of(other, run.lead(), run.ledger()).remembering(run.outlook());
      return rollout instanceof Rollout.Created
          ? new Rollout.Created(changed)
          : rollout.with(changed);
    }
  },

  /// A driver that was superseded writes over the one that leads.
  DESIRED_BY_PUT {
    @Override
    public boolean replaces(DesiredState next, DesiredState present) {
      return true;
    }
  },

  /// A node that has begun to prepare is taken for one that is ready.
  APPLIED_BEFORE_STAGED {
    @Override
    public Observed seen(Observed shown) {
      return new Observed(
          shown.present(),
          shown.reports().stream()
              .map(it ->
                  it.phase() == NodePhase.PREPARING ? said(it, NodePhase.STAGED, it.setback()) : it)
              .toList(),
          shown.candidates());
    }
  },

  /// A node that was cut off for too long is held against the release.
  UNCONFIRMED_IS_FAILED {
    @Override
    public Observed seen(Observed shown) {
      return new Observed(
          shown.present(),
          shown.reports().stream()
              .map(it ->
                  it.setback() == RollbackReason.UNCONFIRMED
                      ? said(it, it.phase(), RollbackReason.UNHEALTHY)
                      : it)
              .toList(),
          shown.candidates());
    }
  };

  private static NodeReport said(NodeReport it, NodePhase phase, RollbackReason setback) {
    return new NodeReport(it.node(), it.task(), phase, setback, it.seen(), it.running());
  }
}
