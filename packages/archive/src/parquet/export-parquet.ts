/** Writes the events of an archive as Parquet files, one for each type and month, for people who query with SQL. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventType } from '@cupel/contracts'
import {
  type EventCodec,
  type EventLog,
  type LogRecord,
  rangesOf,
  UndecodableRecordError,
} from '@cupel/event-log'
import { ArchiveError } from '../store.js'
import { columnsOf, timeOf, undecodedColumns, type Column } from './columns.js'
import { openParquetFiles, type ParquetFiles, type ParquetLimits } from './parquet-files.js'

export interface ExportParquetOptions {
  /** The log of the archive. */
  readonly log: EventLog
  readonly codec: EventCodec
  readonly topics: readonly string[]
  /** Topics of dead letters: their records are kept unchanged. */
  readonly rawTopics: ReadonlySet<string>
  /** The export makes this folder: it must be missing or empty before. */
  readonly folder: string
  readonly onProgress?: (progress: { readonly records: number; readonly total: number }) => void
  /** For tests: fewer rows at once than in an installation. */
  readonly limits?: Partial<ParquetLimits>
}

export interface ExportedParquet {
  readonly records: number
  readonly files: number
  /** Records that are not an event of this release; they are in `UNDECODED`. */
  readonly undecoded: number
}

/** Name of the file set beside those of the events. */
export const UNDECODED = 'Undecoded'
const NO_MONTH = 'without-time'
const DRAFT = '.draft'
const FOLDER_MODE = 0o700

/** The folder appears only when the export is complete. Throws an ArchiveError if the folder is not empty. */
export async function exportParquet(options: ExportParquetOptions): Promise<ExportedParquet> {
  const { folder } = options
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new ArchiveError(`${folder} is not empty: choose another folder.`)
  const draft = `${folder}${DRAFT}`
  // Left by an interrupted run.
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: FOLDER_MODE })
  try {
    const exported = await writeAll(options, draft)
    await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(draft, folder)
    return exported
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function writeAll(options: ExportParquetOptions, draft: string): Promise<ExportedParquet> {
  const { log, topics, onProgress } = options
  const files = openParquetFiles(options.limits)
  const ranges = await rangesOf(log, topics)
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0)
  let [records, undecoded] = [0, 0]
  for (const range of ranges) {
    const ids = new Set<string>()
    for await (const batch of log.read(range)) {
      for (const record of batch) if (!addRecord(options, { files, draft, ids, record })) undecoded += 1
      records += batch.length
      onProgress?.({ records, total })
    }
  }
  return { records, files: files.end(), undecoded }
}

interface Target {
  readonly files: ParquetFiles
  readonly draft: string
  /** Ids seen in the partition so far. */
  readonly ids: Set<string>
  readonly record: LogRecord
}

const outcomes: ReadonlySet<string> = new Set<EventType>(['ReportGenerated', 'ScreeningFailed'])
const columns = new Map<string, readonly Column[]>()

/** Returns false if the record is not an event of this release. */
function addRecord(
  { codec, rawTopics }: ExportParquetOptions,
  { files, draft, ids, record }: Target,
): boolean {
  const event = rawTopics.has(record.topic) ? null : decoded(codec, record)
  const type = event?.type ?? UNDECODED
  // A report that was decided twice has one key and two event ids; so have a report and its failure.
  const id = outcomes.has(type) ? record.key : (record.headers['ce_id'] ?? '')
  const isRepeat = id !== '' && ids.has(id)
  ids.add(id)
  const month = timeOf(record)?.toISOString().slice(0, 'yyyy-mm'.length) ?? NO_MONTH
  const found = columns.get(type) ?? (type === UNDECODED ? undecodedColumns : columnsOf(type as EventType))
  columns.set(type, found)
  const data = event?.data as Readonly<Record<string, unknown>> | undefined
  files.add(join(draft, type, `${month}.parquet`), found, { record, data: data ?? null, isRepeat })
  return event !== null
}

function decoded(codec: EventCodec, record: LogRecord) {
  try {
    return codec.decode(record)
  } catch (error) {
    if (error instanceof UndecodableRecordError) return null
    throw error
  }
}
