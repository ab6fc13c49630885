/** A fact that was listed, withdrawn and listed again: its state on one day, as known here on another. */
import { parseAddress } from '@cupel/domain'
import { showLabels } from '../../src/read-model/queries.js'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type ImportInstallation } from './installation.js'

const LISTED = '0x1111111111111111111111111111111111111111'
const OTHER = '0x2222222222222222222222222222222222222222'
const row = (address: string): string => `${address},ETH,scam,Somebody,my_list,https://example.org/list,0.8,`

let installation: ImportInstallation
/** Times after each version became visible here. */
const known: string[] = []

beforeAll(async () => {
  installation = await startInstallation()
  const versions = [
    { asOf: '2026-01-01', rows: [row(LISTED), row(OTHER)] },
    { asOf: '2026-02-01', rows: [row(OTHER)] },
    { asOf: '2026-03-01', rows: [row(LISTED), row(OTHER)] },
  ]
  known.push(new Date(Date.now() - 1).toISOString())
  for (const { asOf, rows } of versions) {
    const reason = 'the list itself'
    await installation.imported(await installation.list('list.csv', rows), { set: 'list', asOf, reason })
    known.push(await laterThan(Date.now()))
    await laterThan(Date.parse(known.at(-1)!))
  }
})
afterAll(async () => await installation.close())

/** Waits, because a time cannot distinguish two publications of one millisecond. */
async function laterThan(timeMs: number): Promise<string> {
  return await until(() => {
    const now = Date.now()
    expect(now).toBeGreaterThan(timeMs)
    return new Date(now).toISOString()
  }, 1)
}

const shown = async (validAt: string | undefined, version: number) => {
  const parsed = parseAddress(LISTED, 'ETH')
  if (!parsed.ok) throw new Error(parsed.detail)
  const labels = await showLabels(installation.database, {
    lookupKeys: [parsed.lookupKey],
    knownAt: known[version]!,
    ...(validAt === undefined ? {} : { validAt }),
  })
  return labels.map(
    ({ listed, validTo }) => `${listed ? 'listed' : 'ended'} ${validTo?.slice(0, 10) ?? 'open'}`,
  )
}

test.each([
  // Before the first import no day had any known fact.
  [0, undefined, []],
  [0, '2026-01-15', []],
  // After the first import the fact held, and its end was not known.
  [1, '2026-01-15', ['listed open']],
  [1, '2026-02-15', ['listed open']],
  // After the second import it had held until the date of the list that no longer has it.
  [2, undefined, ['ended 2026-02-01']],
  [2, '2026-01-31', ['ended 2026-02-01']],
  [2, '2026-02-01', []],
  // After the third import it is a new fact beside the old one. The list does not state since when it holds.
  [3, undefined, ['ended 2026-02-01', 'listed open']],
  [3, '2026-01-15', ['ended 2026-02-01', 'listed open']],
  [3, '2026-03-15', ['listed open']],
] as const)('known after version %i, valid at %s: %j', async (version, validAt, expected) => {
  expect(await shown(validAt, version)).toEqual(expected)
})
