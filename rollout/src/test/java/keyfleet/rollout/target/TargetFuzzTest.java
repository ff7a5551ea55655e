package keyfleet.rollout.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.target.TargetParser.InvalidTarget;
import keyfleet.rollout.target.TargetParser.Parsed;

/// For any text, the parser returns a result and never throws. A parsed target, written and parsed
/// again, is equal; an error has a position inside the text.
class TargetFuzzTest {
  private static final NodeId NODE = new NodeId("web1.eu");

  @FuzzTest(maxDuration = "10s")
  void anyText_isParsedAndReadBackOrRefusedInside(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    switch (TargetParser.parse(text)) {
      case Parsed(var target) -> {
        assertEquals(new Parsed(target), TargetParser.parse(target.toString()));
        assertEquals(
            target.matches(NODE, Facts.NONE).not(),
            new Target.Not(target).matches(NODE, Facts.NONE));
      }
      case InvalidTarget(int position, String reason) ->
          assertTrue(
              position >= 0 && position <= text.length() && !reason.isEmpty(),
              () -> position + " " + reason);
    }
  }
}
