/** The folders and small files of the local stack. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { LocalStackError } from './local-stack-error.js'

/** Other users cannot read a home. The user that Postgres runs as instead of root can pass through it, but not list it. */
export const HOME_MODE = process.getuid?.() === 0 ? 0o711 : 0o700

/** Makes a folder that is closed to others and returns its real path: two names of one folder must not look like two installations. */
export async function makeFolder(folder: string): Promise<string> {
  try {
    const isNew = (await mkdir(folder, { recursive: true, mode: HOME_MODE })) !== undefined
    // The mask of the process may have removed the permission to pass through.
    if (isNew) await chmod(folder, HOME_MODE)
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

/** Null if the file does not exist. Throws LocalStackError if it may not be read. */
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

/** The password in a file, made if there is none: letters, digits, "-" and "_". Only its owner can read the file. */
export async function keptPassword(file: string): Promise<string> {
  const known = (await readText(file))?.trim()
  if (known !== undefined && known !== '') return known
  const password = randomBytes(24).toString('base64url')
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  return password
}
