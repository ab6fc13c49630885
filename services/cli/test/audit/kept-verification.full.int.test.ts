/** A run of `audit verify --kept` reads what came since the last one, and hides nothing that was changed before or since. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '@cupel/domain'
import { startProjector } from '@cupel/projector'
import { loadConfig } from '@cupel/kit/service'
import { createSigningKeys } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ACCOUNT, insertAccounts } from '../account-rows.js'
import { openCommandLine, type CommandLine } from '../command-line.js'
import type { KeptVerification } from '@cupel/evidence/commands'

const TOPIC = topicOf('AccountCreated')
const FIRST = 60

let installation: CommandLine
let file: string
let accounts = 0
beforeEach(async () => {
  accounts = 0
  installation = await openCommandLine({ CUPEL_CHECKPOINT_INTERVAL_MS: '100' })
  const { deps, folder, environment } = installation
  file = join(folder, 'kept.json')
  createSigningKeys(join(folder, SIGNING_KEYS_FILE))
  const projector = await startProjector({ ...deps, config: loadConfig(environment) })
  installation.onClose(() => projector.stop())
  await moreAccounts(FIRST)
})
afterEach(() => installation.close())

/** Accounts in the log and in their table; each record has its leaf. */
async function moreAccounts(count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => `acc_${(accounts += 1)}`)
  await insertAccounts(installation.database, ids)
  await installation.append(
    ...ids.map((accountId) => testEvent('AccountCreated', accountId, { accountId, ...ACCOUNT, reason: '' })),
  )
  await until(async () => {
    const { transparency } = await answer('--min-leaves', '1')
    expect(transparency).toMatchObject({ pending: 0, faults: [] })
  })
}

interface Answer {
  readonly exitCode: number
  readonly error: unknown
  readonly records: number
  readonly is_proven: boolean
  readonly problems: readonly object[]
  readonly kept: {
    readonly since: { readonly leaves: number } | null
    readonly resumed: object | null
    readonly sha256: string
  } | null
  readonly transparency: {
    readonly leaves: number
    readonly records: number
    readonly pending: number
    readonly faults: readonly { readonly detail: string }[]
    readonly problems: readonly object[]
  }
}

async function answer(...options: readonly string[]): Promise<Answer> {
  const { out, exitCode, error } = await installation.cupel('audit', 'verify', ...options, '--json')
  return { ...(out === '' ? {} : (JSON.parse(out) as Answer)), exitCode, error } as Answer
}

const kept = (...options: readonly string[]): Promise<Answer> => answer('--kept', file, ...options)

/** Changes a record as an owner of the database can. */
async function alter(offset: number): Promise<void> {
  await installation.database.execute(
    `UPDATE log.record SET appended_at = appended_at + interval '1 s'
     WHERE record_offset = $1 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $2)`,
    [offset, TOPIC],
  )
}

const keptState = (): KeptVerification =>
  (JSON.parse(readFileSync(file, 'utf8')) as { readonly state: KeptVerification }).state

/** Writes the kept state as somebody who knows its form. */
function forge(change: (state: KeptVerification) => KeptVerification): void {
  const { format, question, state } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly format: number
    readonly question: object
    readonly state: KeptVerification
  }
  const forged = { format, question, state: change(state) }
  writeFileSync(file, canonicalJson({ ...forged, sha256: sha256Hex(canonicalJson(forged)) }))
}

test('a later run reads what came since, and says what it did not read', async () => {
  const first = await kept()
  expect(first).toMatchObject({ exitCode: 0, is_proven: true, kept: { since: null } })
  await moreAccounts(5)
  const second = await kept('--kept-sha256', first.kept!.sha256)
  expect(second).toMatchObject({
    ...{ exitCode: 0, is_proven: true, records: 5 },
    kept: { since: { leaves: first.transparency.leaves } },
    transparency: { leaves: first.transparency.leaves + 5, records: 5 },
  })
  const { out } = await installation.cupel('audit', 'verify', '--kept', file)
  expect(out).toContain(`Verified from leaf ${second.transparency.leaves} on.`)
  expect(out).toContain('No problem was found.')
  expect(await kept()).toMatchObject({ exitCode: 0, is_proven: true, records: 0 })
  expect(out).toContain('Not compared: rows of read models')
  expect(await kept('--whole')).toMatchObject({ exitCode: 0, kept: { since: null } })
})

