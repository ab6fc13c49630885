/** The changes of keys that a test cuts off. */
import type { Database } from '@cupel/postgres'
import { diesAt } from '@cupel/testkit/installation'
import {
  endRetention,
  eraseAccount,
  eraseReference,
  openPersonalData,
  rotateMasterKey,
} from '../src/index.js'

const REASON = { by: 'test', reason: 'test', plainRecords: 0 }

const changes = {
  make: async (database: Database, keysFile: string, accountId: string) =>
    (await openPersonalData({ database, keysFile })).of(accountId),
  async 'make-reference'(database: Database, keysFile: string, accountId: string) {
    await (await changes.make(database, keysFile, accountId)).sealReferences(['case 7'])
  },
  async 'erase-reference'(database: Database, keysFile: string, accountId: string) {
    const keyId = await (await openPersonalData({ database, keysFile })).referenceKeyId(accountId, 'case 7')
    await eraseReference(database, { accountId, keyId: keyId!, ...REASON })
  },
  erase: (database: Database, _keysFile: string, accountId: string) =>
    eraseAccount(database, { accountId, ...REASON }),
  retain: (database: Database) => endRetention(database, { days: 30, by: 'test' }),
  rotate: (database: Database, keysFile: string) => rotateMasterKey(database, keysFile),
}

export async function diesChanging(
  { connectionString, keysFile }: { readonly connectionString: string; readonly keysFile: string },
  change: keyof typeof changes,
  point: string,
  accountId: string,
): Promise<void> {
  await diesAt(connectionString, point, async ({ database }) => {
    await changes[change](database, keysFile, accountId)
  })
}
