/** Checks the chain table against real lists: it accepts every labelled address and refuses every known bad one for the right reason. */
import { join } from 'node:path'
import { base58 } from '@scure/base'
import { expect, test } from 'vitest'
import { parseAddress } from '../src/index.js'
import { readCsv, readSharedLabels, sharedData } from './shared-labels.js'

test.skipIf(sharedData === null)(
  'every labelled address is accepted on its chain and detected without it',
  { timeout: 300_000 },
  () => {
    const rows = readSharedLabels(sharedData!)
    expect(rows.length).toBeGreaterThan(50_000)
    const wrong = rows.filter(({ address, chain }) => {
      const named = parseAddress(address, chain)
      const detected = parseAddress(address)
      if (!named.ok || !detected.ok) return true
      const fits = [detected.chain, ...detected.candidateChains] as readonly string[]
      return named.chain !== chain || !fits.includes(chain) || detected.lookupKey !== named.lookupKey
    })
    expect(wrong).toEqual([])
  },
)

interface MalformedRow {
  readonly raw_address: string
  readonly claimed_chain: string
  readonly reason: string
}

/** Maps the reasons of the file to those of this product. Prose is refused for its white space before its form is read. */
const reasonsOf: Readonly<Record<string, readonly string[]>> = {
  bad_format: ['bad_format', 'white_space', 'wrong_chain'],
  // Two Monero addresses lost their case. An l in place of an L is already outside the alphabet.
  bad_checksum: ['bad_checksum', 'bad_format'],
  eip55_mismatch: ['eip55_mismatch'],
  empty_address: ['empty_address'],
  wrong_chain: ['wrong_chain'],
  ticker_is_not_a_chain: ['unknown_chain'],
}

test.skipIf(sharedData === null)(
  'every malformed address is refused for its reason; three are right with a wrong claim',
  () => {
    const rows = readCsv<MalformedRow>(join(sharedData!, 'raw', 'malformed.csv'))
    expect(rows.length).toBeGreaterThanOrEqual(52)
    const validElsewhere: string[] = []
    for (const { raw_address: address, claimed_chain: chain, reason } of rows) {
      const parsed = parseAddress(address, chain)
      if (reason === 'same_address_many_tickers') expect(parsed.ok).toBe(true)
      else
        expect(reasonsOf[reason], `${address}: ${reason}`).toContain(parsed.ok ? 'accepted' : parsed.reason)
      if (parseAddress(address).ok) validElsewhere.push(reason)
    }
    // One TRON address appears twice: once in a pack that calls it malformed, once under OFAC's ticker.
    expect(validElsewhere.sort()).toEqual([
      'bad_format',
      'same_address_many_tickers',
      'ticker_is_not_a_chain',
      'wrong_chain',
    ])
  },
)

test.skipIf(sharedData === null)(
  'every TRON address of the lists is looked up with its EVM twin (243 have an illicit label)',
  () => {
    const illicit = new Set<string>()
    for (const { address, chain, category } of readSharedLabels(sharedData!)) {
      if (chain !== 'TRX') continue
      const tron = parseAddress(address, 'TRX')
      if (!tron.ok) throw new Error(address)
      const hash = Buffer.from(base58.decode(address)).subarray(1, 21).toString('hex')
      expect(parseAddress(`0x${hash}`, 'ETH')).toMatchObject({ lookupKey: tron.lookupKey })
      if (category !== 'clean_exchange') illicit.add(tron.lookupKey)
    }
    expect(illicit.size).toBeGreaterThanOrEqual(243)
  },
)
