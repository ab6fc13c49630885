/** Callers that screen the same few addresses again and again. Their calls go to instances that come and go, as behind a proxy. */
import { setTimeout as pause } from 'node:timers/promises'

export interface SteadyScreens {
  /** From now on calls also go to this instance. */
  join(baseUrl: string): void
  /** Sends it no further calls, and resolves when its open calls are answered. */
  leave(baseUrl: string): Promise<void>
  /** Resolves when `screens` further screens were answered, or one failed. */
  answeredMore(screens: number): Promise<void>
  /** One sentence for each screen that was not answered with a report. */
  readonly failures: readonly string[]
  /** Every answer, exactly as received. */
  readonly reports: ReadonlyMap<string, string>
  stop(): Promise<void>
}

/** Callers without a pause would take the processor from the starting services. */
const PAUSE_MS = 150
const POLL_MS = 20
const CALL_TIMEOUT_MS = 110_000

export function startSteadyScreens(options: {
  key: string
  callers: number
  addresses: readonly string[]
}): SteadyScreens {
  const { key, addresses } = options
  const underWay = new Map<string, number>()
  const failures: string[] = []
  const reports = new Map<string, string>()
  let calls = 0
  let isStopped = false

  const leaving = new Set<string>()
  const next = (): string | undefined => {
    const instances = [...underWay.keys()].filter((url) => !leaving.has(url))
    return instances[calls % instances.length]
  }

  async function screen(baseUrl: string): Promise<void> {
    const body = JSON.stringify({ address: addresses[calls % addresses.length] })
    calls += 1
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS)
    underWay.set(baseUrl, underWay.get(baseUrl)! + 1)
    try {
      const response = await fetch(`${baseUrl}/v1/screen`, { method: 'POST', headers, body, signal })
      const text = await response.text()
      if (response.status !== 200) return void failures.push(`${baseUrl}: ${response.status} ${text}`)
      const { report_id: id } = JSON.parse(text) as { report_id: string }
      if (reports.has(id)) failures.push(`${baseUrl}: the id ${id} was given to two screens`)
      reports.set(id, text)
    } catch (error) {
      failures.push(`${baseUrl}: ${String(error)} (${String((error as Error).cause)})`)
    } finally {
      underWay.set(baseUrl, underWay.get(baseUrl)! - 1)
    }
  }

  async function caller(): Promise<void> {
    while (!isStopped) {
      const baseUrl = next()
      if (baseUrl !== undefined) await screen(baseUrl)
      await pause(PAUSE_MS)
    }
  }
  const calling = Array.from({ length: options.callers }, caller)

  return {
    failures,
    reports,
    join: (baseUrl) => void underWay.set(baseUrl, 0),
    async leave(baseUrl) {
      leaving.add(baseUrl)
      while (underWay.get(baseUrl) !== 0) await pause(POLL_MS)
      underWay.delete(baseUrl)
      leaving.delete(baseUrl)
    },
    async answeredMore(screens) {
      const wanted = reports.size + screens
      while (reports.size < wanted && failures.length === 0) await pause(POLL_MS)
    },
    async stop() {
      isStopped = true
      await Promise.all(calling)
    },
  }
}
