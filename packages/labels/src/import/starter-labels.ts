/** Well-known public facts, so that the first screen of a new installation finds real labels. */
import { fileURLToPath } from 'node:url'
import { listSets } from '../read-model/index.js'
import { importLabels } from './import-labels.js'
import type { LabelImportDeps, LabelImportResult } from './import-request.js'
import { isStarterSet, STARTER_DATASET } from './starter-set.js'

export const starterLabelsFile = fileURLToPath(
  new URL('../../../../data/starter-labels.csv', import.meta.url),
)

/**
 * Imports the starter labels into an installation that never had them. Returns null if it has any version of them: after the first start,
 * only the operator changes them.
 */
export async function importStarterLabels(deps: LabelImportDeps): Promise<LabelImportResult | null> {
  const sets = await listSets(deps.database)
  if (sets.some((set) => set.kind === 'published' && isStarterSet(set))) return null
  return await importLabels(
    { file: starterLabelsFile, format: 'csv', set: STARTER_DATASET, importedBy: 'cupel/start' },
    deps,
  )
}
