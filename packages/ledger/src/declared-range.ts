/** The range of heights that an import declares complete, and the kinds of transfers that the declaration covers. */
import type { HistoryKind } from '@cupel/domain'
import { BLOCKS } from './formats/blocks.js'
import type { ChainDefinition } from './formats/chain.js'
import { LedgerFileError } from './formats/ledger-file-error.js'
import type { LedgerFormat } from './formats/ledger-row.js'
import { readFields } from './formats/read-file.js'
import type { LedgerImportRequest } from './import-request.js'

export const historyKinds: readonly HistoryKind[] = ['native', 'internal', 'token']

/**
 * Kinds that the declared range covers, in their order; empty without a range. Throws LedgerFileError for a declaration that the file
 * cannot fulfil.
 */
export async function declaredKinds(
  request: LedgerImportRequest,
  format: LedgerFormat,
  chain: ChainDefinition,
): Promise<readonly HistoryKind[]> {
  checkRange(request)
  const fields = await readFields(request.file)
  if (fields !== null && !format.knows(fields))
    throw new LedgerFileError(`The columns of the file are not those of the format ${request.format}`, 1)
  if (request.completeFrom === undefined) return []
  // An empty file has no columns that could show its kind.
  const held = fields === null ? null : format.covers(fields, chain)
  const asked =
    request.covers === undefined ? held : historyKinds.filter((kind) => request.covers!.includes(kind))
  if (asked === null)
    throw new LedgerFileError(
      'The file does not tell which kinds its range covers: name them with --covers (native, internal, token)',
      null,
    )
  const missing = held === null ? undefined : asked.find((kind) => !held.includes(kind))
  if (missing !== undefined)
    throw new LedgerFileError(
      `The file holds ${held!.join(' and ') || 'no transfers'}: its range does not cover ${missing}`,
      null,
    )
  return asked
}

function checkRange({ completeFrom, completeTo, replace, covers, format }: LedgerImportRequest): void {
  if ((completeFrom === undefined) !== (completeTo === undefined))
    throw new LedgerFileError('--complete-from and --complete-to go together', null)
  if (completeFrom !== undefined && completeFrom > completeTo!)
    throw new LedgerFileError('--complete-from is beyond --complete-to', null)
  if (completeFrom !== undefined && format === BLOCKS)
    throw new LedgerFileError('A file of blocks holds no transfers, so it has no complete range', null)
  if (replace === true && completeFrom === undefined)
    throw new LedgerFileError(
      '--replace needs the range that the file holds: --complete-from and --complete-to',
      null,
    )
  if (covers === undefined) return
  if (completeFrom === undefined)
    throw new LedgerFileError('--covers needs the range: --complete-from and --complete-to', null)
  const unknown = covers.find((kind) => !historyKinds.includes(kind))
  if (unknown !== undefined || covers.length === 0)
    throw new LedgerFileError('--covers names one or more of native, internal, token', null)
}

/** Whether a height is in the declared range; always true without a declaration. */
export function isDeclared(
  height: number | null,
  { completeFrom, completeTo }: Pick<LedgerImportRequest, 'completeFrom' | 'completeTo'>,
): boolean {
  if (completeFrom === undefined) return true
  return height !== null && height >= completeFrom && height <= completeTo!
}
