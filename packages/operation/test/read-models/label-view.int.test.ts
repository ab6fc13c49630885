import { topicOf, type DomainEvent } from '@cupel/contracts'
import type { Queryable } from '@cupel/postgres'
import { until } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openFixture, type Fixture } from './fixture.js'
import { asserted, published, retired } from './label-events.js'
import {
  labelView,
  listPublications,
  listSetLabels,
  listSets,
  readLabelsAsOf,
  readOnlyLabelsAsOf,
  readLabelSnapshot,
  showLabels,
  type Label,
  type LabelSnapshot,
} from '@cupel/labels/read-model'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  fixture.run(labelView)
})
afterEach(() => fixture.close())

const project = (...events: readonly DomainEvent[]): Promise<void> => fixture.project(labelView, ...events)

/** `a` for a listed label, `a†` for an ended one. */
const marks = (labels: readonly Label[]): string[] =>
  labels.map((label) => label.labelId + (label.listed ? '' : '†'))

async function snapshot(...names: string[]): Promise<LabelSnapshot> {
  return await readLabelSnapshot(fixture.database, { lookupKeys: names.map((name) => `evm:${name}`) })
}

async function setLabels(include: 'listed' | 'all' = 'listed'): Promise<string[]> {
  const found: Label[] = []
  for await (const page of listSetLabels(fixture.database, {
    source: 'ofac_sdn',
    dataset: 'ofac_sdn.csv',
    include,
  })) {
    found.push(...page)
  }
  return marks(found)
}

test('labels of an import that was not published do not exist for any reader', async () => {
  await project(asserted('i1', 'a'), asserted('i1', 'b'))
  expect(await snapshot('a', 'b')).toMatchObject({ labelSetSeq: 0, sets: [], labels: [] })
  expect(await setLabels('all')).toEqual([])
  expect(await showLabels(fixture.database, { lookupKeys: ['evm:a'] })).toEqual([])
})

test('publication shows all labels of the import at once and names the state', async () => {
  await project(asserted('i1', 'a'), asserted('i1', 'b'), asserted('i2', 'c'), published('i1'))
  const state = await snapshot('a', 'b', 'c')
  expect(marks(state.labels)).toEqual(['a', 'b'])
  expect(state).toMatchObject({
    labelSetSeq: 1,
    sets: [
      {
        labelSetSeq: 1,
        importId: 'i1',
        source: 'ofac_sdn',
        sha256: 'hash of i1',
        authorityOrigin: 'us-ofac',
      },
    ],
  })
  expect(state.labels[0]).toMatchObject({
    knownFrom: '2026-11-20T12:00:00.000Z',
    knownTo: null,
    validTo: null,
  })
})

test('labels that another producer publishes do not exist for any reader', async () => {
  const { log, codec } = fixture
  const forge = async (event: DomainEvent) => {
    const topic = topicOf(event.type)
    await log.unchecked.append('test', [codec.encode(event, { topic, key: event.envelope.subject })])
  }
  await project(asserted('i1', 'a'))
  await forge(published('i1'))
  await forge(asserted('i2', 'b'))
  await project(published('i2'))
  expect(
    (await listPublications(fixture.database, { source: 'ofac_sdn', dataset: 'ofac_sdn.csv' })).map(
      ({ importId }) => importId,
    ),
  ).toEqual(['i2'])
  expect(marks((await snapshot('a', 'b')).labels)).toEqual([])
})

test('a retirement waits for the publication of its import, then ends the label and keeps it', async () => {
  await project(asserted('i1', 'a'), asserted('i1', 'b'), published('i1'))
  await project(retired('i2', 'a'), asserted('i2', 'c'))
  expect(marks((await snapshot('a', 'b', 'c')).labels)).toEqual(['a', 'b'])
  await project(published('i2', { publishedAt: '2026-11-21T08:00:00.000Z' }))
  const state = await snapshot('a', 'b', 'c')
  expect(marks(state.labels)).toEqual(['a†', 'b', 'c'])
  expect(state.labels[0]).toMatchObject({ validTo: '2026-11-10', knownTo: '2026-11-21T08:00:00.000Z' })
  expect(await setLabels()).toEqual(['b', 'c'])
})

test.each([
  ['a new label id', 'a2'],
  ['the same label id', 'a'],
])('relisting under %s opens a new interval and leaves the old one ended', async (_, again) => {
  await project(asserted('i1', 'a'), published('i1'))
  await project(retired('i2', 'a'), published('i2'))
  await project(asserted('i3', again, { lookupKey: 'evm:a' }), published('i3'))
  expect(marks((await snapshot('a')).labels)).toEqual(['a†', again])
  await project(retired('i4', again, '2026-11-20'), published('i4'))
  const { labels } = await snapshot('a')
  expect(labels.map((label) => label.validTo)).toEqual(['2026-11-10', '2026-11-20'])
  expect(marks(labels)).toEqual(['a†', `${again}†`])
})

