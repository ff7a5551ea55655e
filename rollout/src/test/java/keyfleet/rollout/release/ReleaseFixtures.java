package keyfleet.rollout.release;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import keyfleet.rollout.Component;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;

/// Release keys and manifests for tests. The keys are the secret keys and public keys of tests 1 to
/// 3 of RFC 8032, section 7.1, so that every signature here is the same in each run.
final class ReleaseFixtures {
  static final Instant EXPIRY = Instant.parse("2027-01-01T00:00:00Z");

  private static final Map<String, String> SECRET =
      Map.of(
          "k1", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
          "k2", "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
          "k3", "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7");
  private static final Map<String, String> PUBLIC =
      Map.of(
          "k1", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
          "k2", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
          "k3", "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");

  private ReleaseFixtures() {}

  static ReleaseManifest manifest() {
    return new ReleaseManifest(
        new Component("agent"),
        new ReleaseVersion("1.4.2"),
        new Platform("linux/amd64"),
        new Sha256("ab".repeat(32)),
        1_048_576,
        3,
        List.of(new VersionPattern("1.*"), new VersionPattern("0.9.7")),
        EXPIRY,
        42);
  }

  static NodeSoftware goodNode() {
    return new NodeSoftware(new Platform("linux/amd64"), new ReleaseVersion("1.3"), 3, 42);
  }

  static SignedManifest signed(ReleaseManifest manifest, String... keys) {
    return new SignedManifest(manifest, signatures(manifest.signedBytes(), keys));
  }

  static List<ReleaseSignature> signatures(byte[] message, String... keys) {
    return Arrays.stream(keys)
        .map(key -> ReleaseSignature.of(new ReleaseKeyId(key), sign(key, message)))
        .toList();
  }

  static TrustedReleaseKeys trusted(int threshold, String... keys) {
    return new TrustedReleaseKeys(
        threshold,
        Arrays.stream(keys)
            .collect(Collectors.toMap(ReleaseKeyId::new, ReleaseFixtures::publicKey)));
  }

  static byte[] sign(String key, byte[] message) {
    return withKeyFactory(factory -> {
      PrivateKey secret =
          factory.generatePrivate(
              new PKCS8EncodedKeySpec(hex("302e020100300506032b657004220420" + SECRET.get(key))));
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(secret);
      signature.update(message);
      return signature.sign();
    });
  }

  static PublicKey publicKey(String key) {
    return withKeyFactory(factory ->
        factory.generatePublic(
            new X509EncodedKeySpec(hex("302a300506032b6570032100" + PUBLIC.get(key)))));
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  private interface KeyFactoryCall<T> {
    T run(KeyFactory factory) throws GeneralSecurityException;
  }

  private static <T> T withKeyFactory(KeyFactoryCall<T> call) {
    try {
      return call.run(KeyFactory.getInstance("Ed25519"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
