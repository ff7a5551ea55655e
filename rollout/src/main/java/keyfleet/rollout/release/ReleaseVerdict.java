package keyfleet.rollout.release;

import java.time.Instant;
import java.util.List;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;

/// Whether a node may take a release; if not, every rule that refuses it.
public sealed interface ReleaseVerdict {
  record Acceptable() implements ReleaseVerdict {}

  record Unacceptable(List<Reason> reasons) implements ReleaseVerdict {
    public Unacceptable {
      reasons = List.copyOf(reasons);
    }
  }

  sealed interface Reason {
    default String description() {
      return switch (this) {
        case TooFewSignatures(int valid, int threshold) ->
            valid + " valid signatures, " + threshold + " required";
        case WrongPlatform(var release, var node) -> "built for " + release + ", not " + node;
        case ProtocolTooOld(int protocol, int min) -> "protocol " + protocol + " < " + min;
        case NotAllowedFrom(var running) -> "not allowed from version " + running;
        case Expired(var expiry) -> "expired at " + expiry;
        case Downgrade(long counter, long floor) ->
            "release counter " + counter + " < " + floor + " without a downgrade permit";
      };
    }
  }

  record TooFewSignatures(int valid, int threshold) implements Reason {}

  record WrongPlatform(Platform release, Platform node) implements Reason {}

  record ProtocolTooOld(int protocol, int minProtocol) implements Reason {}

  record NotAllowedFrom(ReleaseVersion running) implements Reason {}

  record Expired(Instant expiry) implements Reason {}

  record Downgrade(long counter, long floor) implements Reason {}
}
