/** The AsyncAPI 3.0 document of the public events, made from schemas/ and deploy/topics.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  derivedTopicSpecs,
  eventSchemas,
  isCompacted,
  topicSpecs,
  type EventType,
  type TopicSpec,
} from '../packages/contracts/src/index.js'
import { MAC_HEADER } from '../packages/event-log/src/authentic/index.js'
import { SIGNATURE_HEADER } from '../packages/signing/src/index.js'

const root = join(import.meta.dirname, '..')
const AVRO = 'application/vnd.apache.avro+json;version=1.9.0'
/** Version of the bindings for Kafka: https://github.com/asyncapi/bindings/tree/master/kafka */
const BINDING_VERSION = '0.5.0'
/** The document omits longer samples: they have more details than its readers want. */
const MOST_SAMPLE_CHARACTERS = 2_000
const SANDBOX = 'sandbox.'
/** The message of a compacted topic that removes a key. Its records have the type of the event that the key had. */
const FORGOTTEN = 'KeyForgotten'

interface TopicRow {
  readonly name: string
  readonly key: string
  readonly producer: TopicSpec['producer']
}
const { topics } = JSON.parse(readFileSync(join(root, 'deploy/topics.json'), 'utf8')) as {
  topics: readonly TopicRow[]
}
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const publicTypes = (Object.keys(eventSchemas) as EventType[]).filter(
  (type) => eventSchemas[type].visibility === 'public',
)
const publicSpecs = [...topicSpecs, ...derivedTopicSpecs].filter(({ name }) => typesOf(name).length > 0)

/** Guarantees for a subscriber, by the way in which a topic is written. */
const GUARANTEES = {
  fast: 'A record may be repeated, with the same bytes. The first record with a report id in its partition counts, and each further one is ignored.',
  ordered:
    'Records with one key are in the order in which they happened. A record that repeats an event id is ignored.',
  compacted:
    'The topic is compacted: the last record of a key is its state, and those before it are removed in time. A record that repeats an event id is ignored, and so is one that is older than another one of its key. A record without a value says that nothing may be known of the key any more, for example because its account was erased: delete the state. No other public topic has such records. It is kept only where the installation switches it on.',
}

function guaranteesOf(topic: string): string {
  return GUARANTEES[isCompacted(topic) ? 'compacted' : rowOf(topic).producer]
}

