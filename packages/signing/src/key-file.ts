/** Writes files of keys, which only their owner may read: each is complete or missing, also after a crash. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ALONE = 0o600

/** Replaces the file. */
export function replaceKeyFile(file: string, content: object): void {
  renameSync(draftOf(file, content), file)
  syncFolder(file)
}

/** Does nothing if the file already exists. */
export function createKeyFile(file: string, content: object): void {
  const draft = draftOf(file, content)
  try {
    linkSync(draft, file)
    syncFolder(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A temporary file next to the target. It is complete and on the disk before it gets the target's name. */
function draftOf(file: string, content: object): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const descriptor = openSync(draft, 'wx', OWNER_ALONE)
  try {
    // Not `writeSync`: on a volume that fills it writes a part, and says so only in what it returns.
    writeFileSync(descriptor, `${JSON.stringify(content, null, 2)}\n`)
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  return draft
}

/** A key that is in use must not go with the name of its file when the power fails. */
function syncFolder(file: string): void {
  const descriptor = openSync(dirname(file), 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
