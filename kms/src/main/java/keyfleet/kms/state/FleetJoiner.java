package keyfleet.kms.state;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.crypto.KeyfleetException;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.kms.PluginContext;
import keyfleet.kms.PluginException;
import keyfleet.member.Member;
import keyfleet.member.MemberBuilder;
import keyfleet.member.MembershipState;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.process.ProcessEvent;
import keyfleet.store.Kv;
import org.jspecify.annotations.Nullable;

/// Joins the fleet as soon as the store answers, on its own thread; the plugin serves calls
/// meanwhile. Once joined, the plugin is a member like any other. Its cluster is registered before
/// it adopts any keystore.
public final class FleetJoiner implements Supplier<FleetState>, AutoCloseable {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  /// The settings of the member that joins.
  ///
  /// @param kv opens the store; throws while the store cannot be opened
  /// @param memberBuilders makes the builder of a member of the plugin's keyring
  public record JoinSettings(
      Supplier<Kv> kv,
      MemberBuilderFactory memberBuilders,
      CollectionRegistration cluster,
      Supplier<String> nonces) {}

  public interface MemberBuilderFactory {
    MemberBuilder create(Kv kv);
  }

  private final JoinSettings settings;
  private final LongSupplier clock;
  private final Consumer<ProcessEvent> events;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Member member;
  private String lastReported = "";

  public FleetJoiner(JoinSettings settings, PluginContext context) {
    this.settings = settings;
    this.clock = context.clock();
    this.events = context.events();
    this.thread = Thread.ofPlatform().daemon().name("keyfleet-join").unstarted(this::run);
  }

  public FleetJoiner start() {
    thread.start();
    return this;
  }

  @Override
  public FleetState get() {
    Member joined = member;
    return joined == null ? new FleetState.NotJoined() : toFleetState(joined.state());
  }

  private static FleetState toFleetState(MembershipState state) {
    return switch (state) {
      case MembershipState.Admitted(Keystore keystore, _) ->
          new FleetState.KeystoreAvailable(keystore);
      case MembershipState.ReadOnly(Keystore keystore, _) ->
          new FleetState.KeystoreAvailable(keystore);
      case MembershipState.NoKeystore _,
          MembershipState.InSafeHold _,
          MembershipState.NameTaken _,
          MembershipState.DifferentTimings _,
          MembershipState.NotJoined _ ->
          new FleetState.KeystoreUnavailable();
    };
  }

  private void run() {
    RetryBackoff backoff = RetryBackoff.ready(clock.getAsLong());
    try {
      while (stopped.getCount() > 0 && member == null) {
        if (!tryJoin()) {
          backoff = backoff.afterFailure(clock.getAsLong());
          long pause = Math.max(0, backoff.dueNanos() - clock.getAsLong());
          var _ = stopped.await(pause, TimeUnit.NANOSECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the process interrupts all its threads
    }
  }

  private boolean tryJoin() {
    Member joined = null;
    try {
      Kv kv = settings.kv().get();
      joined = settings.memberBuilders().create(kv).join();
      registerCluster(kv);
      member = joined;
      return true;
    } catch (KeyfleetException e) {
      reportFailure(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      events.accept(ProcessEvent.unexpectedFailure("joining the fleet", e));
    }
    if (joined != null) {
      joined.close();
    }
    return false;
  }

  private void registerCluster(Kv kv) {
    CollectionRegistration cluster = settings.cluster();
    if (new CollectionRegistry(kv, settings.nonces()).register(cluster)
        instanceof CollectionRegistry.RegisteredDifferently(CollectionRegistration existing)) {
      throw new PluginException(
          "cluster %s is registered for keyring %s, not for %s"
              .formatted(cluster.collection(), existing.keyring(), cluster.keyring()),
          "give each cluster its own name: --cluster=NAME");
    }
  }

  private void reportFailure(String reason) {
    if (!reason.equals(lastReported)) {
      lastReported = reason;
      events.accept(ProcessEvent.warning("cannot join the fleet and will try again: " + reason));
    }
  }

  @Override
  public void close() {
    stopped.countDown();
    try {
      var _ = thread.join(STOP_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Member joined = member;
    if (joined != null) {
      joined.close();
    }
  }
}
