// Checks that read the sources: each passes or fails as a whole.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../setup.mjs'
import { changesSinceLanding } from './changed-sources.mjs'
import { heading } from './report.mjs'

const bin = (name, ...args) => [join(root, 'node_modules', ...name.split('/')), ...args]

const oxlint = bin('oxlint/bin/oxlint', '--deny-warnings')
const LINTED = /\.(ts|mts|mjs)$/

/** For all files, the linter with types takes half a minute of processor time; for those that differ from the last landing, a few seconds. */
function lintChanges() {
  const changed = changesSinceLanding(root)
  if (changed === null) return oxlint
  const files = changed.filter((path) => LINTED.test(path) && existsSync(join(root, path)))
  return files.length === 0 ? null : [...oxlint, ...files]
}

/** Arguments to node, or a function that names them; null: there is nothing to check. */
const commands = {
  types: bin('typescript-native/bin/tsc', '--noEmit', '-p', 'tsconfig.json'),
  'browser-types': bin('typescript-native/bin/tsc', '--noEmit', '-p', 'packages/console/src/client'),
  'script-types': bin('typescript-native/bin/tsc', '--noEmit', '-p', 'scripts'),
  lint: oxlint,
  'lint-changes': lintChanges,
  generated: ['scripts/generate.mjs', '--check'],
  boundaries: bin(
    'dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    '--exclude',
    '(^|/)(dist|boundary-fixtures)/',
    'packages',
    'services',
  ),
  format: bin('oxfmt/bin/oxfmt', '--check'),
  links: ['scripts/check-links.mjs'],
  guard: ['scripts/bench.mjs', 'guard'],
}

const NOTHING = { status: 0, output: 'Nothing has changed.' }

/** Runs the named checks one after another. Prints the output of each in one piece when it ends. */
export async function runChecks(names, totals) {
  for (const [name, command] of Object.entries(commands)) {
    if (!names.includes(name)) continue
    const args = typeof command === 'function' ? command() : command
    const { status, output } = args === null ? NOTHING : await run(args)
    totals.account.checkEnded()
    console.log(`${heading(name)}\n${output.trimEnd()}`)
    if (status === 0) totals.pass(1)
    else totals.fail(name, output)
  }
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, output }))
  })
}