test('a historical set adds ended history and neither retires nor revives', async () => {
  await project(asserted('i1', 'a'), asserted('i1', 'b'), published('i1'))
  await project(retired('i2', 'b'), published('i2'))
  await project(
    asserted('old', 'delisted'),
    asserted('old', 'b-then', { lookupKey: 'evm:b' }),
    retired('old', 'a'),
    published('old', { historical: true, asOf: '2024-01-01' }),
  )
  const state = await snapshot('a', 'b', 'delisted')
  expect(marks(state.labels)).toEqual(['a', 'b†', 'delisted†', 'b-then†'])
  // The set in force is still the newest one that is not historical.
  expect(state.sets).toMatchObject([{ importId: 'i2' }])
  expect(state.labelSetSeq).toBe(3)
  expect(await setLabels()).toEqual(['a'])
  expect(await setLabels('all')).toEqual(['a', 'b†', 'b-then†', 'delisted†'])
})

test('repeated records change nothing, neither labels nor the numbering', async () => {
  const events = [asserted('i1', 'a'), published('i1')]
  await project(...events, ...events, asserted('i2', 'b'), published('i2'), published('i2'))
  const state = await snapshot('a', 'b')
  expect(marks(state.labels)).toEqual(['a', 'b'])
  expect(state.labelSetSeq).toBe(2)
})

test('as of an earlier state, labels and sets are what they were', async () => {
  const states: LabelSnapshot[] = [await snapshot('a', 'b')]
  await project(asserted('i1', 'a'), published('i1'))
  states.push(await snapshot('a', 'b'))
  await project(retired('i2', 'a'), asserted('i2', 'b'), published('i2'))
  states.push(await snapshot('a', 'b'))
  await project(asserted('i3', 'a'), published('i3', { source: 'other' }))
  states.push(await snapshot('a', 'b'))
  for (const { labelSetSeq, labels, sets } of states) {
    const of = { lookupKeys: ['evm:a', 'evm:b'], labelSetSeq }
    expect(await readLabelsAsOf(fixture.database, of)).toEqual({ labels, sets })
    expect(await readOnlyLabelsAsOf(fixture.database, of)).toEqual(labels)
  }
})

test('sets are sent only to callers that hold another state', async () => {
  await project(asserted('i1', 'a'), published('i1'))
  const read = (knownSetsSeq: number): Promise<LabelSnapshot> =>
    readLabelSnapshot(fixture.database, { lookupKeys: [], knownSetsSeq })
  expect((await read(1)).sets).toBeNull()
  expect((await read(0)).sets).toHaveLength(1)
  await project(published('i2', { dataset: 'second.csv' }))
  expect((await read(1)).sets).toHaveLength(2)
})

test('the snapshot says where the view stands in the log', async () => {
  await project(asserted('i1', 'a'), published('i1'))
  const { checkpoint } = await snapshot('a')
  expect(checkpoint).toMatchObject({ next: 2, log: await fixture.log.identity() })
  expect(checkpoint!.followedAgeMs).toBeLessThan(60_000)
})

test('labels are shown as they held at one time and were known at another', async () => {
  await project(
    asserted('i1', 'a', { validFrom: '2026-10-01' }),
    published('i1', { publishedAt: '2026-11-01T00:00:00.000Z' }),
    retired('i2', 'a', '2026-11-05'),
    published('i2', { publishedAt: '2026-11-10T00:00:00.000Z' }),
  )
  const show = async (validAt?: string, knownAt?: string): Promise<string[]> => {
    const times = {
      ...(validAt === undefined ? {} : { validAt }),
      ...(knownAt === undefined ? {} : { knownAt }),
    }
    return marks(await showLabels(fixture.database, { lookupKeys: ['evm:a'], ...times }))
  }
  expect(await show()).toEqual(['a†'])
  expect(await show('2026-09-30')).toEqual([])
  expect(await show('2026-11-04')).toEqual(['a†'])
  expect(await show('2026-11-05')).toEqual([])
  // On the 9th this installation did not yet know that it had ended on the 5th.
  expect(await show('2026-11-06', '2026-11-09')).toEqual(['a'])
  expect(await show('2026-11-06', '2026-11-10T00:00:00Z')).toEqual([])
  expect(await show(undefined, '2026-10-31')).toEqual([])
})

