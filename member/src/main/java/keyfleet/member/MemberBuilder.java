package keyfleet.member;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Timings;
import keyfleet.member.heartbeat.MemberThreads;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.PlatformMemberThreads;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.CryptoMetrics;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.KekProvider;
import keyfleet.store.CollectionShape;
import keyfleet.store.Kv;
import keyfleet.store.engine.Engine;
import keyfleet.store.host.BootClock;
import org.jspecify.annotations.Nullable;

/// What a process says of itself before it joins. Without a word on its name or timings, its
/// environment is asked: see [ProcessSettings].
public final class MemberBuilder {
  private static final int NONCE_BYTES = 16;

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
  private MemberListener listener = MemberListener.NONE;
  private @Nullable LongSupplier clock;
  private @Nullable MemberThreads memberThreads;
  private final SecureRandom random = new SecureRandom();
  private RandomGenerator jitter = random;

  MemberBuilder(Kv kv, KeyringName keyring) {
    this.kv = kv;
    this.keyring = keyring;
  }

  /// Where keys come from; at least one. If two have a version, the one named first counts.
  public MemberBuilder provider(KekProvider provider) {
    providers.add(provider);
    return this;
  }

  /// Instead of providers: keys that the process has loaded already, because it could not wait for
  /// the store. From here on the member refreshes them.
  public MemberBuilder keys(LoadedKeys loaded) {
    keys = loaded;
    return this;
  }

  /// A collection that this process seals into. It must exist. `engineName` is the scheme of the
  /// engine's URL: `sqlite`, `postgresql`, `mongodb`.
  public MemberBuilder collection(String engineName, Engine engine, CollectionShape shape) {
    collections.add(new CollectionDeclaration(engineName, engine, shape));
    return this;
  }

  public MemberBuilder settings(ProcessSettings newSettings) {
    settings = newSettings;
    return this;
  }

  /// Stands before what the settings say.
  public MemberBuilder instance(String name) {
    instance = name;
    return this;
  }

  /// Stands before what the settings say. Who has none takes the fleet's.
  public MemberBuilder timings(Timings own) {
    timings = own;
    return this;
  }

  /// What the process is for, as the roster shows it.
  public MemberBuilder role(String newRole) {
    role = newRole;
    return this;
  }

  /// The version of the program, as the roster shows it.
  public MemberBuilder software(String version) {
    software = version;
    return this;
  }

  public MemberBuilder listener(MemberListener newListener) {
    listener = newListener;
    return this;
  }

  /// Nanoseconds on a clock that goes on while the machine is suspended; this machine's, unless
  /// set.
  public MemberBuilder clock(LongSupplier nanos) {
    clock = nanos;
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

  /// Beats, looks at the keystore, registers the collections, and beats on in the background.
  /// Returns also if the process may not seal yet: it then reads, and [Member#state] says why.
  ///
  /// Throws a [MemberException] if the process must not start: its name is taken, its timings or a
  /// collection are other ones than the fleet's, a setting is wrong, or the store does not answer.
  public Member join() {
    ProcessSettings own = resolveSettings();
    MemberThreads on =
        memberThreads == null
            ? new PlatformMemberThreads(keyring + "-" + own.instance())
            : memberThreads;
    ProcessInfo processInfo =
        new ProcessInfo(own.instance(), randomNonce(), role, software, own.host());
    LongSupplier nanos = clock == null ? BootClock.system() : clock;
    return new JoinProcedure(
            new ProcessIdentity(processInfo, ProcessIdentity.PROTOCOL, own.timings()),
            new Membership.StoreAccess(kv, this::randomNonce),
            loadedKeys(nanos),
            new JoinProcedure.JoinContext(on, on.eventSink(listener), nanos, jitter))
        .join(collections);
  }

  private LoadedKeys loadedKeys(LongSupplier nanos) {
    if (keys == null && providers.isEmpty()) {
      throw new IllegalStateException("a member of " + keyring + " was given no key provider");
    }
    return keys == null
        ? new LoadedKeys(keyring, providers, random, new CryptoMetrics(nanos))
        : keys;
  }

  private ProcessSettings resolveSettings() {
    ProcessSettings own = settings == null ? ProcessSettings.ofThisProcess() : settings;
    own = instance == null ? own : own.withInstance(instance);
    return timings == null ? own : own.withTimings(timings);
  }

  private String randomNonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
