/** The sets that an import withdraws on the operator's request. */
import type { LabelSetName } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { listSets, type PublishedSet } from '../read-model/index.js'
import { ImportRefusedError, type LabelImportRequest } from './import-request.js'
import { setKey } from './set-key.js'
import type { ReadLabels } from './read-labels.js'
import type { SetComparison } from './set-changes.js'

export const badOption = (message: string): ImportRefusedError =>
  new ImportRefusedError('bad-option', message)

/** The names that the request states, each as SOURCE/DATASET or as DATASET of the file's source. */
export function replacedNames(
  { sources, dataset }: ReadLabels,
  { replaces = [] }: LabelImportRequest,
): readonly LabelSetName[] {
  if (replaces.length === 0) return []
  const [own, ...more] = sources
  if (own === undefined || more.length > 0)
    throw badOption('--replaces needs a file of one source: name it with --source')
  return [...new Set(replaces)].map((text) => {
    const [first = '', ...rest] = text.split('/')
    const name =
      rest.length === 0 ? { source: own.source, dataset: first } : { source: first, dataset: rest.join('/') }
    if (name.source === own.source && name.dataset === dataset)
      throw badOption(`--replaces names ${setKey(name)} itself: an import always replaces its own set`)
    return name
  })
}

/** The named sets in force. Throws for a name that is not in force: a mistyped name must not leave an old list in force. */
export async function requireReplaced(
  database: Queryable,
  names: readonly LabelSetName[],
): Promise<readonly PublishedSet[]> {
  if (names.length === 0) return []
  const inForce = (await listSets(database)).filter(({ total }) => total > 0)
  return names.map((name) => {
    const found = inForce.find(({ source, dataset }) => source === name.source && dataset === name.dataset)
    if (found === undefined) throw badOption(`--replaces names ${setKey(name)}, which is not in force`)
    return found
  })
}

/** A list that only adds history cannot replace a current one. */
export function requireLater({ set, asOf, later, replaced }: SetComparison): void {
  if (later === null || replaced.length === 0) return
  throw new ImportRefusedError(
    'too-old',
    `${setKey(set)} of ${asOf?.slice(0, 10)} is older than ${setKey(later)} of ${later.asOf?.slice(0, 10)} and replaces nothing`,
  )
}
