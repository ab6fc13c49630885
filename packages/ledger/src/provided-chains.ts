/**
 * Chains for which providers of chain data were ever configured. Past answers of a provider cannot be queried any more, so a decision for a
 * past moment must know whether a provider was queried then.
 */
import type { Queryable } from '@cupel/postgres'

/** Marks that scorers of this installation report their chains. */
const TOLD = ''

/** Called at each start of a scorer, with the chains that its providers cover. */
export async function noteProvidedChains(database: Queryable, chains: readonly string[]): Promise<void> {
  await database.execute(
    'INSERT INTO ledger.provided_chain (chain) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
    [[TOLD, ...chains]],
  )
}

/** True unless it is known that no scorer was ever started with a provider of the chain. */
export async function mayHaveProvider(database: Queryable, chain: string): Promise<boolean> {
  const rows = await database.query<{ chain: string }>(
    {
      name: 'ledger.provided-chains',
      text: 'SELECT chain FROM ledger.provided_chain WHERE chain IN ($1, $2)',
    },
    [TOLD, chain],
  )
  const known = new Set(rows.map((row) => row.chain))
  return !known.has(TOLD) || known.has(chain)
}
