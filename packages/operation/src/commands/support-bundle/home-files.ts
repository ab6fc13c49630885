/** The facts about the home of a local installation: the sizes of its folders, and the ends of its logs. */
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TarFile } from './tar.js'

/** Length that is read of each log file, from its end. */
const MAX_LOG_BYTES = 2 * 1_048_576
/** The newest ones. */
const MAX_LOG_FILES = 40

/** Bytes of each file and folder of the home. A home that does not exist holds nothing. */
export async function folderSizes(home: string): Promise<Readonly<Record<string, number>>> {
  const sizes: Record<string, number> = {}
  for (const entry of await entriesOf(home)) {
    const path = join(home, entry.name)
    const key = entry.isDirectory() ? `${entry.name}/` : entry.name
    sizes[key] = entry.isDirectory() ? await bytesBelow(path) : await bytesOf(path)
  }
  return sizes
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? await bytesBelow(path) : await bytesOf(path)
  }
  return bytes
}

/** The logs of both profiles, in whole lines: a cut first line might hold half of a secret, which would not be found. */
export async function recentLogs(home: string): Promise<TarFile[]> {
  const found: { name: string; path: string; changedAt: number }[] = []
  for (const profile of ['embedded', 'kafka']) {
    const folder = join(home, profile, 'logs')
    for (const entry of await entriesOf(folder)) {
      if (!entry.isFile()) continue
      const path = join(folder, entry.name)
      const changedAt = (await stat(path)).mtimeMs
      found.push({ name: `logs/${profile}/${entry.name}`, path, changedAt })
    }
  }
  const newest = found.sort((a, b) => b.changedAt - a.changedAt).slice(0, MAX_LOG_FILES)
  return await Promise.all(newest.map(async ({ name, path }) => ({ name, text: await endOf(path) })))
}

async function endOf(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const length = Math.min(size, MAX_LOG_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    return length === size ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await file.close()
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Services create and delete folders meanwhile.
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

/** 0 for a file that was deleted meanwhile. */
async function bytesOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}
