/** Read models whose tables another version made are built anew from the log, before anything reads or writes them. */
import type { Logger } from '@cupel/contracts'
import { hasCurrentDefinition, rebuildReadModel } from '@cupel/projections'
import { readModels } from '@cupel/read-models'
import type { Stack } from '../stack/stack.js'

/** Changes nothing where every read model is of this version. A rebuild that is killed is begun again by the next start. */
export async function renewReadModels(
  { log, codec, database }: Pick<Stack, 'log' | 'codec' | 'database'>,
  { logger, note }: { readonly logger: Logger; readonly note: (sentence: string) => void },
): Promise<void> {
  for (const readModel of readModels) {
    if ((await hasCurrentDefinition(database, readModel)) !== false) continue
    note(`The tables of ${readModel.name} were made by another version; building them anew from the log …`)
    await rebuildReadModel({ readModel, log, codec, database, logger })
  }
}
