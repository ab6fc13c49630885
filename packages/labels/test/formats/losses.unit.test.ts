/**
 * Whatever is lost of a list on its way into an import, an address that the list designates stays designated, or the import is refused, or
 * some row is unreadable and the set is incomplete. This is the first import of a list: no earlier version and no guard of removals helps.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAddress } from '@cupel/domain'
import { assertWithin } from '@cupel/testkit'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { ImportRefusedError } from '../../src/import/import-request.js'
import { labelFormats } from '../../src/formats/formats.js'
import { SetRefusedError } from '../../src/formats/label-source.js'
import { createSpools, SPOOL_BUCKETS } from '../../src/import/label-spool.js'
import { readLabels, rowsOf, tallyOfFile, unreadOf } from '../../src/import/read-labels.js'
import { DOCUMENTS, partiesOf } from './losses/documents.js'
import { LOSSES } from './losses/losses.js'

const PAIRS = { name: 'losses of lists', full: 10_000, minimum: 400, demanded: 10_000 }

const folder = mkdtempSync(join(tmpdir(), 'cupel-list-losses-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Outcome =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'read'
      readonly keys: ReadonlySet<string>
      readonly unread: number
      /** Rows that an import prints with their lines. */
      readonly named: number
    }

async function imported(format: string, document: Uint8Array): Promise<Outcome> {
  const file = join(folder, 'list')
  writeFileSync(file, document)
  const asked =
    format === 'explorer-json' ? { category: 'sanctions' as const, chain: 'ETH', source: 'explorer' } : {}
  const request = { file, format, dataset: 'set', importedBy: 'test', ...asked }
  const leftOut = tallyOfFile()
  const spools = createSpools({ query: never, execute: never } as never)
  const keys = new Set<string>()
  try {
    const read = await readLabels(request, spools, { leftOut, now: new Date(), onRows: () => undefined })
    for (const { labels } of read.sources)
      for (let bucket = 0; bucket < SPOOL_BUCKETS; bucket += 1)
        for (const { lookupKey, category } of await labels.bucket(bucket))
          if (category === 'sanctions') keys.add(lookupKey)
    const rows = rowsOf(read, request, null)
    expect(rows.read + rows.refused + rows.skipped + rows.unreadable).toBe(read.rows)
    return { kind: 'read', keys, unread: unreadOf(read, request), named: rows.refused + rows.skipped }
  } catch (error) {
    if (error instanceof SetRefusedError || error instanceof ImportRefusedError) return { kind: 'refused' }
    throw error
  }
}

const never = (): never => {
  throw new Error('Ten addresses need no table')
}

const keyOf = (address: string): string => {
  const parsed = parseAddress(address)
  if (!parsed.ok) throw new Error(`${address} is not an address`)
  return parsed.lookupKey
}
const keysOf = (format: string): readonly string[] => partiesOf(format).map(({ address }) => keyOf(address))

/** Collections of no authority: what they leave out is only printed with its line. */
const isCollection = (format: string): boolean => labelFormats.get(format)!.wholeAuthorityList === undefined

test('every label format has a document that losses hit', () => {
  expect(Object.keys(DOCUMENTS).toSorted()).toEqual([...labelFormats.keys()].toSorted())
})

test.each(Object.keys(DOCUMENTS))('a whole %s designates every party', async (format) => {
  const outcome = await imported(format, Buffer.from(DOCUMENTS[format]!()))
  expect(outcome).toMatchObject({ kind: 'read', unread: 0 })
  expect(outcome.kind === 'read' && keysOf(format).filter((key) => !outcome.keys.has(key))).toEqual([])
})

test('no loss of a list ends a designation without a word', { timeout: 600_000 }, async () => {
  const seen = new Map<string, number>()
  const count = (word: string): void => void seen.set(word, (seen.get(word) ?? 0) + 1)
  const number = fc.noBias(fc.nat(2 ** 31 - 1))
  const { cases } = await assertWithin(
    PAIRS,
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(DOCUMENTS)),
      fc.constantFrom(...Object.keys(LOSSES)),
      fc.array(number, { minLength: 4, maxLength: 4 }),
      async (format, loss, draws) => {
        const whole = DOCUMENTS[format]!()
        const damaged = LOSSES[loss]!(whole, draws, format)
        const outcome = await imported(format, damaged)
        count(loss)
        count(format)
        count(outcome.kind === 'refused' ? 'refused' : outcome.unread > 0 ? 'incomplete' : 'whole')
        if (outcome.kind === 'refused' || outcome.unread > 0) return
        if (isCollection(format) && outcome.named > 0) return
        const lost = keysOf(format).filter((key) => !outcome.keys.has(key))
        if (lost.length > 0)
          expect.fail(`${loss} of ${format} lost ${lost.join()} without a word:\n${damaged.toString()}`)
      },
    ),
  )
  for (const outcome of ['refused', 'incomplete', 'whole'])
    expect(seen.get(outcome) ?? 0, outcome).toBeGreaterThan(cases / 50)
  for (const name of [...Object.keys(LOSSES), ...Object.keys(DOCUMENTS)])
    expect(seen.get(name) ?? 0, name).toBeGreaterThan(0)
})
