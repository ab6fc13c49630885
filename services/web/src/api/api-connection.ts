/** The one way to data: HTTP calls of the public API, with the session of the person and the address of the browser. */
import { X509Certificate } from 'node:crypto'
import { checkServerIdentity, rootCertificates, type PeerCertificate } from 'node:tls'
import { CLIENT_ADDRESS_HEADER, WEB_SECRET_HEADER } from '@cupel/http-edge'
import { Agent, request } from 'undici'
import type { Readable } from 'node:stream'
import { ApiDown } from './api-problem.js'

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
}

export interface ApiReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

export interface ApiConnection {
  /** Rejects with ApiDown where the API does not answer. */
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
/** Longer than the longest deadline of a screen. */
const ANSWER_TIMEOUT_MS = 65_000
const CONNECT_TIMEOUT_MS = 5_000

export function createApiConnection({ url, secret, certificate }: ApiConnectionOptions): ApiConnection {
  let accepted = certificate === null ? [] : [certificate]
  let agent = agentOf(accepted)
  const former = new Set<Agent>()
  return {
    async call({ method, path, headers, body, credentials, clientAddress, signal, isEndless }) {
      const base = url()
      if (base === null) throw new ApiDown('The API is starting')
      try {
        const reply = await request(new URL(path, base), {
          ...{ method, dispatcher: agent },
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
        return { status: reply.statusCode, headers: singleHeaders(reply.headers), body: reply.body }
      } catch (error) {
        throw new ApiDown('The API does not answer', { cause: error })
      }
    },
    accept(renewed) {
      accepted = [renewed, ...accepted.slice(0, 1)]
      const last = agent
      agent = agentOf(accepted)
      former.add(last)
      // Its calls are still answered, and its streams go on until they end.
      void last.close().then(() => former.delete(last))
    },
    async close() {
      await Promise.all([agent, ...former].map((each) => each.destroy()))
    },
  }
}

function agentOf(certificates: readonly string[]): Agent {
  return new Agent({
    connections: MAX_CONNECTIONS,
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
