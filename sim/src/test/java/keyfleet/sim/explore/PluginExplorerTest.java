package keyfleet.sim.explore;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import keyfleet.sim.explore.Explorer.Outcome;
import keyfleet.sim.explore.Explorer.Violated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Checks the explorer of kms keyrings: it must find each bug. The correct protocol is explored
/// where its states are compared with the model's.
class PluginExplorerTest {
  private static final int LIMIT = 1_000_000;

  @ParameterizedTest
  @EnumSource
  void plantedBug_isCaught(ExplorerPluginBug bug) {
    Outcome outcome =
        new Explorer<PluginModelState>(LIMIT).explore(ExplorerFixtures.pluginState(bug));
    Violated violated = assertInstanceOf(Violated.class, outcome, bug + " was not found");
    System.out.printf(
        "explorer: %s caught by %s after %,d states, in %d steps%n",
        bug, violated.invariant(), violated.states(), violated.history().size());
    assertFalse(violated.history().isEmpty());
  }
}
