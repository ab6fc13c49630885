import { dispositions, riskLevels, type Disposition } from '@cupel/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decideDisposition,
  needsSecondPerson,
  type CasePersonId,
  type CaseState,
} from './decide-disposition.js'

const ann: CasePersonId = { holder: 'k1', person: 'ann' }
const bob: CasePersonId = { holder: 'k1', person: 'bob' }
const proposedBy = (by: CasePersonId): CaseState => ({
  disposition: 'open',
  proposal: { disposition: 'cleared', by },
})
const clear = (by: CasePersonId) => ({ disposition: 'cleared' as const, by, needsSecondPerson: true })

test('clearing a report that needs two persons is a proposal until another person confirms it', () => {
  expect(decideDisposition({ disposition: 'open', proposal: null }, clear(ann))).toEqual({ kind: 'proposed' })
  expect(decideDisposition(proposedBy(ann), clear(bob))).toEqual({ kind: 'changed', isConfirmation: true })
  expect(decideDisposition(proposedBy(ann), clear(ann))).toEqual({ kind: 'refused', because: 'same_person' })
})

test.each([
  ['one person with two keys', { holder: 'k1', person: 'ann' }, { holder: 'k2', person: 'ann' }],
  ['one key, once without a name', { holder: 'k1', person: '' }, { holder: 'k1', person: 'ann' }],
  ['one key and nobody named', { holder: 'k1', person: '' }, { holder: 'k1', person: '' }],
])('is not confirmed by the same person: %s', (_what, one, other) => {
  expect(decideDisposition(proposedBy(one), clear(other)).kind).toBe('refused')
  expect(decideDisposition(proposedBy(other), clear(one)).kind).toBe('refused')
})

test('the present disposition declines a proposal, and is refused if there is none', () => {
  const order = { disposition: 'open' as const, by: bob, needsSecondPerson: true }
  expect(decideDisposition(proposedBy(ann), order)).toEqual({ kind: 'declined' })
  const settled = { disposition: 'open' as const, proposal: null }
  expect(decideDisposition(settled, order)).toEqual({ kind: 'refused', because: 'already_so' })
})

const person = fc.record({ holder: fc.constantFrom('k1', 'k2'), person: fc.constantFrom('', 'ann', 'bob') })
const step = fc.record({
  disposition: fc.constantFrom<Disposition>(...dispositions),
  by: person,
})

test('whatever is asked in whatever order, a report that needs two persons is never cleared by one', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let state: CaseState = { disposition: null, proposal: null }
      for (const order of steps) {
        const decision = decideDisposition(state, { ...order, needsSecondPerson: true })
        if (decision.kind === 'proposed')
          state = { disposition: state.disposition ?? 'open', proposal: order }
        if (decision.kind === 'declined') state = { ...state, proposal: null }
        if (decision.kind !== 'changed') continue
        if (order.disposition === 'cleared') {
          const { by } = state.proposal!
          expect([by.holder, by.person]).not.toEqual([order.by.holder, order.by.person])
          expect(by.person === '' || by.person !== order.by.person).toBe(true)
        }
        state = { disposition: order.disposition, proposal: null }
      }
    }),
    { numRuns: 2_000 },
  )
})

test('levels that the installation names need two persons, and so do levels that nobody knows', () => {
  expect(riskLevels.filter((level) => needsSecondPerson(['red', 'orange'], level))).toEqual(['orange', 'red'])
  expect(needsSecondPerson(['red'], 'violet')).toBe(true)
  expect([...riskLevels, 'violet'].filter((level) => needsSecondPerson([], level))).toEqual([])
})
