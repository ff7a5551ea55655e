package keyfleet.kms.grpc;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Collection;
import keyfleet.kms.state.CallRefusal;

/// The reply to one call. It is given once, by any thread.
final class CallReply<T> {
  private final CallRecorder recorder;
  private final PendingCall pendingCall;
  private final StreamObserver<T> observer;

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
    observer.onNext(answer);
    observer.onCompleted();
    recorder.end(pendingCall, Status.Code.OK, keyId, annotations);
  }

  void refuse(CallRefusal refusal, String keyId, Collection<String> annotations) {
    Status.Code code = toStatusCode(refusal.kind());
    observer.onError(Status.fromCode(code).withDescription(refusal.message()).asException());
    recorder.end(pendingCall, code, keyId, annotations);
  }

  /// The only place that maps reasons to status codes of gRPC.
  static Status.Code toStatusCode(CallRefusal.Kind kind) {
    return switch (kind) {
      case INVALID_REQUEST -> Status.Code.INVALID_ARGUMENT;
      case UNKNOWN_KEY -> Status.Code.NOT_FOUND;
      case ACTION_REQUIRED -> Status.Code.FAILED_PRECONDITION;
      case UNAVAILABLE -> Status.Code.UNAVAILABLE;
      case LIMIT_REACHED -> Status.Code.RESOURCE_EXHAUSTED;
    };
  }
}
