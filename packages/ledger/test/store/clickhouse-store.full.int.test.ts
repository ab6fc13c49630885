import { afterAll, beforeAll, describe } from 'vitest'
import { openOnClickHouse } from './clickhouse-under-test.js'
import { missingChdb, startChdb, type Chdb } from './start-chdb.js'
import { transferStoreContract } from './transfer-store.contract.js'

describe.skipIf(missingChdb !== undefined)(`ClickHouse${missingChdb ?? ''}`, () => {
  let chdb: Chdb
  beforeAll(async () => void (chdb = await startChdb()), 60_000)
  afterAll(async () => await chdb.close())

  transferStoreContract('Transfers in ClickHouse', () => openOnClickHouse(chdb))
})
