/** Writes many growing files in bounded memory: rows wait until the group of a file is full, or until too many rows wait in all. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { ByteWriter, ParquetWriter, type ColumnSource } from 'hyparquet-writer'
import { MAX_PARQUET_ROWS, MAX_PARQUET_WAITING_BYTES } from '../limits.js'
import type { Column, ExportedRecord } from './columns.js'

export interface ParquetFiles {
  add(path: string, columns: readonly Column[], exported: ExportedRecord): void
  /** Ends every file, and resolves to their number. */
  end(): number
}

interface OpenFile {
  readonly columns: readonly Column[]
  readonly writer: ParquetWriter
  rows: ExportedRecord[]
  bytes: number
}

export interface ParquetLimits {
  readonly rows: number
  readonly waitingBytes: number
}

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

export function openParquetFiles({
  rows: maxRows = MAX_PARQUET_ROWS,
  waitingBytes: maxBytes = MAX_PARQUET_WAITING_BYTES,
}: Partial<ParquetLimits> = {}): ParquetFiles {
  const files = new Map<string, OpenFile>()
  let waiting = 0

  function flush(file: OpenFile): void {
    const { columns, rows, writer } = file
    if (rows.length === 0) return
    const columnData: ColumnSource[] = columns.map(({ name, valueOf }) => ({ name, data: rows.map(valueOf) }))
    void writer.write({ columnData, rowGroupSize: rows.length })
    waiting -= file.bytes
    file.rows = []
    file.bytes = 0
  }

  function open(path: string, columns: readonly Column[]): OpenFile {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
    const schema = [
      { name: 'event', num_children: columns.length },
      ...columns.flatMap((column) => column.schema),
    ]
    const writer = new ParquetWriter({ writer: appender(path), schema, createdBy: 'cupel' })
    const file = { columns, writer, rows: [], bytes: 0 }
    files.set(path, file)
    return file
  }

  return {
    add(path, columns, exported) {
      const file = files.get(path) ?? open(path, columns)
      const bytes = exported.record.value.length
      file.rows.push(exported)
      file.bytes += bytes
      waiting += bytes
      if (file.rows.length >= maxRows) flush(file)
      if (waiting > maxBytes) for (const one of files.values()) flush(one)
    },
    end() {
      for (const file of files.values()) {
        flush(file)
        void file.writer.finish()
      }
      return files.size
    },
  }
}

/** Writes the output of a group, and keeps no file open: there is one for each type and month. */
function appender(path: string): ByteWriter {
  const writer = new ByteWriter()
  const append = (): void => {
    appendFileSync(path, new Uint8Array(writer.buffer, 0, writer.index), { mode: FILE_MODE })
    writer.index = 0
  }
  return Object.assign(writer, { flush: append, finish: append })
}
