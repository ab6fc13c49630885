import type { Label } from '../../read-model/labels.js'
import type { PublishedSet } from '../../read-model/sets.js'
import { expect, test } from 'vitest'
import { forTerminal, paintFor } from '@cupel/command-line'
import { labelsText } from './labels-text.js'

const plain = paintFor({ isTTY: false }, {})
const address = { canonical: '0xabc', chain: 'ETH' as const }
const label = (more: Partial<Label> = {}): Label => ({
  ...{ labelId: 'l', importId: 'i', source: 'ofac_sdn', dataset: 'sdn', chain: 'ETH', address: '0xABC' },
  ...{
    canonicalAddress: '0xabc',
    lookupKey: 'evm:0xabc',
    category: 'sanctions',
    subcategory: '',
    role: 'owner',
  },
  ...{ entity: 'LAZARUS GROUP', origin: 'us-ofac', kind: 'designation', confidencePpm: 1_000_000 },
  ...{ sourceUrl: 'https://example.org/1', observedAt: '2026-11-20T00:00:00.000Z' },
  ...{ validFrom: '2019-09-13T00:00:00.000Z', validTo: null, sanction: null },
  ...{ knownFrom: '2026-11-21T08:30:00.000Z', knownTo: null, historical: false, listed: true },
  ...more,
})
const sets = [{ source: 'ofac_sdn', dataset: 'sdn', asOf: '2026-11-20T00:00:00.000Z' } as PublishedSet]
const text = (labels: readonly Label[], paint = plain): string => labelsText(address, labels, { sets, paint })

test('what sources say now comes first, with the date of the list and what the authority says', () => {
  const sanction = {
    list: 'SDN',
    programmes: ['DPRK3'],
    entityId: '27307',
    aliases: ['HIDDEN COBRA'],
    designatedOn: '2019-09-13',
  }
  const ended = label({
    ...{
      category: 'scam',
      subcategory: 'phishing',
      entity: '',
      source: 'a_list',
      dataset: 'x',
      listed: false,
    },
    ...{
      validFrom: null,
      validTo: '2026-02-01T00:00:00.000Z',
      knownTo: '2026-02-02T00:00:00.000Z',
      sourceUrl: '',
    },
  })
  expect(text([ended, label({ sanction })])).toBe(`0xabc on ETH
1 live, 1 ended

What sources say now

  sanctions: LAZARUS GROUP  [listed]
    designation by us-ofac, as owner, confidence 1, on ETH
    source ofac_sdn/sdn, list of 2026-11-20, observed 2026-11-20
    on the list SDN, under DPRK3, entry 27307, designated on 2019-09-13, also HIDDEN COBRA
    held from 2019-09-13 to now
    known here from 2026-11-21 08:30 to now
    https://example.org/1

What they no longer say

  scam (phishing): (no name)  [no longer listed]
    designation by us-ofac, as owner, confidence 1, on ETH
    source a_list/x, observed 2026-11-20
    held from unknown to 2026-02-01
    known here from 2026-11-21 08:30 to 2026-02-02 00:00`)
})

test('nothing listed is not called safe', () => {
  expect(text([])).toBe('No label of 0xabc on ETH. Not listed does not mean safe.')
})

test('words of a source cannot steer the terminal, and colours are only for a terminal', () => {
  const steered = label({ entity: 'A\u001b[2J\u202eB' })
  expect(text([steered])).toContain('A�[2J�B')
  const colours = paintFor({ isTTY: true }, {})
  expect(forTerminal(text([label()], colours))).toContain('\u001b[31msanctions: LAZARUS GROUP')
  expect(forTerminal(text([label({ category: 'clean_exchange' })], colours))).toContain(
    '\u001b[32mclean_exchange',
  )
  expect(text([label()])).not.toContain('\u001b')
})
