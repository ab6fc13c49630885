import type { ReportGenerated } from '@cupel/contracts'
import { reasonText } from '@cupel/reports/document'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { magicAddress, MIXED, UNLISTED } from '../some-labels.js'

let decided: Decided
let [before, after]: ReportGenerated[] = []

beforeAll(async () => {
  decided = await openDecided()
  await decided.importLabels('mine', [MIXED.row])
  before = await decided.screen(MIXED.address, 'ETH')
  await decided.importLabels('mine', [MIXED.revisedRow])
  after = await decided.screen(MIXED.address, 'ETH')
})
afterAll(async () => await decided.close())

interface Explained {
  readonly added: number
  readonly parts: readonly { readonly part: string; readonly differs: boolean; readonly added: number }[]
  readonly changed: Readonly<Record<string, readonly unknown[]>>
}

test('reports of before and after a changed list differ by the labels, to the hundredth', async () => {
  const explained = await decided.json<Explained>('explain', before!.reportId, after!.reportId)
  expect(before!.score).not.toBe(after!.score)
  expect(explained.added).toBeCloseTo(after!.score - before!.score, 5)
  expect(explained.parts.filter(({ added }) => added !== 0)).toMatchObject([
    { part: 'labels', differs: true, added: explained.added },
  ])
  expect(explained.changed['labels_added']).toHaveLength(1)
  const text = await decided.cupel('explain', before!.reportId, after!.reportId)
  expect(text).toMatchObject({ error: null, exitCode: 0 })
  expect(text.out).toContain(MIXED.address)
  expect(text.out).toMatch(/^labels +[+-]\d/m)
  expect(text.out).toMatch(/^policy +unchanged$/m)
  expect(text.out).toMatch(/^\+ label /m)
})

test('why an address is not cleared is said in words, and no points are shown as if they were good', async () => {
  const [first, second] = [
    await decided.screen(UNLISTED.address, 'ETH'),
    await decided.screen(UNLISTED.address, 'ETH'),
  ]
  const { out } = await decided.cupel('explain', first.reportId, second.reportId)
  expect(out).toContain('Not cleared became Not cleared')
  expect(second.levelReasons).not.toEqual([])
  for (const code of second.levelReasons) expect(out).toContain(`${code}: ${reasonText(code)}`)
})

test('a report is not compared with one of another address, of the sandbox, or that is not there', async () => {
  const other = await decided.screen(UNLISTED.address, 'ETH')
  const sandbox = await decided.screen(magicAddress, 'ETH', false)
  const refusal = async (id: string): Promise<unknown> =>
    (await decided.cupel('explain', before!.reportId, id)).error
  expect(await refusal(other.reportId)).toHaveProperty(
    'message',
    expect.stringContaining('different addresses'),
  )
  expect(await refusal(sandbox.reportId)).toHaveProperty(
    'message',
    expect.stringContaining('different addresses'),
  )
  expect(await refusal('0123456789abcdef')).toHaveProperty(
    'message',
    expect.stringContaining('no report 0123456789abcdef'),
  )
  expect(await refusal('banana')).toHaveProperty(
    'message',
    expect.stringContaining('16 lowercase hex characters'),
  )
})

test('a record that somebody changed is not explained', async () => {
  await decided.tamper(after!.reportId, (data) => ({ ...data, level: 'green' }))
  const { out, error } = await decided.cupel('explain', before!.reportId, after!.reportId)
  expect(out).toBe('')
  expect(String(error)).toContain(after!.reportId)
})
