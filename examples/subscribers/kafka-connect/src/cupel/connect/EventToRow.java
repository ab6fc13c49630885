package cupel.connect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.transforms.Transformation;

/**
 * Makes a row of each event: a sink of Kafka Connect writes it into the table that `tables` names for the event. Events that have no
 * table are left out. It reads records as bytes (ByteArrayConverter for values and headers, StringConverter for keys).
 *
 * <p>An event with a schema in `reader.schemas` becomes a row with a column for each of its fields, read with that schema: what a
 * later release adds is skipped. `*` stands for every other event; it becomes a row with the whole event as JSON, and its event id as key.
 *
 * <p>Every record must carry a signature of the installation, with one of the keys in `public.keys`, unless `check.signatures` is false.
 *
 * <p>A record that cannot be read, or that the installation did not write, throws a DataException. By default Connect then stops the task before the record.
 */
public final class EventToRow implements Transformation<SinkRecord> {
  private static final ConfigDef CONFIG =
      new ConfigDef()
          .define("schema.registry.url", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "Base of the registry's Confluent interface")
          .define("reader.schemas", ConfigDef.Type.STRING, "", ConfigDef.Importance.HIGH, "Folder with EVENT.avsc for each event that becomes columns")
          .define("tables", ConfigDef.Type.LIST, ConfigDef.Importance.HIGH, "EVENT:TABLE, several with commas; * for every other event")
          .define("key", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "Column for the key of the record; with *, for the event id")
          .define("check.signatures", ConfigDef.Type.BOOLEAN, true, ConfigDef.Importance.HIGH, "Whether records that the installation did not write are refused")
          .define("public.keys", ConfigDef.Type.STRING, "", ConfigDef.Importance.HIGH, "File with the public keys of the installation")
          .define("log.ids", ConfigDef.Type.STRING, "", ConfigDef.Importance.HIGH, "Identity of the log, and those that it had before, with commas")
          .define("topic.prefix", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "The installation's prefix of topics")
          .define("forget.from", ConfigDef.Type.STRING, "", ConfigDef.Importance.HIGH, "Table from which a record without a value removes the row of its key");

