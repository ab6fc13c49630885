/** Changes keys until a failpoint kills it: `keys-process.ts make|make-reference|erase|erase-reference|retain|rotate DATABASE KEYS_FILE ACCOUNT`. */
import { openDatabase } from '@cupel/postgres'
import {
  endRetention,
  eraseAccount,
  eraseReference,
  openPersonalData,
  rotateMasterKey,
} from '../src/index.js'

const [change, connectionString, keysFile, accountId] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
]
const database = openDatabase({ connectionString, maxConnections: 2, applicationName: 'keys' })
if (change === 'make') await (await openPersonalData({ database, keysFile })).of(accountId)
if (change === 'make-reference') {
  const seal = await (await openPersonalData({ database, keysFile })).of(accountId)
  await seal.sealReferences(['case 7'])
}
if (change === 'erase-reference') {
  const keyId = await (await openPersonalData({ database, keysFile })).referenceKeyId(accountId, 'case 7')
  const order = { accountId, keyId: keyId!, by: 'test', reason: 'test', plainRecords: 0 }
  await eraseReference(database, order)
}
if (change === 'erase')
  await eraseAccount(database, { accountId, by: 'test', reason: 'test', plainRecords: 0 })
if (change === 'retain') await endRetention(database, { days: 30, by: 'test' })
if (change === 'rotate') await rotateMasterKey(database, keysFile)
await database.close()
