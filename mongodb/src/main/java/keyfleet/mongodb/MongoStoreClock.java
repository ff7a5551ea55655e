package keyfleet.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoDatabase;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.StoreTime;
import org.bson.Document;

/// Store time: the primary's clock, made to never go back for this client. A primary whose clock is
/// behind its predecessor's lets store time stand still until it has caught up.
///
/// The clock is read from the server's greeting, which costs no write and no disk.
final class MongoStoreClock {
  private final MongoDatabase admin;
  private final AtomicLong latest = new AtomicLong();
  private volatile String helloCommand = "hello";

  MongoStoreClock(MongoDatabase admin) {
    this.admin = admin;
  }

  StoreTime now() {
    return observe(MongoErrors.translate(this::readServerTime));
  }

  /// Takes note of a time that the server wrote into an entry.
  StoreTime observe(Instant serverTime) {
    return new StoreTime(latest.accumulateAndGet(serverTime.toEpochMilli(), Math::max));
  }

  /// The latest time this client was told; nobody is asked.
  StoreTime latest() {
    return new StoreTime(latest.get());
  }

  /// What the server's clock shows, even if that is less than it was.
  Instant readServerTime() {
    Instant serverTime = sendHello().get("localTime", Instant.class);
    return serverTime == null ? Instant.ofEpochMilli(latest.get()) : serverTime;
  }

  /// The server's greeting; stand-ins for MongoDB may know it by its old name only.
  Document sendHello() {
    try {
      return admin.runCommand(new Document(helloCommand, 1));
    } catch (MongoCommandException e) {
      if (e.getCode() != MongoErrors.NO_SUCH_COMMAND || helloCommand.equals("isMaster")) {
        throw e;
      }
      helloCommand = "isMaster";
      return sendHello();
    }
  }
}
