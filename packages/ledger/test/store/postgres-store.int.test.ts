import { neighboursIn } from '../../src/store/postgres-neighbours.js'
import { transfersIn } from '../../src/store/postgres-transfers.js'
import { startLedger } from '../installation.js'
import { transferStoreContract } from './transfer-store.contract.js'

transferStoreContract('Transfers in Postgres', async () => {
  const ledger = await startLedger()
  const { database } = ledger
  return { ledger, transfers: transfersIn(database), neighbours: neighboursIn(database) }
})
