/** If a list is configured for refresh and never arrives, every report names it as missing, and an audit finds the same. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Report, ReportGenerated } from '@cupel/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { SANCTIONED, wholeList } from '../some-labels.js'
import { EXIT_NOT_FOUND, EXIT_USAGE } from '@cupel/command-line'
import { operator } from '@cupel/command-line/installation'

/** The age of a list is that of its newest date, and an old list makes nothing green. */
const TODAY = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
const EXCHANGE = '0x4444444444444444444444444444444444444444'
const ROW = `${EXCHANGE},ETH,clean_exchange,An Exchange,clean_list,https://example.org/list,0.9,${TODAY}`
const LIST = `address,chain,category,entity,source,source_url,confidence,observed_at
${ROW.replace('clean_list', 'late_list').replaceAll('4444', '5555')}
`

let decided: Decided
let server: Server
let url: string
let isThere = false
beforeAll(async () => {
  decided = await openDecided()
  await decided.importLabels('exchanges', [ROW])
  await decided.importLabels('sdn', [SANCTIONED.row], ...wholeList())
  server = createServer((_request, response) => {
    if (isThere) response.writeHead(200).end(LIST)
    else response.writeHead(503).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/late.csv`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await decided.close()
})

const refresh = async (set: string) => {
  const plan = JSON.stringify({ lists: [{ set, format: 'csv', url, every: '6h' }] })
  return await decided.cupel('labels', 'refresh', '--plan', await decided.file(`${set}.json`, plan))
}
const listsOf = async (report: ReportGenerated) => (await decided.shared(report)).labelState.labelSets
const coverageOf = ({ report }: ReportGenerated) => (JSON.parse(report) as Report).coverage.labels

test('a list that never came is named, takes green away, and is the same for an audit, before and after it comes', async () => {
  const before = await decided.screen(EXCHANGE, 'ETH')
  expect(before.level).toBe('green')
  expect(coverageOf(before)).toMatchObject({ status: 'complete', sources: 2 })

  expect(await refresh('late')).toMatchObject({ exitCode: 1 })
  const missing = await decided.screen(EXCHANGE, 'ETH')
  expect(missing.level).toBe('grey')
  expect(coverageOf(missing)).toMatchObject({ status: 'partial', sources: 2, missing: ['late'] })
  expect((JSON.parse(missing.report) as Report).risk).toMatchObject({
    level_reasons: ['stale_labels'],
    score_is_lower_bound: true,
  })
  expect(await listsOf(missing)).toMatchObject([
    { source: '', dataset: 'late', publishedAt: '', total: 0, refreshConfigured: true },
    { dataset: 'exchanges', refreshConfigured: false },
    { dataset: 'sdn', refreshConfigured: false },
  ])
  expect((await decided.cupel('labels', 'sources')).out).toMatch(
    /missing +- +late .* 0 +0 +never(.|\n)*late never came/,
  )
  // Repeated failures are recorded once.
  await refresh('late')
  expect((await decided.screen(EXCHANGE, 'ETH')).inputs.labelSetSeq).toBe(missing.inputs.labelSetSeq)

  isThere = true
  expect(await refresh('late')).toMatchObject({ exitCode: 0 })
  const after = await decided.screen(EXCHANGE, 'ETH')
  expect(after.level).toBe('green')
  expect(coverageOf(after)).toMatchObject({ status: 'complete', sources: 3 })
  expect(await decided.json('audit', 'recompute')).toMatchObject({
    is_proven: true,
    findings: [],
    levels: { A: { same: 4 }, B: { same: 4 } },
  })
})

test('a set that was imported by hand is required from when a refresh of it is configured, also where that fails', async () => {
  isThere = false
  await refresh('exchanges')
  expect(await listsOf(await decided.screen(EXCHANGE, 'ETH'))).toMatchObject([
    { dataset: 'exchanges', refreshConfigured: true },
    { dataset: 'late', refreshConfigured: true },
    { dataset: 'sdn', refreshConfigured: false },
  ])
  // An import by hand removes the requirement.
  await decided.importLabels('exchanges', [ROW])
  expect((await listsOf(await decided.screen(EXCHANGE, 'ETH')))[0]).toMatchObject({
    dataset: 'exchanges',
    refreshConfigured: false,
  })
  expect(await decided.json('audit', 'recompute')).toMatchObject({ is_proven: true, findings: [] })
})

test('an operator ends the wait for a list, and the audit log tells who and why', async () => {
  await refresh('mistyped')
  expect((await decided.screen(EXCHANGE, 'ETH')).level).toBe('grey')
  for (const [args, exitCode] of [
    [['mistyped', '--reason', ' '], EXIT_USAGE],
    [['late', '--reason', 'it came'], EXIT_NOT_FOUND],
  ] as const)
    expect((await decided.cupel('labels', 'dismiss', ...args)).error).toMatchObject({ exitCode })
  await decided.json('labels', 'dismiss', 'mistyped', '--reason', 'there is no such list')
  const report = await decided.screen(EXCHANGE, 'ETH')
  expect(report.level).toBe('green')
  expect(coverageOf(report)).not.toHaveProperty('missing')
  const told = (await decided.cupel('audit', 'export')).out
    .split('\n')
    .filter((line) => line.includes('LabelSetExpected'))
    .map((line) => (JSON.parse(line) as { data: object }).data)
  expect(told.slice(-2)).toMatchObject([
    { dataset: 'mistyped', expected: true, expected_by: 'cupel/label-refresher' },
    { dataset: 'mistyped', expected: false, expected_by: operator(), reason: 'there is no such list' },
  ])
  expect(await decided.json('audit', 'recompute')).toMatchObject({ is_proven: true, findings: [] })
})
