// Checks that read the sources: each passes or fails as a whole.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../setup.mjs'
import { heading } from './report.mjs'

const bin = (name, ...args) => [join(root, 'node_modules', ...name.split('/')), ...args]

/** Arguments to node. */
const commands = {
  types: bin('typescript-native/bin/tsc', '--noEmit', '-p', 'tsconfig.json'),
  'browser-types': bin('typescript-native/bin/tsc', '--noEmit', '-p', 'services/web/src/client'),
  'script-types': bin('typescript-native/bin/tsc', '--noEmit', '-p', 'scripts'),
  lint: bin('oxlint/bin/oxlint', '--deny-warnings'),
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
}

/** Runs the named checks one after another. Prints the output of each in one piece when it ends. */
export async function runChecks(names, totals) {
  for (const [name, args] of Object.entries(commands)) {
    if (!names.includes(name)) continue
    const { status, output } = await run(args)
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