test('sets in force and their history are listed', async () => {
  await project(published('i1'), published('i2', { dataset: 'b.csv' }), published('i3'))
  expect((await listSets(fixture.database)).map((set) => set.importId)).toEqual(['i2', 'i3'])
  const set = { source: 'ofac_sdn', dataset: 'ofac_sdn.csv' }
  expect((await listPublications(fixture.database, set)).map((one) => one.importId)).toEqual(['i3', 'i1'])
})

describe('a set states', () => {
  const states = async (): Promise<unknown[]> =>
    (await listSets(fixture.database)).map(({ dataset, total, visible, staleBase }) => ({
      dataset,
      total,
      visible,
      staleBase,
    }))

  test('how many of its labels were visible when it was published: lost labels show', async () => {
    await project(asserted('i1', 'a'), asserted('i1', 'b'), published('i1', { total: 3 }))
    expect(await states()).toMatchObject([{ total: 3, visible: 2 }])
    await project(retired('i2', 'a'), asserted('i2', 'c'), asserted('i2', 'd'), published('i2', { total: 3 }))
    expect(await states()).toMatchObject([{ total: 3, visible: 3 }])
    // Records read in one batch count as if they had arrived one by one.
    await project(
      ...[
        retired('i3', 'b'),
        published('i3', { total: 2 }),
        retired('i4', 'c'),
        published('i4', { total: 1 }),
      ],
    )
    expect(await states()).toMatchObject([{ total: 1, visible: 1 }])
    const { sets } = await readLabelsAsOf(fixture.database, { lookupKeys: [], labelSetSeq: 3 })
    expect(sets).toMatchObject([{ total: 2, visible: 2 }])
  })

  test('whom the list of an authority names, in force, and nobody of any other list', async () => {
    const sanction = { list: 'SDN', programmes: [], entityId: '1', aliases: ['An Alias'], designatedOn: null }
    const listing = { category: 'sanctions', entity: 'A Party', sanction }
    await project(asserted('i1', 'a', listing), asserted('i1', 'b', listing), published('i1'))
    const mine = { dataset: 'b.csv' }
    await project(
      asserted('i2', 'c', { ...listing, ...mine }),
      published('i2', { ...mine, authorityOrigin: '' }),
    )
    const parties = async () => (await listSets(fixture.database)).map((set) => set.parties)
    expect(await parties()).toEqual([[], ['A Party', 'An Alias']])
    await project(retired('i3', 'a'), retired('i3', 'b'), published('i3'))
    expect(await parties()).toEqual([[], []])
  })

  test('that its changes were computed before another publication of the authority, until it is imported again', async () => {
    await project(
      published('i1', { basedOnSeq: 0 }),
      published('i2', { source: 'another_name', dataset: 'b', basedOnSeq: 0 }),
      published('i3', { source: 'somebody', dataset: 'c', authorityOrigin: '', basedOnSeq: 0 }),
    )
    expect(await states()).toMatchObject([
      { dataset: 'b', staleBase: true },
      { dataset: 'ofac_sdn.csv', staleBase: false },
      { dataset: 'c', staleBase: false },
    ])
    await project(published('i4', { source: 'another_name', dataset: 'b', basedOnSeq: 3 }))
    expect(await states()).toMatchObject([{ dataset: 'b', staleBase: false }, {}, {}])
  })

  test('that another set replaced it: it has no labels any more, until it is published again', async () => {
    const old = { source: 'ofac_sdn', dataset: 'SDN.XML' }
    await project(
      published('i1', { ...old, total: 7, refreshConfigured: true }),
      published('h1', { replaces: [old], historical: true }),
      published('i2', { dataset: 'sdn', replaces: [old], total: 8 }),
    )
    const replaced = { ...old, total: 0, visible: 0, whole: true, refreshConfigured: false }
    expect(await listSets(fixture.database)).toMatchObject([
      { ...replaced, replacedBy: { source: 'ofac_sdn', dataset: 'sdn' } },
      { dataset: 'sdn', total: 8, whole: true, replacedBy: null },
    ])
    const { sets } = await readLabelsAsOf(fixture.database, { lookupKeys: [], labelSetSeq: 2 })
    expect(sets).toMatchObject([{ ...old, total: 7, replacedBy: null }])
    await project(published('i3', { ...old, total: 9 }))
    expect((await listSets(fixture.database))[0]).toMatchObject({ ...old, total: 9, replacedBy: null })
  })
})

