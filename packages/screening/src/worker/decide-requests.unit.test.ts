import { noMetrics } from '@cupel/contracts'
import { compiledDefaultPolicy, emptyExposure } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { beforeEach, describe, expect, test } from 'vitest'
import { createDecider } from './decide-requests.js'
import type { LedgerLook } from './exposure-stage.js'
import { createInstruments } from './instruments.js'
import { PausedError } from '@cupel/projections'
import type { LabelStates } from './label-states.js'
import type { Request } from './lane.js'

const LOG = 'cluster/genesis'
const ADDRESS = '0x00000000000000000000000000000000000abcde'

/** A database state with the answers of its two statements: the look-up without sets and policy, the snapshot with them. */
let state: { setsSeq: number; policySeq: number; log: string | null }
let asked: { statement: string; keys: readonly string[] }[]
let hold: Promise<void>

const publication = (labelSetSeq: number) => ({
  ...{ labelSetSeq, importId: `import-${labelSetSeq}`, source: 'defillama_cex', dataset: 'x.csv' },
  ...{ sha256: 'a', asOf: null, publishedAt: `2026-11-2${labelSetSeq}T00:00:00.000Z`, authorityOrigin: '' },
  ...{ rows: { read: 1, refused: 0, skipped: 0, unreadable: 0, accepted: 0 }, versionOf: [] },
})

const database = {
  query: async (statement: { name: string }, [keys]: [readonly string[]]) => {
    const isWhole = statement.name === 'label-view.snapshot'
    asked.push({ statement: statement.name, keys })
    const seen = { ...state }
    await hold
    const { document, canonical, sha256 } = compiledDefaultPolicy
    const policy = {
      policySeq: seen.policySeq,
      policyId: document.id,
      version: 1,
      document: canonical,
      sha256,
    }
    return [
      {
        label_set_seq: seen.setsSeq,
        policy_seq: seen.policySeq,
        ...(isWhole
          ? { sets: [publication(seen.setsSeq)], policy: seen.policySeq === 0 ? null : policy }
          : {}),
        next: seen.log === null ? null : 7,
        log: seen.log,
        followed_age_ms: 0,
        ...{ labels: null, own: null },
      },
    ]
  },
} as unknown as Queryable

beforeEach(() => {
  state = { setsSeq: 1, policySeq: 1, log: LOG }
  asked = []
  hold = Promise.resolve()
  recorded = []
  recording = Promise.resolve()
})

let recorded: string[]
let recording: Promise<void>
const labelStates: LabelStates = {
  record: ({ sha256 }) => {
    recorded.push(sha256)
    return recording
  },
}

function openDecider(look?: LedgerLook) {
  return createDecider({
    database,
    log: LOG,
    stated: { require: () => Promise.resolve() },
    labelStates,
    labelView: () => 'current',
    instruments: createInstruments(noMetrics),
    now: () => new Date('2026-11-25T00:00:00.000Z'),
    ...(look === undefined ? {} : { lookIntoLedger: () => look }),
  })
}

function decider() {
  const decide = openDecider()
  return async (requests: readonly Request[]) => await Promise.all(await decide(requests))
}

function request(over: Partial<Request['data']> = {}): Request {
  const data = {
    ...{
      reportId: '00000000000000a7',
      accountId: 'a',
      livemode: true,
      address: ADDRESS,
      canonicalAddress: ADDRESS,
      chain: 'ETH',
    },
    ...{
      candidateChains: [],
      customerReference: null,
      lane: 'interactive',
      answerByAt: null,
      stagesByAt: null,
      requestedAt: '2026-11-25T00:00:00.000Z',
    },
    ...{
      reportUrl: 'https://example.org/',
      jobId: null,
      jobIndex: null,
      transfer: null,
      call: null,
      ...over,
    },
  }
  const envelope = {
    id: 'r',
    source: 'test',
    time: data.requestedAt,
    subject: data.reportId,
    correlationId: 'c',
    causationId: 'c',
  }
  return { type: 'ScreenRequested', data, envelope }
}

