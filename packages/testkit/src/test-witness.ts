/**
 * A witness of transparency logs on this machine, according to C2SP tlog-witness. It keeps the last checkpoint of each log, requires a
 * consistency proof (RFC 9162, section 2.1.4.2), and cosigns nothing else. It shares no code with the product.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cosigner, signedText, type Cosigner } from './cosigner.js'

export interface WitnessAnswer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The state that the witness keeps for a log. */
export interface SeenCheckpoint {
  readonly size: number
  /** Base64. */
  readonly root: string
}

export interface TestWitness extends Cosigner {
  /** Ends in `/`: `add-checkpoint` is below it. */
  readonly url: string
  /** By origin. It outlives `close` if it is passed to the next witness. */
  readonly seen: Map<string, SeenCheckpoint>
  /** Every call, with its status. */
  readonly calls: readonly { readonly body: string; readonly status: number }[]
  /** From now on sends this answer, or handles the response itself; null: behaves as a witness should. */
  misbehave(
    how: ((honest: WitnessAnswer, response: ServerResponse) => WitnessAnswer | undefined) | null,
  ): void
  close(): Promise<void>
}

export interface TestWitnessOptions {
  readonly name?: string
  readonly byte?: number
  /** Verifier keys of the logs by their origin; every other log is 404. */
  readonly logs: ReadonlyMap<string, string>
  readonly seen?: Map<string, SeenCheckpoint>
  readonly port?: number
}

export async function startTestWitness(options: TestWitnessOptions): Promise<TestWitness> {
  const { name = 'witness.example/w1', byte = 0x77, logs, seen = new Map<string, SeenCheckpoint>() } = options
  const own = cosigner(name, byte)
  const calls: { body: string; status: number }[] = []
  let how: Parameters<TestWitness['misbehave']>[0] = null
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const honest =
        request.method === 'POST' && request.url === '/add-checkpoint'
          ? addCheckpoint(body, { logs, seen, own })
          : { status: 404, body: 'no such endpoint\n' }
      const answer = how === null ? honest : how(honest, response)
      calls.push({ body, status: answer?.status ?? 0 })
      if (answer !== undefined) response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  return {
    ...own,
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen, calls },
    misbehave(other) {
      how = other
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

interface State {
  readonly logs: ReadonlyMap<string, string>
  readonly seen: Map<string, SeenCheckpoint>
  readonly own: Cosigner
}

const BASE64 = /^[A-Za-z0-9+/]{43}=$/
const MAX_PROOF_LINES = 63

function addCheckpoint(body: string, { logs, seen, own }: State): WitnessAnswer {
  const end = body.indexOf('\n\n')
  const [oldLine = '', ...proof] = body.slice(0, end).split('\n')
  const note = body.slice(end + 2)
  const [origin = '', sizeText = '', root = ''] = signedText(note).split('\n')
  const old = /^old (0|[1-9][0-9]*)$/.exec(oldLine)?.[1]
  const wellFormed = proof.length <= MAX_PROOF_LINES && [...proof, root].every((line) => BASE64.test(line))
  if (end < 0 || old === undefined || !wellFormed || !/^(?:0|[1-9][0-9]*)$/.test(sizeText))
    return { status: 400, body: 'not well-formed\n' }
  const vkey = logs.get(origin)
  if (vkey === undefined) return { status: 404, body: 'unknown log\n' }
  if (!isSignedBy(note, vkey)) return { status: 403, body: 'no trusted signature\n' }
  const [from, size] = [Number(old), Number(sizeText)]
  if (from > size) return { status: 400, body: 'old size is too large\n' }
  const known = seen.get(origin) ?? { size: 0, root: '' }
  const conflict: WitnessAnswer = {
    ...{ status: 409, body: `${known.size}\n` },
    headers: { 'content-type': 'text/x.tlog.size' },
  }
  if (known.size !== from || (from === size && from > 0 && known.root !== root)) return conflict
  if (!isConsistent(known, { size, root }, proof)) return { status: 422, body: 'not consistent\n' }
  seen.set(origin, { size, root })
  return { status: 200, body: own.line(signedText(note), Math.floor(Date.now() / 1000)) }
}

function isSignedBy(note: string, vkey: string): boolean {
  const [name = '', id = '', ...rest] = vkey.split('+')
  const base64 = rest.join('+')
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    x: Buffer.from(base64, 'base64').subarray(1).toString('base64url'),
  }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const text = signedText(note)
  return note
    .slice(note.lastIndexOf('\n\n') + 2)
    .split('\n')
    .some((line) => {
      const [dash, by, bytes] = line.split(' ')
      const data = Buffer.from(bytes ?? '', 'base64')
      if (dash !== '—' || by !== name || data.toString('hex', 0, 4) !== id) return false
      return verify(null, Buffer.from(text), key, data.subarray(4))
    })
}

const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()

function isConsistent(first: SeenCheckpoint, second: SeenCheckpoint, lines: readonly string[]): boolean {
  if (first.size === 0 || first.size === second.size) return lines.length === 0
  const path = lines.map((line) => Buffer.from(line, 'base64'))
  const [firstRoot, secondRoot] = [first.root, second.root].map((root) => Buffer.from(root, 'base64'))
  // A first tree whose size is a power of two is itself the beginning of the path.
  if (Number.isInteger(Math.log2(first.size))) path.unshift(firstRoot!)
  let [at, last] = [BigInt(first.size - 1), BigInt(second.size - 1)]
  while (at & 1n) [at, last] = [at >> 1n, last >> 1n]
  const [start, ...rest] = path
  if (start === undefined) return false
  let [one, other]: [Buffer<ArrayBufferLike>, Buffer<ArrayBufferLike>] = [start, start]
  for (const hash of rest) {
    if (last === 0n) return false
    if (at & 1n || at === last) {
      one = nodeHash(hash, one)
      other = nodeHash(hash, other)
      while (!(at & 1n) && at !== 0n) [at, last] = [at >> 1n, last >> 1n]
    } else other = nodeHash(other, hash)
    ;[at, last] = [at >> 1n, last >> 1n]
  }
  return last === 0n && one.equals(firstRoot!) && other.equals(secondRoot!)
}
