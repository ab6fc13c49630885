/** The check of the store of transfers. */
import { ledgerStoreFault, transferStoreState } from '@cupel/ledger'
import { fault, INSTALL, ok, warning, type Check, type Examined } from './examine.js'

/** Below it, merging the parts of a large table can fail. */
const LEAST_FREE_BYTES = 10 * 1024 ** 3

export const transfersCheck = ({ database }: Pick<Examined, 'database'>): Check => ({
  name: 'transfers',
  needs: ['tables'],
  async look() {
    const elsewhere = await ledgerStoreFault(database)
    if (elsewhere !== null)
      return [fault(elsewhere, 'Give CUPEL_LEDGER_URL to every service and every command, or to none.')]
    const state = await transferStoreState(database).catch((error: unknown) => error as Error)
    if (state === null) return [ok('The transfers of the ledger are in Postgres.')]
    if (state instanceof Error)
      return [
        fault(
          state.message,
          'Start ClickHouse, let the user of CUPEL_LEDGER_URL read and write its tables, and name the server that the imports wrote to.',
        ),
      ]
    const { version, missing, freeBytes } = state
    if (missing.length > 0) return [fault(`ClickHouse has no table ${missing.join(', ')}.`, INSTALL)]
    const free = `${Math.round(freeBytes / 1024 ** 3)} GiB of its smallest disk are free.`
    if (freeBytes < LEAST_FREE_BYTES) return [warning(free, 'Give ClickHouse a larger disk.')]
    return [ok(`ClickHouse ${version} answers, and has the tables of transfers. ${free}`)]
  },
})
