import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED, wholeList } from '../some-labels.js'
import { EXIT_CONFIG, EXIT_NOT_FOUND, EXIT_USAGE } from '@cupel/command-line'

/** The age of a list is that of its newest date, and an old list makes nothing green. */
const TODAY = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
const EXCHANGE = '0x4444444444444444444444444444444444444444'
const LIST = `address,chain,category,entity,source,source_url,confidence,observed_at
${EXCHANGE},ETH,clean_exchange,An Exchange,clean_list,https://example.org/list,0.9,${TODAY}
`

let decided: Decided
let server: Server
let url: string
let status = 200
beforeAll(async () => {
  decided = await openDecided()
  server = createServer((request, response) => {
    if (status !== 200) response.writeHead(status).end()
    else if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end()
    else response.writeHead(200, { etag: '"1"' }).end(LIST)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clean.csv`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await decided.close()
})

const plan = async (changes: object = {}): Promise<string> =>
  await decided.file(
    'plan.json',
    JSON.stringify({ lists: [{ set: 'clean', format: 'csv', url, every: '6h', ...changes }] }),
  )

test('cupel labels refresh imports the lists of the plan; reports then rest on a list that must be fresh', async () => {
  const args = ['labels', 'refresh', '--plan', await plan()]
  expect(await decided.json(...args)).toMatchObject({
    items: [{ name: 'clean', outcome: 'imported', succeeded: true }],
  })
  expect((await decided.cupel(...args)).out).toMatch(/clean +unchanged/)
  await decided.importLabels('sdn', [SANCTIONED.row], ...wholeList())
  const report = await decided.screen(EXCHANGE, 'ETH')
  expect(report.level).toBe('green')
  expect((await decided.shared(report)).labelState.labelSets).toMatchObject([
    { source: 'clean_list', dataset: 'clean', refreshConfigured: true },
    { source: 'ofac_sdn', dataset: 'sdn', refreshConfigured: false },
  ])
  expect((await decided.cupel('labels', 'sources')).out).toContain('refreshed on a schedule')
  expect(await decided.json('audit', 'recompute')).toMatchObject({ is_proven: true })
})

test('--dry-run shows what would change and records nothing', async () => {
  const args = ['labels', 'refresh', '--plan', await plan({ set: 'preview' })]
  expect(await decided.json(...args, '--dry-run')).toMatchObject({
    items: [{ name: 'preview', outcome: 'would-import', succeeded: true }],
  })
  expect(await decided.json(...args, '--status')).toMatchObject({
    items: [{ name: 'preview', succeeded_at: null }],
  })
  expect((await decided.cupel('labels', 'sources')).out).not.toContain('preview')
})

test('a source that fails ends the command with 1, and the status tells since when', async () => {
  status = 503
  const args = ['labels', 'refresh', '--plan', await plan()]
  const failed = await decided.cupel(...args)
  expect(failed).toMatchObject({ error: null, exitCode: 1 })
  expect(failed.out).toMatch(/clean +status +The server answered with status 503\./)
  expect(await decided.json(...args, '--status')).toMatchObject({
    items: [
      { name: 'clean', outcome: 'status', failures: 1, succeeded_at: expect.stringMatching(/^20/) as string },
    ],
  })
  const text = await decided.cupel(...args, '--status')
  expect(text).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/LIST +REFRESHED +CHANGED +LAST OUTCOME/) as string,
  })
  status = 200
})

test('a fault of the plan or of a name is reported in one sentence', async () => {
  const said = async (...args: readonly string[]) => (await decided.cupel('labels', 'refresh', ...args)).error
  expect(await said()).toMatchObject({ exitCode: EXIT_USAGE })
  expect(await said('--plan', await plan({ every: 'often' }))).toMatchObject({
    exitCode: EXIT_CONFIG,
    message: expect.stringContaining('lists.0.every') as string,
  })
  expect(await said('nobody', '--plan', await plan())).toMatchObject({ exitCode: EXIT_NOT_FOUND })
})
