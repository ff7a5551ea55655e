package keyfleet.member.process;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/// What a process has opened and closes at its end, the last opened first. One that cannot be
/// closed is reported and does not keep the others open.
public final class ResourceStack implements AutoCloseable {
  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private final Consumer<ProcessEvent> events;

  public ResourceStack(Consumer<ProcessEvent> events) {
    this.events = events;
  }

  public <T extends AutoCloseable> T closeAtEnd(T resource) {
    resources.push(resource);
    return resource;
  }

  @Override
  public void close() {
    while (!resources.isEmpty()) {
      try {
        resources.pop().close();
      } catch (Exception e) {
        events.accept(ProcessEvent.warning("cannot stop cleanly: " + e.getMessage()));
      }
    }
  }
}
