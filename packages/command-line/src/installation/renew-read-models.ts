/** Rebuilds read models whose tables another version created, before anything reads or writes them. */
import type { Logger } from '@cupel/contracts'
import { hasCurrentDefinition, rebuildReadModel } from '@cupel/projections'
import { readModels } from '@cupel/operation/read-models'
import type { Stack } from './stack/stack.js'

/** Does nothing if all tables are of this version. After a kill the next start repeats the rebuild. */
export async function renewReadModels(
  { log, codec, database }: Pick<Stack, 'log' | 'codec' | 'database'>,
  { logger, note }: { readonly logger: Logger; readonly note: (sentence: string) => void },
): Promise<void> {
  for (const readModel of readModels) {
    if ((await hasCurrentDefinition(database, readModel)) !== false) continue
    note(`Another version created the tables of ${readModel.name}; rebuilding them from the log …`)
    await rebuildReadModel({ readModel, log, codec, database, logger })
  }
}
