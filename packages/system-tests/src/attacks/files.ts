/** Files that an operator was sent. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cupel } from '../command.js'
import type { Attack } from './attack.js'

/** 9 MB of elements within elements. */
const DEPTH = 1_300_000

export const files: readonly Attack[] = [
  {
    name: `a list of ${DEPTH.toLocaleString('en')} nested elements`,
    threat: 'cost',
    concerns: ({ proxy }) => proxy === null,
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
]
