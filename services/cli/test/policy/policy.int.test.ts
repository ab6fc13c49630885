import { join } from 'node:path'
import { defaultPolicy, type PolicyDocument } from '@cupel/domain'
import type { ReportGenerated } from '@cupel/contracts'
import { until } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDecided, type Decided } from '../decided.js'
import { magicAddress, MIXED, SANCTIONED, UNLISTED } from '../some-labels.js'
import { CommandError, EXIT_NOT_FOUND } from '@cupel/command-line'

let decided: Decided
let scam: ReportGenerated

/** Scams weigh less and red begins later: each change by itself ends the red of the scam address, which has 72 points. */
const stricter: PolicyDocument = {
  ...defaultPolicy,
  version: 2,
  levels: { orange: 25, red: 75 },
  weights: { ...defaultPolicy.weights, scam: 0.8 },
}

beforeAll(async () => {
  decided = await openDecided()
  await decided.importLabels('sdn', [SANCTIONED.row])
  await decided.importLabels('mine', [MIXED.row])
  await decided.screen(SANCTIONED.address, 'ETH')
  scam = await decided.screen(MIXED.address, 'ETH')
  await decided.screen(UNLISTED.address, 'ETH')
  await decided.screen(magicAddress, 'ETH', false)
})
afterAll(async () => await decided.close())

const file = (name: string, document: unknown) => decided.file(name, JSON.stringify(document))

describe('cupel policy check', () => {
  test('passes the default policy, and says nothing more', async () => {
    const path = await file('default.json', defaultPolicy)
    expect(await decided.cupel('policy', 'check', path)).toMatchObject({
      out: 'default 1 can be activated.',
      exitCode: 0,
    })
  })

  test.each<[string, unknown, string, string]>([
    ['text that is not JSON', '{', 'form', ''],
    ['a number out of bounds', { ...defaultPolicy, levels: { orange: 25, red: 101 } }, 'form', 'levels.red'],
    ['bands that overlap', { ...defaultPolicy, levels: { orange: 70, red: 70 } }, 'form', 'levels'],
    [
      'more decimals than count',
      { ...defaultPolicy, levels: { orange: 25.001, red: 70 } },
      'form',
      'levels.orange',
    ],
    ['a setting that does not exist', { ...defaultPolicy, hops: 3 }, 'unknown-setting', 'hops'],
    [
      'a floor for designations',
      { ...defaultPolicy, ownership: { ...defaultPolicy.ownership, designation_floor: 60 } },
      'fixed-floor',
      'ownership.designation_floor',
    ],
    [
      'a weight that hides a category',
      { ...defaultPolicy, weights: { ...defaultPolicy.weights, mixer: 0.2 } },
      'hidden-category',
      'weights.mixer',
    ],
  ])('refuses %s', async (_what, document, rule, path) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document)
    const said = await decided.cupel('policy', 'check', await decided.file('bad.json', text), '--json')
    expect(said.exitCode).toBe(1)
    expect(JSON.parse(said.out)).toMatchObject({
      usable: false,
      findings: [{ severity: 'error', rule, path }],
    })
  })

  test('knows, here, which required lists nobody has imported', async () => {
    const required = { ...defaultPolicy.freshness, required: [{ origin: 'uk-ofsi', when: 'always' }] }
    const path = await file('required.json', { ...defaultPolicy, version: 9, freshness: required })
    const checked = await decided.json<{ usable: boolean; findings: { rule: string }[] }>(
      ...['policy', 'check', path, '--here'],
    )
    expect(checked.usable).toBe(true)
    expect(checked.findings.map(({ rule }) => rule)).toContain('list-not-imported')
  })

  test('says in a sentence that a file cannot be read', async () => {
    const { error } = await decided.cupel('policy', 'check', join(decided.folder, 'nowhere.json'))
    expect(error).toMatchObject({
      exitCode: EXIT_NOT_FOUND,
      message: expect.stringContaining('Cannot read') as string,
    })
  })
})

interface Diffed {
  readonly reports: number
  readonly changed_levels: number
  readonly changed_scores: number
  readonly transitions: unknown
  readonly causes: unknown
  readonly settings: readonly { readonly path: string }[]
  readonly flips: readonly Record<string, unknown>[]
  readonly flips_omitted: number
}

