/** Somebody with the owner's account of the database changes rows that decide screens; the log says otherwise. */
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
  readonly problems: readonly { readonly kind: string; readonly row: string; readonly detail: string }[]
}

async function verify(): Promise<Verified & { exitCode: number }> {
  const { out, exitCode } = await decided.cupel('audit', 'verify', '--json')
  return { ...(JSON.parse(out) as Verified), exitCode }
}

const problem = (table: string, words: RegExp) => ({
  ...{ kind: 'read-model', topic: null, row: expect.stringMatching(`^${table} `) as string },
  detail: expect.stringMatching(words) as string,
})

test.each([
  [
    'an altered text',
    `UPDATE policy_view.activation SET document = replace(document, '1', '2')`,
    /another document than/,
  ],
  ['an altered hash', `UPDATE policy_view.activation SET sha256 = repeat('0', 64)`, /another sha256 than/],
  [
    'an activation of its own',
    `INSERT INTO policy_view.activation SELECT (jsonb_populate_record(a, '{"policy_seq":2,"event_id":"x"}')).*
     FROM policy_view.activation a`,
    /which no record states/,
  ],
  ['a missing row', 'DELETE FROM policy_view.activation', /lacks the row/],
])('an untouched policy view is proven, and the view with %s is not', async (_, statement, words) => {
  expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
  await decided.database.execute(statement)
  const verified = await verify()
  expect(verified).toMatchObject({ exitCode: 1, problems: [problem('policy_view.activation', words)] })
})

test.each([
  [
    'another hash of a list',
    `UPDATE label_view.publication SET sha256 = repeat('0', 64)`,
    /another sha256 than/,
  ],
  [
    'a list that counts as historical',
    'UPDATE label_view.publication SET historical = true',
    /another historical than/,
  ],
  [
    'a list that passes for another',
    `UPDATE label_view.publication SET dataset = 'x'`,
    /another dataset than/,
  ],
  ['another order of lists', 'UPDATE label_view.publication SET label_set_seq = 9', /label_set_seq/],
  ['a missing list', 'DELETE FROM label_view.publication', /lacks the row/],
])('an untouched label view is proven, and the view with %s is not', async (_, statement, words) => {
  expect(await verify()).toMatchObject({ exitCode: 0, problems: [] })
  await decided.database.execute(statement)
  const verified = await verify()
  expect(verified.exitCode).toBe(1)
  expect(verified.problems).toContainEqual(expect.objectContaining(problem('label_view.publication', words)))
})
