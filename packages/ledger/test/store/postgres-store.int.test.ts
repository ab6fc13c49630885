import { importLedger } from '../../src/index.js'
import { readRowSums } from '../../src/row-sums.js'
import { neighboursIn } from '../../src/store/postgres-neighbours.js'
import { transfersIn } from '../../src/store/postgres-transfers.js'
import { startLedger } from '../installation.js'
import { transferStoreContract } from './transfer-store.contract.js'
import { transferWriterContract } from './writing.contract.js'

async function open() {
  const ledger = await startLedger()
  const { database } = ledger
  return { ledger, transfers: transfersIn(database), neighbours: neighboursIn(database) }
}

transferStoreContract('Transfers in Postgres', open)

transferWriterContract('Transfers that are written to Postgres', async () => {
  const store = await open()
  const { database } = store.ledger
  return {
    ...store,
    importWith: async (request, own) => await importLedger(request, { database: own }),
    sums: async () => [(await readRowSums(database))!],
    async alter({ txHash }) {
      await database.execute(
        'UPDATE ledger.transfer SET amount = amount + 1 WHERE ledger.tx_hash_text(tx_hash) = $1',
        [txHash],
      )
    },
  }
})
