// A copy of this checkout that can be changed, built and run, for tests of what a next version does. It has its own sources and builds, and
// shares the dependencies of this one.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './setup.mjs'

/** The packages of the workspace in the dependencies. */
const WORKSPACE = '@cupel'
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Fills an empty folder with the files that version control knows or would know, as they are now. */
export async function copyCheckout(folder) {
  const files = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root)
  for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file), { verbatimSymlinks: true })
  }
  const shared = 'node_modules'
  mkdirSync(join(folder, shared), { recursive: true })
  for (const name of readdirSync(join(root, shared)))
    if (name !== WORKSPACE && !existsSync(join(folder, shared, name)))
      symlinkSync(join(root, shared, name), join(folder, shared, name))
  copyLinks(join(shared, WORKSPACE))
  for (const group of ['packages', 'services'])
    for (const name of readdirSync(join(folder, group))) copyLinks(join(group, name, 'node_modules'))

  /** Relative links: those to packages of the workspace lead to the copies. */
  function copyLinks(links) {
    if (existsSync(join(root, links)))
      cpSync(join(root, links), join(folder, links), { recursive: true, verbatimSymlinks: true })
  }
}

async function run(command, args, cwd) {
  const { stdout } = await promisify(execFile)(command, args, { cwd, maxBuffer: MAX_OUTPUT_BYTES })
  return stdout
}
