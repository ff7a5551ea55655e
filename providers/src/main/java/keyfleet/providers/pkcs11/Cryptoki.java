package keyfleet.providers.pkcs11;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import keyfleet.providers.ProviderException;

/// The functions of one PKCS#11 module, typed. A call that does not return CKR_OK throws
/// [CryptokiException]. This class knows nothing about keyrings, retries or operators.
///
/// Every parameter of these functions is a CK_ULONG or a pointer: eight bytes, in a register, on
/// Linux and macOS alike, and no struct is packed. So one handle with five parameters serves all
/// functions (a function does not look at registers that it does not read), which saves a good part
/// of the start-up time. Windows, with its four-byte CK_ULONG and packed structs, is refused.
///
/// Native memory is in a confined arena for one call, and is wiped if it held a secret.
final class Cryptoki {
  /// The functions in use, by their index in CK_FUNCTION_LIST.
  enum Function {
    C_INITIALIZE("C_Initialize", 0),
    C_FINALIZE("C_Finalize", 1),
    C_GET_FUNCTION_LIST("C_GetFunctionList", 3),
    C_GET_SLOT_LIST("C_GetSlotList", 4),
    C_GET_TOKEN_INFO("C_GetTokenInfo", 6),
    C_GET_MECHANISM_LIST("C_GetMechanismList", 7),
    C_OPEN_SESSION("C_OpenSession", 12),
    C_CLOSE_SESSION("C_CloseSession", 13),
    C_GET_SESSION_INFO("C_GetSessionInfo", 15),
    C_LOGIN("C_Login", 18),
    C_DESTROY_OBJECT("C_DestroyObject", 22),
    C_GET_ATTRIBUTE_VALUE("C_GetAttributeValue", 24),
    C_FIND_OBJECTS_INIT("C_FindObjectsInit", 26),
    C_FIND_OBJECTS("C_FindObjects", 27),
    C_FIND_OBJECTS_FINAL("C_FindObjectsFinal", 28),
    C_ENCRYPT_INIT("C_EncryptInit", 29),
    C_ENCRYPT("C_Encrypt", 30),
    C_DECRYPT_INIT("C_DecryptInit", 33),
    C_DECRYPT("C_Decrypt", 34),
    C_GENERATE_KEY("C_GenerateKey", 58);

    private final String symbol;
    private final int index;

    Function(String symbol, int index) {
      this.symbol = symbol;
      this.index = index;
    }

    String symbol() {
      return symbol;
    }

    /// After the CK_VERSION, which is padded to the size of a pointer.
    long offset() {
      return (1L + index) * ADDRESS.byteSize();
    }
  }

  static final long FUNCTION_LIST_BYTES = 69 * ADDRESS.byteSize();
  static final long CKM_AES_KEY_GEN = 0x1080;
  static final long CKM_AES_GCM = 0x1087;

  /// CK_MECHANISM: mechanism, pParameter, ulParameterLen.
  static final long MECHANISM_BYTES = 24;

  private static final int PARAMETERS = 5;
  private static final long NULL = 0;
  private static final long TOKEN_PRESENT = 1;
  private static final long CKU_USER = 1;
  private static final long CKF_OS_LOCKING_OK = 2;

  /// Serial, as the standard demands, and read-write, because AWS CloudHSM supports nothing else.
  private static final long SESSION_FLAGS = 4 | 2;

  private static final int INITIALIZE_ARGS_BYTES = 48;
  private static final int INITIALIZE_FLAGS_OFFSET = 32;
  private static final int TOKEN_INFO_BYTES = 208;
  private static final int TOKEN_LABEL_BYTES = 32;
  private static final int SESSION_INFO_BYTES = 32;
  private static final int SESSION_STATE_OFFSET = 8;
  private static final long CKS_RW_USER_FUNCTIONS = 3;
  private static final int FIND_BATCH = 64;

