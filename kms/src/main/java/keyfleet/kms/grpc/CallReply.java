package keyfleet.kms.grpc;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Collection;
import keyfleet.kms.state.CallRefusal;

/// The answer to one call, given once by whichever thread has it.
final class CallReply<T> {
  private final CallRecorder counter;
  private final PendingCall ticket;
  private final StreamObserver<T> to;

  CallReply(CallRecorder counter, KmsMethod method, String uid, StreamObserver<T> to) {
    this.counter = counter;
    this.ticket = counter.began(method, uid);
    this.to = to;
  }

  PendingCall ticket() {
    return ticket;
  }

  /// Must be said before another thread answers: the caller may have hung up by then.
  void later(String keyId, Collection<String> annotations) {
    ticket.about(keyId, annotations);
    if (to instanceof ServerCallStreamObserver<T> call) {
      call.setOnCancelHandler(() -> {}); // without one, answering a call that is gone throws
    }
  }

  /// @param keyId empty if there is none
  void done(T answer, String keyId, Collection<String> annotations) {
    to.onNext(answer);
    to.onCompleted();
    counter.served(ticket, Status.Code.OK, keyId, annotations);
  }

  void refused(CallRefusal why, String keyId, Collection<String> annotations) {
    Status.Code code = code(why.kind());
    to.onError(Status.fromCode(code).withDescription(why.sentence()).asException());
    counter.served(ticket, code, keyId, annotations);
  }

  /// The one place where reasons become the protocol's codes.
  static Status.Code code(CallRefusal.Kind kind) {
    return switch (kind) {
      case BAD_CALL -> Status.Code.INVALID_ARGUMENT;
      case UNKNOWN_KEY -> Status.Code.NOT_FOUND;
      case NOT_ALLOWED -> Status.Code.FAILED_PRECONDITION;
      case NOT_NOW -> Status.Code.UNAVAILABLE;
      case SPENT -> Status.Code.RESOURCE_EXHAUSTED;
    };
  }
}
