/** Creates watches in the states that tests need. */
import type { Database } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { expect } from 'vitest'
import { storedKeyOf } from '@cupel/gate/calls'
import { exampleOf } from './described.js'
import { call, type Reply } from './http-client.js'
import type { Installation } from './installation.js'

/** Calls that make watches of one account wait for each other. This transaction goes first and makes them wait. */
export async function whileWatchesWait(
  { database }: Installation,
  accountId: string,
  calls: { begin: () => void; idempotencyKey: string; repeat: () => Promise<Reply> },
): Promise<Reply> {
  return await database.transaction({ at: 'test' }, async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `cupel.watches ${accountId} true`,
    ])
    calls.begin()
    await until(async () => {
      const reserved = 'SELECT 1 FROM access.idempotency WHERE idempotency_key = $1'
      expect(await database.query(reserved, [storedKeyOf(calls.idempotencyKey)])).toHaveLength(1)
    })
    return await calls.repeat()
  })
}

/** Creates as many watches as an account may have. */
export async function fillWatches(
  { database }: Installation,
  accountId: string,
  watches: number,
): Promise<void> {
  await database.execute(
    `INSERT INTO watches.watch (watch_id, account_id, livemode, address, canonical_address, chain, candidate_chains, lookup_key,
       threshold_hundredths, report_page_url, created_at)
     SELECT 'full' || n, $1, true, n, n, 'ETH', '[]', n, 1000, '', now() FROM generate_series(1, $2::int4) AS n
     ON CONFLICT DO NOTHING`,
    [accountId, watches],
  )
}

/** Watches the example address; returns the id. */
export async function newWatch(url: string, key: string): Promise<string> {
  const body = exampleOf('POST', '/v1/watches')
  const made = await call(url, 'POST', '/v1/watches', { key, body })
  expect(made.status, made.text).toBe(201)
  return (made.json()['items'] as { watch_id: string }[])[0]!.watch_id
}

/** The entry of the inbox that the examples name. */
export async function insertEntry(database: Database, accountId: string): Promise<void> {
  const { entry_ids: ids } = exampleOf('POST', '/v1/inbox/marks') as { entry_ids: readonly string[] }
  await database.execute(
    `INSERT INTO inbox_view.inbox_entry (account_id, livemode, source, entry_id, kind, version, is_shown, at, document)
     VALUES ($1, true, $2, $2, 'watch_failed', 0, true, now(), '{"address":"0xA","chain":"ETH","watch_id":"wat_1","failures":3}')`,
    [accountId, ids[0]],
  )
}
