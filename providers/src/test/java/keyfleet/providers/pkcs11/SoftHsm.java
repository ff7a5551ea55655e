package keyfleet.providers.pkcs11;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import keyfleet.crypto.KeyringName;

/// A SoftHSM in a folder of its own. The library reads the path of its configuration from the
/// environment of the process when it starts. The JVM cannot set that variable, so this fixture
/// sets it through the C library. Other processes (`softhsm2-util`) get it the usual way.
public final class SoftHsm implements AutoCloseable {
  public static final String TOKEN = "fleet";

  private static final String VARIABLE = "SOFTHSM2_CONF";
  private static final String PIN = "271828";

  /// A vendor-defined code, so that an error in a test is visible in its message.
  private static final long BROKEN_STUB = 0x8000_0BADL;

  private static final long C_LOGOUT = 19;
  private static final long C_CREATE_OBJECT = 20;

  private static final List<String> LIBRARY_PATHS =
      List.of(
          "/usr/lib/softhsm/libsofthsm2.so",
          "/usr/lib64/softhsm/libsofthsm2.so",
          "/usr/lib64/pkcs11/libsofthsm2.so",
          "/usr/local/lib/softhsm/libsofthsm2.so",
          "/opt/homebrew/lib/softhsm/libsofthsm2.so");

  /// Replaces functions of the module.
  interface FunctionStub {
    long answer(Call call);
  }

  /// The entry point of a stub for native code.
  interface UpcallEntry {
    long call(long a, long b, long c, long d, long e);
  }

  /// A call on its way to the module.
  static final class Call {
    private final Cryptoki real;
    private final Cryptoki.Function function;
    private final long[] arguments;

    private Call(Cryptoki real, Cryptoki.Function function, long... arguments) {
      this.real = real;
      this.function = function;
      this.arguments = arguments;
    }

    Cryptoki.Function function() {
      return function;
    }

    long argument(int index) {
      return arguments[index];
    }

    void replace(int index, long argument) {
      arguments[index] = argument;
    }

    /// Calls the module itself.
    long proceed() {
      real.call(function, arguments);
      return CryptokiResult.OK.code();
    }
  }

  private final Path folder;
  private final List<Pkcs11Provider> providers = new ArrayList<>();

  private SoftHsm(Path folder) {
    this.folder = folder;
  }

  /// With one token, [#TOKEN], in an empty folder.
  public static SoftHsm in(Path folder) throws IOException {
    SoftHsm hsm = new SoftHsm(folder);
    assumeTrue(hsm.hasTool(), "softhsm2-util is missing; install the package softhsm2");
    module();
    Files.createDirectory(hsm.tokens());
    hsm.configure("");
    setVariable(hsm.configuration());
    hsm.pinFile(PIN);
    hsm.addToken(TOKEN);
    return hsm;
  }

  public static Path module() {
    Path module =
        LIBRARY_PATHS.stream().map(Path::of).filter(Files::exists).findFirst().orElse(null);
    assumeTrue(module != null, "libsofthsm2.so is missing; install the package softhsm2");
    return Path.of(String.valueOf(module));
  }

  void configure(String more) throws IOException {
    String lines = "directories.tokendir = %s%nlog.level = ERROR%n%s%n".formatted(tokens(), more);
    Files.writeString(configuration(), lines);
  }

  private Path configuration() {
    return folder.resolve("softhsm2.conf");
  }

  private Path tokens() {
    return folder.resolve("tokens");
  }

  public Path pinFile() {
    return folder.resolve("pin");
  }

  void pinFile(String text) throws IOException {
    Files.writeString(pinFile(), text);
    Files.setPosixFilePermissions(pinFile(), PosixFilePermissions.fromString("rw-------"));
  }

  static byte[] pin() {
    return PIN.getBytes(StandardCharsets.US_ASCII);
  }

  Pkcs11Settings settings() {
    return new Pkcs11Settings(module(), TOKEN, new Pkcs11Settings.PinFile(pinFile()));
  }

