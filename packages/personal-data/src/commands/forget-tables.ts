/** Removes the plain data of an account from the primary tables, and ends its sessions, links and watches. */
import { primaryTables } from '@cupel/command-line/installation'
import type { Queryable } from '@cupel/postgres'
import type { PrimaryTables, ReferenceKey } from '@cupel/projections'
import { ERASED } from '../index.js'

const all: readonly PrimaryTables[] = primaryTables

/** What ends with one customer reference. */
export const referenceRows = all.flatMap(({ ofReference }) => ofReference ?? [])

const erasedIn = (some: readonly PrimaryTables[]) => some.flatMap((tables) => tables.erasedTables ?? [])

/** The tables whose old versions of rows the erasure of an account removes from the files. */
export const erasedTables = erasedIn(all)

/** The same for the erasure of a customer reference, except for its key. */
export const erasedReferenceTables = erasedIn(all.filter(({ ofReference }) => ofReference !== undefined))

/** Replaces names, references, labels and reasons by a word; ends sessions, links and watches. */
export async function forgetTables(transaction: Queryable, accountId: string): Promise<void> {
  for (const { forgetAccount } of all) await forgetAccount?.(transaction, accountId, ERASED)
}

/** The same for one customer reference, by its key. */
export async function forgetReference(transaction: Queryable, reference: ReferenceKey): Promise<void> {
  for (const rows of referenceRows) await rows.end(transaction, reference, ERASED)
}
