package keyfleet.kms;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The caller's side: waits for the one answer, with a time limit.
public final class RecordingStreamObserver<T> implements StreamObserver<T> {
  private static final int LIMIT_SECONDS = 20;

  private final CompletableFuture<T> answer = new CompletableFuture<>();

  @Override
  public void onNext(T value) {
    if (!answer.complete(value)) {
      throw new IllegalStateException("a call was answered twice");
    }
  }

  @Override
  public void onError(Throwable error) {
    if (!answer.completeExceptionally(error)) {
      throw new IllegalStateException("a call was answered twice");
    }
  }

  @Override
  public void onCompleted() {}

  boolean isAnswered() {
    return answer.isDone();
  }

  public T answer() {
    try {
      return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("refused: " + Status.fromThrowable(e.getCause()), e);
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException("no answer came", e);
    }
  }

  /// The status code and the sentence.
  public Status refusal() {
    try {
      T value = answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      throw new IllegalStateException("answered: " + value.getClass().getSimpleName());
    } catch (ExecutionException e) {
      return Status.fromThrowable(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException("no answer came", e);
    }
  }
}