  /// A provider of the keyring `main`, closed with the fixture.
  Pkcs11Provider provider() {
    return provider(settings(), Pkcs11ModuleRegistry.processWide());
  }

  Pkcs11Provider provider(Pkcs11Settings settings) {
    return provider(settings, Pkcs11ModuleRegistry.processWide());
  }

  Pkcs11Provider provider(Pkcs11ModuleRegistry modules) {
    return provider(settings(), modules);
  }

  Pkcs11Provider provider(Pkcs11Settings settings, Pkcs11ModuleRegistry modules) {
    Pkcs11Token token = new Pkcs11Token(settings, modules);
    Pkcs11Provider provider = new Pkcs11Provider(KeyringName.MAIN, token, new SecureRandom());
    providers.add(provider);
    return provider;
  }

  void addToken(String label) {
    runTool("--init-token", "--free", "--label", label, "--pin", PIN, "--so-pin", "31415926");
  }

  void deleteToken(String label) {
    runTool("--delete-token", "--token", label);
  }

  /// Creates a key in another process. Its bytes are letters, because the tool stops at a zero or a
  /// newline.
  void importKey(String label) throws IOException {
    Path file = Files.writeString(folder.resolve("aes"), "k".repeat(32));
    runTool(
        "--import",
        file.toString(),
        "--aes",
        "--token",
        TOKEN,
        "--label",
        label,
        "--id",
        "01",
        "--pin",
        PIN);
  }

  /// Ends the login of the whole process, as other code in it may.
  void logout() {
    MethodHandle logout = function(C_LOGOUT, JAVA_LONG);
    long code = inForeignSession(session -> invoke(logout, session.handle()));
    assertEquals(CryptokiResult.OK.code(), code);
  }

  /// Creates a key of the given bytes with C_CreateObject, which the product never uses.
  void createKey(CryptokiTemplate template) {
    MethodHandle create = function(C_CREATE_OBJECT, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = template.write(arena);
      MemorySegment made = arena.allocate(JAVA_LONG);
      long size = template.size();
      long code =
          inForeignSession(session -> invoke(create, session.handle(), attributes, size, made));
      assertEquals(CryptokiResult.OK.code(), code);
    }
  }

  private static MethodHandle function(long index, MemoryLayout... parameters) {
    MemorySegment address = functionList().get(ADDRESS, (1 + index) * ADDRESS.byteSize());
    return cFunction(address, JAVA_LONG, parameters);
  }

