/** A batch that a thread gives away is the batch that it read. */
import { expect, test } from 'vitest'
import { createBatch } from './batch.js'
import type { KeptTransfer } from './formats/ledger-row.js'
import { packed, unpacked } from './packed-batch.js'

const kept = (fields: Partial<KeptTransfer> = {}): KeptTransfer => ({
  ...{ kind: 'native', contract: '', txHash: '', from: '', to: 'b', amount: 0n, execution: 'unknown' },
  ...{ blockNumber: null, occurredAtS: null, txIndex: null, place: null },
  ...fields,
})
const told = (fields: Partial<KeptTransfer> = {}) => ({ ...kept(fields), line: 7, index: '3' })
const most = 10n ** 78n - 1n
const forms: readonly Partial<KeptTransfer>[] = [
  {},
  ...(['native', 'token', 'internal', 'utxo'] as const).map((kind) => ({ kind })),
  ...(['proven', 'failed', 'unknown'] as const).map((execution) => ({ execution })),
  { blockNumber: 0, occurredAtS: 0, txIndex: 0, place: 0 },
  { blockNumber: 2 ** 31 - 1, occurredAtS: 1_655_769_600, txIndex: 1, place: Number.MAX_SAFE_INTEGER },
  { from: 'coinjoin:ab', to: 'é漢', contract: 'c', txHash: '12345-6', amount: most },
  { fromNet: -most },
  { toNet: 0n },
  { fromNet: 0n, toNet: -1n },
]

test('with all that a row can tell', () => {
  const batch = createBatch(9, true)
  const ids = forms.map((_, at) => at.toString(16).padStart(32, '0'))
  for (const [at, id] of ids.entries())
    batch.addTransfer(id, told(forms[at]), { isDeclared: at % 2 === 0, isCounted: at % 3 === 0 })
  batch.tokens.set('f'.repeat(32), told({ amount: most }))
  batch.addOutcome('a', false)
  batch.addJoin('hash', ['one', 'two', 'three'])
  batch.owners.set('one', 'key')
  batch.blocks.set(1, 2)
  batch.places.set('1 2', 'hash')
  batch.refuse({ line: 3, height: null, kinds: ['native'], message: 'why' })
  batch.rows = 40
  const data = Object.entries(batch).filter(([, value]) => typeof value !== 'function')
  const transfers = new Map(ids.map((id, at) => [id, kept(forms[at])]))
  const given = unpacked(structuredClone(packed(batch)))
  expect(given).toStrictEqual({ ...Object.fromEntries(data), transfers })
  expect([...given.transfers.keys()]).toEqual(ids)
})

test('without a transfer', () => {
  expect(unpacked(packed(createBatch(1, false))).transfers.size).toBe(0)
})

test('a text with a line break would be taken for two', () => {
  const batch = createBatch(1, false)
  batch.addTransfer('a', told({ from: 'a\nb' }), { isDeclared: true, isCounted: true })
  expect(() => unpacked(packed(batch))).toThrow('line break')
})
