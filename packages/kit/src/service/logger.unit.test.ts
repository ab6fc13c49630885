import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { noteSkip } from '@cupel/testkit'
import { expect, test } from 'vitest'

/** Every write to it fails because there is no space. */
const FULL = '/dev/full'
if (!existsSync(FULL)) noteSkip(`logging to a full disk: there is no ${FULL}`)

test.skipIf(!existsSync(FULL))(
  'a service outlives a disk that takes no line of its log, and ends',
  async () => {
    const program = `
    import { createLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)}
    const logger = createLogger({ service: 'test', level: 'info', file: ${JSON.stringify(FULL)} })
    for (let line = 0; line < 200; line += 1) {
      logger.info({ line }, 'a line')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    console.log('done')
    process.exit(0)`
    const args = ['--import', 'tsx', '--conditions', 'cupel-source', '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout.trim()).toBe('done')
  },
)
