package keyfleet.nats;

import static keyfleet.nats.NatsTestServer.freePort;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A cluster of three servers that sync each write.
final class NatsTestCluster implements AutoCloseable {
  static final int SIZE = 3;

  private final List<NatsTestServer> servers = new ArrayList<>();

  NatsTestCluster(Path folder) {
    List<Integer> routes = IntStream.range(0, SIZE).mapToObj(_ -> freePort()).toList();
    String all =
        routes.stream().map(it -> "nats://127.0.0.1:" + it).collect(Collectors.joining(", "));
    for (int i = 0; i < SIZE; i++) {
      servers.add(
          NatsTestServer.launch(
              folder.resolve("n" + i),
              freePort(),
              freePort(),
              "server_name: " + name(i),
              NatsTestServer.DURABLE,
              "cluster { name: trio, listen: \"127.0.0.1:%d\", routes: [%s] }"
                  .formatted(routes.get(i), all)));
    }
    servers.forEach(NatsTestServer::awaitReady);
  }

  String addresses() {
    return servers.stream().map(NatsTestServer::address).collect(Collectors.joining(","));
  }

  String monitors() {
    return servers.stream().map(NatsTestServer::monitor).collect(Collectors.joining(","));
  }

  NatsTestServer serverNamed(String name) {
    return servers.get(
        IntStream.range(0, SIZE).filter(i -> name(i).equals(name)).findFirst().orElseThrow());
  }

  List<NatsTestServer> servers() {
    return List.copyOf(servers);
  }

  private static String name(int number) {
    return "n" + number;
  }

  @Override
  public void close() {
    servers.forEach(NatsTestServer::close);
  }
}