  private static final MethodHandle CALL = fiveParameterHandle();

  private final MemorySegment functions;

  /// Takes a CK_FUNCTION_LIST that is never freed.
  Cryptoki(MemorySegment functions) {
    this.functions = functions;
  }

  /// Loads a module for the life of the process: few modules survive being unloaded.
  // restricted: this class exists to load the native code that the operator names
  @SuppressWarnings("restricted")
  static Cryptoki open(Path module) {
    checkPlatform();
    if (!Files.isRegularFile(module)) {
      throw new ProviderException(
          "the PKCS#11 module " + module + " does not exist",
          "install the token's driver, or name its library:"
              + " pkcs11:MODULE?token=LABEL&pin-file=FILE");
    }
    try {
      SymbolLookup library = SymbolLookup.libraryLookup(module, Arena.global());
      return library
          .find(Function.C_GET_FUNCTION_LIST.symbol())
          .map(entry -> new Cryptoki(functionList(entry)))
          .orElseThrow(() -> notLoadable(module, "it has no C_GetFunctionList"));
    } catch (IllegalArgumentException e) {
      throw notLoadable(module, "it is not a library for this system");
    }
  }

  private static void checkPlatform() {
    MemoryLayout unsignedLong = Linker.nativeLinker().canonicalLayouts().get("long");
    if (unsignedLong == null || unsignedLong.byteSize() != Long.BYTES) {
      throw new ProviderException(
          "pkcs11 works on 64-bit Linux and macOS only, not on " + System.getProperty("os.name"),
          "use another provider: --provider file:DIR");
    }
  }

  private static ProviderException notLoadable(Path module, String reason) {
    return new ProviderException(
        "the PKCS#11 module " + module + " cannot be loaded: " + reason, "ldd " + module);
  }

