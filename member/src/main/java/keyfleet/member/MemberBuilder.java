package keyfleet.member;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.member.heartbeat.MemberEventLog;
import keyfleet.member.heartbeat.MemberThreads;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.PlatformMemberThreads;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.CryptoMetrics;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.member.process.NonceGenerator;
import keyfleet.member.process.ProcessEvent;
import keyfleet.providers.KekProvider;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.engine.Engine;
import keyfleet.store.host.BootClock;
import org.jspecify.annotations.Nullable;

/// Configures a member before it joins. If the caller sets no name or timings, they come from the
/// environment: see [ProcessSettings].
public final class MemberBuilder {
  private final Kv kv;
  private final KeyringName keyring;
  private final List<KekProvider> providers = new ArrayList<>();
  private @Nullable LoadedKeys keys;
  private final List<CollectionDeclaration> collections = new ArrayList<>();
  private @Nullable ProcessSettings settings;
  private @Nullable String instance;
  private @Nullable Timings timings;
  private String role = "app";
  private String software = "";
  private Consumer<ProcessEvent> listener = _ -> {};
  private @Nullable LongSupplier clock;
  private @Nullable MemberThreads memberThreads;
  private final SecureRandom random = new SecureRandom();
  private RandomGenerator jitter = random;
  private Membership.CurrentVersion currentVersion = Keystore::active;
  private Consumer<String> registration = _ -> {};
  private MemberEventLog.WithoutLease withoutLease = MemberEventLog.WithoutLease.OPENS_ONLY;

  MemberBuilder(Kv kv, KeyringName keyring) {
    this.kv = kv;
    this.keyring = keyring;
  }

  /// Adds a provider that keys come from; at least one is required. If two providers have the same
  /// version, the first one wins.
  public MemberBuilder provider(KekProvider provider) {
    providers.add(provider);
    return this;
  }

  /// Replaces the providers by keys that the process has already loaded, because it could not wait
  /// for the store. The member refreshes them once it has joined.
  public MemberBuilder keys(LoadedKeys loaded) {
    keys = loaded;
    return this;
  }

  /// Declares a collection that this process seals into. The collection must exist. `engineName` is
  /// the scheme of the engine's URL: `sqlite`, `postgresql`, `mongodb`.
  public MemberBuilder collection(String engineName, Engine engine, CollectionShape shape) {
    collections.add(new CollectionDeclaration(engineName, engine, shape));
    return this;
  }

  public MemberBuilder settings(ProcessSettings newSettings) {
    settings = newSettings;
    return this;
  }

  /// Overrides the name in the settings.
  public MemberBuilder instance(String name) {
    instance = name;
    return this;
  }

  /// Overrides the timings in the settings. A process without timings takes the fleet's.
  public MemberBuilder timings(Timings own) {
    timings = own;
    return this;
  }

  /// Sets the purpose of the process, as the roster shows it.
  public MemberBuilder role(String newRole) {
    role = newRole;
    return this;
  }

  /// Sets the version of the program, as the roster shows it.
  public MemberBuilder software(String version) {
    software = version;
    return this;
  }

  /// Sets the receiver of the member's events, for example its log. It may block: a separate thread
  /// calls it, and events that it does not take in time are dropped.
  public MemberBuilder listener(Consumer<ProcessEvent> newListener) {
    listener = newListener;
    return this;
  }

  /// Sets a clock of nanoseconds that also counts while the machine is suspended. The default is
  /// this machine's boot clock.
  public MemberBuilder clock(LongSupplier nanos) {
    clock = nanos;
    return this;
  }

  /// Sets what the heartbeat reports as the version that this process seals under. The default is
  /// the active version of the keystore.
  public MemberBuilder currentVersion(Membership.CurrentVersion reported) {
    currentVersion = reported;
    return this;
  }

  /// Sets what this process does while it may not seal, for its log.
  public MemberBuilder withoutLease(MemberEventLog.WithoutLease effect) {
    withoutLease = effect;
    return this;
  }

  /// Sets what this process tells the fleet of itself, under its instance name, besides its
  /// collections. Called after the first heartbeat and before the keystore is read that the process
  /// follows: a rotation that starts later counts on the process, and one that started earlier is
  /// in that keystore.
  public MemberBuilder registration(Consumer<String> newRegistration) {
    registration = newRegistration;
    return this;
  }

  MemberBuilder jitter(RandomGenerator newJitter) {
    jitter = newJitter;
    return this;
  }

  MemberBuilder threads(MemberThreads newThreads) {
    memberThreads = newThreads;
    return this;
  }

  /// Writes a heartbeat, reads the keystore, registers the collections, and starts the heartbeat
  /// loop in the background. Also returns if the process may not seal yet: it can then open, and
  /// [Member#state] says why it cannot seal.
  ///
  /// Throws a [MemberException] if the process must not start: its name is taken, its timings or a
  /// collection differ from the fleet's, a setting is wrong, or the store does not answer.
  public Member join() {
    ProcessSettings resolved = resolveSettings();
    MemberThreads threads =
        memberThreads == null
            ? new PlatformMemberThreads(keyring + "-" + resolved.instance())
            : memberThreads;
    NonceGenerator nonces = new NonceGenerator();
    ProcessInfo process =
        new ProcessInfo(resolved.instance(), nonces.get(), role, software, resolved.host());
    LongSupplier nanos = clock == null ? BootClock.system() : clock;
    return new JoinProcedure(
            new ProcessIdentity(process, ProcessIdentity.PROTOCOL, resolved.timings()),
            new Membership.StoreAccess(kv, nonces),
            loadedKeys(nanos),
            new JoinProcedure.JoinContext(
                threads,
                threads.eventSink(listener),
                nanos,
                jitter,
                currentVersion,
                withoutLease,
                registration))
        .join(collections);
  }

  private LoadedKeys loadedKeys(LongSupplier nanos) {
    if (keys == null && providers.isEmpty()) {
      throw new IllegalStateException(
          "keyring "
              + keyring
              + ": the member has no key provider; call provider(...) or keys(...)");
    }
    return keys == null
        ? new LoadedKeys(keyring, providers, random, new CryptoMetrics(nanos))
        : keys;
  }

  private ProcessSettings resolveSettings() {
    ProcessSettings resolved = settings == null ? ProcessSettings.ofThisProcess() : settings;
    resolved = instance == null ? resolved : resolved.withInstance(instance);
    return timings == null ? resolved : resolved.withTimings(timings);
  }
}