test('a run that goes on with an interrupted one does not say that it read everything', async () => {
  const { transparency } = await kept()
  forge(({ verified, ...state }) => ({
    ...state,
    verified: null,
    underway: {
      ...{ isWhole: true, checks: verified!.checks, begunAt: '2026-11-01T00:00:00.000Z' },
      ...{ done: [], head: verified!.head },
    },
  }))
  const interrupted = readFileSync(file)
  const { out } = await installation.cupel('audit', 'verify', '--kept', file)
  const { leaves } = transparency
  expect(out).toContain(
    `a run that began at 2026-11-01T00:00:00.000Z and was cut off: 0 records and the leaves before ${leaves}`,
  )
  expect(out).not.toContain('Everything was read')
  writeFileSync(file, interrupted)
  expect(await kept()).toMatchObject({
    exitCode: 0,
    kept: { since: null, resumed: { begun_at: '2026-11-01T00:00:00.000Z', records: 0, leaves } },
  })
})

test('threads give the same answer', async () => {
  await alter(3)
  const alone = await answer('--threads', '1')
  expect(alone.transparency.problems).toMatchObject([{ kind: 'other-time', topic: TOPIC, offset: 3, to: 4 }])
  expect(await answer('--threads', '2')).toEqual(alone)
})

describe('a change', () => {
  test('of a record that came since is found, and again until it is right', async () => {
    await kept()
    await moreAccounts(5)
    await alter(FIRST + 2)
    for (let run = 0; run < 2; run += 1)
      expect(await kept()).toMatchObject({
        exitCode: 1,
        transparency: { problems: [{ kind: 'other-time', offset: FIRST + 2 }] },
      })
  })

  test('of a verified record is found by --whole, and every run is a whole one until it is right', async () => {
    await kept()
    await moreAccounts(2)
    await alter(FIRST - 1)
    const missed = await kept()
    expect(missed).toMatchObject({ exitCode: 0, kept: { since: { leaves: expect.any(Number) as number } } })
    for (const options of [['--whole'], []])
      expect(await kept(...options)).toMatchObject({
        ...{ exitCode: 1, kept: { since: null } },
        transparency: { problems: [{ kind: 'other-time', offset: FIRST - 1 }] },
      })
  })

  test('of the end of the log, whose last records were verified and are gone, is found by every run', async () => {
    await kept()
    await installation.database.execute(
      `DELETE FROM log.record
       WHERE record_offset >= $1 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $2)`,
      [FIRST - 2, TOPIC],
    )
    for (let run = 0; run < 2; run += 1) {
      const { exitCode, problems } = await kept()
      expect(exitCode).toBe(1)
      expect(problems).toContainEqual(
        expect.objectContaining({ kind: 'gap', topic: TOPIC, offset: FIRST - 2 }),
      )
    }
  })

  test('of a verified record is found without --whole after thirty runs at the latest', async () => {
    await kept()
    await alter(20)
    let runs = 0
    for (let isFound = false; !isFound; runs += 1) {
      expect(runs).toBeLessThan(30)
      const { exitCode, transparency } = await kept()
      isFound = exitCode === 1
      if (isFound) expect(transparency.problems).toMatchObject([{ kind: 'other-time', offset: 20 }])
    }
  })

  test('of old leaves is found at the end of a round, where they must make the kept tree again', async () => {
    await kept()
    const before = keptState().verified!.head
    await moreAccounts(2)
    await kept()
    await moreAccounts(2)
    const wrong = before.peaks.map((peak, at) => (at === 0 ? Buffer.alloc(32).toString('base64') : peak))
    for (const [peaks, exitCode, fault] of [
      [wrong, 1, 'The old leaves do not make the tree that was verified before'],
      [before.peaks, 0, ''],
    ] as const) {
      forge((state) => ({ ...state, again: { ...before, peaks, runs: 29 } }))
      const run = await kept()
      expect(run.exitCode).toBe(exitCode)
      expect(run.transparency.faults.map(({ detail }) => detail).join()).toContain(fault)
    }
  })

  test('of a row of a primary table is found by every run, and of a read model by --whole', async () => {
    await kept()
    await installation.database.execute(
      `INSERT INTO report_view.report (report_id, account_id, livemode, state, ended_at, log_partition, log_offset)
       VALUES ('0123456789abcdef', 'acc_1', true, 'failed', now(), 0, 0)`,
    )
    expect(await kept()).toMatchObject({ exitCode: 0 })
    expect(await kept('--whole')).toMatchObject({ exitCode: 1, problems: [{ kind: 'read-model' }] })
    await installation.database.execute('DELETE FROM report_view.report')
    expect(await kept()).toMatchObject({ exitCode: 0, kept: { since: null } })
    await installation.database.execute(
      `UPDATE access.account SET name = 'another' WHERE account_id = 'acc_1'`,
    )
    expect(await kept()).toMatchObject({ exitCode: 1, problems: [{ kind: 'table' }] })
  })
})

