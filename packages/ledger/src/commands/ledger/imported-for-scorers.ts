/** An import that the next screen uses, for ledgers and prices. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LEDGER_LOOK_INTERVAL_MS } from '../../index.js'
import type { Database } from '@cupel/postgres'
import { type JsonOption, type CliContext, CommandError, EXIT_FAILED } from '@cupel/command-line'
import { isServed, withConnections } from '@cupel/command-line/installation'

type Refused = {
  readonly status: 'refused'
  readonly message: string
  readonly line: number | null
}

/** The result of the import. Throws CommandError if it was refused. */
export async function importedForScorers<Done extends { readonly status: 'imported' | 'already-imported' }>(
  context: CliContext,
  { json }: JsonOption,
  work: (database: Database) => Promise<Done | Refused>,
): Promise<Done> {
  const result = await withConnections(
    context,
    async (connections) => {
      const imported = await work(connections.database)
      // Scorers poll for a new state; wait until they have it.
      if (imported.status === 'imported' && isServed(connections, context))
        await sleep(LEDGER_LOOK_INTERVAL_MS)
      return imported
    },
    { creates: true },
  )
  if (result.status !== 'refused') return result
  if (json === true) context.print(JSON.stringify(result))
  throw new CommandError(`Nothing was imported: ${result.message}.`, EXIT_FAILED)
}
