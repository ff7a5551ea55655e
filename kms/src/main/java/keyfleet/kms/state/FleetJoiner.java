package keyfleet.kms.state;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.kms.PluginContext;
import keyfleet.kms.PluginEvent;
import keyfleet.kms.PluginException;
import keyfleet.member.Member;
import keyfleet.member.MemberBuilder;
import keyfleet.member.MemberException;
import keyfleet.member.MembershipState;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.store.Kv;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Brings a plugin into its fleet as soon as the store lets it, on a thread of its own: it serves
/// without. Once joined it is a member like any other, and its cluster is registered before it
/// takes over any keystore.
public final class FleetJoiner implements Supplier<FleetState>, AutoCloseable {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  /// @param kv opens the store; throws while it cannot be had
  /// @param joining begins a member of the plugin's keyring in it
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
  private final Consumer<PluginEvent> events;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Member member;
  private String lastReported = "";

  public FleetJoiner(JoinSettings settings, PluginContext context) {
    this.settings = settings;
    this.clock = context.clock();
    this.events = context.events();
    this.thread = Thread.ofPlatform().daemon().name("keyfleet-enlist").unstarted(this::run);
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

  private static FleetState toFleetState(MembershipState membershipState) {
    return switch (membershipState) {
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
    RetryBackoff retryBackoff = RetryBackoff.ready(clock.getAsLong());
    try {
      while (stopped.getCount() > 0 && member == null) {
        if (!tryJoin()) {
          retryBackoff = retryBackoff.afterFailure(clock.getAsLong());
          long pause = Math.max(0, retryBackoff.dueNanos() - clock.getAsLong());
          var _ = stopped.await(pause, TimeUnit.NANOSECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // somebody ends all threads of the process
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
    } catch (StoreException | MemberException | MalformedValueException | PluginException e) {
      reportFailure(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      events.accept(PluginEvent.UnexpectedFailure.of("joining", e));
    }
    if (joined != null) {
      joined.close();
    }
    return false;
  }

  private void registerCluster(Kv kv) {
    CollectionRegistration cluster = settings.cluster();
    if (new CollectionRegistry(kv, settings.nonces()).register(cluster)
        instanceof CollectionRegistry.RegisteredDifferently(CollectionRegistration held)) {
      throw new PluginException(
          "cluster %s is registered for keyring %s, not for %s"
              .formatted(cluster.collection(), held.keyring(), cluster.keyring()),
          "--cluster with a name of its own for each cluster");
    }
  }

  private void reportFailure(String why) {
    if (!why.equals(lastReported)) {
      lastReported = why;
      events.accept(new PluginEvent.JoinFailed(why));
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
