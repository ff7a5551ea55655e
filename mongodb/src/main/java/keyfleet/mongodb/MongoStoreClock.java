package keyfleet.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoDatabase;
import java.time.Instant;
import keyfleet.store.StoreTime;
import keyfleet.store.engine.LatestStoreTime;
import org.bson.Document;

/// Store time: the primary's clock, which never goes back for this client. If a new primary's clock
/// is behind that of its predecessor, store time stands still until it has caught up.
///
/// The clock is read with `hello`, which needs no write and no disk.
final class MongoStoreClock {
  private final MongoDatabase admin;
  private final LatestStoreTime latest = new LatestStoreTime();
  private volatile String helloCommand = "hello";

  MongoStoreClock(MongoDatabase admin) {
    this.admin = admin;
  }

  StoreTime now() {
    return observe(MongoErrors.translate(this::readServerTime));
  }

  /// Records a time that the server wrote into an entry.
  StoreTime observe(Instant serverTime) {
    return latest.observe(serverTime.toEpochMilli());
  }

  /// The latest time that this client has seen; sends nothing.
  StoreTime latest() {
    return new StoreTime(latest.millis());
  }

  /// The server's clock now, even if it has gone back.
  Instant readServerTime() {
    Instant serverTime = sendHello().get("localTime", Instant.class);
    return serverTime == null ? Instant.ofEpochMilli(latest.millis()) : serverTime;
  }

  /// Sends `hello`; emulators of MongoDB may know only its old name, `isMaster`.
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
