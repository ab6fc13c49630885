/** The one way to data: HTTP calls of the public API, with the session of the person and the address of the browser. */
import { X509Certificate } from 'node:crypto'
import { checkServerIdentity, rootCertificates, type PeerCertificate } from 'node:tls'
import { CLIENT_ADDRESS_HEADER, WEB_SECRET_HEADER } from '@cupel/kit/http-edge'
import { Agent, request } from 'undici'
import type { Readable } from 'node:stream'
import { ApiDown, ApiProblem } from './api-problem.js'

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the base address, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** A key or a session token. */
  readonly credentials: string | null
  /** Address of the browser. */
  readonly clientAddress: string
  /** Ends the call, for example when the browser has gone. */
  readonly signal?: AbortSignal
  /** An answer that goes on without end, such as a stream of events. */
  readonly isEndless?: boolean
  /** The account of the person who reads the answer as it comes, at a pace of their own. Absent: the console reads it whole. */
  readonly passedOnTo?: string
}

export interface ApiReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

export interface ApiConnection {
  /** Rejects with ApiDown if the API does not answer, and with ApiProblem if too many answers are being passed on. */
  call(call: ApiCall): Promise<ApiReply>
  /** New connections accept this certificate too: while two certificates are in use, an API may show either one. */
  accept(certificate: string): void
  close(): Promise<void>
}

export interface ApiConnectionOptions {
  readonly url: () => string | null
  readonly secret: string | undefined
  /**
   * Certificate of this installation. It identifies the API, whatever name is in it. An API on this host may show no other certificate; one
   * on another host may also show a certificate of a public authority.
   */
  readonly certificate: string | null
}

/** Calls of this instance under way at once; further ones wait. */
const MAX_CONNECTIONS = 256
/** Answers that this instance passes on at once, in all and for one account. They use connections of their own: slow readers delay no page. */
const MAX_PASSED_ON = 512
const MAX_PASSED_ON_TO_ACCOUNT = 32
/** Longer than the longest deadline of a screen. */
const ANSWER_TIMEOUT_MS = 65_000
const CONNECT_TIMEOUT_MS = 5_000

export function createApiConnection({ url, secret, certificate }: ApiConnectionOptions): ApiConnection {
  let accepted = certificate === null ? [] : [certificate]
  let agents = agentsOf(accepted)
  const former = new Set<Agents>()
  const passing = createPassing()
  return {
    async call({ method, path, headers, body, credentials, clientAddress, signal, isEndless, passedOnTo }) {
      const base = url()
      if (base === null) throw new ApiDown('The API is starting')
      const passed = passedOnTo === undefined ? null : passing.begin(passedOnTo)
      const dispatcher = passed === null ? agents.whole : agents.passed
      try {
        const reply = await request(new URL(path, base), {
          ...{ method, dispatcher },
          ...(body === undefined ? {} : { body }),
          ...(signal === undefined ? {} : { signal }),
          headersTimeout: ANSWER_TIMEOUT_MS,
          bodyTimeout: isEndless === true ? 0 : ANSWER_TIMEOUT_MS,
          headers: {
            ...headers,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(credentials === null ? {} : { authorization: `Bearer ${credentials}` }),
            ...(secret === undefined
              ? {}
              : { [WEB_SECRET_HEADER]: secret, [CLIENT_ADDRESS_HEADER]: clientAddress }),
          },
        })
        if (passed !== null) reply.body.once('close', passed)
        return { status: reply.statusCode, headers: singleHeaders(reply.headers), body: reply.body }
      } catch (error) {
        passed?.()
        throw new ApiDown('The API does not answer', { cause: error })
      }
    },
    accept(renewed) {
      accepted = [renewed, ...accepted.slice(0, 1)]
      const last = agents
      agents = agentsOf(accepted)
      former.add(last)
      // Their calls are still answered, and their streams go on until they end.
      void Promise.all([last.whole.close(), last.passed.close()]).then(() => former.delete(last))
    },
    async close() {
      await Promise.all(
        [agents, ...former].flatMap(({ whole, passed }) => [whole.destroy(), passed.destroy()]),
      )
    },
  }
}

/** Counts the answers that are passed on. `begin` returns a function that ends the count, once. */
function createPassing(): { begin(accountId: string): () => void } {
  const open: string[] = []
  return {
    begin(accountId) {
      const ofAccount = open.filter((one) => one === accountId).length
      if (open.length >= MAX_PASSED_ON || ofAccount >= MAX_PASSED_ON_TO_ACCOUNT)
        throw new ApiProblem(503, { code: 'unavailable', detail: 'Too many downloads are under way.' }, '10')
      open.push(accountId)
      return () => void open.splice(open.indexOf(accountId), 1)
    },
  }
}

interface Agents {
  /** For answers that the console reads whole. */
  readonly whole: Agent
  readonly passed: Agent
}

const agentsOf = (certificates: readonly string[]): Agents => ({
  whole: agentOf(certificates, MAX_CONNECTIONS),
  passed: agentOf(certificates, MAX_PASSED_ON),
})

function agentOf(certificates: readonly string[], connections: number): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS, ...(certificates.length === 0 ? {} : pinned(certificates)) },
  })
}

function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}

const LOOPBACK = /^(?:127\.|\[?::1\]?$|localhost$)/

/** Within an installation the certificate has the public name, and the internal address differs from it. */
function pinned(certificates: readonly string[]) {
  const fingerprints = certificates.map((certificate) => new X509Certificate(certificate).fingerprint256)
  return {
    ca: [...certificates, ...rootCertificates],
    allowPartialTrustChain: true,
    checkServerIdentity: (host: string, shown: PeerCertificate): Error | undefined => {
      if (fingerprints.includes(shown.fingerprint256)) return undefined
      if (LOOPBACK.test(host))
        return new Error(`${host} shows another certificate than that of this installation`)
      return checkServerIdentity(host, shown)
    },
  }
}