describe('cupel policy diff', () => {
  test('shows which live levels would flip, and because of which setting', async () => {
    const path = await file('stricter.json', stricter)
    const diff = await decided.json<Diffed>('policy', 'diff', 'active', path)
    expect(diff).toMatchObject({
      reports: 3,
      changed_levels: 1,
      changed_scores: 1,
      transitions: [{ from: 'red', to: 'orange', count: 1 }],
      causes: [
        { setting: 'levels.red', count: 1 },
        { setting: 'weights.scam', count: 1 },
      ],
      settings: [
        { path: 'levels.red', from: 70, to: 75 },
        { path: 'weights.scam', from: 0.9, to: 0.8 },
      ],
      flips: [
        {
          report_id: scam.reportId,
          from: { level: 'red', score: 72, decisive: 'scam by my_list' },
          to: { level: 'orange', score: 64 },
        },
      ],
    })
    const { out } = await decided.cupel('policy', 'diff', '1', path)
    expect(out).toContain('1 levels and 1 scores would change.')
    expect(out).toContain('red to orange: 1')
  })

  test('counts flips that it does not list', async () => {
    const path = await file('stricter.json', stricter)
    expect(await decided.json<Diffed>('policy', 'diff', 'active', path, '--limit', '0')).toMatchObject({
      changed_levels: 1,
      flips: [],
      flips_omitted: 1,
    })
  })

  test('names no single setting if a flip needs several', async () => {
    // At 70.4 points the address is still red under the old levels, and with red from 76 on it is orange: grey takes all three.
    const both = {
      ...defaultPolicy,
      version: 2,
      levels: { orange: 72.5, red: 76 },
      weights: { ...defaultPolicy.weights, scam: 0.88 },
      // What was received directly still reaches orange, so that the check accepts the policy.
      exposure: {
        ...defaultPolicy.exposure,
        ...{ direct_sanctions_minimum: 75, unproven_maximum: 75 },
        caps: {
          ...defaultPolicy.exposure.caps,
          mixer: { direct: { in: 90, out: 60 }, indirect: { in: 35, out: 25 } },
          scam: { direct: { in: 90, out: 15 }, indirect: { in: 40, out: 5 } },
        },
      },
    }
    const diff = await decided.json<Diffed>('policy', 'diff', '1', await file('both.json', both))
    expect(diff).toMatchObject({ transitions: [{ from: 'red', to: 'grey' }] })
    expect(diff.causes).toEqual([{ setting: 'several together', count: 1 }])
  })

  test('finds nothing between a policy and itself', async () => {
    expect(await decided.json<Diffed>('policy', 'diff', 'active', '1')).toMatchObject({
      reports: 3,
      settings: [],
      changed_levels: 0,
      changed_scores: 0,
    })
  })

  test('an unknown version is not found', async () => {
    expect((await decided.cupel('policy', 'diff', 'active', '77')).error).toMatchObject({
      exitCode: EXIT_NOT_FOUND,
    })
  })
})

describe('cupel policy activate', () => {
  test('decides by the new policy from then on, records who and why, and leaves old reports provable', async () => {
    const path = await file('stricter.json', stricter)
    const done = await decided.json('policy', 'activate', path, '--reason', 'scams are crowd-sourced')
    expect(done).toMatchObject({
      outcome: 'activated',
      policy: { id: 'default', version: 2 },
      previous: { version: 1 },
      visible: true,
    })
    const report = await until(async () => {
      const decidedAgain = await decided.screen(MIXED.address, 'ETH')
      expect(decidedAgain.inputs.policyVersion).toBe(2)
      return decidedAgain
    })
    expect(report).toMatchObject({ level: 'orange', score: 64 })
    expect(JSON.parse(report.report)).toMatchObject({ policy: { id: 'default', version: 2 } })

    expect(await decided.json('policy', 'show')).toMatchObject({
      version: 2,
      in_force: true,
      reason: 'scams are crowd-sourced',
      document: { levels: { red: 75 } },
      activations: [
        { version: 2, activated_by: expect.stringMatching(/^operator:./) as string },
        { version: 1, activated_by: 'system' },
      ],
    })
    expect(await decided.json('policy', 'show', '1')).toMatchObject({
      in_force: false,
      version: 1,
    })
    const document = (await decided.cupel('policy', 'show', '--document')).out
    expect(JSON.parse(document)).toEqual(stricter)

    const audited = (await decided.cupel('audit', 'export')).out.split('\n')
    expect(JSON.parse(audited.find((line) => line.includes('scams are crowd-sourced'))!)).toMatchObject({
      type: 'PolicyActivated',
      data: { version: 2, activated_by: expect.stringMatching(/^operator:./) as string },
    })
    expect(await decided.json('audit', 'recompute')).toMatchObject({ is_proven: true })
    expect(await decided.json('policy', 'activate', path, '--reason', 'again')).toMatchObject({
      outcome: 'in-force',
    })
  })

  test('a designation is red at 100 under a policy that gives sanctions the least it may', async () => {
    const least = {
      ...stricter,
      version: 3,
      weights: { sanctions: 0.75, darknet: 0.3, stolen: 0.3, scam: 0.3, mixer: 0.3 },
      exposure: { ...defaultPolicy.exposure, direct_sanctions_minimum: 34 },
    }
    const path = await file('least.json', least)
    expect((await decided.cupel('policy', 'activate', path, '--reason', 'a test')).error).toBeNull()
    const report = await until(async () => {
      const screened = await decided.screen(SANCTIONED.address, 'ETH')
      expect(screened.inputs.policyVersion).toBe(3)
      return screened
    })
    expect(report).toMatchObject({ level: 'red', score: 100 })
  })

  test.each<[string, Partial<PolicyDocument>, string]>([
    ['a version that is not higher', { version: 1, levels: { orange: 20, red: 70 } }, 'versions only rise'],
    ['a text under a version that names another one', { version: 3 }, 'another text'],
    ['a policy with an error', { version: 8, weights: { ...defaultPolicy.weights, scam: 0 } }, 'hidden'],
  ])('refuses %s, and changes nothing', async (_what, changes, sentence) => {
    const path = await file('refused.json', { ...defaultPolicy, ...changes })
    const said = await decided.cupel('policy', 'activate', path, '--reason', 'a test')
    expect(said.error).toBeInstanceOf(CommandError)
    expect((said.error as CommandError).message).toContain(sentence)
    expect(await decided.json('policy', 'show')).toMatchObject({ version: 3 })
  })

  test('requires a reason', async () => {
    const path = await file('stricter.json', { ...stricter, version: 9 })
    expect((await decided.cupel('policy', 'activate', path)).error).not.toBeNull()
    expect((await decided.cupel('policy', 'activate', path, '--reason', ' ')).error).toBeInstanceOf(
      CommandError,
    )
  })
})
