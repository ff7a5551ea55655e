package keyfleet.kms.grpc;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.kms.state.CallRefusal;

/// The reply to one call. It is given once, by any thread.
final class CallReply<T> {
  private static final CallRefusal UNEXPECTED_FAILURE =
      new CallRefusal(
          CallRefusal.Kind.UNEXPECTED_FAILURE,
          "the plugin failed unexpectedly, which is a bug; its log names the place");

  private final CallRecorder recorder;
  private final PendingCall pendingCall;
  private final StreamObserver<T> observer;
  private final AtomicBoolean answered = new AtomicBoolean();

  CallReply(CallRecorder recorder, KmsMethod method, String uid, StreamObserver<T> observer) {
    this.recorder = recorder;
    this.pendingCall = recorder.begin(method, uid);
    this.observer = observer;
  }

  PendingCall pendingCall() {
    return pendingCall;
  }

  /// Call this before another thread replies: the caller may have hung up by then.
  void prepareAsync(String keyId, Collection<String> annotations) {
    pendingCall.describe(keyId, annotations);
    if (observer instanceof ServerCallStreamObserver<T> call) {
      call.setOnCancelHandler(() -> {}); // without a handler, replying to a cancelled call throws
    }
  }

  /// @param keyId empty if there is none
  void complete(T answer, String keyId, Collection<String> annotations) {
    if (answered.compareAndSet(false, true)) {
      observer.onNext(answer);
      observer.onCompleted();
      recorder.end(pendingCall, Status.Code.OK, keyId, annotations);
    }
  }

  void refuse(CallRefusal refusal, String keyId, Collection<String> annotations) {
    if (answered.compareAndSet(false, true)) {
      Status.Code code = toStatusCode(refusal.kind());
      observer.onError(Status.fromCode(code).withDescription(refusal.message()).asException());
      recorder.end(pendingCall, code, keyId, annotations);
    }
  }

  /// Runs a part of the work on this call. Whatever it throws is reported, and the call is answered
  /// with an error: no caller waits in vain, and no other call suffers.
  void run(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) { // an Error too: its thread serves other calls
      recorder.reportUnexpected(pendingCall, e);
      refuse(UNEXPECTED_FAILURE, "", List.of());
    }
  }

  /// The only place that maps reasons to status codes of gRPC.
  static Status.Code toStatusCode(CallRefusal.Kind kind) {
    return switch (kind) {
      case INVALID_REQUEST -> Status.Code.INVALID_ARGUMENT;
      case ACTION_REQUIRED -> Status.Code.FAILED_PRECONDITION;
      case UNAVAILABLE -> Status.Code.UNAVAILABLE;
      case LIMIT_REACHED -> Status.Code.RESOURCE_EXHAUSTED;
      case UNEXPECTED_FAILURE -> Status.Code.INTERNAL;
    };
  }
}
