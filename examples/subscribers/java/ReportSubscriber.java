import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import cupel.records.RecordVerifier;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Prints the outcome of each screening once, as a line of JSON.
 *
 * <pre>
 *   ReportSubscriber                  follow the topic; settings are environment variables, see README.md
 *   ReportSubscriber golden FOLDER    decode the samples of each event in FOLDER (schemas/golden of the product)
 *   ReportSubscriber cases FILE       verify the records of the cases in FILE (packages/sdk-conformance of the product)
 * </pre>
 *
 * The folder of the reader's schemas is READER_SCHEMAS, by default ../reader-schemas.
 */
public final class ReportSubscriber {
  private static final List<String> EVENTS = List.of("ReportGenerated", "ScreeningFailed");
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Schema> readers = new HashMap<>();
  private final Map<Integer, Schema> writers = new HashMap<>();
  private final HttpClient http = HttpClient.newHttpClient();
  /** Null where the operator of this subscriber accepts records of any producer. */
  private RecordVerifier verifier;

  /**
   * The first outcome with a report id is the outcome of the screening, whatever comes later. A subscriber with a database keeps
   * the ids there, as a unique key, in one transaction with the offset.
   */
  private final Set<String> seen = new HashSet<>();

  private ReportSubscriber() throws IOException {
    Path folder = Path.of(setting("READER_SCHEMAS", "../reader-schemas"));
    for (String event : EVENTS) readers.put(event, schemaOf(Files.readString(folder.resolve(event + ".avsc"))));
  }

  public static void main(String[] args) throws Exception {
    ReportSubscriber subscriber = new ReportSubscriber();
    if (args.length == 2 && args[0].equals("golden")) subscriber.decodeGolden(Path.of(args[1]));
    else if (args.length == 2 && args[0].equals("cases")) verifyCases(Path.of(args[1]));
    else subscriber.follow();
  }

  private void decodeGolden(Path folder) throws IOException {
    for (String event : EVENTS) {
      File[] samples = folder.resolve(event).toFile().listFiles((parent, name) -> name.endsWith(".bin"));
      for (File sample : samples) {
        String base = sample.getPath().substring(0, sample.getPath().length() - ".bin".length());
        Schema writer = schemaOf(Files.readString(Path.of(base + ".avsc")));
        System.out.println(lineOf(event, decode(event, writer, Files.readAllBytes(sample.toPath()), 0)));
      }
    }
  }

