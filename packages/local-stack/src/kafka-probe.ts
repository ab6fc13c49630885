/** Checks whether a broker serves, with one Metadata request written by hand: the launcher needs no Kafka client. */
import { connect } from 'node:net'

const PROBE_TIMEOUT_MS = 2_000

/**
 * The id of the cluster that serves at this address, or null while none does: the port opens seconds before the broker is
 * registered with its controller.
 */
export async function servingCluster(host: string, port: number): Promise<string | null> {
  const answer = await ask(host, port, metadataRequest())
  return answer === null ? null : clusterOf(answer)
}

// Source: Kafka protocol guide, request header v1 and Metadata (key 3) v2; an empty array of topics asks for none.
function metadataRequest(): Buffer {
  const clientId = Buffer.from('cupel-probe')
  const body = Buffer.alloc(2 + 2 + 4 + 2 + clientId.length + 4)
  let at = body.writeInt16BE(3, 0)
  at = body.writeInt16BE(2, at)
  at = body.writeInt32BE(1, at)
  at = body.writeInt16BE(clientId.length, at)
  at += clientId.copy(body, at)
  body.writeInt32BE(0, at)
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length)
  return Buffer.concat([size, body])
}

// Metadata response v2: correlation id, [node id, host, port, rack or null], cluster id or null, controller id, topics.
function clusterOf(answer: Buffer): string | null {
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
  return brokers > 0 && hasController && length > 0 ? clusterId : null
}

/** The body of the answer; null where there is none. */
function ask(host: string, port: number, request: Buffer): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => socket.write(request))
    let received = Buffer.alloc(0)
    const finish = (answer: Buffer | null): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(null))
    socket.on('error', () => finish(null))
    socket.on('close', () => finish(null))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 4) return
      const size = received.readInt32BE(0)
      if (received.length >= 4 + size) finish(received.subarray(4, 4 + size))
    })
  })
}
