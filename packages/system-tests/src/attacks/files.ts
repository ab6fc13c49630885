/** Hostile files that an operator received. */
import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  createWriteStream,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cupel } from '../command.js'
import { checkout, environmentFor } from '../installation.js'
import type { Attack } from './attack.js'

/** 9 MB of nested elements. */
const DEPTH = 1_300_000
/** Size of an endless list before the import is told to stop. */
const READ_BYTES = 8_000_000
/** Only a hang takes longer. */
const TIMEOUT_MS = 120_000

export const files: readonly Attack[] = [
  {
    name: `a list of ${DEPTH.toLocaleString('en')} nested elements`,
    threat: 'cost',
    place: 'installation',
    async run({ installation }) {
      const folder = mkdtempSync(join(tmpdir(), 'cupel-nested-'))
      try {
        const file = join(folder, 'sdn.xml')
        writeFileSync(
          file,
          `<?xml version="1.0"?><sdnList>${'<a>'.repeat(DEPTH)}x${'</a>'.repeat(DEPTH)}</sdnList>`,
        )
        const args = ['labels', 'import', file, '--format', 'ofac-xml', '--set', 'nested', '--json']
        const { exitCode, stdout, stderr } = await cupel(installation.home, args)
        return {
          limit: 'refused at 64 levels',
          measured: `exit code ${exitCode}`,
          held: exitCode !== 0 && /more than 64 others/.test(stdout + stderr),
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  },
  {
    name: 'a list without an end, whose import is told to stop',
    threat: 'cost',
    place: 'installation',
    async run({ installation }) {
      const folder = mkdtempSync(join(tmpdir(), 'cupel-endless-'))
      try {
        const file = join(folder, 'sdn.xml')
        execFileSync('mkfifo', [file])
        const { readBytes, isHung } = await importEndless(installation.home, file)
        return {
          limit: 'SIGTERM ends it amid the file',
          measured: `${isHung ? 'NOT ended' : 'ended'} after ${Math.floor(readBytes / 1_000_000)} MB`,
          held: !isHung && readBytes >= READ_BYTES,
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  },
]

/** Feeds an import for as long as it runs, and sends SIGTERM in the middle. */
function importEndless(home: string, pipe: string): Promise<{ readBytes: number; isHung: boolean }> {
  const args = ['labels', 'import', pipe, '--format', 'ofac-xml', '--set', 'endless']
  const child = spawn(process.execPath, [join(checkout, 'scripts/cupel.mjs'), ...args], {
    cwd: checkout,
    env: environmentFor(home),
    stdio: 'ignore',
  })
  const feed = createWriteStream(pipe)
  // Its reader ends first.
  feed.on('error', () => feed.destroy())
  feed.write('<?xml version="1.0"?><sdnList>')
  const entries = '<a>x</a>'.repeat(8_000)
  const more = (): void => {
    while (!feed.destroyed && feed.write(entries));
    if (feed.bytesWritten >= READ_BYTES) child.kill('SIGTERM')
  }
  feed.on('drain', more).on('open', more)
  return new Promise((resolve, reject) => {
    let isHung = false
    const timer = setTimeout(() => {
      isHung = true
      child.kill('SIGKILL')
    }, TIMEOUT_MS)
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      // If the import never read, opening the pipe would block for ever.
      if (feed.pending) closeSync(openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK))
      feed.destroy()
      resolve({ readBytes: feed.bytesWritten, isHung })
    })
  })
}
