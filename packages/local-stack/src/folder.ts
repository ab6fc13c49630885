/** The folders and small files of the local stack. */
import { mkdir, readFile, realpath } from 'node:fs/promises'
import { LocalStackError } from './local-stack-error.js'

/** Makes a folder and returns its real path: two names of one folder must not look like two installations. */
export async function makeFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 })
    return await realpath(folder)
  } catch (cause) {
    throw folderRefused(folder, cause)
  }
}

export function folderRefused(folder: string, cause: unknown): LocalStackError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause)
  return new LocalStackError(
    'permission-denied',
    `The folder ${folder} cannot be written (${code}): give this user access to it, or choose another with CUPEL_HOME.`,
    { cause },
  )
}

/** Null where the file does not exist. Throws LocalStackError where it may not be read. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ESRCH') return null
    if (code === 'EACCES') throw folderRefused(path, error)
    throw error
  }
}
