/** A row of a read model that decides screens is altered in the database: screening stops with a name, and no score changes. */
import type { EventData } from '@cupel/contracts'
import { canonicalJson, compiledDefaultPolicy, sha256Hex } from '@cupel/domain'
import { listComparedRows, uncomparedOf } from '@cupel/projections/heartbeats'
import { labelView } from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'
import { rebuildReadModel } from '@cupel/projections'
import { createMetrics, type RunningService } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openInstallation, type Installation } from './installation.js'

const ADDRESS = '0x00000000000000000000000000000000000abcde'

let installation: Installation
let projector: ReturnType<Installation['run']>
beforeEach(async () => {
  installation = await openInstallation()
  installation.run(labelView)
  projector = installation.run(policyView)
  await installation.caughtUp(policyView)
})
afterEach(() => installation.close())

/** The default policy with another version and levels, as text. */
function policyText(version: number): string {
  const { document } = compiledDefaultPolicy
  return canonicalJson({ ...document, version, levels: { ...document.levels, red: 80 + version } })
}

async function activate(...versions: readonly number[]): Promise<void> {
  for (const version of versions) {
    const document = policyText(version)
    const data: EventData['PolicyActivated'] = {
      ...{ policyId: 'default', version, document, sha256: sha256Hex(document), activatedBy: 'test' },
      ...{ reason: 'test', activatedAt: new Date().toISOString() },
    }
    await installation.append(testEvent('PolicyActivated', 'default', data))
  }
}

/** The scorer is not ready and names the cause, before and after it is asked, and answers nothing. */
async function refuses(scorer: RunningService, words: string): Promise<string> {
  const detail = expect.stringContaining(words) as string
  await until(() => expect(scorer.checks()).toContainEqual({ name: 'label view', ok: false, detail }))
  const reportId = await installation.request(ADDRESS, 'ETH')
  await until(() =>
    expect(scorer.checks()).toContainEqual({ name: 'interactive requests', ok: false, detail }),
  )
  expect(await installation.answers(reportId)).toEqual([])
  return reportId
}

const answered = (reportId: string) => until(() => installation.report(reportId))
const screened = async () => await answered(await installation.request(ADDRESS, 'ETH'))

const own = policyText(7)
const insertOwn = `INSERT INTO policy_view.activation
  SELECT policy_seq + 1, 'x', policy_id, 7, '${own}', '${sha256Hex(own)}', activated_by, reason, activated_at, log_offset + 1
  FROM policy_view.activation`

describe('a policy that the log does not state decides nothing:', () => {
  test.each([
    ['another text', `UPDATE policy_view.activation SET document = '${own}'`, 'another document'],
    [
      'another text with its hash',
      `UPDATE policy_view.activation SET document = '${own}', sha256 = '${sha256Hex(own)}'`,
      'another document, sha256',
    ],
    ['an activation of its own', insertOwn, 'no event of the log'],
  ])('%s, found by a scorer that starts', async (_, statement, words) => {
    await installation.database.execute(statement)
    await refuses(await installation.start(), words)
  })

  test('an activation of its own, found by a scorer that runs', async () => {
    const scorer = await installation.start()
    expect((await screened()).policy).toMatchObject({ version: 1 })
    await installation.database.execute(insertOwn)
    const reportId = await refuses(scorer, 'no event of the log')
    await installation.database.execute('DELETE FROM policy_view.activation WHERE version = 7')
    expect((await answered(reportId)).policy).toMatchObject({ version: 1 })
  })

  test('an earlier one, because the row of the one in force was removed', async () => {
    const scorer = await installation.start()
    await activate(2)
    await until(async () => expect((await screened()).policy).toMatchObject({ version: 2 }))
    await installation.database.execute('DELETE FROM policy_view.activation WHERE version = 2')
    const reportId = await refuses(scorer, 'the log states 2')
    const accept = { differences: 1, by: 'operator:jo', reason: 'a row was removed' }
    await rebuildReadModel({ readModel: policyView, accept, ...installation.deps })
    expect((await answered(reportId)).policy).toMatchObject({ version: 2 })
  })
})

test('activations in quick succession are followed to the last one', async () => {
  const scorer = await installation.start()
  await activate(2, 3, 4)
  await until(async () => expect((await screened()).policy).toMatchObject({ version: 4 }))
  await until(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true))
})

test('a view that is behind the log is waited for by a scorer that starts', async () => {
  await projector.stop()
  await activate(2)
  const reportId = await refuses(await installation.start(), 'the view is behind')
  installation.run(policyView)
  expect((await answered(reportId)).policy).toMatchObject({ version: 2 })
})

test('a rebuilt view decides as before', async () => {
  await activate(2, 3)
  const scorer = await installation.start()
  await until(async () => expect((await screened()).policy).toMatchObject({ version: 3 }))
  await rebuildReadModel({ readModel: policyView, ...installation.deps })
  expect((await screened()).policy).toMatchObject({ version: 3 })
  expect(scorer.checks().every(({ ok }) => ok)).toBe(true)
})

