import { readFile } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { parseAddress, toEip55 } from '@cupel/domain'
import { labelFormats } from '../../src/index.js'
import { STARTER_SOURCE } from '../../src/import/starter-set.js'
import { starterLabelsFile } from '../../src/import/starter-labels.js'
import { type LabelRow } from '../../src/formats/label-source.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { stateLabels } from '../../src/import/read-labels.js'

const rows: LabelRow[] = []
beforeAll(async () => {
  const open = (): AsyncIterable<Buffer> => createReadStream(starterLabelsFile) as AsyncIterable<Buffer>
  for await (const item of labelFormats.get('csv')!.parse({ open }).items) {
    if (item.type !== 'row') throw new Error(`Line ${item.line}: ${item.reason}`)
    rows.push(item.row)
  }
})

describe('the starter labels', () => {
  test('are 60 to 150 facts of every category on several chains', () => {
    expect(rows.length).toBeGreaterThanOrEqual(60)
    expect(rows.length).toBeLessThanOrEqual(150)
    expect(new Set(rows.map(({ category }) => category))).toEqual(
      new Set(['sanctions', 'darknet', 'stolen', 'mixer', 'scam', 'clean_exchange']),
    )
    for (const chain of ['BTC', 'ETH', 'TRX', 'SOL', 'LTC', 'BSC', 'XRP']) {
      expect(rows.map((row) => row.chain)).toContain(chain)
    }
  })

  test('have addresses whose checksums hold, EVM addresses in EIP-55', () => {
    for (const { address, chain } of rows) {
      const parsed = parseAddress(address, chain)
      if (!parsed.ok) throw new Error(`${address}: ${parsed.detail}`)
      if (address.startsWith('0x')) expect(address).toBe(toEip55(parsed.canonical))
    }
  })

  test('state each fact once, with a name, a primary link, a confidence and a date', () => {
    const facts = rows.map(({ chain, address, category }) => `${chain} ${address} ${category}`)
    expect(new Set(facts).size).toBe(facts.length)
    for (const row of rows) {
      expect(row.source).toBe(STARTER_SOURCE)
      expect(row.entity).not.toBe('')
      expect(row.sourceUrl).toMatch(/^https:\/\//)
      expect(row.confidencePpm).toBeGreaterThanOrEqual(800_000)
      expect(row.observedAt).not.toBeNull()
    }
  })

  test('restate the authority in sanctions labels, and never count as its own list', () => {
    for (const row of rows) {
      const { labels, fault } = stateLabels(row, STARTER_SOURCE, new Date())
      expect(fault).toBeNull()
      const label = labels[0]!
      expect(label.kind, row.address).not.toBe('designation')
      expect(label.origin, `${row.sourceUrl} has no row in the origin table`).not.toBe(STARTER_SOURCE)
      if (row.category === 'sanctions')
        expect(label).toMatchObject({ origin: 'us-ofac', kind: 'restatement' })
    }
  })

  test('call no address both clean and illicit', () => {
    const clean = new Set(
      rows.filter(({ category }) => category === 'clean_exchange').map(({ address }) => address),
    )
    expect(
      rows.filter(({ category, address }) => category !== 'clean_exchange' && clean.has(address)),
    ).toEqual([])
  })

  test('are a file of plain RFC 4180 with line feeds', async () => {
    const text = await readFile(starterLabelsFile, 'utf8')
    expect(text).not.toContain('\r')
    expect(text.endsWith('\n')).toBe(true)
  })
})
