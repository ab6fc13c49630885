/** Published files in a folder, which any web server can serve. Its writers hold a lock of the database. */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { otherBytes } from '../transparency-stopped.js'
import type { PublishedStore } from './published-store.js'

const FILE_MODE = 0o644
const FOLDER_MODE = 0o755

export function publishedFolder(place: string): PublishedStore {
  const read = (path: string): Promise<Buffer | null> => orAbsent(readFile(join(place, path)), null)
  return {
    ...{ place, read },
    async write(path, bytes) {
      const found = await read(path)
      if (found === null) await writeWhole(join(place, path), bytes)
      else if (!found.equals(bytes)) throw otherBytes(place, path)
    },
    async replace(path, text, before) {
      if (((await read(path))?.toString() ?? null) !== before) return false
      await writeWhole(join(place, path), Buffer.from(text))
      return true
    },
    list: async (folder) => (await orAbsent(readdir(join(place, folder)), [])).toSorted(),
    remove: (folder) => rm(join(place, folder), { recursive: true, force: true }),
    within: (folder) => publishedFolder(join(place, folder)),
    until: () => publishedFolder(place),
  }
}

async function orAbsent<Found, Absent>(found: Promise<Found>, absent: Absent): Promise<Found | Absent> {
  try {
    return await found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return absent
    throw error
  }
}

/** Writes a file under its name only after all of it is on the disk. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE })
  const draft = `${file}.new`
  const handle = await open(draft, 'w', FILE_MODE)
  try {
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}