test('a rebuild gives the same rows, byte for byte, and the same numbers of states', async () => {
  await project(asserted('i1', 'a'), asserted('dead', 'x'), published('i1'))
  await project(
    retired('i2', 'a'),
    asserted('i2', 'b'),
    published('i2'),
    published('i2'),
    asserted('i3', 'a'),
  )
  const before = await snapshot('a', 'b', 'x')
  const { comparison } = await fixture.rebuild(labelView)
  expect(comparison).toMatchObject([
    { table: 'label', rowsBefore: 4, rowsAfter: 4, isEqual: true },
    { table: 'label_key', rowsBefore: 0, rowsAfter: 0, isEqual: true },
    { table: 'retirement', rowsBefore: 1, rowsAfter: 1, isEqual: true },
    { table: 'publication', rowsBefore: 2, rowsAfter: 2, isEqual: true },
  ])
  const after = await snapshot('a', 'b', 'x')
  expect({ ...after, checkpoint: null, state: null }).toEqual({ ...before, checkpoint: null, state: null })
  // The memory of the old tables does not count for the new ones.
  expect(after.state).not.toBe(before.state)
  // The live projector writes into the new tables.
  await project(published('i3'))
  expect(marks((await snapshot('a')).labels)).toEqual(['a†', 'a'])
})

test('sets and labels are of one state, whatever the caller holds', async () => {
  await project(asserted('i1', 'a'), published('i1'))
  const read = (knownSetsSeq: number): Promise<LabelSnapshot> =>
    readLabelSnapshot(fixture.database, { lookupKeys: ['evm:a', 'evm:b'], knownSetsSeq, knownPolicySeq: 0 })
  expect(await read(1)).toMatchObject({ labelSetSeq: 1, sets: null, policy: null, policySeq: 0 })
  expect(marks((await read(1)).labels)).toEqual(['a'])
  await project(asserted('i2', 'b'), published('i2', { dataset: 'second.csv' }))
  const moved = await read(1)
  expect(moved).toMatchObject({ labelSetSeq: 2, sets: [{ labelSetSeq: 1 }, { labelSetSeq: 2 }] })
  expect(marks(moved.labels)).toEqual(['a', 'b'])
  expect({ ...(await read(2)), checkpoint: null }).toEqual({ ...moved, checkpoint: null, sets: null })
})

describe('the plan of a look-up', () => {
  const lookUp = (connection: Queryable, lookupKeys: readonly string[], knownSetsSeq: number) =>
    readLabelSnapshot(connection, { lookupKeys, knownSetsSeq, knownPolicySeq: 0 })
  const planOf = async (connection: Queryable, lookupKeys: readonly string[]): Promise<string> => {
    const rows = await connection.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE "label-view.look-up" ('{${lookupKeys.join(',')}}', '{}', '{}')`,
    )
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  test('a plan prepared while the view was small uses the index once a large set is published', async () => {
    const lookupKeys = Array.from({ length: 40 }, (_, n) => `evm:l${n}`)
    await fixture.database.withConnection(async (connection) => {
      await project(...Array.from({ length: 60 }, (_, n) => asserted('i0', `s${n}`)), published('i0'))
      // After some executions Postgres keeps one plan for all later ones, made for the table as it was then.
      for (let n = 0; n < 8; n += 1) await lookUp(connection, lookupKeys, 1)
      expect(await planOf(connection, lookupKeys)).toMatch(
        /Seq Scan on label own .*\n.*lookup_key = ANY \(\(InitPlan/,
      )
      await project(...Array.from({ length: 5_000 }, (_, n) => asserted('i1', `l${n}`)), published('i1'))
      await until(async () =>
        expect(await planOf(connection, lookupKeys)).toMatch(/Index Scan (using|on) label_lookup/),
      )
      expect(await planOf(connection, lookupKeys)).not.toContain('Seq Scan on label own')
      expect((await lookUp(connection, lookupKeys, 2)).labels).toHaveLength(40)
    })
  })

  test('the plan is kept, even if a plan for one key would be slightly cheaper', async () => {
    await project(...Array.from({ length: 5_000 }, (_, n) => asserted('i0', `l${n}`)), published('i0'))
    await fixture.database.withConnection(async (connection) => {
      await connection.query('ANALYZE label_view.label')
      for (let n = 0; n < 30; n += 1) await lookUp(connection, [`evm:l${n}`], 1)
      const [plans] = await connection.query<{ generic_plans: number; custom_plans: number }>(
        `SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = 'label-view.look-up'`,
      )
      // Postgres plans five executions separately before it compares.
      expect(plans).toEqual({ generic_plans: 25, custom_plans: 5 })
    })
  })
})