describe('a kept state', () => {
  test('that names another tree is found', async () => {
    await kept()
    await moreAccounts(3)
    forge((state) => {
      const { verified } = state
      const peaks = verified!.head.peaks.map((peak, at) =>
        at === 0 ? Buffer.alloc(32).toString('base64') : peak,
      )
      return { ...state, verified: { ...verified!, head: { ...verified!.head, peaks } } }
    })
    const { exitCode, transparency } = await kept()
    expect(exitCode).toBe(1)
    expect(transparency.faults.map(({ detail }) => detail).join()).toContain('do not make the root')
  })

  test('that is ahead of the tree is found: an older tree was put there', async () => {
    await kept()
    forge((state) => {
      const { verified } = state
      return { ...state, verified: { ...verified!, head: { ...verified!.head, size: 1_000_000 } } }
    })
    const { exitCode, transparency } = await kept()
    expect(exitCode).toBe(1)
    expect(transparency.faults[0]!.detail).toContain('A tree of 1000000 leaves was verified before')
  })

  test.each([
    ['ahead of the tree', 1_000_000, 'names a tree of 1000000 leaves'],
    ['of another tree', 1, 'do not make the root that it names for 1 leaves'],
  ])('that is %s is found by --whole too, and by every run after it', async (_, size, fault) => {
    await kept()
    forge((state) => {
      const { verified } = state
      return { ...state, verified: { ...verified!, head: { ...verified!.head, size } } }
    })
    for (const options of [['--whole'], [], []]) {
      const { exitCode, transparency } = await kept(...options)
      expect(exitCode).toBe(1)
      expect(transparency.faults.map(({ detail }) => detail).join()).toContain(fault)
    }
  })

  test('that says of later records that they were compared is found', async () => {
    await kept()
    await moreAccounts(3)
    forge((state) => {
      const { verified } = state
      const places = verified!.head.places.map(([place, next, last]) => [place, next + 2, last] as const)
      return { ...state, verified: { ...verified!, head: { ...verified!.head, places } } }
    })
    const { exitCode, transparency } = await kept()
    expect(exitCode).toBe(1)
    expect(transparency.problems[0]).toMatchObject({ kind: 'leaf-order', topic: TOPIC, offset: FIRST })
  })

  test('that is damaged, or not the one that is meant, is refused', async () => {
    const { kept: run } = await kept()
    expect(await kept('--kept-sha256', 'a'.repeat(64))).toMatchObject({
      error: { exitCode: 1, message: expect.stringContaining('it was changed') as string },
    })
    writeFileSync(file, readFileSync(file, 'utf8').replace('"size":', '"size":1'))
    expect(await kept()).toMatchObject({
      error: { exitCode: 1, message: expect.stringContaining('or it was changed') as string },
    })
    expect(run!.sha256).toMatch(/^[0-9a-f]{64}$/)
  })
})
