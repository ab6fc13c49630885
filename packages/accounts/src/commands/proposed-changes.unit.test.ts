import { expect, test } from 'vitest'
import { changeText } from './proposed-changes.js'

const change = {
  ...{ change_id: 'chg_1', status: 'open', kind: 'issue_key', change: { scope: 'read-only' }, reason: 'why' },
  ...{ proposed_by: { key_id: '8f2k1m0a', person: null }, proposed_at: '2026-11-21T09:00:00.000Z' },
  ...{ needs_second_person: true, may_confirm: false },
}

test('a proposed change says what it changes, who proposed it, and who must confirm it', () => {
  expect(changeText(change)).toBe(`chg_1: issue key, open. Another person must confirm it.
Proposed 2026-11-21T09:00:00.000Z by key 8f2k1m0a: why
{"scope":"read-only"}`)
  expect(changeText({ ...change, may_confirm: true })).not.toContain('must confirm')
  expect(changeText({ ...change, change: null })).toContain('Nobody can read any more')
})

test('a confirmed key is shown, and nothing is if there is none', () => {
  const made = { key_id: '3c9d2e1f', key: 'cpl_live_secret' }
  expect(changeText({ ...change, status: 'confirmed', new_key: made })).toContain('  cpl_live_secret')
  expect(changeText({ ...change, status: 'refused', new_key: null })).not.toContain('shown this once')
})