  private static final String EVERY_OTHER = "*";
  private static final int HEADER_BYTES = 5;
  private static final Duration REGISTRY_TIMEOUT = Duration.ofSeconds(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, String> tables = new HashMap<>();
  private final Map<String, org.apache.avro.Schema> readers = new HashMap<>();
  private final Map<String, Schema> rows = new HashMap<>();
  private final Map<Integer, org.apache.avro.Schema> writers = new ConcurrentHashMap<>();
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(REGISTRY_TIMEOUT).build();
  /** Null where records are not checked. */
  private RecordVerifier verifier;
  private String registry;
  private String forgetFrom;
  private Schema keySchema;

  @Override
  public ConfigDef config() {
    return CONFIG;
  }

  @Override
  public void configure(Map<String, ?> settings) {
    Map<String, Object> parsed = CONFIG.parse(settings);
    registry = (String) parsed.get("schema.registry.url");
    forgetFrom = (String) parsed.get("forget.from");
    verifier = (Boolean) parsed.get("check.signatures") ? verifierOf(parsed) : null;
    keySchema = SchemaBuilder.struct().field((String) parsed.get("key"), Schema.STRING_SCHEMA).build();
    for (Object each : (List<?>) parsed.get("tables")) {
      String[] parts = each.toString().split(":");
      if (parts.length != 2) throw new ConfigException("tables", each, "is not EVENT:TABLE");
      tables.put(parts[0].trim(), parts[1].trim());
      if (!parts[0].trim().equals(EVERY_OTHER)) addReader((String) parsed.get("reader.schemas"), parts[0].trim());
    }
  }

  private static RecordVerifier verifierOf(Map<String, Object> parsed) {
    String file = (String) parsed.get("public.keys");
    try {
      return RecordVerifier.ofFile(file, (String) parsed.get("log.ids"), (String) parsed.get("topic.prefix"));
    } catch (IOException | IllegalArgumentException error) {
      throw new ConfigException("public.keys", file, "or log.ids cannot be used: " + error.getMessage());
    }
  }

  private void addReader(String folder, String event) {
    try {
      org.apache.avro.Schema reader = avro(Files.readString(Path.of(folder, event + ".avsc")));
      readers.put(event, reader);
      rows.put(event, rowSchema(reader));
    } catch (IOException error) {
      throw new ConfigException("reader.schemas", folder, "has no schema of " + event + ": " + error.getMessage());
    }
  }

  @Override
  public SinkRecord apply(SinkRecord record) {
    if (verifier != null) verify(record);
    if (record.value() == null) return withoutValue(record);
    String event = header(record, "ce_type");
    String table = tables.getOrDefault(event, tables.get(EVERY_OTHER));
    // An event that a later version adds to the topic is none of these tables.
    if (table == null) return null;
    byte[] bytes = (byte[]) record.value();
    if (bytes.length < HEADER_BYTES || bytes[0] != 0)
      throw new DataException("the record does not have the wire format of a schema registry");
    org.apache.avro.Schema writer = writer(ByteBuffer.wrap(bytes).getInt(1));
    Struct row = readers.containsKey(event) ? row(event, writer, bytes, HEADER_BYTES) : journalRow(record, event, decode(writer, writer, bytes, HEADER_BYTES));
    row.put("kafka_partition", record.kafkaPartition()).put("kafka_offset", record.kafkaOffset());
    Object key = readers.containsKey(event) ? record.key() : row.get("event_id");
    return record.newRecord(table, record.kafkaPartition(), keySchema, keyRow(key), row.schema(), row, record.timestamp());
  }

  private void verify(SinkRecord record) {
    if (record.key() != null && !(record.key() instanceof String)) throw new DataException("the key of the record is not text");
    Map<String, List<byte[]>> headers = new HashMap<>();
    for (Header header : record.headers())
      headers.computeIfAbsent(header.key(), name -> new ArrayList<>()).add(header.value() instanceof byte[] bytes ? bytes : null);
    try {
      verifier.verify(record.topic(), (String) record.key(), (byte[]) record.value(), headers);
    } catch (RecordVerifier.RefusedException refused) {
      throw new DataException("the installation did not write the record: " + refused.getMessage(), refused);
    }
  }

  /** The sink deletes the row of the key. Where no table forgets, such a record is none that can be read. */
  private SinkRecord withoutValue(SinkRecord record) {
    if (forgetFrom.isEmpty()) throw new DataException("the record has no value");
    return record.newRecord(
        forgetFrom, record.kafkaPartition(), keySchema, keyRow(record.key()), null, null, record.timestamp());
  }

  private Struct keyRow(Object key) {
    if (!(key instanceof String)) throw new DataException("the record has no key");
    return new Struct(keySchema).put(keySchema.fields().get(0), key);
  }

  private Struct row(String event, org.apache.avro.Schema writer, byte[] bytes, int offset) {
    GenericRecord data = decode(writer, readers.get(event), bytes, offset);
    Struct row = new Struct(rows.get(event)).put("type", event);
    for (org.apache.avro.Schema.Field field : data.getSchema().getFields()) {
      Schema column = row.schema().field(columnOf(field.name())).schema();
      row.put(columnOf(field.name()), valueOf(data.get(field.pos()), column));
    }
    return row;
  }

  private static final Schema JOURNAL =
      position(
              SchemaBuilder.struct()
                  .field("event_id", Schema.STRING_SCHEMA)
                  .field("type", Schema.STRING_SCHEMA)
                  .field("topic", Schema.STRING_SCHEMA)
                  .field("subject", Schema.STRING_SCHEMA)
                  .field("happened_at", named(SchemaBuilder.string(), "io.debezium.time.ZonedTimestamp"))
                  .field("data", named(SchemaBuilder.string(), "io.debezium.data.Json")))
          .build();

  private static Struct journalRow(SinkRecord record, String event, GenericRecord data) {
    return new Struct(JOURNAL)
        .put("event_id", header(record, "ce_id"))
        .put("type", event)
        .put("topic", record.topic())
        .put("subject", header(record, "ce_subject"))
        .put("happened_at", header(record, "ce_time"))
        .put("data", data.toString());
  }

  /** Columns of Connect for the fields of an event. `connect.name` of a field names the type of Connect that its text has. */
  private static Schema rowSchema(org.apache.avro.Schema reader) {
    SchemaBuilder row = SchemaBuilder.struct().field("type", Schema.STRING_SCHEMA);
    for (org.apache.avro.Schema.Field field : reader.getFields())
      row.field(columnOf(field.name()), columnSchema(field.schema(), field.getProp("connect.name")));
    return position(row).build();
  }

  private static SchemaBuilder position(SchemaBuilder row) {
    return row.field("kafka_partition", Schema.OPTIONAL_INT32_SCHEMA).field("kafka_offset", Schema.OPTIONAL_INT64_SCHEMA);
  }

  private static Schema columnSchema(org.apache.avro.Schema type, String name) {
    if (type.isUnion()) {
      List<org.apache.avro.Schema> others =
          type.getTypes().stream().filter(each -> each.getType() != org.apache.avro.Schema.Type.NULL).toList();
      return builderOf(others.size() == 1 ? others.get(0) : type, name).optional().build();
    }
    return named(builderOf(type, name), null);
  }

  private static SchemaBuilder builderOf(org.apache.avro.Schema type, String name) {
    SchemaBuilder builder =
        switch (type.getType()) {
          case BOOLEAN -> SchemaBuilder.bool();
          case INT -> SchemaBuilder.int32();
          case LONG -> SchemaBuilder.int64();
          case FLOAT -> SchemaBuilder.float32();
          case DOUBLE -> SchemaBuilder.float64();
          case STRING, ENUM -> SchemaBuilder.string();
          // Lists and parts of an event become JSON.
          default -> SchemaBuilder.string().name("io.debezium.data.Json");
        };
    return name == null ? builder : builder.name(name);
  }

  private static Schema named(SchemaBuilder builder, String name) {
    return (name == null ? builder : builder.name(name)).build();
  }

  private static Object valueOf(Object value, Schema column) {
    return value == null || column.type() != Schema.Type.STRING ? value : value.toString();
  }

  /** canonicalAddress becomes canonical_address. */
  private static String columnOf(String field) {
    return field.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static GenericRecord decode(
      org.apache.avro.Schema writer, org.apache.avro.Schema reader, byte[] bytes, int offset) {
    try {
      var decoder = DecoderFactory.get().binaryDecoder(bytes, offset, bytes.length - offset, null);
      return new GenericDatumReader<GenericRecord>(writer, reader).read(null, decoder);
    } catch (IOException | RuntimeException error) {
      throw new DataException("the record is not of its schema", error);
    }
  }

  private static String header(SinkRecord record, String name) {
    Header header = record.headers().lastWithName(name);
    if (header == null || !(header.value() instanceof byte[] bytes))
      throw new DataException("the record has no header " + name + " in bytes");
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The schema that wrote a record, asked for once. While the registry does not answer, Connect tries the record again. */
  private org.apache.avro.Schema writer(int id) {
    return writers.computeIfAbsent(id, this::ask);
  }

  private org.apache.avro.Schema ask(int id) {
    URI uri = URI.create(registry + "/schemas/ids/" + id);
    try {
      var request = HttpRequest.newBuilder(uri).timeout(REGISTRY_TIMEOUT).build();
      var response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() == 404) throw new DataException("the registry has no schema " + id);
      if (response.statusCode() != 200)
        throw new RetriableException("the registry answers " + response.statusCode() + " for schema " + id);
      return avro(JSON.readTree(response.body()).get("schema").asText());
    } catch (IOException error) {
      throw new RetriableException("the registry does not answer", error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new RetriableException("the worker stops", error);
    }
  }

  private static org.apache.avro.Schema avro(String text) {
    return new org.apache.avro.Schema.Parser().parse(text);
  }

  @Override
  public void close() {}

  /** Prints the row of each sample in a folder (schemas/golden of the product): EventToRow FOLDER READER_SCHEMAS EVENT … */
  public static void main(String[] args) throws IOException {
    try (JsonConverter json = new JsonConverter()) {
      json.configure(Map.of("schemas.enable", false), false);
      EventToRow transformation = new EventToRow();
      for (String event : Arrays.asList(args).subList(2, args.length)) {
        transformation.addReader(args[1], event);
        File[] samples = Path.of(args[0], event).toFile().listFiles((parent, name) -> name.endsWith(".bin"));
        Arrays.sort(samples);
        for (File sample : samples) {
          org.apache.avro.Schema writer = avro(Files.readString(Path.of(sample.getPath().replaceAll("\\.bin$", ".avsc"))));
          Struct row = transformation.row(event, writer, Files.readAllBytes(sample.toPath()), 0);
          JsonNode printed = JSON.readTree(json.fromConnectData("", row.schema(), row));
          System.out.println(JSON.writeValueAsString(printed));
        }
      }
    }
  }
}
