import { afterAll, beforeAll, describe } from 'vitest'
import { importWith } from '../../src/import-ledger.js'
import { added, readRowSums } from '../../src/row-sums.js'
import { readSideSums, rowsToSum } from '../../src/store/clickhouse/index.js'
import { openOnClickHouse } from './clickhouse-under-test.js'
import { missingChdb, startChdb, type Chdb } from './start-chdb.js'
import { transferWriterContract } from './writing.contract.js'

describe.skipIf(missingChdb !== undefined)(`ClickHouse${missingChdb ?? ''}`, () => {
  let chdb: Chdb
  beforeAll(async () => void (chdb = await startChdb()), 60_000)
  afterAll(async () => await chdb.close())

  transferWriterContract('Transfers that are written to ClickHouse', async () => {
    const store = await openOnClickHouse(chdb)
    const { clickHouse, writer } = store
    const { database } = store.ledger
    return {
      ...store,
      importWith: async (request, own) => await importWith(request, { database: own }, writer),
      async sums() {
        const others = (await readRowSums(database))!
        const { sent, received } = (await readSideSums(clickHouse, await rowsToSum(database)))!
        return [added(others, sent), added(others, received)]
      },
      async alter({ txHash }) {
        await clickHouse.run(
          `ALTER TABLE side UPDATE amount = amount + 1 WHERE outgoing = 1 AND tx_hash = unhex('02${txHash.slice(2)}')
           SETTINGS mutations_sync = 1`,
        )
      },
    }
  })
})
