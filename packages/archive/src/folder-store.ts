/** An archive in a folder. */
import { mkdirSync } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { holderOf, holdFolder } from '@cupel/local-stack/home'
import { ArchiveError, ArchiveInUseError, type ArchiveStore, type Draft } from './store.js'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const DRAFT = '.draft'
const LOCK = 'lock'

export function openFolderStore(folder: string): ArchiveStore {
  return {
    place: folder,
    isShared: false,
    list: async () =>
      (await filesIn(folder)).map((path) => relative(folder, path).split(sep).join('/')).sort(),
    read: (path, maxBytes) => readWhole(join(folder, path), maxBytes),
    create: (path) => createDraft(join(folder, path)),
    remove: (path) => rm(join(folder, path), { force: true }),
    isHeld: () => Promise.resolve(holderOf(folder) !== null),
    async hold() {
      mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
      const held = holdFolder(folder, 'cupel archive')
      if ('release' in held) return { release: async () => held.release() }
      throw new ArchiveInUseError(
        `Another process (${held.pid}, since ${held.since}) writes into ${folder}: wait until it is done.`,
      )
    },
  }
}

/** The files without the lock, which is not a part of the archive. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path !== join(folder, LOCK) && !path.startsWith(`${join(folder, LOCK)}.`))
}

async function readWhole(path: string, maxBytes: number): Promise<Buffer | null> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  })
  if (handle === null) return null
  try {
    const { size } = await handle.stat()
    if (size > maxBytes)
      throw new ArchiveError(`${path} has ${size} bytes, and ${maxBytes} at most belong there.`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

async function createDraft(path: string): Promise<Draft> {
  await makeFolder(dirname(path))
  const draft = `${path}${DRAFT}`
  await rm(draft, { force: true })
  const handle = await open(draft, 'wx', FILE_MODE)
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
    },
    async put({ isNew = false } = {}) {
      await handle.sync()
      await handle.close()
      if (isNew) {
        await link(draft, path)
        await rm(draft)
      } else await rename(draft, path)
      await syncFolder(dirname(path))
    },
    async discard() {
      await handle.close()
      await rm(draft, { force: true })
    },
  }
}

/** Makes the missing folders and flushes each with its name to the disk. */
async function makeFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => null)) !== null) return
  const above = dirname(folder)
  if (above !== folder) await makeFolder(above)
  await mkdir(folder, { mode: FOLDER_MODE }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
  await syncFolder(above)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
