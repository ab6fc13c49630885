/** API keys for tests. If no account is given, one is created. */
import { createAccount, issueKey, type KeyOrder } from '@cupel/gate/access'
import type { Database } from '@cupel/postgres'

export type IssuedTestKey = Awaited<ReturnType<typeof issueKey>>

/** By default a live read-write key of the enterprise plan: tests call more often than the pro plan allows. */
export async function issueTestKey(
  database: Database,
  order: Partial<KeyOrder> = {},
): Promise<IssuedTestKey> {
  const accountId = order.accountId ?? (await createAccount(database, { name: 'Test', by: 'test' })).accountId
  return await issueKey(database, {
    ...{ environment: 'live', scope: 'read-write', plan: 'enterprise', by: 'test' },
    ...order,
    accountId,
  })
}
