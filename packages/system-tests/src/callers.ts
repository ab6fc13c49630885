/** Callers that screen and read reports, one call after another, and record wrong answers. */
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { seededRandom } from './random.js'
import { until } from './until.js'

export interface Callers {
  /** Resolves when this number of further calls were answered. */
  answeredMore(calls: number): Promise<void>
  stop(): Promise<Called>
}

export interface Called {
  readonly calls: number
  /** One sentence for each call that was not answered with 200. */
  readonly failures: readonly string[]
  /** Report id → body, of every screen. */
  readonly reports: ReadonlyMap<string, string>
  readonly slowestMs: number
}

/** Callers without pauses would take the processor from the services that restart. */
const PAUSE_MS = 20
/** Only a hang takes longer. */
const CALL_TIMEOUT_MS = 110_000
const ANSWERED_TIMEOUT_MS = 120_000

export function startCallers(options: { baseUrl: string; key: string; count: number }): Callers {
  const random = seededRandom(1)
  const agent = new Agent({ headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS })
  const failures: string[] = []
  const reports = new Map<string, string>()
  let calls = 0
  let slowestMs = 0
  let isStopped = false

  const once = async (path: string, body?: object): Promise<{ status: number; text: string }> => {
    const { statusCode, body: answer } = await request(options.baseUrl + path, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: statusCode, text: await answer.text() }
  }
  const call = async (path: string, body?: object): Promise<string | null> => {
    const startedAt = performance.now()
    try {
      const { status, text } = await once(path, body)
      if (status === 200) return text
      failures.push(`${path}: ${status} ${text.slice(0, 300)}`)
      return null
    } catch (error) {
      failures.push(`${path}: ${String(error)}`)
      return null
    } finally {
      calls += 1
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    }
  }
  const caller = async (): Promise<void> => {
    while (!isStopped) {
      const text = await call('/v1/screen', { address: `0x${random.hex(40)}` })
      if (text === null) continue
      const { report_id: id } = JSON.parse(text) as { report_id: string }
      if (reports.has(id)) failures.push(`report id ${id} was given to two screens`)
      reports.set(id, text)
      const read = await call(`/v1/reports/${id}`)
      if (read !== null && read !== text) failures.push(`report ${id} was read as another one`)
      await pause(PAUSE_MS)
    }
  }
  const calling = Array.from({ length: options.count }, caller)
  return {
    async answeredMore(further) {
      const wanted = calls + further
      await until(`${further} further calls`, ANSWERED_TIMEOUT_MS, async () => calls >= wanted)
    },
    async stop() {
      isStopped = true
      await Promise.all(calling)
      await agent.close()
      return { calls, failures, reports, slowestMs }
    },
  }
}
