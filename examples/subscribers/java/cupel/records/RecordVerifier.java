package cupel.records;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks whether a record of a public topic was written by the installation: docs/subscribers.md says what its signature binds, and ADR
 * 297 how it is made. It needs Java 17 and nothing else.
 */
public final class RecordVerifier {
  /** The record must not be believed: another producer wrote or changed it. The message begins with the reason. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    RefusedException(String reason, String sentence) {
      super(reason + ": " + sentence);
    }
  }

  private record Key(String name, String id, PublicKey key) {}

  private record BatchSignature(String keyId, int size, int index, List<byte[]> path, byte[] signature) {}

  private static final String SIGNATURE = "cupel_signature";
  private static final String MAC = "cupel_mac";
  private static final Pattern KEY = Pattern.compile("([^\\s+]+)\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]+={0,2})");
  private static final Pattern FORM =
      Pattern.compile("([0-9a-f]{8})\\.([1-9][0-9]{0,4})\\.(0|[1-9][0-9]{0,4})\\.([A-Za-z0-9_-]*)\\.([A-Za-z0-9_-]{86})");
  private static final byte[] X509_OF_ED25519 = HexFormat.of().parseHex("302a300506032b6570032100");
  private static final int HASH_BYTES = 32;
  /** Maximum number of leaves of a tree that is read. */
  private static final int MAX_SIZE = 65_536;
  /** Number of batches whose signatures are remembered: the records of one are near each other. */
  private static final int MAX_REMEMBERED = 4_096;

  private final List<Key> keys;
  private final List<String> logs;
  private final String topicPrefix;
  private final Map<String, Boolean> remembered =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /** The keys of a file that the operator gave you, and the identities of the log, with commas. Throws IllegalArgumentException. */
  public static RecordVerifier ofFile(String file, String logs, String topicPrefix) throws IOException {
    return new RecordVerifier(Files.readString(Path.of(file)), List.of(logs.split(",")), topicPrefix);
  }

  public RecordVerifier(String publicKeys, List<String> logs, String topicPrefix) {
    if (logs.isEmpty() || logs.contains("")) throw new IllegalArgumentException("The identity of the log is missing.");
    this.keys = recordKeys(publicKeys);
    this.logs = List.copyOf(logs);
    this.topicPrefix = topicPrefix;
  }

  /** Returns the id of the key that signed the record. `headers`: each name with its values, in bytes. */
  public synchronized String verify(String topic, String key, byte[] value, Map<String, List<byte[]>> headers)
      throws RefusedException {
    Map<String, String> texts = texts(headers);
    BatchSignature signed = signatureIn(texts.get(SIGNATURE));
    List<Key> known = keys.stream().filter(each -> each.id.equals(signed.keyId)).toList();
    if (known.isEmpty())
      throw new RefusedException("unknown_key", "The record is signed by the key " + signed.keyId + ", which is not among the given ones.");
    if (topic.startsWith(topicPrefix)) {
      byte[] root = rootOfPath(sha256(new byte[] {0}, entry(topic.substring(topicPrefix.length()), key, value, texts)), signed);
      if (root != null)
        for (Key each : known)
          for (String log : logs) if (isSigned(each, log, root, signed)) return each.id;
    }
    throw new RefusedException("wrong_signature", "The record is not what the key " + signed.keyId + " signed.");
  }

  private static byte[] entry(String topic, String key, byte[] value, Map<String, String> texts) {
    List<String> headers = new ArrayList<>();
    // Sorted by UTF-16 code units, as the installation sorts.
    for (Map.Entry<String, String> header : new TreeMap<>(texts).entrySet())
      if (!header.getKey().equals(SIGNATURE) && !header.getKey().equals(MAC))
        headers.add("[" + json(header.getKey()) + "," + json(header.getValue()) + "]");
    String hash = HexFormat.of().formatHex(sha256(value == null ? new byte[0] : value));
    List<String> parts =
        List.of(json("cupel-record-1"), json(topic), json(key == null ? "" : key), "[" + String.join(",", headers) + "]", json(hash));
    return ("[" + String.join(",", parts) + "]").getBytes(StandardCharsets.UTF_8);
  }

  private boolean isSigned(Key key, String log, byte[] root, BatchSignature signed) {
    String text = key.name + "/batches/" + log + "\n" + signed.size + "\n" + Base64.getEncoder().encodeToString(root) + "\n";
    String batch = key.id + " " + Base64.getEncoder().encodeToString(signed.signature) + " " + text;
    return remembered.computeIfAbsent(batch, unknown -> isSigned(key, text, signed.signature));
  }

  private static boolean isSigned(Key key, String text, byte[] signature) {
    try {
      Signature check = Signature.getInstance("Ed25519");
      check.initVerify(key.key);
      check.update(text.getBytes(StandardCharsets.UTF_8));
      return check.verify(signature);
    } catch (GeneralSecurityException notSigned) {
      return false;
    }
  }

