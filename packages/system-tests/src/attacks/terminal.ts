/** Hostile text in the installation, shown on the terminal of its operator. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkout, environmentFor } from '../installation.js'
import type { Attack } from './attack.js'

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
/** Clears the screen, sets a title, moves the cursor by a C1 control, and reverses the direction of text. */
const HOSTILE = 'Safe\u001b[2J\u001b]0;title\u0007\u009b1A\u202egreen\u2069\u200bExchange'
/** Control characters and characters without width, except the line ends that a terminal adds. */
const OBEYED = /(?![\r\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu

export const terminal: readonly Attack[] = [
  {
    name: 'escape sequences in a list that an operator imports, on a terminal',
    threat: 'exposure',
    place: 'installation',
    hindrance: () => (spawnSync('script', ['--version']).error === undefined ? null : 'script cannot be run'),
    async run({ installation: { home } }) {
      const folder = mkdtempSync(join(tmpdir(), 'cupel-terminal-'))
      try {
        const file = join(folder, `${HOSTILE.replaceAll(/[\]\[;]/g, '')}.csv`)
        writeFileSync(file, `${HEADER}\n${HOSTILE},${HOSTILE},${HOSTILE},a,b,,0.9,2026-01-01T00:00:00Z\n`)
        const shown = await onTerminal(home, `labels import '${file}' --format csv --set terminal`)
        const obeyed = shown.match(OBEYED) ?? []
        return {
          limit: 'no character that a terminal obeys',
          measured: `${obeyed.length} of them in ${shown.length} characters`,
          held: obeyed.length === 0 && shown.includes('Nothing was imported') && shown.includes('Exchange'),
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  },
]

/** The output of a command whose output is a terminal. */
function onTerminal(home: string, args: string): Promise<string> {
  const program = `'${process.execPath}' '${join(checkout, 'scripts/cupel.mjs')}' ${args}`
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['--quiet', '--return', '--command', program, '/dev/null'], {
      cwd: checkout,
      env: environmentFor(home, { NO_COLOR: '1', TERM: 'xterm' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', reject)
    child.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}
