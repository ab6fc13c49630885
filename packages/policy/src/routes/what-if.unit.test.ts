/** Comparisons of policies: one at a time on an instance, and no account keeps another from its turn. */
import type { Caller } from '@cupel/gate/access'
import { compiledDefaultPolicy, defaultPolicy } from '@cupel/domain'
import { expect, test } from 'vitest'
import type { KeyedCall } from '@cupel/gate/http'
import { whatIf, type WhatIf, type WhatIfParts } from './what-if.js'

type Compare = WhatIfParts['compare']

const nothing = {
  diff: {
    ...{ a: {}, b: {}, settings: [], reports: 0, undecidable: 0, changedLevels: 0, changedScores: 0 },
    ...{ unchanged: [], transitions: [], flips: [], flipsOmitted: 0 },
  },
  since: null,
} as unknown as WhatIf

test('accounts take turns: a second call of one account is refused, one of another account waits', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const compare: Compare = async ({ accountId }) => {
    begun.push(accountId)
    await new Promise<void>((resolve) => ends.push(resolve))
    return nothing
  }
  const inForce = { policy: compiledDefaultPolicy } as unknown as Awaited<
    ReturnType<WhatIfParts['policyInForce']>
  >
  const endpoint = whatIf({ policyInForce: () => Promise.resolve(inForce), compare })
  const judgement = { judged: { policy: compiledDefaultPolicy, findings: [] } }
  const callOf = async (accountId: string): Promise<unknown> => {
    const handle = endpoint.handle as (
      call: KeyedCall,
      inputs: object,
    ) => Promise<{ status?: number; code?: string }>
    const caller = { accountId, livemode: true } as Caller
    const answer = await handle({ caller } as KeyedCall, { body: { policy: defaultPolicy }, ...judgement })
    return answer.status ?? answer.code
  }
  const greedy = callOf('greedy')
  const waiting = callOf('other')
  expect(await callOf('greedy')).toBe('unavailable')
  expect(begun).toEqual(['greedy'])
  ends[0]!()
  expect(await greedy).toBe(200)
  const again = callOf('greedy')
  await new Promise(setImmediate)
  expect(begun).toEqual(['greedy', 'other'])
  ends[1]!()
  expect(await waiting).toBe(200)
  await new Promise(setImmediate)
  ends[2]!()
  expect(await again).toBe(200)
  expect(begun).toEqual(['greedy', 'other', 'greedy'])
})
