/** `/healthz` (the process runs), `/readyz` (it can do its work) and `/metrics`, on their own port. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noMetrics } from '@cupel/contracts'
import { answerLimits, createAnswers } from '../http-edge/index.js'
import type { MetricsRegistry } from './metrics.js'
import { formatFor } from './open-metrics.js'

export interface Check {
  readonly name: string
  readonly ok: boolean
  /** No decision and no answer depends on what failed: a start does not wait for it. */
  readonly aside?: true
  /** The process answers as well as any other one would: `/readyz` stays 200, and status, metrics and alerts tell of it. */
  readonly isServing?: true
  readonly detail?: string
}

export interface HealthServerOptions {
  readonly host: string
  readonly port: number
  readonly checks: () => readonly Check[]
  readonly metrics: MetricsRegistry
}

export interface HealthServer {
  readonly url: string
  close(): Promise<void>
}

/** A probe and a scraper need a few connections and short heads. */
export const HEALTH_LIMITS = {
  maxHeaderBytes: 8_192,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxConnections: 64,
  answers: { ...answerLimits, maxUnderWay: 4 },
} as const

export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const passing = options.metrics.gauge('service_check_passes', '1 if a check of readiness passes', ['check'])
  const tellChecks = (): void => {
    for (const { name, ok } of options.checks()) passing.set(ok ? 1 : 0, { check: name })
  }
  // It trusts no proxy: whoever calls is the client. What it closes is not told in the metrics, which are those of the service.
  const answers = createAnswers({ judge: () => ({ ok: false }) }, noMetrics, HEALTH_LIMITS.answers)
  const send = (response: ServerResponse, status: number, contentType: string, body: string): void => {
    response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body)
    answers.hold(response.req, response, Buffer.byteLength(body))
  }
  const sendJson = (response: ServerResponse, status: number, body: object): void =>
    send(response, status, 'application/json', `${JSON.stringify(body)}\n`)
  const server = createServer(SERVER_OPTIONS, (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0]
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, 'text/plain', 'method not allowed\n')
    if (path === '/healthz') return sendJson(response, 200, { status: 'ok' })
    if (path === '/readyz') {
      const { status, body } = readiness(options.checks())
      return sendJson(response, status, body)
    }
    if (path === '/metrics') {
      tellChecks()
      options.metrics.render(formatFor(request.headers.accept)).then(
        ({ contentType, body }) => send(response, 200, contentType, body),
        (error: unknown) =>
          send(response, 500, 'text/plain', `${error instanceof Error ? error.message : 'failed'}\n`),
      )
      return
    }
    send(response, 404, 'text/plain', 'not found\n')
  })
  answers.guard(server)
  server.maxConnections = HEALTH_LIMITS.maxConnections
  await listen(server, options.port, options.host)
  const address = server.address() as AddressInfo
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const SERVER_OPTIONS = {
  maxHeaderSize: HEALTH_LIMITS.maxHeaderBytes,
  headersTimeout: HEALTH_LIMITS.headersTimeoutMs,
  requestTimeout: HEALTH_LIMITS.requestTimeoutMs,
  connectionsCheckingInterval: 1_000,
}

/** Body of `/readyz`: 200 if every check passes, otherwise 503 with the failing checks. */
export function readiness(checks: readonly Check[]): { status: number; body: object } {
  const ready = checks.length > 0 && checks.every((check) => check.ok || check.isServing)
  return { status: ready ? 200 : 503, body: { status: ready ? 'ready' : 'not ready', checks } }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
