package keyfleet.kms.state;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyfleetException;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.KnownPlugin;
import keyfleet.keyring.Timings;
import keyfleet.kms.KmsPlugin;
import keyfleet.kms.PluginContext;
import keyfleet.kms.PluginException;
import keyfleet.member.Member;
import keyfleet.member.MembershipState;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KnownPluginRegistry;
import keyfleet.member.heartbeat.MemberEventLog;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.member.process.NonceGenerator;
import keyfleet.member.process.PeriodicTask;
import keyfleet.member.process.ProcessEvent;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// Joins the fleet as soon as the store answers, on its own thread; the plugin serves calls
/// meanwhile. Once joined, the plugin is a member like any other. Its cluster is registered before
/// it adopts any keystore.
public final class FleetJoiner implements Supplier<Optional<MembershipState>>, AutoCloseable {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  /// The role in the roster.
  private static final String ROLE = "kms-plugin";

  private final KmsPlugin.Settings settings;
  private final Supplier<Kv> store;
  private final LoadedKeys keys;
  private final AnnouncementStore announcements;
  private final PluginContext context;
  private final PeriodicTask task;
  private RetryBackoff backoff;
  private volatile @Nullable KnownPluginRegistry knownPlugins;
  private volatile @Nullable Member member;
  private String lastReported = "";

  /// @param store opens the store; throws while the store cannot be opened
  public FleetJoiner(
      KmsPlugin.Settings settings,
      Supplier<Kv> store,
      LoadedKeys keys,
      AnnouncementStore announcements,
      PluginContext context) {
    this.settings = settings;
    this.store = store;
    this.keys = keys;
    this.announcements = announcements;
    this.context = context;
    this.backoff = RetryBackoff.ready(context.clock().getAsLong());
    this.task =
        new PeriodicTask("keyfleet-join", "joining the fleet", this::join, context.events());
  }

  public void start() {
    task.start();
  }

  /// Empty until the plugin has joined; no member refreshes its keys until then.
  @Override
  public Optional<MembershipState> get() {
    return Optional.ofNullable(member).map(Member::state);
  }

  /// Returns the pause before the next attempt, or before the next look at what the fleet
  /// remembers.
  private Duration join() {
    Member joined = member;
    if (joined != null) {
      rememberAgain(joined);
      return heartbeatPeriod();
    }
    try {
      member = joinAndRegister(store.get());
      return heartbeatPeriod();
    } catch (KeyfleetException e) {
      reportFailure(e.getMessage());
      long now = context.clock().getAsLong();
      backoff = backoff.afterFailure(now);
      return Duration.ofNanos(backoff.dueNanos() - now);
    }
  }

  /// The plugin is remembered before it reads the keystore that it follows. A plugin that is paused
  /// between the two is silent, and no rotation starts; otherwise it could return with an old
  /// keystore and announce a version that was retired meanwhile.
  private Member joinAndRegister(Kv kv) {
    return Member.builder(kv, settings.keyring())
        .settings(settings.process())
        .role(ROLE)
        .software(settings.software())
        .clock(context.clock())
        .keys(keys)
        .withoutLease(MemberEventLog.WithoutLease.KEEPS_ANNOUNCED_KEY)
        .currentVersion(_ -> announcedVersion())
        .registration(instance -> register(kv, instance))
        .listener(context.events())
        .join();
  }

  private void register(Kv kv, String instance) {
    registerCluster(kv);
    KnownPluginRegistry registry = new KnownPluginRegistry(kv, settings.keyring());
    registry.remember(new KnownPlugin(place(), instance));
    knownPlugins = registry;
  }

  private Duration heartbeatPeriod() {
    PluginSnapshot snapshot = announcements.snapshot();
    Timings timings = snapshot == null ? Timings.DEFAULT : snapshot.keystore().timings();
    return timings.heartbeat();
  }

  /// An operator may have forgotten a plugin that was cut off and has returned. From now on the
  /// fleet must wait for it again.
  private void rememberAgain(Member joined) {
    KnownPluginRegistry registry = knownPlugins;
    if (registry != null) {
      try {
        registry.rememberIfAbsent(new KnownPlugin(place(), joined.instance()));
      } catch (StoreException _) {
        // The heartbeats report it; the next look is soon.
      }
    }
  }

  /// What API servers write under through this plugin, which may be older than the keystore's
  /// active version.
  private @Nullable KekVersion announcedVersion() {
    PluginSnapshot snapshot = announcements.snapshot();
    return snapshot == null ? null : snapshot.announced().version();
  }

  private KnownPlugin.Place place() {
    return new KnownPlugin.Place(
        settings.cluster(), settings.process().host().name(), settings.listen().toString());
  }

  private void registerCluster(Kv kv) {
    CollectionRegistration cluster =
        CollectionRegistration.ofCluster(settings.keyring(), settings.cluster());
    if (new CollectionRegistry(kv, new NonceGenerator()).register(cluster)
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
      context
          .events()
          .accept(ProcessEvent.warning("cannot join the fleet and will try again: " + reason));
    }
  }

  @Override
  public void close() {
    var _ = task.stop(STOP_TIMEOUT);
    Member joined = member;
    if (joined != null) {
      leave(joined);
      joined.close();
    }
  }

  /// A plugin that stops on purpose holds up no rotation. If the store does not answer, an operator
  /// has to say so.
  private void leave(Member joined) {
    try {
      KnownPluginRegistry registry = knownPlugins;
      if (registry != null) {
        var _ = registry.forget(joined.instance());
      }
    } catch (KeyfleetException e) {
      context
          .events()
          .accept(
              ProcessEvent.warning(
                  "rotations wait for this plugin until it returns or is forgotten: "
                      + e.getMessage()));
    }
  }
}
