/** A session of the database that falls silent: the lease is given up, and it is asked nothing more while it owes an answer. */
import { silentLogger } from '@cupel/contracts'
import type { Database, Queryable } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { holdLease } from './hold-lease.js'

/** Longer than one sign of life, which a silent session still owes. */
const ENDING_MS = 2_500

interface Server {
  readonly database: Database
  /** Sessions that were opened. */
  sessions(): number
  /** Statements that the session was given while it owed an answer. */
  readonly overlaps: readonly string[]
  fallSilent(): void
}

/** It accepts one session, which answers until it falls silent. */
function startServer(): Server {
  const overlaps: string[] = []
  let isSilent = false
  let isOwing = false
  let sessions = 0
  const rowsOf = (text: string): object[] => {
    return text.includes('pg_try_advisory_lock(') ? [{ taken: true }] : []
  }
  const connection = {
    query: (text: string) => {
      if (isOwing) overlaps.push(text)
      isOwing = isSilent
      return isSilent ? new Promise(() => undefined) : Promise.resolve(rowsOf(text))
    },
  } as unknown as Queryable
  const database = {
    withConnection: async <T>(work: (one: Queryable) => Promise<T>) => {
      sessions += 1
      if (sessions > 1) throw new Error('the server is away')
      return await work(connection)
    },
    transaction: () => Promise.resolve({ epoch: 1 }),
  } as unknown as Database
  return { database, overlaps, sessions: () => sessions, fallSilent: () => void (isSilent = true) }
}

test.concurrent.each([
  ['while the work goes on', false],
  ['while the work ends', true],
])(
  'a session that falls silent %s is dropped, and the next one begins after the work has ended',
  async (_when, endsFirst) => {
    const { database, overlaps, sessions, fallSilent } = startServer()
    const troubles: string[] = []
    let hasEnded = false
    let sessionsAtEnd = 0
    const lease = holdLease({
      ...{ database, logger: silentLogger, onStandBy: () => undefined },
      onTrouble: (error) => void troubles.push(`${String(error)}, ${hasEnded ? 'ended' : 'ending'}`),
      work: (signal) =>
        new Promise((resolve) => {
          const end = (): void => {
            sessionsAtEnd = sessions()
            hasEnded = true
            resolve()
          }
          signal.addEventListener('abort', () => setTimeout(end, ENDING_MS))
        }),
    })
    await until(() => expect(lease.isHeld()).toBe(true))
    fallSilent()
    const stopping = endsFirst ? lease.stop() : null
    await until(() => expect(hasEnded).toBe(true))
    expect(sessionsAtEnd).toBe(1)
    if (!endsFirst) {
      expect(troubles[0]).toContain('did not answer in time; the lease is given up, ending')
      await until(() => expect(sessions()).toBeGreaterThan(1))
    }
    await (stopping ?? lease.stop())
    expect(lease.isHeld()).toBe(false)
    expect(overlaps).toEqual([])
  },
)
