package keyfleet.rollout.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What holds for every node after any sequence of orders, results, probes, crashes and reboots.
/// [NodeRandomWalk] names the rules: R2, R8, I2, I3, I4, I5, I8, I9, P8.
class NodeWalkTest {
  private static final int WALKS = 1_500;
  private static final int STEPS = 250;
  private static final Pattern EDGE =
      Pattern.compile("/// (\\w+) +== (\\w+(?:, \\w+)*) =+> (\\w+).*");

  @Test
  void randomWalks_keepTheRulesAndTakeExactlyTheDocumentedEdges() throws IOException {
    Set<String> taken = new TreeSet<>();
    for (long seed = 0; seed < WALKS; seed++) {
      new NodeRandomWalk(seed, taken).walk(STEPS);
    }
    assertEquals(String.join("\n", documentedEdges()), String.join("\n", taken));
  }

  /// The diagram in the package's description.
  private static Set<String> documentedEdges() throws IOException {
    Set<String> edges = new TreeSet<>();
    Path source = Path.of("src/main/java/keyfleet/rollout/node/package-info.java");
    for (String line : Files.readAllLines(source)) {
      var edge = EDGE.matcher(line);
      if (edge.matches()) {
        for (String label : edge.group(2).split(", ", -1)) {
          edges.add(edge.group(1) + " " + label + " " + edge.group(3));
        }
      }
    }
    return edges;
  }
}
