package keyfleet.kms.grpc;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Collection;
import keyfleet.kms.state.CallRefusal;

/// The answer to one call, given once by whichever thread has it.
final class CallReply<T> {
  private final CallRecorder callRecorder;
  private final PendingCall ticket;
  private final StreamObserver<T> observer;

  CallReply(
      CallRecorder callRecorder, KmsMethod kmsMethod, String uid, StreamObserver<T> observer) {
    this.callRecorder = callRecorder;
    this.ticket = callRecorder.begin(kmsMethod, uid);
    this.observer = observer;
  }

  PendingCall pendingCall() {
    return ticket;
  }

  /// Must be said before another thread answers: the caller may have hung up by then.
  void prepareAsync(String keyId, Collection<String> annotations) {
    ticket.describe(keyId, annotations);
    if (observer instanceof ServerCallStreamObserver<T> call) {
      call.setOnCancelHandler(() -> {}); // without one, answering a call that is gone throws
    }
  }

  /// @param keyId empty if there is none
  void complete(T answer, String keyId, Collection<String> annotations) {
    observer.onNext(answer);
    observer.onCompleted();
    callRecorder.end(ticket, Status.Code.OK, keyId, annotations);
  }

  void refuse(CallRefusal why, String keyId, Collection<String> annotations) {
    Status.Code code = toStatusCode(why.kind());
    observer.onError(Status.fromCode(code).withDescription(why.message()).asException());
    callRecorder.end(ticket, code, keyId, annotations);
  }

  /// The one place where reasons become the protocol's codes.
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
