package keyfleet.member.document;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.KnownPlugin;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.WriteResult;

/// The plugins of a keyring that were heard before, one for each place. A plugin enters itself once
/// it has joined, and leaves when it stops; an operator removes one that will not return.
public final class KnownPluginRegistry {
  private static final Bucket BUCKET = new Bucket.Lasting("known_plugins");

  private final Kv kv;
  private final KeyringName keyring;

  public KnownPluginRegistry(Kv kv, KeyringName keyring) {
    this.kv = kv;
    this.keyring = keyring;
  }

  public List<KnownPlugin> list() {
    return entries().stream().map(KnownPluginRegistry::parse).toList();
  }

  /// Replaces the plugin that served at the same place before. Throws [StoreException] if the store
  /// did not confirm it: then the plugin may be unknown.
  public void remember(KnownPlugin plugin) {
    Document document =
        Document.builder()
            .text("cluster", plugin.place().cluster())
            .text("host", plugin.place().host())
            .text("socket", plugin.place().socket())
            .text("instance", plugin.instance())
            .build();
    if (!(kv.put(BUCKET, key(plugin), document.toValue()) instanceof WriteResult.Written)) {
      throw new StoreException(
          "the store did not confirm that it remembers this plugin; try again");
    }
  }

  /// As [#remember], unless a plugin is remembered at this place: then it stays.
  public void rememberIfAbsent(KnownPlugin plugin) {
    if (kv.get(BUCKET, key(plugin)).isEmpty()) {
      remember(plugin);
    }
  }

  /// Removes the plugin, unless another one has taken its place. Returns false if it is not known.
  public boolean forget(String instance) {
    boolean isForgotten = false;
    for (Entry entry : entries()) {
      if (parse(entry).instance().equals(instance)) {
        var _ = kv.delete(BUCKET, entry.key(), entry.revision());
        isForgotten = true;
      }
    }
    return isForgotten;
  }

  private List<Entry> entries() {
    return kv.list(BUCKET, Prefix.under(new Key(keyring.value())));
  }

  private Key key(KnownPlugin plugin) {
    KnownPlugin.Place place = plugin.place();
    String name = String.join("\n", place.cluster(), place.host(), place.socket());
    return new Key(keyring.value() + "." + digest(name)); // a socket's path is too long for a key
  }

  private static String digest(String text) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no SHA-256", e);
    }
  }

  private static KnownPlugin parse(Entry entry) {
    return Document.parse(entry.value())
        .as(it ->
            new KnownPlugin(
                new KnownPlugin.Place(it.text("cluster"), it.text("host"), it.text("socket")),
                it.text("instance")));
  }
}
