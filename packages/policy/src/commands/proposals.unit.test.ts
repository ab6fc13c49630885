import { expect, test } from 'vitest'
import { proposalText, type Proposal } from './proposals.js'

const proposal: Proposal = {
  ...{
    proposal_id: 'pol_1',
    status: 'open',
    policy: { id: 'default', version: 2 },
    reason: 'fewer findings',
  },
  ...{ proposed_by: { key_id: '8f2k1m0a', person: null }, proposed_at: '2026-11-21T09:00:00.000Z' },
  ...{ needs_second_person: true, may_activate: true, settings: [{ path: 'levels.red', from: 70, to: 80 }] },
}

test('a proposal tells what it changes, who proposed it, and whether another person is asked for', () => {
  const text = proposalText(proposal)
  expect(text).toContain('pol_1: default 2, open.\n')
  expect(text).toContain('by key 8f2k1m0a: fewer findings')
  expect(text).toMatch(/levels\.red +70 +80/)
  expect(proposalText({ ...proposal, may_activate: false })).toContain('Another person must put it in force.')
  const ofTheSandbox = { ...proposal, needs_second_person: false, may_activate: false }
  expect(proposalText(ofTheSandbox)).toContain('A live key must put it in force.')
  const done = proposalText({ ...proposal, status: 'in_force', may_activate: false, settings: [] })
  expect(done).toContain('pol_1: default 2, in force.\n')
  expect(done).not.toContain('SETTING')
})
