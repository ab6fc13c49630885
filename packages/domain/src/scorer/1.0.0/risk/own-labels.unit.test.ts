/** A block label of the account counts; an allow label answers one doubt, and hides nothing. */
import { describe, expect, test } from 'vitest'
import { judged, label, ofacLabel, PUBLISHED_AT } from '../../../../test/judgement-builders.js'
import { ownLabelFacts } from '../../../labels/own-label.js'
import type { GreenDoubt } from './green-doubts.js'
import type { ChainKnowledge } from './level.js'

const own = (decision: 'block' | 'allow', over: { chain?: string; expiresAt?: string | null } = {}) =>
  ownLabelFacts({
    ...{ labelId: `lbl_${decision}`, decision, category: decision === 'block' ? 'scam' : 'clean_exchange' },
    ...{ chain: 'ETH', canonicalAddress: '0xabc', statedAt: PUBLISHED_AT, expiresAt: null, ...over },
  })
const known = (...doubts: readonly GreenDoubt[]): ChainKnowledge => ({
  ...{ status: 'examined', isPartial: false, incomplete: [], hasHistory: true, doubts },
})

describe('a block label', () => {
  test('is red under the default policy, until it expires', () => {
    expect(judged([own('block')])).toMatchObject({ level: 'red', overallHundredths: 8_100 })
    const ended = judged([own('block', { expiresAt: '2026-11-21T09:00:00.000Z' })])
    expect(ended).toMatchObject({ level: 'grey', overallHundredths: 0, evidence: [{ reason: 'ended' }] })
  })

  test('counts against an allow label of the same address', () => {
    expect(judged([own('allow'), own('block')], { chainKnowledge: known() }).level).toBe('red')
  })
})

describe('an allow label', () => {
  test('answers whose value it is, where nothing else is open', () => {
    expect(judged([], { chainKnowledge: known('unattributed') }).level).toBe('grey')
    const allowed = judged([own('allow')], { chainKnowledge: known('unattributed') })
    expect(allowed).toMatchObject({
      level: 'green',
      categoryHundredths: { clean_exchange: 0 },
      conflicts: [],
      evidence: [{ source: 'own_label', used: false, reason: 'own_allow', contribution: 0 }],
    })
  })

  test.each<readonly [GreenDoubt]>([['illicit_value'], ['illicit_dust'], ['weak_origin'], ['hidden_amounts']])(
    'leaves the doubt %s',
    (doubt) => {
      const judgement = judged([own('allow')], { chainKnowledge: known('unattributed', doubt) })
      expect(judgement).toMatchObject({ level: 'grey', levelReasons: [doubt] })
    },
  )

  test('clears nothing of which too little is known', () => {
    const partial: ChainKnowledge = { ...known('unattributed'), isPartial: true, incomplete: ['range_gap'] } as never
    for (const chainKnowledge of [{ status: 'unavailable' }, partial] as const)
      expect(judged([own('allow')], { chainKnowledge }).level).toBe('grey')
    expect(judged([own('allow')], { chainKnowledge: known('unattributed'), labelView: 'lagging' }).level).toBe('grey')
  })

  test('ends with its expiry, and stays on its chain', () => {
    for (const over of [{ expiresAt: '2026-11-21T09:00:00.000Z' }, { chain: 'BSC' }])
      expect(judged([own('allow', over)], { chainKnowledge: known('unattributed') }).level).toBe('grey')
  })

  test('lifts no designation, and changes no byte of what other sources say', () => {
    const others = [ofacLabel(), label({ labelId: 'other', category: 'mixer' })]
    const without = judged(others)
    const allowed = judged([...others, own('allow')])
    expect(allowed).toMatchObject({ level: 'red', overallHundredths: 10_000, isDesignated: true })
    expect(allowed.evidence.filter(({ source }) => source !== 'own_label')).toEqual(without.evidence)
    expect(allowed.conflicts).toEqual(without.conflicts)
  })
})
