package keyfleet.providers;

import static keyfleet.providers.ProviderFixtures.KEY_1;
import static keyfleet.providers.ProviderFixtures.RANDOM;
import static keyfleet.providers.ProviderFixtures.canRoundTrip;
import static keyfleet.providers.ProviderFixtures.keyFile;
import static keyfleet.providers.ProviderFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.file.FileProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedProviderTest {
  @TempDir Path folder = Path.of("");
  private final VirtualTicker ticker = new VirtualTicker();

  private SimulatedProvider provider(Duration latency, int callsPerSecond) {
    keyFile(folder, "main.v1.key", KEY_1);
    return new SimulatedProvider(
        new FileProvider(KeyringName.MAIN, folder, RANDOM),
        new SimulatedRemote(latency, callsPerSecond, ticker));
  }

  @Test
  void eachCall_takesTheLatency() {
    KekSet kekSet = provider(Duration.ofMillis(20), 1000).load();
    assertTrue(canRoundTrip(kekSet, 1));
    assertEquals(Duration.ofMillis(40), Duration.ofNanos(ticker.nanos()));
  }

  @Test
  void callsOverTheLimit_failUntilTheNextSecond() {
    KekSet kekSet = provider(Duration.ZERO, 3).load();
    assertTrue(canRoundTrip(kekSet, 1));
    assertThrows(KekUnavailableException.class, () -> canRoundTrip(kekSet, 1));
    ticker.pause(Duration.ofSeconds(1));
    assertTrue(canRoundTrip(kekSet, 1));
  }

  @Test
  void loadedAgain_returnsTheSameKeys() {
    SimulatedProvider provider = provider(Duration.ZERO, 1);
    assertEquals(provider.load().find(v(1)), provider.load().find(v(1)));
  }
}
