/** Why two reports of an address differ, over the API: the parts add up, and nobody is told of the reports of others. */
import { importLabels } from '@cupel/labels'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type Installation } from './installation.js'

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'
const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'

let installation: Installation
let key: string
let [before, after]: string[] = []
beforeAll(async () => {
  installation = await startInstallation()
  ;({ key } = await installation.key())
  before = await screened()
  const row = `${ADDRESS},ETH,scam,Somebody,my_list,,0.9,2026-01-01`
  const file = await installation.file('mine.csv', `${HEADER}\n${row}\n`)
  const deps = { ...installation.deps, labelView: 'elsewhere' } as const
  await importLabels({ file, format: 'csv', set: 'mine', importedBy: 'test' }, deps)
  after = await until(async () => {
    const id = await screened()
    const report = await installation.call('GET', `/v1/reports/${id}`, { key })
    expect(report.json<{ risk: { score: number } }>().risk.score).toBeGreaterThan(0)
    return id
  })
})
afterAll(() => installation.close())

async function screened(): Promise<string> {
  const body = { address: ADDRESS, chain: 'ETH' }
  const reply = await installation.call('POST', '/v1/screen', { key, body })
  expect(reply.status, reply.text).toBe(200)
  return reply.json<{ report_id: string }>().report_id
}

interface Change {
  readonly missing: string | null
  readonly added: number
  readonly before: { readonly score: number }
  readonly after: { readonly score: number }
  readonly parts: readonly { readonly part: string; readonly differs: boolean; readonly added: number }[]
}
const change = (to: string, since: string, of = key) =>
  installation.call('GET', `/v1/reports/${to}/changes/${since}`, { key: of })

test('the points of the parts add up to the difference, in both directions', async () => {
  for (const [to, since] of [
    [after!, before!],
    [before!, after!],
  ] as const) {
    const { missing, added, parts, ...standing } = (await change(to, since)).json<Change>()
    expect(missing).toBeNull()
    expect(added).toBe(standing.after.score - standing.before.score)
    expect(added).not.toBe(0)
    expect(parts.reduce((sum, one) => sum + one.added, 0)).toBe(added)
    expect(parts.filter((one) => one.added !== 0)).toMatchObject([{ part: 'labels', differs: true }])
  }
})

test('a report of another account, of the sandbox or of nobody is unknown on either side', async () => {
  const stranger = await installation.key()
  const sandbox = await installation.key({ environment: 'test' })
  for (const other of [stranger.key, sandbox.key])
    expect((await change(after!, before!, other)).json()).toMatchObject({ status: 404, code: 'not_found' })
  for (const [to, since] of [
    [after!, '0000000000000000'],
    ['0000000000000000', after!],
  ] as const)
    expect((await change(to, since)).status).toBe(404)
})

test('reports of two addresses are refused with the reason', async () => {
  const body = { address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D', chain: 'ETH' }
  const other = (await installation.call('POST', '/v1/screen', { key, body })).json<{ report_id: string }>()
  const told = (await change(after!, other.report_id)).json<{ missing: string; detail: string }>()
  expect(told).toMatchObject({
    missing: 'refused',
    detail: expect.stringContaining('different addresses') as string,
  })
})
