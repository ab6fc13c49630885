/** The file of one reading. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HistoryProvider } from '../histories/open-histories.js'
import { afterAll, expect, test } from 'vitest'
import { readPages, type ReadingDeps } from './history-reading.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-reading-'))
afterAll(() => rmSync(folder, { recursive: true }))

const MEGABYTE = 1024 ** 2
const head = { height: 7, hash: '0x1', atS: 1_700_000_000 }

/** A provider whose pages have a megabyte each. */
function provider(pages: number): HistoryProvider & { readonly given: () => number } {
  let given = 0
  async function* read(): ReturnType<HistoryProvider['source']['read']> {
    for (; given < pages; given += 1) {
      await Promise.resolve()
      yield { lines: [{ text: 'x'.repeat(MEGABYTE) }], pages: given + 1, pagesExpected: null }
    }
    return { head, kinds: ['native'], incomplete: [] }
  }
  const source = { provider: 'large', chain: 'ETH', kinds: ['native'], format: 'csv', read }
  return {
    source: source as unknown as HistoryProvider['source'],
    http: () => {
      throw new Error('Nobody is asked')
    },
    given: () => given,
  }
}

const reading = (from: HistoryProvider) =>
  readPages(
    { ...from, http: () => ({}) as ReturnType<HistoryProvider['http']> },
    { chain: 'ETH', address: '0xa' },
    { fromHeight: null, budget: { left: 1_000 }, onProgress: () => undefined },
    {
      ...{ folder, signal: new AbortController().signal, importedBy: 'test', nowMs: () => 0 },
      beforeCall: () => Promise.resolve(),
    } as unknown as ReadingDeps,
  )

test('a history that grows beyond its bytes is left and keeps no file', async () => {
  const endless = provider(200)
  await expect(reading(endless)).rejects.toMatchObject({ reason: 'too_large', provider: 'large' })
  expect(endless.given()).toBeLessThanOrEqual(64)
  expect(readdirSync(folder)).toEqual([])
})

test('one within them is kept', async () => {
  expect(await reading(provider(3))).toMatchObject({ end: { head } })
  expect(readdirSync(folder)).toHaveLength(1)
})