  // restricted: the standard defines the length of the list, which the JVM cannot know
  @SuppressWarnings("restricted")
  private static MemorySegment functionList(MemorySegment entry) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pointer = arena.allocate(ADDRESS);
      invoke(Function.C_GET_FUNCTION_LIST, entry, pointer.address());
      return pointer.get(ADDRESS, 0).reinterpret(FUNCTION_LIST_BYTES).asReadOnly();
    }
  }

  void initialize() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment arguments = arena.allocate(INITIALIZE_ARGS_BYTES, Long.BYTES);
      arguments.set(JAVA_LONG, INITIALIZE_FLAGS_OFFSET, CKF_OS_LOCKING_OK);
      call(Function.C_INITIALIZE, arguments.address());
    }
  }

  void finalizeLibrary() {
    call(Function.C_FINALIZE, NULL);
  }

  /// The slots that hold a token.
  long[] slots() {
    return listNumbers(Function.C_GET_SLOT_LIST, TOKEN_PRESENT);
  }

  boolean hasMechanism(long slot, long mechanism) {
    return Arrays.stream(listNumbers(Function.C_GET_MECHANISM_LIST, slot))
        .anyMatch(it -> it == mechanism);
  }

  /// A list of numbers. The first call asks for its length.
  private long[] listNumbers(Function function, long subject) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_LONG);
      call(function, subject, NULL, count.address());
      MemorySegment list = arena.allocate(JAVA_LONG, Math.max(1, count.get(JAVA_LONG, 0)));
      call(function, subject, list.address(), count.address());
      return longs(list, count);
    }
  }

  private static long[] longs(MemorySegment list, MemorySegment count) {
    return list.asSlice(0, count.get(JAVA_LONG, 0) * Long.BYTES).toArray(JAVA_LONG);
  }

  String tokenLabel(long slot) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(TOKEN_INFO_BYTES, Long.BYTES);
      call(Function.C_GET_TOKEN_INFO, slot, info.address());
      byte[] padded = info.asSlice(0, TOKEN_LABEL_BYTES).toArray(JAVA_BYTE);
      return new String(padded, StandardCharsets.UTF_8).stripTrailing();
    }
  }

  long openSession(long slot) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment session = arena.allocate(JAVA_LONG);
      call(Function.C_OPEN_SESSION, slot, SESSION_FLAGS, NULL, NULL, session.address());
      return session.get(JAVA_LONG, 0);
    }
  }

  void closeSession(long session) {
    call(Function.C_CLOSE_SESSION, session);
  }

  boolean isLoggedIn(long session) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment info = arena.allocate(SESSION_INFO_BYTES, Long.BYTES);
      call(Function.C_GET_SESSION_INFO, session, info.address());
      return info.get(JAVA_LONG, SESSION_STATE_OFFSET) == CKS_RW_USER_FUNCTIONS;
    }
  }

  void login(long session, byte[] pin) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocateFrom(JAVA_BYTE, pin);
      try {
        call(Function.C_LOGIN, session, CKU_USER, copy.address(), pin.length);
      } finally {
        copy.fill((byte) 0);
      }
    }
  }

  /// The objects that match, at most `limit`.
  long[] find(long session, CryptokiTemplate template, int limit) {
    try (Arena arena = Arena.ofConfined()) {
      call(Function.C_FIND_OBJECTS_INIT, session, template.write(arena).address(), template.size());
      MemorySegment list = arena.allocate(JAVA_LONG, FIND_BATCH);
      MemorySegment count = arena.allocate(JAVA_LONG);
      LongStream found = LongStream.empty();
      long total = 0;
      do {
        call(Function.C_FIND_OBJECTS, session, list.address(), FIND_BATCH, count.address());
        found = LongStream.concat(found, LongStream.of(longs(list, count)));
        total += count.get(JAVA_LONG, 0);
      } while (count.get(JAVA_LONG, 0) > 0 && total < limit);
      call(Function.C_FIND_OBJECTS_FINAL, session);
      return found.limit(limit).toArray();
    }
  }

  /// Reads the attributes that the token reveals. One that it hides or does not know is left out.
  CryptokiAttributes attributes(long session, long object, long... types) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment list = CryptokiAttributes.allocateList(arena, types);
      try {
        call(Function.C_GET_ATTRIBUTE_VALUE, session, object, list.address(), types.length);
      } catch (CryptokiException e) {
        if (!CryptokiAttributes.isPartial(e)) {
          throw e;
        }
      }
      return CryptokiAttributes.read(list);
    }
  }

  long generateKey(long session, CryptokiTemplate template) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mechanism = arena.allocate(MECHANISM_BYTES, Long.BYTES);
      mechanism.set(JAVA_LONG, 0, CKM_AES_KEY_GEN);
      MemorySegment key = arena.allocate(JAVA_LONG);
      call(
          Function.C_GENERATE_KEY,
          session,
          mechanism.address(),
          template.write(arena).address(),
          template.size(),
          key.address());
      return key.get(JAVA_LONG, 0);
    }
  }

  void destroy(long session, long object) {
    call(Function.C_DESTROY_OBJECT, session, object);
  }

  void call(Function function, long... arguments) {
    invoke(function, functions.get(ADDRESS, function.offset()), arguments);
  }

  private static void invoke(Function function, MemorySegment address, long... arguments) {
    long[] all = Arrays.copyOf(arguments, PARAMETERS);
    long code;
    try {
      code = (long) CALL.invokeExact(address, all[0], all[1], all[2], all[3], all[4]);
    } catch (Throwable e) {
      throw new IllegalStateException(function.symbol() + " could not be called", e);
    }
    if (code != CryptokiResult.OK.code()) {
      throw new CryptokiException(function, code);
    }
  }

  // restricted: the standard defines the shape of the functions, which the JVM cannot know
  @SuppressWarnings("restricted")
  private static MethodHandle fiveParameterHandle() {
    return Linker.nativeLinker()
        .downcallHandle(
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
  }
}
