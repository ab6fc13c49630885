/** The check of the store of transfers. */
import { transferStoreState } from '@cupel/ledger'
import { fault, INSTALL, ok, warning, type Check } from './examine.js'

/** Below it, merging the parts of a large table can fail. */
const LEAST_FREE_BYTES = 10 * 1024 ** 3

export const transfersCheck: Check = {
  name: 'transfers',
  async look() {
    const state = await transferStoreState().catch((error: unknown) => error as Error)
    if (state === null) return [ok('The transfers of the ledger are in Postgres.')]
    if (state instanceof Error)
      return [
        fault(
          state.message,
          'Start ClickHouse, and let the user of CUPEL_LEDGER_URL read and write its tables.',
        ),
      ]
    const { version, missing, freeBytes } = state
    if (missing.length > 0) return [fault(`ClickHouse has no table ${missing.join(', ')}.`, INSTALL)]
    const free = `${Math.round(freeBytes / 1024 ** 3)} GiB of its smallest disk are free.`
    if (freeBytes < LEAST_FREE_BYTES) return [warning(free, 'Give ClickHouse a larger disk.')]
    return [ok(`ClickHouse ${version} answers, and has the tables of transfers. ${free}`)]
  },
}
