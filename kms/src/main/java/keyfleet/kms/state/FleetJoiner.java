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
  private static final Duration LONGEST_STOP = Duration.ofSeconds(5);

  /// @param kv opens the store; throws while it cannot be had
  /// @param joining begins a member of the plugin's keyring in it
  public record JoinSettings(
      Supplier<Kv> kv,
      MemberBuilderFactory joining,
      CollectionRegistration cluster,
      Supplier<String> nonces) {}

  public interface MemberBuilderFactory {
    MemberBuilder in(Kv kv);
  }

  private final JoinSettings way;
  private final LongSupplier clock;
  private final Consumer<PluginEvent> events;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable Member member;
  private String trouble = "";

  public FleetJoiner(JoinSettings way, PluginContext around) {
    this.way = way;
    this.clock = around.clock();
    this.events = around.events();
    this.thread = Thread.ofPlatform().daemon().name("keyfleet-enlist").unstarted(this::run);
  }

  public FleetJoiner start() {
    thread.start();
    return this;
  }

  @Override
  public FleetState get() {
    Member joined = member;
    return joined == null ? new FleetState.NotJoined() : word(joined.state());
  }

  private static FleetState word(MembershipState membershipState) {
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
    RetryBackoff backoff = RetryBackoff.none(clock.getAsLong());
    try {
      while (over.getCount() > 0 && member == null) {
        if (!tried()) {
          backoff = backoff.failed(clock.getAsLong());
          long pause = Math.max(0, backoff.due() - clock.getAsLong());
          var _ = over.await(pause, TimeUnit.NANOSECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // somebody ends all threads of the process
    }
  }

  private boolean tried() {
    Member joined = null;
    try {
      Kv kv = way.kv().get();
      joined = way.joining().in(kv).join();
      register(kv);
      member = joined;
      return true;
    } catch (StoreException | MemberException | MalformedValueException | PluginException e) {
      tell(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      events.accept(PluginEvent.UnexpectedFailure.of("joining", e));
    }
    if (joined != null) {
      joined.close();
    }
    return false;
  }

  private void register(Kv kv) {
    CollectionRegistration cluster = way.cluster();
    if (new CollectionRegistry(kv, way.nonces()).register(cluster)
        instanceof CollectionRegistry.RegisteredDifferently(CollectionRegistration held)) {
      throw new PluginException(
          "cluster %s is registered for keyring %s, not for %s"
              .formatted(cluster.collection(), held.keyring(), cluster.keyring()),
          "--cluster with a name of its own for each cluster");
    }
  }

  private void tell(String why) {
    if (!why.equals(trouble)) {
      trouble = why;
      events.accept(new PluginEvent.JoinFailed(why));
    }
  }

  @Override
  public void close() {
    over.countDown();
    try {
      var _ = thread.join(LONGEST_STOP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Member joined = member;
    if (joined != null) {
      joined.close();
    }
  }
}