  private void follow() throws Exception {
    String topic = setting("TOPIC", "screening.report.events.v1");
    if (Boolean.parseBoolean(setting("CHECK_SIGNATURES", "true")))
      verifier = RecordVerifier.ofFile(setting("PUBLIC_KEYS", null), setting("LOG_ID", null), setting("TOPIC_PREFIX", ""));
    boolean stopsAtEnd = Boolean.parseBoolean(setting("STOP_AT_END", "false"));
    try (KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(settings())) {
      consumer.subscribe(List.of(topic));
      do {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) take(record);
        consumer.commitSync();
      } while (!stopsAtEnd || !isAtEnd(consumer));
    }
  }

  private void take(ConsumerRecord<String, byte[]> record) throws Exception {
    // A record that the installation did not write ends the subscriber, before anything of it is believed.
    if (verifier != null) verifier.verify(record.topic(), record.key(), record.value(), headersOf(record));
    String event = new String(record.headers().lastHeader("ce_type").value(), StandardCharsets.UTF_8);
    // An event that a later version adds to the topic is none of this subscriber's.
    if (!readers.containsKey(event)) return;
    ByteBuffer value = ByteBuffer.wrap(record.value());
    if (value.get() != 0) throw new IOException("the record does not have the wire format of a schema registry");
    GenericRecord data = decode(event, writer(value.getInt()), record.value(), value.position());
    if (seen.add(data.get("reportId").toString())) System.out.println(lineOf(event, data));
  }

  private static Map<String, List<byte[]>> headersOf(ConsumerRecord<String, byte[]> record) {
    Map<String, List<byte[]>> headers = new HashMap<>();
    record.headers().forEach(each -> headers.computeIfAbsent(each.key(), name -> new ArrayList<>()).add(each.value()));
    return headers;
  }

  /** Prints the id of the key or the reason for each case. */
  private static void verifyCases(Path file) throws IOException {
    for (JsonNode each : JSON.readTree(file.toFile())) {
      JsonNode step = each.get("steps").get(0);
      ObjectNode line = JSON.createObjectNode().put("name", each.get("name").asText());
      System.out.println(JSON.writeValueAsString(line.put("outcome", outcomeOf(step.get("args").get(0), step.get("options")))));
    }
  }

  private static String outcomeOf(JsonNode record, JsonNode options) {
    List<String> logs = new ArrayList<>();
    if (options.get("logs").isArray()) options.get("logs").forEach(log -> logs.add(log.asText()));
    else logs.add(options.get("logs").asText());
    Map<String, List<byte[]>> headers = new HashMap<>();
    for (Map.Entry<String, JsonNode> header : record.get("headers").properties()) {
      List<byte[]> values = headers.computeIfAbsent(header.getKey(), name -> new ArrayList<>());
      if (header.getValue().isArray()) header.getValue().forEach(value -> values.add(bytesOf(value)));
      else values.add(bytesOf(header.getValue()));
    }
    try {
      RecordVerifier verifier = new RecordVerifier(options.get("public_keys").asText(), logs, options.path("topic_prefix").asText());
      String key = new String(bytesOf(record.get("key")), StandardCharsets.UTF_8);
      return verifier.verify(record.get("topic").asText(), key, bytesOf(record.get("value")), headers);
    } catch (RecordVerifier.RefusedException refused) {
      return refused.getMessage().split(":")[0];
    } catch (IllegalArgumentException unusable) {
      return "unusable";
    }
  }

  private static byte[] bytesOf(JsonNode value) {
    if (value.isNull()) return null;
    if (value.isObject()) return Base64.getDecoder().decode(value.get("base64").asText());
    return value.asText().getBytes(StandardCharsets.UTF_8);
  }

  private static boolean isAtEnd(KafkaConsumer<String, byte[]> consumer) {
    List<TopicPartition> assigned = new ArrayList<>(consumer.assignment());
    Map<TopicPartition, Long> ends = consumer.endOffsets(assigned);
    return !assigned.isEmpty() && assigned.stream().allMatch(each -> consumer.position(each) >= ends.get(each));
  }

  /** The schema that wrote a record, asked for once. */
  private Schema writer(int id) throws Exception {
    if (!writers.containsKey(id)) {
      URI uri = URI.create(setting("SCHEMA_REGISTRY_URL", null) + "/schemas/ids/" + id);
      var response = http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
      if (response.statusCode() != 200)
        throw new IOException("the registry answers " + response.statusCode() + " for schema " + id);
      writers.put(id, schemaOf(JSON.readTree(response.body()).get("schema").asText()));
    }
    return writers.get(id);
  }

  /** Bytes that one schema wrote, as another one reads them: new fields of the writer are skipped. */
  private GenericRecord decode(String event, Schema writer, byte[] bytes, int offset) throws IOException {
    var decoder = DecoderFactory.get().binaryDecoder(bytes, offset, bytes.length - offset, null);
    return new GenericDatumReader<GenericRecord>(writer, readers.get(event)).read(null, decoder);
  }

  private static String lineOf(String event, GenericRecord data) throws IOException {
    ObjectNode line = JSON.createObjectNode();
    line.put("type", event).put("report_id", data.get("reportId").toString());
    line.put("account_id", data.get("accountId").toString()).put("livemode", (Boolean) data.get("livemode"));
    if (event.equals("ScreeningFailed")) return JSON.writeValueAsString(line.put("code", data.get("code").toString()));
    for (String name : List.of("address", "chain", "level")) line.put(name, data.get(name).toString());
    return JSON.writeValueAsString(line.put("score", (Double) data.get("score")));
  }

  private static Properties settings() {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", setting("KAFKA_BROKERS", null));
    settings.put("group.id", setting("GROUP_ID", "report-subscriber"));
    settings.put("auto.offset.reset", "earliest");
    settings.put("enable.auto.commit", "false");
    settings.put("key.deserializer", StringDeserializer.class.getName());
    settings.put("value.deserializer", ByteArrayDeserializer.class.getName());
    boolean tls = Boolean.parseBoolean(setting("KAFKA_TLS", "false"));
    boolean sasl = System.getenv("KAFKA_USERNAME") != null;
    settings.put("security.protocol", (sasl ? "SASL_" : "") + (tls ? "SSL" : "PLAINTEXT"));
    if (sasl) {
      settings.put("sasl.mechanism", "PLAIN");
      settings.put(
          "sasl.jaas.config",
          String.format(
              "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";",
              setting("KAFKA_USERNAME", null), setting("KAFKA_PASSWORD", null)));
    }
    return settings;
  }

  private static String setting(String name, String otherwise) {
    String value = System.getenv().getOrDefault(name, otherwise);
    if (value == null) throw new IllegalStateException(name + " is not set");
    return value;
  }

  private static Schema schemaOf(String text) {
    return new Schema.Parser().parse(text);
  }
}
