/** Which rare rows one state of the ledger has on a chain: without them no examination asks for them. Read once for each state. */
import type { Queryable } from '@cupel/postgres'
import { engineOfLedger } from './store/transfers.js'
import type { LedgerState } from './store/transfer-store.js'

export interface PartsOfLedger {
  /** Tokens outside the asset table. */
  readonly unknownTokens: boolean
  /** Internal calls of any chain. True if the transfers are not in Postgres. */
  readonly calls: boolean
}

/**
 * Rows of later states make it true too early, which costs a statement. The least value comes from an index: for EXISTS a planner that expects many such
 * rows reads the table, which may have them only at its end.
 */
const READ = {
  name: 'ledger.parts',
  text: `SELECT (SELECT min(from_address) FROM ledger.unknown_token WHERE chain = $1) IS NOT NULL AS "unknownTokens",
    (SELECT min(from_id) FROM ledger.transfer WHERE kind = 'i') IS NOT NULL AS calls`,
}

interface Known {
  readonly ledgerSeq: number
  readonly parts: Promise<PartsOfLedger>
}

/** By chain. */
const knownOf = new WeakMap<Queryable, Map<string, Known>>()

export async function partsOfLedger(
  database: Queryable,
  { chain, ledgerSeq }: LedgerState,
): Promise<PartsOfLedger> {
  const byChain = knownOf.get(database) ?? new Map<string, Known>()
  knownOf.set(database, byChain)
  const known = byChain.get(chain)
  if (known?.ledgerSeq === ledgerSeq) return await known.parts
  const reading: Known = { ledgerSeq, parts: read(database, chain) }
  byChain.set(chain, reading)
  reading.parts.catch(() => {
    if (byChain.get(chain) === reading) byChain.delete(chain)
  })
  return await reading.parts
}

async function read(database: Queryable, chain: string): Promise<PartsOfLedger> {
  const [parts] = await database.query<PartsOfLedger & Record<string, unknown>>(READ, [chain])
  return engineOfLedger() === 'postgres' ? parts! : { ...parts!, calls: true }
}