/** Number of the newest set in the inputs of the first decision. */
const snapshotOf = async (decisions: ReturnType<ReturnType<typeof decider>>): Promise<number | string> => {
  const [decision] = await decisions
  if (decision?.kind === 'report') return decision.event.data.inputs.labelSetSeq
  return decision?.kind === 'undecidable' ? decision.cause : 'nothing'
}

describe('one look-up', () => {
  test('serves the whole batch, each key asked once, the sandbox not at all', async () => {
    const decide = decider()
    const decisions = await decide([
      request(),
      request(),
      request({ livemode: false, canonicalAddress: `0x${'1'.repeat(40)}` }),
    ])
    expect(asked).toHaveLength(1)
    expect(asked[0]!.keys).toHaveLength(1)
    expect(decisions.map(({ kind }) => kind)).toEqual(['report', 'report', 'report'])
  })

  test('of an empty batch is not made', async () => {
    expect(await decider()([])).toEqual([])
    expect(asked).toEqual([])
  })

  test('gets sets and policy only when they are news', async () => {
    const decide = decider()
    await decide([request()])
    await decide([request()])
    state = { ...state, setsSeq: 2 }
    expect(await snapshotOf(decide([request()]))).toBe(2)
    await decide([request()])
    expect(asked.map(({ statement }) => statement)).toEqual([
      'label-view.snapshot',
      'label-view.look-up',
      // The state has changed: one statement reads everything again.
      'label-view.look-up',
      'label-view.snapshot',
      'label-view.look-up',
    ])
  })

  test('that is overtaken by a newer one still decides by its own snapshot', async () => {
    const decide = decider()
    await decide([request()])
    let release: () => void = () => undefined
    hold = new Promise((resolve) => (release = resolve))
    const older = decide([request()])
    hold = Promise.resolve()
    state = { ...state, setsSeq: 2 }
    expect(await snapshotOf(decide([request()]))).toBe(2)
    release()
    expect(await snapshotOf(older)).toBe(1)
    expect(await snapshotOf(decide([request()]))).toBe(2)
  })
})

describe('nothing is decided', () => {
  test.each([
    ['no projector ever read the labels', { log: null }],
    ['the labels are those of another log', { log: 'elsewhere' }],
    ['no policy was activated', { policySeq: 0 }],
  ])('where %s', async (_, over) => {
    state = { ...state, ...over }
    await expect(decider()([request()])).rejects.toThrow(PausedError)
  })
})

test('an address that does not parse is only that request’s fault', async () => {
  const decisions = await decider()([request({ canonicalAddress: 'nonsense\0' }), request()])
  expect(decisions.map(({ kind }) => kind)).toEqual(['undecidable', 'report'])
})

test('a request that waits for the ledger holds up no other of its batch', async () => {
  let release: () => void = () => undefined
  const slow = new Promise<void>((resolve) => (release = resolve))
  const exposure = emptyExposure('absent', { ledgerSeq: 3, policy: compiledDefaultPolicy })
  const record = { exposure, cluster: null, searched: { followed: [], historiesAtS: [] } }
  const decide = openDecider({ examine: () => [slow.then(() => record), Promise.resolve(record), null] })
  const [waiting, absent, sandbox] = await decide([
    request(),
    request(),
    request({ livemode: false, canonicalAddress: `0x${'1'.repeat(40)}` }),
  ])
  const ended: string[] = []
  void waiting!.then(() => ended.push('waiting'))
  expect(await absent).toMatchObject({ event: { data: { inputs: { exposure: { ledgerSeq: 3 } } } } })
  expect(await sandbox).toMatchObject({ event: { data: { inputs: { exposure: null } } } })
  expect(ended).toEqual([])
  release()
  expect(await waiting).toMatchObject({ kind: 'report' })
})

test('each state that the reports name is acknowledged before any of them is decided', async () => {
  const [live, sandbox] = await decider()([request(), request({ livemode: false })])
  expect(new Set(recorded).size).toBe(2)
  for (const decision of [live, sandbox])
    expect(recorded).toContain(decision?.kind === 'report' && decision.event.data.inputs.labelStateSha256)

  recording = Promise.reject(new Error('The log does not answer.'))
  await expect(decider()([request()])).rejects.toThrow('The log does not answer.')
})
