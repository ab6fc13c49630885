/**
 * The file with the checkpoints of a log, one line each, and its copies. Bytes in a file never change: an interrupted write is completed,
 * and bytes that differ from the expected ones are rejected.
 */
import { failpoint } from '@cupel/failpoints'
import { constants } from 'node:fs'
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** The files contradict the database, each other or the log. The message says what to do. */
export class CheckpointsStoppedError extends Error {
  override readonly name = 'CheckpointsStoppedError'
}

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const COPY_BYTES = 1024 * 1024

export function checkpointFile(folder: string, log: string): string {
  return join(folder, `${log.replaceAll(/[^\w.-]/g, '_')}.jsonl`)
}

/** Bytes of the file; 0 if it does not exist. */
export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** Makes every file as long as the longest one. Throws CheckpointsStoppedError if one is not the beginning of it. */
export async function levelFiles(files: readonly string[]): Promise<void> {
  const sizes = await Promise.all(files.map(sizeOf))
  const longest = files[sizes.indexOf(Math.max(...sizes))]!
  for (const file of files) if (file !== longest) await copyRest(longest, file)
}

/** Writes a line at its place in every file, and flushes each to the disk before the next. A repeated call changes nothing. */
export async function writeLine(files: readonly string[], position: number, line: string): Promise<void> {
  for (const file of files) {
    // A copy whose volume was missing continues where it stopped.
    if (file !== files[0] && (await sizeOf(file)) < position) await copyRest(files[0]!, file)
    failpoint('before', 'checkpoints.write')
    await writeAt(file, position, Buffer.from(line))
    failpoint('after', 'checkpoints.write')
  }
}

/** Whether the file has exactly this line at the position, as its last one. */
export async function endsWith(file: string, position: number, line: string): Promise<boolean> {
  const bytes = Buffer.from(line)
  if ((await sizeOf(file)) !== position + bytes.length) return false
  return await withFile(file, async (handle) => (await readAt(handle, position, bytes.length)).equals(bytes))
}

/** Whether the file has exactly this line at the position, whatever follows it. */
export async function holds(file: string, position: number, line: string): Promise<boolean> {
  const bytes = Buffer.from(line)
  if ((await sizeOf(file)) < position + bytes.length) return false
  return await withFile(file, async (handle) => (await readAt(handle, position, bytes.length)).equals(bytes))
}

async function copyRest(from: string, to: string): Promise<void> {
  const [size, end] = [await sizeOf(to), await sizeOf(from)]
  if (end === 0) return
  await withFile(from, async (source) => {
    // Only the end of the file is compared here; `cupel audit verify` compares all of it.
    for (let at = Math.max(0, Math.min(size, end) - COPY_BYTES); at < end; at += COPY_BYTES)
      await writeAt(to, at, await readAt(source, at, Math.min(COPY_BYTES, end - at)))
  })
}

async function writeAt(file: string, position: number, bytes: Buffer): Promise<void> {
  await withFile(file, async (handle) => {
    const { size } = await handle.stat()
    if (size < position)
      throw new CheckpointsStoppedError(
        `${file} ends at byte ${size}, and the next checkpoint belongs at ${position}: put the whole file back, from a copy.`,
      )
    const there = await readAt(handle, position, Math.min(bytes.length, size - position))
    if (!there.equals(bytes.subarray(0, there.length)))
      throw new CheckpointsStoppedError(
        `${file} has something else at byte ${position} than what was written there: put the file back, from a copy.`,
      )
    if (there.length === bytes.length) return
    await handle.write(bytes, there.length, bytes.length - there.length, size)
    await handle.datasync()
  })
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, position + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return bytes.subarray(0, read)
}

async function withFile<T>(file: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await openOrCreate(file)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

async function openOrCreate(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await mkdir(join(file, '..'), { recursive: true, mode: PRIVATE_FOLDER })
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE)
  // The name is flushed to the disk before the first line counts as written.
  const folder = await open(join(file, '..'), 'r')
  await folder.sync().finally(() => folder.close())
  return handle
}
