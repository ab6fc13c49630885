import { describe, expect, test } from 'vitest'
import { labelFormats } from '../../src/formats/formats.js'
import { noSharedData, parseFile, rawFile, textFile } from './samples.js'

const explorer = labelFormats.get('explorer-json')!
const options = { category: 'scam', chain: 'eth' } as const

describe('explorer tags', () => {
  test('are read as a list, with the line of each address', async () => {
    const text = `[\n  { "address": "0xaa", "nameTag": "One" },\n\n  { "address": "0xbb", "comment": "Two", "date": "2017-10-30" }\n]`
    expect((await parseFile(explorer, textFile(text), options)).rows).toMatchObject([
      { line: 2, address: '0xaa', chain: 'ETH', entity: 'One', category: 'scam', observedAt: null },
      { line: 4, address: '0xbb', entity: 'Two', observedAt: '2017-10-30T00:00:00.000Z' },
    ])
  })

  test('are read as an object by address; the footer of the page they come from is refused', async () => {
    const text = `{"0xaa": "One",\n"": "Sum of 7 Accounts"}`
    const { rows, refused } = await parseFile(explorer, textFile(text), options)
    expect(rows).toMatchObject([{ address: '0xaa', entity: 'One' }])
    expect(refused).toEqual([{ line: 2, reason: 'the address is empty' }])
  })

  test('take the chain a tag names before the operator’s', async () => {
    const text = `[{ "address": "0xaa", "nameTag": "One", "chainId": 56 }]`
    expect((await parseFile(explorer, textFile(text), { category: 'scam' })).rows).toMatchObject([
      { chain: 'BSC' },
    ])
  })

  test('of a chain that nobody knows are refused, and not taken for the operator’s chain', async () => {
    const text = `[{ "address": "0xaa", "chainId": 987654 }, { "address": "0xbb", "chainId": "Solana" }]`
    const { rows, refused } = await parseFile(explorer, textFile(text), options)
    expect(rows).toEqual([])
    expect(refused.map(({ reason }) => reason)).toEqual([
      'no chain is known for chainId "987654"',
      'no chain is known for chainId "Solana"',
    ])
  })

  test.each([
    ['no category', '[]', { chain: 'ETH' }, 'missing-option'],
    ['no chain', '[{"address":"0xaa"}]', { category: 'scam' as const }, 'missing-option'],
    ['cut off', '[{"address":"0xaa"', options, 'truncated'],
    ['no JSON', 'hello', options, 'malformed'],
    ['a number', '7', options, 'wrong-header'],
    ['an entry without an address', '[{"nameTag":"x"}]', options, 'malformed'],
  ])('are refused as a whole: %s', async (_what, text, given, refusal) => {
    await expect(parseFile(explorer, textFile(text), given)).rejects.toMatchObject({ refusal })
  })

  test.skipIf(noSharedData).each([
    ['eth-labels/etherscan_kraken_accounts.json', 0],
    ['eth-labels/bscscan_exchange_accounts.json', 0],
    ['etherscan-labels/arbiscan_exploit.json', 1],
    ['etherscan-labels/etherscan_coinbase.json', 0],
    ['mew-ethereum-lists/addresses-darklist_2017-11.json', 0],
  ])('genuine %s: every entry is a row but %i (skipped without the shared data)', async (path, refused) => {
    const file = rawFile(path)
    const parsed = await parseFile(explorer, file, options)
    expect(parsed.rows.length).toBeGreaterThan(5)
    expect(parsed.refused).toHaveLength(refused)
    expect(parsed.rows.every(({ address }) => /^0x[0-9a-fA-F]{40}$/.test(address))).toBe(true)
  })
})
