package keyfleet.member.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceStackTest {
  @Test
  void resources_areClosedInReverseOrder_evenIfOneFails() {
    List<ProcessEvent> events = new ArrayList<>();
    List<String> closed = new ArrayList<>();
    try (ResourceStack resources = new ResourceStack(events::add)) {
      resources.closeAtEnd(() -> closed.add("first"));
      resources.closeAtEnd(() -> {
        throw new IllegalStateException("it is stuck");
      });
      resources.closeAtEnd(() -> closed.add("last"));
    }
    assertEquals(List.of("last", "first"), closed);
    assertEquals(List.of(ProcessEvent.warning("cannot stop cleanly: it is stuck")), events);
  }
}
