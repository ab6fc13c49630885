/** Checks whether a broker serves, with three requests encoded here: the launcher needs no Kafka client. */
import { connect, type Socket } from 'node:net'
import type { KafkaCredentials } from './kafka-access.js'

const PROBE_TIMEOUT_MS = 2_000

export interface ServingCluster {
  readonly clusterId: string
  /** The number of brokers that the queried one knows, itself included. */
  readonly brokers: number
}

/** The id of the cluster that serves at this address and accepts the password, or null while none does. Never rejects. */
export async function servingCluster(
  host: string,
  port: number,
  sasl: KafkaCredentials,
): Promise<string | null> {
  return (await servingBrokers(host, port, sasl))?.clusterId ?? null
}

/** Null while no broker serves: the port opens seconds before the broker is registered with its controller. Never rejects. */
export async function servingBrokers(
  host: string,
  port: number,
  sasl: KafkaCredentials,
): Promise<ServingCluster | null> {
  const socket = connect({ host, port })
  socket.setTimeout(PROBE_TIMEOUT_MS, () => socket.destroy())
  // A fault of the socket closes it, and its reader ends.
  socket.on('error', () => undefined)
  const closed = new Promise<null>((resolve) => socket.once('close', () => resolve(null)))
  const answers = framesOf(socket)
  const ask = async (request: Buffer): Promise<Buffer | null> => {
    socket.write(request)
    return await Promise.race([answers.next().then(({ value }) => value ?? null), closed])
  }
  try {
    if (!isAccepted(await ask(handshakeRequest(sasl)))) return null
    if (!isAccepted(await ask(authenticateRequest(sasl)))) return null
    const metadata = await ask(metadataRequest())
    return metadata === null ? null : clusterOf(metadata)
  } catch {
    // The broker hung up in the middle of an answer.
    return null
  } finally {
    socket.destroy()
  }
}

// Source: Kafka protocol guide. Request header v1: key, version, correlation id, client id; the body follows.
function request(apiKey: number, version: number, body: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header.writeInt16BE(apiKey, 0)
  header.writeInt16BE(version, 2)
  return sized(Buffer.concat([header, string('cupel-probe'), body]))
}

/** SaslHandshake v1: the mechanism. */
const handshakeRequest = ({ mechanism }: KafkaCredentials): Buffer =>
  request(17, 1, string(mechanism.toUpperCase()))

/** SaslAuthenticate v0: the message of PLAIN (RFC 4616) without another identity. */
const authenticateRequest = ({ username, password }: KafkaCredentials): Buffer =>
  request(36, 0, sized(Buffer.from(`\0${username}\0${password}`)))

/** Metadata v2: an empty array of topics requests none. */
const metadataRequest = (): Buffer => request(3, 2, Buffer.alloc(4))

function string(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function sized(content: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeInt32BE(content.length)
  return Buffer.concat([size, content])
}

/** Both SASL answers begin with an error code, behind the correlation id. */
const isAccepted = (answer: Buffer | null): boolean => answer?.readInt16BE(4) === 0

// Metadata response v2: correlation id, [node id, host, port, rack or null], cluster id or null, controller id, topics.
function clusterOf(answer: Buffer): ServingCluster | null {
  let at = 4
  const brokers = answer.readInt32BE(at)
  at += 4
  for (let broker = 0; broker < brokers; broker += 1) {
    at += 4
    at += 2 + answer.readInt16BE(at)
    at += 4
    at += 2 + Math.max(0, answer.readInt16BE(at))
  }
  const length = answer.readInt16BE(at)
  at += 2
  const clusterId = answer.toString('utf8', at, at + Math.max(0, length))
  at += Math.max(0, length)
  const hasController = answer.readInt32BE(at) >= 0
  return brokers > 0 && hasController && length > 0 ? { clusterId, brokers } : null
}

/** The bodies of the answers, in order; ends when the broker hangs up. */
async function* framesOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let received = Buffer.alloc(0)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received = Buffer.concat([received, chunk])
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
      const end = 4 + received.readInt32BE(0)
      yield received.subarray(4, end)
      received = received.subarray(end)
    }
  }
  return undefined
}
