import { dispositions, riskLevels, type Disposition } from '@cupel/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decideDisposition,
  needsSecondPerson,
  type CasePersonId,
  type CaseState,
} from './decide-disposition.js'

const ann: CasePersonId = { holder: 'k1', subject: 'a', name: 'Ann' }
const bob: CasePersonId = { holder: 'k1', subject: 'b', name: 'Bob' }
const keyOnly = (holder: string): CasePersonId => ({ holder, subject: '', name: '' })
/** An entry that was restored from the log has no permanent identifier. */
const restored = (person: CasePersonId): CasePersonId => ({ ...person, subject: '' })
const proposedBy = (by: CasePersonId): CaseState => ({
  disposition: 'open',
  proposal: { disposition: 'cleared', by },
})
const clear = (by: CasePersonId) => ({
  disposition: 'cleared' as const,
  by,
  needsSecondPerson: true,
  doPeopleSignIn: false,
})

test('clearing a report that needs two persons is a proposal until another person confirms it', () => {
  expect(decideDisposition({ disposition: 'open', proposal: null }, clear(ann))).toEqual({ kind: 'proposed' })
  expect(decideDisposition(proposedBy(ann), clear(bob))).toEqual({ kind: 'changed', isConfirmation: true })
  expect(decideDisposition(proposedBy(ann), clear(ann))).toEqual({ kind: 'refused', because: 'same_person' })
})

test.each([
  ['one person with two keys', ann, { ...ann, holder: 'k2' }],
  ['one key, once without a name', keyOnly('k1'), ann],
  ['one key and nobody named', keyOnly('k1'), keyOnly('k1')],
  ['one person before and after a restore', restored(ann), ann],
  ['one person with another key after a restore', restored(ann), { ...ann, holder: 'k2' }],
  ['one key after a restore, whoever it was', restored(bob), ann],
])('is not confirmed by the same person: %s', (_what, one, other) => {
  expect(decideDisposition(proposedBy(one), clear(other)).kind).toBe('refused')
  expect(decideDisposition(proposedBy(other), clear(one)).kind).toBe('refused')
})

test('where people sign in, a key without a person does not count as a second person', () => {
  const order = { ...clear(keyOnly('k2')), doPeopleSignIn: true }
  expect(decideDisposition(proposedBy(ann), order).kind).toBe('refused')
  expect(decideDisposition(proposedBy(keyOnly('k2')), { ...clear(ann), doPeopleSignIn: true }).kind).toBe(
    'refused',
  )
  expect(decideDisposition(proposedBy(ann), { ...clear(bob), doPeopleSignIn: true }).kind).toBe('changed')
  expect(decideDisposition(proposedBy(ann), clear(keyOnly('k2'))).kind).toBe('changed')
})

test('the present disposition declines a proposal, and is refused if there is none', () => {
  const order = { disposition: 'open' as const, by: bob, needsSecondPerson: true, doPeopleSignIn: false }
  expect(decideDisposition(proposedBy(ann), order)).toEqual({ kind: 'declined' })
  const settled = { disposition: 'open' as const, proposal: null }
  expect(decideDisposition(settled, order)).toEqual({ kind: 'refused', because: 'already_so' })
})

const person = fc.record({
  holder: fc.constantFrom('k1', 'k2'),
  subject: fc.constantFrom('', 'a', 'b'),
  name: fc.constantFrom('', 'Ann', 'Bob'),
})
const step = fc.record({
  disposition: fc.constantFrom<Disposition>(...dispositions),
  by: person,
})

test('whatever is asked in whatever order, a report that needs two persons is never cleared by one', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let state: CaseState = { disposition: null, proposal: null }
      for (const order of steps) {
        const decision = decideDisposition(state, {
          ...order,
          needsSecondPerson: true,
          doPeopleSignIn: false,
        })
        if (decision.kind === 'proposed')
          state = { disposition: state.disposition ?? 'open', proposal: order }
        if (decision.kind === 'declined') state = { ...state, proposal: null }
        if (decision.kind !== 'changed') continue
        if (order.disposition === 'cleared') {
          const { by } = state.proposal!
          const haveSubjects = by.subject !== '' && order.by.subject !== ''
          if (haveSubjects) expect(by.subject).not.toBe(order.by.subject)
          else expect(by.holder).not.toBe(order.by.holder)
          expect(haveSubjects || by.name === '' || by.name !== order.by.name).toBe(true)
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
