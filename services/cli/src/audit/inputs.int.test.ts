/** Somebody with the owner's account of the database changes rows that decide screens; the log says otherwise. */
import { topicOf } from '@cupel/contracts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDecided, type Decided } from '../../test/decided.js'
import { SANCTIONED } from '../../test/some-labels.js'

let decided: Decided
beforeEach(async () => {
  decided = await openDecided()
  await decided.importLabels('sdn', [SANCTIONED.row])
  await decided.screen(SANCTIONED.address, 'ETH')
})
afterEach(() => decided.close())

interface Verified {
  readonly problems: readonly { readonly kind: string; readonly topic: string; readonly detail: string }[]
}

async function verify(): Promise<Verified & { exitCode: number }> {
  const { out, exitCode } = await decided.cupel('audit', 'verify', '--json')
  return { ...(JSON.parse(out) as Verified), exitCode }
}

const problem = (words: string, type: 'PolicyActivated' | 'LabelSetPublished' = 'PolicyActivated') => ({
  ...{ kind: 'read-model', topic: topicOf(type) },
  detail: expect.stringContaining(words) as string,
})

test.each([
  ['an altered text', `UPDATE policy_view.activation SET document = replace(document, '1', '2')`, 'document'],
  ['an altered hash', `UPDATE policy_view.activation SET sha256 = repeat('0', 64)`, 'sha256'],
  [
    'an activation of its own',
    `INSERT INTO policy_view.activation SELECT (jsonb_populate_record(a, '{"policy_seq":2,"event_id":"x"}')).*
     FROM policy_view.activation a`,
    'no event of the log',
  ],
  ['a missing row', 'DELETE FROM policy_view.activation', 'missing'],
])('an untouched policy view is proven, and the view with %s is not', async (_, statement, words) => {
  expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
  await decided.database.execute(statement)
  const verified = await verify()
  expect(verified).toMatchObject({ exitCode: 1, problems: [problem(words)] })
})

test.each([
  ['another hash of a list', `UPDATE label_view.publication SET sha256 = repeat('0', 64)`, 'another sha256'],
  [
    'a list that counts as historical',
    'UPDATE label_view.publication SET historical = true',
    'another historical',
  ],
  ['a list that passes for another', `UPDATE label_view.publication SET dataset = 'x'`, 'another dataset'],
  ['another order of lists', 'UPDATE label_view.publication SET label_set_seq = 9', 'as 9'],
  ['a missing list', 'DELETE FROM label_view.publication', 'missing'],
])('an untouched label view is proven, and the view with %s is not', async (_, statement, words) => {
  expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
  await decided.database.execute(statement)
  const verified = await verify()
  expect(verified).toMatchObject({ exitCode: 1, problems: [problem(words, 'LabelSetPublished')] })
})