  private static long invoke(MethodHandle function, Object... arguments) {
    try {
      return ((Number) function.invokeWithArguments(arguments)).longValue();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  void vanish() throws IOException {
    Files.move(tokens(), folder.resolve("away"));
  }

  void reappear() throws IOException {
    Files.move(folder.resolve("away"), tokens());
  }

  /// Uses the token as other code of this process would, beside any open provider.
  <T> T inForeignSession(Function<Pkcs11Session, T> work) {
    Cryptoki cryptoki = Cryptoki.open(module());
    boolean started = tryCall(cryptoki::initialize);
    try {
      Pkcs11Session session = new Pkcs11Session(cryptoki, 0, cryptoki.openSession(slot(cryptoki)));
      tryCall(() -> cryptoki.login(session.handle(), pin()));
      T answer = work.apply(session);
      session.close();
      return answer;
    } finally {
      if (started) {
        cryptoki.finalizeLibrary();
      }
    }
  }

  static long slot(Cryptoki cryptoki) {
    return Arrays.stream(cryptoki.slots())
        .filter(slot -> cryptoki.tokenLabel(slot).equals(TOKEN))
        .findFirst()
        .orElseThrow();
  }

  /// False if the module was already in that state.
  private static boolean tryCall(Runnable call) {
    try {
      call.run();
      return true;
    } catch (CryptokiException e) {
      return false;
    }
  }

  /// The module with some functions replaced, for faults that SoftHSM never shows.
  static Cryptoki withStubs(FunctionStub stub, Cryptoki.Function... functions) {
    Cryptoki real = Cryptoki.open(module());
    MemorySegment list = Arena.global().allocate(Cryptoki.FUNCTION_LIST_BYTES, Long.BYTES);
    list.copyFrom(functionList());
    for (Cryptoki.Function function : functions) {
      list.set(ADDRESS, function.offset(), entry(stub, real, function));
    }
    return new Cryptoki(list);
  }

  // restricted: upcalls into this test
  @SuppressWarnings("restricted")
  private static MemorySegment entry(FunctionStub stub, Cryptoki real, Cryptoki.Function function) {
    UpcallEntry upcallEntry =
        (a, b, c, d, e) -> answer(stub, new Call(real, function, a, b, c, d, e));
    MethodType fiveParameters =
        MethodType.methodType(
            long.class, long.class, long.class, long.class, long.class, long.class);
    try {
      return Linker.nativeLinker()
          .upcallStub(
              MethodHandles.lookup().bind(upcallEntry, "call", fiveParameters),
              FunctionDescriptor.of(
                  JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  static Pkcs11ModuleRegistry modules(Cryptoki cryptoki, Duration callTimeout) {
    return new Pkcs11ModuleRegistry(_ -> cryptoki, callTimeout);
  }

  /// No exception may be thrown through native code.
  private static long answer(FunctionStub stub, Call call) {
    try {
      return stub.answer(call);
    } catch (CryptokiException refused) {
      return refused.code();
    } catch (RuntimeException | Error broken) {
      return BROKEN_STUB;
    }
  }

  // restricted: the list that the entry point of the module returns
  @SuppressWarnings("restricted")
  private static MemorySegment functionList() {
    MemorySegment entry =
        SymbolLookup.libraryLookup(module(), Arena.global())
            .find("C_GetFunctionList")
            .orElseThrow();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pointer = arena.allocate(ADDRESS);
      assertEquals(0L, invoke(cFunction(entry, JAVA_LONG, ADDRESS), pointer));
      return pointer.get(ADDRESS, 0).reinterpret(Cryptoki.FUNCTION_LIST_BYTES);
    }
  }

  /// The reading end of a pipe that holds `text` and has no writer left.
  static int pipe(byte[] text) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ends = arena.allocate(JAVA_INT, 2);
      assertEquals(0, invoke(cFunction("pipe", JAVA_INT, ADDRESS), ends));
      int writing = ends.getAtIndex(JAVA_INT, 1);
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, text);
      MethodHandle write = cFunction("write", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
      assertEquals(text.length, invoke(write, writing, bytes, (long) text.length));
      assertEquals(0, invoke(cFunction("close", JAVA_INT, JAVA_INT), writing));
      return ends.getAtIndex(JAVA_INT, 0);
    }
  }

  private static void setVariable(Path configuration) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(VARIABLE);
      MemorySegment value = arena.allocateFrom(configuration.toString());
      MethodHandle setenv = cFunction("setenv", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
      assertEquals(0, invoke(setenv, name, value, 1));
    }
  }

  private static MethodHandle cFunction(
      String name, MemoryLayout result, MemoryLayout... parameters) {
    return cFunction(
        Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), result, parameters);
  }

  // restricted: functions of the C library, by their documented shape
  @SuppressWarnings("restricted")
  private static MethodHandle cFunction(
      MemorySegment function, MemoryLayout result, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(function, FunctionDescriptor.of(result, parameters));
  }

  private boolean hasTool() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folderName -> Files.isExecutable(Path.of(folderName, "softhsm2-util")));
  }

  private void runTool(String... arguments) {
    List<String> command = new ArrayList<>(List.of("softhsm2-util"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put(VARIABLE, configuration().toString());
    try {
      Process process = builder.start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.onExit().join().exitValue(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    providers.forEach(Pkcs11Provider::close);
  }
}
