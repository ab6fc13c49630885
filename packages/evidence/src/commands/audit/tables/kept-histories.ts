/** The files of histories that scorers keep: what a provider said can be shown, and imported again, only with them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '@cupel/postgres'
import { problemOfRow, type Problem } from '../../../proofs/index.js'

interface KeptFile extends Record<string, unknown> {
  readonly ledger_seq: number
  readonly file_name: string
  readonly sha256: string
}

export interface ComparedHistories {
  readonly problems: readonly Problem[]
  /** What was not compared, as a sentence; null if all was. */
  readonly warning: string | null
}

/** `folder`: undefined if nobody says where they are. The rows are compared with the log by themselves. */
export async function compareHistories(
  database: Database,
  folder: string | undefined,
): Promise<ComparedHistories> {
  const files = await database.query<KeptFile>(
    `SELECT ledger_seq, file_name, sha256 FROM ledger.segment
     WHERE ledger_seq IS NOT NULL AND history_address IS NOT NULL ORDER BY ledger_seq`,
  )
  if (files.length === 0) return { problems: [], warning: null }
  if (folder === undefined)
    return {
      problems: [],
      warning: `The files of histories were not compared (${files.length.toLocaleString('en-US')}): CUPEL_HISTORY_FOLDER names their folder.`,
    }
  const problems: Problem[] = []
  for (const { ledger_seq: seq, file_name: name, sha256 } of files) {
    const found = await hashOf(join(folder, name))
    if (found === sha256) continue
    const what = found === null ? 'is not in the folder of histories' : 'is another one than the log states'
    problems.push(problemOfRow('file', { row: `ledger segment ${seq}` }, `Its file ${name} ${what}.`))
  }
  return { problems, warning: null }
}

/** Null for a file that cannot be read. */
async function hashOf(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
    return hash.digest('hex')
  } catch {
    return null
  }
}
