/** Screens addresses at a steady rate in the background and keeps the answers, so that a test can check them later. */
import { createClient, type Answer, type Client } from './client.js'
import type { Random } from './random.js'

export interface Load {
  /** Report id → body, of every 200. */
  readonly answered: ReadonlyMap<string, string>
  /** The last id answered with 200; null while there is none. */
  newest(): string | null
  /** Report ids from 503 answers: accepted, so they must become reports. */
  readonly promised: ReadonlySet<string>
  /** Status → count; 0 if no answer arrived. */
  readonly statuses: ReadonlyMap<number, number>
  /** Answers that are wrong on their own. */
  readonly offences: readonly string[]
  /** Start of the first second after `time` in which every screen was answered; null while there was none. */
  steadySince(time: number): number | null
  stop(): Promise<void>
}

export function startLoad(options: {
  baseUrls: readonly string[]
  key: string
  perSecond: number
  random: Random
  addresses: readonly [string, ...string[]]
}): Load {
  const client = createClient(options.baseUrls, options.key)
  const answered = new Map<string, string>()
  let newest: string | null = null
  const promised = new Set<string>()
  const statuses = new Map<number, number>()
  const offences: string[] = []
  const underWay = new Set<Promise<void>>()
  const calls: { readonly startedAt: number; ok: boolean | null }[] = []

  const screenOnce = async (): Promise<void> => {
    const address =
      options.random.next() < 0.5 ? `0x${options.random.hex(40)}` : options.random.pick(options.addresses)
    const call = { startedAt: Date.now(), ok: null as boolean | null }
    calls.push(call)
    const answer = await attempt(client, address)
    call.ok = answer?.status === 200
    statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1)
    if (answer === null) return
    const body = parse(answer.text)
    if (answer.status === 200) {
      const id = String(body['report_id'])
      if (answered.has(id)) offences.push(`report id ${id} was given to two screens`)
      if (body['address'] !== address)
        offences.push(`report ${id} answers ${String(body['address'])} instead of ${address}`)
      answered.set(id, answer.text)
      newest = id
    } else if (answer.status === 503) {
      if (typeof body['report_id'] === 'string') promised.add(body['report_id'])
      if (typeof body['code'] !== 'string') offences.push(`503 without a code: ${answer.text.slice(0, 200)}`)
    } else {
      offences.push(`unexpected status ${answer.status}: ${answer.text.slice(0, 200)}`)
    }
  }
  const timer = setInterval(() => {
    const screening: Promise<void> = screenOnce().finally(() => underWay.delete(screening))
    underWay.add(screening)
  }, 1_000 / options.perSecond)

  return {
    answered,
    newest: () => newest,
    promised,
    statuses,
    offences,
    steadySince(time) {
      let run = 0
      for (let i = calls.findIndex((call) => call.startedAt > time); i !== -1 && i < calls.length; i++) {
        run = calls[i]!.ok === true ? run + 1 : 0
        if (run >= options.perSecond) return calls[i - run + 1]!.startedAt
      }
      return null
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      await client.close()
    },
  }
}

async function attempt(client: Client, address: string): Promise<Answer | null> {
  try {
    return await client.screen(address)
  } catch {
    // The API was killed during the call. Without an answer it promised nothing.
    return null
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