export function asyncapiDocument(): string {
  const document = {
    asyncapi: '3.0.0',
    id: 'urn:cupel:events',
    info: {
      title: 'Cupel events',
      version,
      description:
        'The public events of Cupel on Kafka. Records have the Confluent wire format (a zero byte, the schema id in four bytes, Avro) ' +
        'and the attributes of CloudEvents 1.0 as headers. Schemas are FULL_TRANSITIVE: a version adds fields with defaults and ' +
        'changes nothing else, so that a reader of any version reads records of every other. Records are kept for ever, but for topics of state, ' +
        'of which the last record of each key is.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/avro',
    channels: Object.fromEntries(publicSpecs.map((spec) => [spec.name, channelOf(spec)])),
    operations: Object.fromEntries(publicSpecs.map((spec) => [`send.${spec.name}`, operationOf(spec)])),
    components: {
      messages: {
        ...Object.fromEntries(publicTypes.map((type) => [type, messageOf(type)])),
        [FORGOTTEN]: FORGOTTEN_MESSAGE,
      },
      schemas: { Envelope: ENVELOPE, EnvelopeWithoutValue: ENVELOPE_WITHOUT_VALUE },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function channelOf({ name, partitions, config }: TopicSpec) {
  const isSandbox = name.startsWith(SANDBOX)
  const { key } = rowOf(name)
  return {
    address: name,
    title: `${isSandbox ? 'Test-mode events' : 'Events'} of ${nameWithoutSandbox(name)}`,
    description: `Key of a record: ${key}. ${guaranteesOf(name)} Nothing is said of the order of records in different partitions.`,
    messages: Object.fromEntries(
      messagesOf(name).map((message) => [message, { $ref: `#/components/messages/${message}` }]),
    ),
    bindings: {
      kafka: {
        topic: name,
        partitions,
        topicConfiguration: {
          'cleanup.policy': [config['cleanup.policy']],
          ...numbersOf(config),
        },
        bindingVersion: BINDING_VERSION,
      },
    },
  }
}

/** The settings of a topic that the binding has names for. */
function numbersOf(config: TopicSpec['config']): Record<string, number> {
  const names = ['retention.ms', 'delete.retention.ms', 'max.message.bytes']
  return Object.fromEntries(
    names.flatMap((name) => (config[name] === undefined ? [] : [[name, Number(config[name])]])),
  )
}

/** AsyncAPI describes the actions of the application: Cupel sends, a subscriber receives. */
function operationOf({ name }: TopicSpec) {
  return {
    action: 'send',
    channel: { $ref: `#/channels/${name}` },
    summary: `A subscriber of ${name} receives these events.`,
    messages: messagesOf(name).map((message) => ({ $ref: `#/channels/${name}/messages/${message}` })),
  }
}

function messageOf(type: EventType) {
  const { topic, schema, owner, subject } = eventSchemas[type]
  const avro = JSON.parse(schema) as { doc?: string }
  return {
    name: type,
    title: type,
    summary: avro.doc ?? type,
    description: `Appended by ${owner}. Subject of its schema: ${subject}, also in test mode. ${guaranteesOf(topic)}`,
    'x-subject': subject,
    contentType: 'application/avro',
    headers: { $ref: '#/components/schemas/Envelope' },
    correlationId: {
      location: '$message.header#/correlationid',
      description: 'Shared by everything that follows from one request.',
    },
    payload: { schemaFormat: AVRO, schema: avro },
    bindings: {
      kafka: {
        key: { type: 'string', description: rowOf(topic).key },
        schemaIdLocation: 'payload',
        schemaIdPayloadEncoding: 'confluent',
        bindingVersion: BINDING_VERSION,
      },
    },
    ...examplesOf(type),
  }
}

function examplesOf(type: EventType) {
  const text = readFileSync(join(root, 'schemas/golden', type, '1.json'), 'utf8')
  if (text.length > MOST_SAMPLE_CHARACTERS) return {}
  return { examples: [{ name: 'golden', payload: JSON.parse(text) as object }] }
}

function typesOf(topic: string): EventType[] {
  return publicTypes.filter((type) => eventSchemas[type].topic === nameWithoutSandbox(topic))
}

function messagesOf(topic: string): string[] {
  return [...typesOf(topic), ...(isCompacted(nameWithoutSandbox(topic)) ? [FORGOTTEN] : [])]
}

function nameWithoutSandbox(topic: string): string {
  return topic.startsWith(SANDBOX) ? topic.slice(SANDBOX.length) : topic
}

function rowOf(topic: string): TopicRow {
  return topics.find(({ name }) => name === nameWithoutSandbox(topic))!
}

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more })
const ATTRIBUTES = ['ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_subject', 'ce_specversion']
const ENVELOPE = {
  type: 'object',
  title: 'The headers of a record: attributes of CloudEvents, and the signature',
  required: [...ATTRIBUTES, 'correlationid', 'causationid', 'traceparent', MAC_HEADER],
  properties: {
    ce_id: text('The id of the event. A repeat has the same id and the same bytes.'),
    ce_type: text('The name of the event, such as ReportGenerated.'),
    ce_source: text('The service that appended the event, such as cupel/scorer.'),
    ce_time: text('UTC time of the event.', { format: 'date-time' }),
    ce_subject: text('What the event is about, such as a report id.'),
    ce_specversion: text('The version of CloudEvents.', { const: '1.0' }),
    correlationid: text('Shared by everything that follows from one request.'),
    causationid: text('The id of the event or request that caused this one.'),
    traceparent: text('W3C Trace Context of the request.'),
    [MAC_HEADER]: text(
      'A MAC with a secret key of the installation, by which its own readers know their records. Nobody else can check it: check the signature.',
    ),
    [SIGNATURE_HEADER]: text(
      'The signature of the installation. It binds topic, key, every other header but cupel_mac, value and log; not partition, offset and time. ' +
        'Form: id of the key, number of leaves, index of the leaf, path and Ed25519 signature in base64url. The leaf is the RFC 6962 leaf hash of the JSON ' +
        '["cupel-record-1", topic without prefix, key, [[header, value], …] sorted by name, SHA-256 of the value in hex]. The signed text is ' +
        '"<name of the key>/batches/<log>", the number of leaves and the root in base64, each with a newline. ' +
        'Refuse a record without a right one, if the operator gave you public keys.',
      { pattern: String.raw`^[0-9a-f]{8}\.[1-9][0-9]{0,4}\.(0|[1-9][0-9]{0,4})\.[\w-]*\.[\w-]{86}$` },
    ),
  },
}
const ENVELOPE_WITHOUT_VALUE = {
  ...ENVELOPE,
  title: 'The headers of a record without a value: nothing caused it but an erasure',
  required: [...ATTRIBUTES, MAC_HEADER],
}
const FORGOTTEN_MESSAGE = {
  name: FORGOTTEN,
  title: 'A record without a value',
  summary: 'Nothing may be known of the key any more: delete its state.',
  description:
    'It has a key and headers, and no value: ask for the value before you decode it. ce_type is the type of the state that the key had. After seven days the brokers remove it too.',
  contentType: 'application/avro',
  headers: { $ref: '#/components/schemas/EnvelopeWithoutValue' },
  payload: { type: 'null' },
  bindings: {
    kafka: { key: { type: 'string', description: 'The key of the state.' }, bindingVersion: BINDING_VERSION },
  },
}
