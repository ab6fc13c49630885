// Fetches packages of the registry that are used before, or beside, the lockfile. Each must have the hash that this project names.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SetupError } from './setup-lock.mjs'

/**
 * The folder with the package's files, fetched with npm once. Two processes at once are safe: the first rename wins.
 * @param {{ name: string, version: string, integrity: string }} wanted `integrity` as in a lockfile: `sha512-…`
 * @param {string} cache Folder that keeps the packages.
 * @param {() => void} [beforeFetch] called only if the package is not there yet
 * @returns {Promise<string>} Rejects with SetupError if it cannot be fetched or has another hash; then it stores nothing.
 */
export async function pinnedPackage({ name, version, integrity }, cache, beforeFetch) {
  const folder = join(
    cache,
    `${name}-${version}-${createHash('sha256').update(integrity).digest('hex').slice(0, 12)}`,
  )
  if (existsSync(folder)) return folder
  beforeFetch?.()
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(`${folder}.incomplete-`)
  try {
    const file = join(draft, await fetchPackage(`${name}@${version}`, draft))
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
    if (found !== integrity)
      throw new SetupError(
        `npm fetched ${name} ${version} with another content than this project was tested with (${found}). It was not used: check from where npm fetches.`,
      )
    await run('tar', ['-xzf', file, '-C', draft], draft)
    try {
      renameSync(join(draft, 'package'), folder)
    } catch (error) {
      // Another process was faster.
      if (!existsSync(folder)) throw error
    }
    return folder
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** The name of the fetched file. */
async function fetchPackage(spec, folder) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const args = ['pack', spec, '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(await run(npm, args, folder))
  // npm 8 names a package of a scope by its path.
  return filename.replace(/^@/, '').replaceAll('/', '-')
}

async function run(command, args, cwd) {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: 16 * 1024 * 1024 })
    return stdout
  } catch (error) {
    if (error.code === 'ENOENT')
      throw new SetupError(`${command} cannot be run: install it; npm comes with Node, tar with the system.`)
    throw new SetupError(
      `${String(error.stderr ?? '').trim()}\n${command} ${args[0]} failed; the reason is above. Correct it and start again.`,
    )
  }
}
