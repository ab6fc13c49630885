import { expect, test } from 'vitest'
import { changesText, changeText } from './proposed-changes.js'

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
  // Where one person may do it, the key of the proposal does not work any more.
  expect(changeText({ ...change, needs_second_person: false })).toContain('open. You cannot confirm it.')
})

test('a proposed policy shows its settings, and says if another one came into force since', () => {
  const policy = {
    ...{ ...change, kind: 'activate_policy', change: { id: 'default', version: 2, levels: { red: 80 } } },
    effect: { is_outdated: false, settings: [{ path: 'levels.red', from: 70, to: 80 }] },
  }
  expect(changeText(policy)).toMatch(/: why\ndefault 2\nSETTING +IN FORCE +PROPOSED\nlevels\.red +70 +80/)
  const outdated = { ...policy, effect: { ...policy.effect, is_outdated: true } }
  expect(changeText(outdated)).toContain('open. Another policy came into force since; propose it again.')
  const decided = changeText({ ...policy, status: 'confirmed', effect: null })
  expect(decided).toMatch(/, confirmed\.\n[^]*: why\ndefault 2$/)
})

test('a list of what waits says if there is more', () => {
  expect(changesText({ items: [], next_page_token: null })).toBe('No change waits.')
  expect(changesText({ items: [change], next_page_token: null })).toBe(changeText(change))
  expect(changesText({ items: [change], next_page_token: 'older' })).toContain('more: --page-token older')
})

test('a confirmed change shows the key that it made, and says nothing of a key without one', () => {
  const made = { key_id: '3c9d2e1f', key: 'cpl_live_secret' }
  expect(changeText({ ...change, status: 'confirmed', new_key: made })).toContain('  cpl_live_secret')
  expect(changeText({ ...change, status: 'refused', new_key: null })).not.toContain('shown this once')
})