  private static List<Key> recordKeys(String text) {
    List<Key> found = new ArrayList<>();
    String[] lines = text.split("\n");
    for (int index = 0; index < lines.length; index += 1) {
      String line = lines[index].strip();
      if (line.isEmpty() || line.startsWith("#")) continue;
      Key key = keyOf(line);
      if (key == null) throw new IllegalArgumentException("Line " + (index + 1) + " of the public keys is not a public key.");
      found.add(key);
    }
    if (found.isEmpty()) throw new IllegalArgumentException("The file has no public key.");
    return found;
  }

  private static Key keyOf(String line) {
    Matcher found = KEY.matcher(line);
    if (!found.matches()) return null;
    byte[] bytes = exactBytes(found.group(3), Base64.getDecoder(), Base64.getEncoder());
    if (bytes == null || bytes.length != HASH_BYTES + 1 || bytes[0] != 1) return null;
    byte[] hash = sha256((found.group(1) + "\n").getBytes(StandardCharsets.UTF_8), bytes);
    if (!HexFormat.of().formatHex(hash, 0, 4).equals(found.group(2))) return null;
    byte[] encoded = Arrays.copyOf(X509_OF_ED25519, X509_OF_ED25519.length + HASH_BYTES);
    System.arraycopy(bytes, 1, encoded, X509_OF_ED25519.length, HASH_BYTES);
    try {
      return new Key(found.group(1), found.group(2), KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
    } catch (GeneralSecurityException notAKey) {
      return null;
    }
  }

  private static BatchSignature signatureIn(String header) throws RefusedException {
    if (header == null) throw new RefusedException("no_signature", "The record carries no signature.");
    Matcher found = FORM.matcher(header);
    RefusedException malformed = new RefusedException("malformed", "The signature is malformed.");
    if (!found.matches()) throw malformed;
    byte[] path = exactBytes(found.group(4), Base64.getUrlDecoder(), Base64.getUrlEncoder().withoutPadding());
    byte[] signature = exactBytes(found.group(5), Base64.getUrlDecoder(), Base64.getUrlEncoder().withoutPadding());
    int size = Integer.parseInt(found.group(2));
    int index = Integer.parseInt(found.group(3));
    if (path == null || signature == null || path.length % HASH_BYTES != 0 || size > MAX_SIZE || index >= size) throw malformed;
    List<byte[]> hashes = new ArrayList<>();
    for (int at = 0; at < path.length; at += HASH_BYTES) hashes.add(Arrays.copyOfRange(path, at, at + HASH_BYTES));
    return new BatchSignature(found.group(1), size, index, hashes, signature);
  }

  /** The root that the path leads to (RFC 9162, section 2.1.3.2); null if no tree of this size has such a path. */
  private static byte[] rootOfPath(byte[] leaf, BatchSignature place) {
    int at = place.index;
    int last = place.size - 1;
    byte[] node = leaf;
    for (byte[] sibling : place.path) {
      if (last == 0) return null;
      if (at % 2 == 1 || at == last) {
        node = sha256(new byte[] {1}, sibling, node);
        while (at % 2 == 0 && at != 0) {
          at /= 2;
          last /= 2;
        }
      } else node = sha256(new byte[] {1}, node, sibling);
      at /= 2;
      last /= 2;
    }
    return last == 0 ? node : null;
  }

  /** A record with two headers of a name is one that the installation does not write: each reader could take another one. */
  private static Map<String, String> texts(Map<String, List<byte[]>> headers) throws RefusedException {
    Map<String, String> texts = new TreeMap<>();
    for (Map.Entry<String, List<byte[]>> header : headers.entrySet()) {
      List<byte[]> values = header.getValue();
      if (values.size() != 1 || values.get(0) == null)
        throw new RefusedException("malformed", "The header " + header.getKey() + " has not exactly one value.");
      try {
        texts.put(header.getKey(), StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(values.get(0))).toString());
      } catch (CharacterCodingException notText) {
        throw new RefusedException("malformed", "The header " + header.getKey() + " is not text in UTF-8.");
      }
    }
    return texts;
  }

  /** The shortest JSON of a text, as JSON.stringify of JavaScript writes it. */
  private static String json(String text) {
    StringBuilder written = new StringBuilder("\"");
    for (char each : text.toCharArray()) {
      int known = "\"\\\b\f\n\r\t".indexOf(each);
      if (known >= 0) written.append('\\').append("\"\\bfnrt".charAt(known));
      else if (each < 0x20) written.append(String.format("\\u%04x", (int) each));
      else written.append(each);
    }
    return written.append('"').toString();
  }

  /** The bytes of base64 in the one spelling that an encoder writes; null if the text has another one. */
  private static byte[] exactBytes(String text, Base64.Decoder decoder, Base64.Encoder encoder) {
    try {
      byte[] bytes = decoder.decode(text);
      return encoder.encodeToString(bytes).equals(text) ? bytes : null;
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }

  private static byte[] sha256(byte[]... parts) {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) hash.update(part);
      return hash.digest();
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
