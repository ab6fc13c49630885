// Tests the product under each supported version of Node except the lowest one, which runs all other tests.
import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClient } from '../packages/system-tests/src/client.ts'
import { removeHome, startInstallation } from '../packages/system-tests/src/installation.ts'
import { nodeProgram, nodeVersions } from './node-programs.mjs'
import { root } from './setup.mjs'

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Tests of sockets, TLS and HTTP, which differ between versions. `npm run test:nodes` runs any others. */
const CONTRACTS = ['services/api/test/transport', 'services/api/test/content-types', 'packages/outbound/test']
const isServed = process.platform === 'linux' && process.arch === 'x64'

describe.skipIf(!isServed).each(nodeVersions)('Node $version', (wanted) => {
  test('starts an installation that screens, makes a PDF and stops', async () => {
    const installation = await startInstallation({ node: await nodeProgram(wanted, root) })
    const client = createClient(installation.ready.base_urls, installation.ready.keys.read_write)
    try {
      const screened = await client.screen(ADDRESS)
      expect(screened.status, screened.text).toBe(200)
      const { report_id: id, risk } = JSON.parse(screened.text)
      expect(risk.level).toBe('red')
      const pdf = await client.send('GET', `/v1/reports/${id}/pdf`)
      expect(pdf.status, pdf.text).toBe(200)
      expect(pdf.text).toMatch(/^%PDF-/)
    } finally {
      await client.close()
      expect(await installation.stop()).toBe(0)
      removeHome(installation.home)
    }
  })

  test('passes the tests of sockets and HTTP', async () => {
    const node = await nodeProgram(wanted, root)
    const { exitCode, output } = await run(node, ['scripts/test.mjs', '--only', 'contract', ...CONTRACTS])
    expect(exitCode, output.slice(-5_000)).toBe(0)
    expect(output).toMatch(/^[1-9]\d* passed, 0 failed, 0 skipped$/m)
  })
})

function run(node, args) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
  const env = {
    ...Object.fromEntries(own),
    ...{ CUPEL_TEST_BUDGET_MS: '0', PATH: `${dirname(node)}:${process.env.PATH}` },
  }
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, output }))
  })
}
