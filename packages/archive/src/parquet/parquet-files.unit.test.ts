import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { expect, test } from 'vitest'
import { undecodedColumns } from './columns.js'
import { openParquetFiles } from './parquet-files.js'

test('files grow by turns, a group at a time, and none is larger than its limits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-parquet-'))
  try {
    const files = openParquetFiles({ rows: 3, waitingBytes: 40 })
    const add = (name: string, offset: number, bytes: number): void => {
      const record = {
        ...{ topic: 't', partition: 0, offset, key: 'k', value: Buffer.alloc(bytes), headers: {} },
      }
      files.add(join(folder, name), undecodedColumns, { record, data: null, isRepeat: false })
    }
    for (let offset = 0; offset < 7; offset += 1) add('a/1.parquet', offset, 1)
    // This exceeds the waiting limit, so every file writes the records it has.
    add('b/1.parquet', 7, 41)
    add('a/1.parquet', 8, 1)
    expect(files.end()).toBe(2)
    const groupsOf = (name: string): number[] => {
      const bytes = readFileSync(join(folder, name))
      const whole = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
      return parquetMetadata(whole).row_groups.map(({ num_rows: rows }) => Number(rows))
    }
    expect([groupsOf('a/1.parquet'), groupsOf('b/1.parquet')]).toEqual([[3, 3, 1, 1], [1]])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
