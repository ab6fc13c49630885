/** An old file that is imported by mistake must not bring back what a later one replaced: an undated list says nothing of its age. */
import { listPublications } from '../read-model/index.js'
import type { Queryable } from '@cupel/postgres'
import { ImportRefusedError, type LabelImportRequest } from './import-request.js'
import { setKey } from './set-key.js'
import type { SetComparison } from './set-changes.js'

/** Refuses a file whose state of the set another file replaced, unless the operator says why it returns. */
export async function requireNewState(
  database: Queryable,
  { set, inForce, historical }: Pick<SetComparison, 'set' | 'inForce' | 'historical'>,
  {
    sha256,
    append,
    reason = '',
  }: Pick<LabelImportRequest, 'append' | 'reason'> & { readonly sha256: string },
): Promise<void> {
  if (inForce === null || historical || append === true || reason.trim() !== '') return
  const [newest, ...earlier] = (await listPublications(database, set)).filter((one) => !one.historical)
  if (newest?.sha256 === sha256) return
  const returning = earlier.find((one) => one.sha256 === sha256 && !one.appended)
  if (returning === undefined) return
  throw new ImportRefusedError(
    'superseded',
    `This file is ${setKey(set)} as it was imported on ${returning.publishedAt.slice(0, 10)}, and another file has replaced it since. ` +
      'If the earlier state is right, import it again with --reason "…"',
  )
}
