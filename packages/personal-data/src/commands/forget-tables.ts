/** Removes the plain data of an account from the primary tables, and ends its sessions, links and watches. */
import { forgetAccount } from '@cupel/gate/access'
import { forgetOwnLabels } from '@cupel/labels'
import { ERASED } from '../index.js'
import type { Queryable } from '@cupel/postgres'
import { forgetShares } from '@cupel/sharing'
import { endWatches, endWatchesOfReference } from '@cupel/watches'

/** Replaces names, references, labels and reasons by a word; ends sessions, links and watches. */
export async function forgetTables(transaction: Queryable, accountId: string): Promise<void> {
  await forgetAccount(transaction, accountId, ERASED)
  await forgetShares(transaction, accountId, ERASED)
  await forgetOwnLabels(transaction, accountId, ERASED)
  await endWatches(transaction, accountId, ERASED)
  await transaction.execute(
    'DELETE FROM webhooks.body b WHERE NOT EXISTS (SELECT FROM webhooks.delivery d WHERE d.body_id = b.body_id)',
  )
}

/** The same for one customer reference, by its key: its watches end. Resolves to their number. */
export async function forgetReference(
  transaction: Queryable,
  reference: { readonly accountId: string; readonly keyId: string },
): Promise<number> {
  return await endWatchesOfReference(transaction, reference, ERASED)
}
