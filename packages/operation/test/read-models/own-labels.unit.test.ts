/** Whom an own label is found for: a block label for whoever has a key of it, an allow label for who spends with it. */
import { parseAddress } from '@cupel/domain'
import { expect, test } from 'vitest'
import { ownLabelsOf, underAskedKeys, type Label } from '@cupel/labels/read-model'

/** The stake credential of one owner, and an address that names it and is spent by another key. */
const STAKE = keyOf('stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw')
const FOREIGN = keyOf(
  'addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh',
)

function keyOf(text: string): string {
  const parsed = parseAddress(text, 'ADA')
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.lookupKey
}

const owner = { accountId: 'acc_1', livemode: true }

function foundFor(lookupKey: string, decision: string): number {
  const row = {
    ...{ labelId: 'lbl_1', ...owner, decision, category: 'scam', chain: 'ADA', canonicalAddress: 'stake1' },
    ...{ lookupKeys: [STAKE], statedAt: '2026-11-20T00:00:00.000Z', expiresAt: null, removedAt: null },
  }
  return ownLabelsOf([row])({ ...owner, lookupKey }).length
}

test('an allow label of a stake address says nothing of an address that only names its credential', () => {
  expect(foundFor(STAKE, 'allow')).toBe(1)
  expect(foundFor(FOREIGN, 'allow')).toBe(0)
})

test.each(['block', 'a later word'])('a label with the decision %s counts for both', (decision) => {
  expect(foundFor(STAKE, decision)).toBe(1)
  expect(foundFor(FOREIGN, decision)).toBe(1)
})

test('a clean label of a list is found as an allow label is, and another one for both', () => {
  const labelOf = (category: string) =>
    ({ importId: 'imp_1', labelId: category, category, lookupKey: STAKE }) as Label
  const found = underAskedKeys([labelOf('clean_exchange'), labelOf('scam')], [STAKE, FOREIGN])
  expect(found.map(({ category, lookupKey }) => [category, lookupKey])).toEqual([
    ['clean_exchange', STAKE],
    ['scam', STAKE],
    ['scam', FOREIGN],
  ])
})
