import { describe, expect, test } from 'vitest'
import { labelFormats } from '../formats/formats.js'
import { textFile } from '../../test/formats/samples.js'
import { stateLabels } from './read-labels.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'
const EVM = '0xde709f2102306220921060314715629080e2fb77'

/** The result of one row of a label CSV. */
async function stated(row: string): Promise<unknown> {
  const { items } = labelFormats.get('csv')!.parse(textFile(`${HEADER}\n${row}\n`))
  for await (const item of items) {
    if (item.type === 'row') return stateLabels(item.row, 'a_source', NOW)
    return item
  }
  throw new Error('no item')
}

describe('a row is refused', () => {
  test.each([
    ['a long s folds to the chain BASE', `${EVM},baſe,scam,,,,,`, 'no chain "BAſE"'],
    ['a Kelvin sign folds to k', `${EVM},ZKSYNC,scam,,,,,`, 'no chain "ZKSYNC"'],
    ['a name turns the direction of writing', `${EVM},ETH,scam,Bin‮ance,,,,`, 'U\\+202E'],
    ['a name has two lines', `${EVM},ETH,scam,"a\nb",,,,`, 'U\\+000A'],
    [
      'the observation is of the year 2999',
      `${EVM},ETH,scam,,,,,2999-01-01`,
      'lies in the future: "2999-01-01"',
    ],
  ])('where %s', async (_what, row, reason) => {
    expect(await stated(row)).toEqual({
      labels: [],
      fault: { type: 'refused', reason: expect.stringMatching(reason) as string },
    })
  })
})

test('a row with an ASCII chain code in any case is a label', async () => {
  expect(await stated(`${EVM},base,scam,Somebody,,,0.8,2026-11-20`)).toMatchObject({
    labels: [{ chain: 'BASE' }],
    fault: null,
  })
})