describe('lists that the log does not state decide nothing:', () => {
  const list = [
    { address: ADDRESS, chain: 'ETH', category: 'sanctions', entity: 'X', source: 'ofac_sdn' },
  ].map((label) => ({ ...label, sourceUrl: 'https://sanctionssearch.ofac.treas.gov/Details.aspx?id=1' }))
  beforeEach(async () => {
    await installation.publish('ofac_sdn', list)
    await installation.publish('ofac_sdn', list)
    await installation.caughtUp(labelView)
  })

  test.each([
    ['another hash', `SET sha256 = repeat('0', 64) WHERE label_set_seq = 2`, 'another sha256'],
    [
      'a fresher date',
      `SET published_at = '2999-01-01T00:00:00.000Z' WHERE label_set_seq = 2`,
      'published_at',
    ],
    [
      'an earlier state, the newest called historical',
      'SET historical = true WHERE label_set_seq = 2',
      'historical',
    ],
    [
      'an earlier state, the newest called dismissed',
      `SET kind = 'dismissed' WHERE label_set_seq = 2`,
      'kind',
    ],
    ['another name', `SET dataset = 'x' WHERE label_set_seq = 2`, 'dataset'],
    ['another number', 'SET label_set_seq = 9 WHERE label_set_seq = 2', 'publication 9 out of its order'],
    ['an import of its own', `SET import_id = 'x' WHERE label_set_seq = 2`, 'no event of the log'],
  ])('%s, found by a scorer that starts', async (_, change, words) => {
    await installation.database.execute(`UPDATE label_view.publication ${change}`)
    await refuses(await installation.start(), words)
  })

  test.each([
    ['the first state', 1, 'out of its order'],
    ['the last state', 2, 'lacks the last publication'],
  ])('%s is removed, found by a scorer that starts', async (_, seq, words) => {
    await installation.database.execute(`DELETE FROM label_view.publication WHERE label_set_seq = ${seq}`)
    await refuses(await installation.start(), words)
  })

  const alteredLabels: readonly (readonly [string, string, string])[] = [
    ['is removed', 'DELETE FROM label_view.label', 'lacks label'],
    [
      'has another category',
      `UPDATE label_view.label SET category = 'clean_exchange'`,
      'with another category',
    ],
    [
      'has an end of its own',
      `INSERT INTO label_view.retirement SELECT label_id, import_id, '2020-01-01T00:00:00Z', log_offset FROM label_view.label`,
      'ends of labels, and the log states 0',
    ],
  ]

  test.each(alteredLabels)('a label %s, found by a scorer that starts', async (_, statement, words) => {
    await installation.database.execute(statement)
    await refuses(await installation.start(), words)
  })

  test.each(alteredLabels)('a label %s, found by a scorer that runs', async (_, statement, words) => {
    const scorer = await installation.start()
    expect(await screened()).toMatchObject({ risk: { level: 'red' } })
    await installation.database.execute(statement)
    await refuses(scorer, words)
  })

  test('a label is removed, and the next scorer compares all rows before it uses one', async () => {
    const { database, deps } = installation
    const scorer = await installation.start()
    await database.execute('DELETE FROM label_view.label')
    const reportId = await refuses(scorer, 'lacks label')
    await scorer.stop()
    const accept = { differences: 2, by: 'operator:jo', reason: 'rows were removed' }
    await rebuildReadModel({ readModel: labelView, accept, ...deps })
    let mayCompare = (): void => undefined
    const compared = new Promise<void>((resolve) => (mayCompare = resolve))
    const next = await installation.start({
      database: {
        ...database,
        async query(statement, values) {
          if (typeof statement !== 'string' && statement.name === 'label-view.count-stated') await compared
          return await database.query(statement, values)
        },
      },
    })
    await refuses(next, 'lacks label')
    expect(uncomparedOf(await listComparedRows(database))).toEqual([expect.stringContaining('lacks label')])
    mayCompare()
    expect(await answered(reportId)).toMatchObject({ risk: { level: 'red' } })
    await until(async () => expect(uncomparedOf(await listComparedRows(database))).toEqual([]))
  })

  test('the last state is removed while the scorer runs, and it goes on after a rebuild', async () => {
    const scorer = await installation.start()
    expect(await screened()).toMatchObject({ risk: { level: 'red' }, label_snapshot: '2' })
    await installation.database.execute('DELETE FROM label_view.publication WHERE label_set_seq = 2')
    const reportId = await refuses(scorer, 'has 1 publications, and had 2')
    const accept = { differences: 1, by: 'operator:jo', reason: 'a row was removed' }
    await rebuildReadModel({ readModel: labelView, accept, ...installation.deps })
    expect(await answered(reportId)).toMatchObject({ risk: { level: 'red' }, label_snapshot: '2' })
  })

  test('an honest state is followed through further publications and a rebuild', async () => {
    const scorer = await installation.start()
    await installation.publish('ofac_sdn', list)
    await installation.publish('other', [])
    await until(async () => expect(await screened()).toMatchObject({ label_snapshot: '4' }))
    await rebuildReadModel({ readModel: labelView, ...installation.deps })
    expect(await screened()).toMatchObject({ risk: { level: 'red' }, label_snapshot: '4' })
    await until(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true))
  })
})

test('rows that the database does not let a scorer compare are a failing check, a metric and told, until it does', async () => {
  let refused: string | null = 'label-view.count-stated'
  const { database } = installation
  const metrics = createMetrics('scorer')
  const scorer = await installation.start({
    metrics,
    database: {
      ...database,
      async query(statement, values) {
        if (typeof statement !== 'string' && statement.name === refused) throw new Error('it is refused')
        return await database.query(statement, values)
      },
    },
  })
  const labels = {
    name: 'rows of labels',
    ok: false,
    detail: expect.stringContaining('it is refused') as string,
  }
  await until(() => expect(scorer.checks()).toContainEqual(labels))
  const gauge = (value: number) => `cupel_scorer_rows_not_compared{kind="labels",service="scorer"} ${value}`
  await until(async () => expect((await metrics.render()).body).toContain(gauge(1)))
  await until(async () =>
    expect(uncomparedOf(await listComparedRows(database))).toEqual([
      expect.stringContaining('it is refused'),
    ]),
  )
  refused = null
  await until(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true))
  await until(async () => expect((await metrics.render()).body).toContain(gauge(0)))
  await scorer.stop()
  expect(await listComparedRows(database)).toEqual([])
})
