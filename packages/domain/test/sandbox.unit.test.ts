import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  compiledDefaultPolicy,
  decideScreening,
  differences,
  MAGIC_SLOW_ADDRESS,
  labelState,
  magicProblems,
  magicReports,
  parseAddress,
  recompute,
  sandboxLabels,
} from '../src/index.js'

const GENERATED_AT = '2031-05-05T05:05:05.005Z'
const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ')

function decide(address: string, chain: string) {
  const decision = decideScreening({
    request: {
      reportId: '9f2c4a1be07d6358',
      accountId: 'acc_1',
      livemode: false,
      address,
      canonicalAddress: address,
      chain,
      candidateChains: [],
      customerReference: null,
      reportUrl: '',
      jobId: null,
      jobIndex: null,
    },
    snapshot: { labelSetSeq: 0, labelView: 'current', ...sandboxLabels(address, chain, GENERATED_AT) },
    policy: compiledDefaultPolicy,
    generatedAt: GENERATED_AT,
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return decision.event
}

test.each([...magicReports])('%s has its report, on any EVM chain and at any time', (address, expected) => {
  for (const chain of ['ETH', 'BASE']) {
    const report = decide(address, chain)
    expect(report).toMatchObject({ level: expected.level, score: expected.score })
    const lists = labelState({ labelSetSeq: 0, ...sandboxLabels(address, chain, GENERATED_AT) })
    const shared = { labelState: lists, policyDocument: compiledDefaultPolicy.canonical }
    expect(differences(report, recompute(report, shared))).toEqual([])
  }
  expect(page).toContain(`| \`${address}\` | ${expected.level} | ${expected.score} |`)
})

test('there is a report of every level', () => {
  const levels = [...magicReports.values()].map(({ level }) => level)
  expect([...new Set(levels)].sort()).toEqual(['green', 'grey', 'orange', 'red'])
})

test.each([...magicProblems])('%s is listed with its problem, and is an address', (address, code) => {
  expect(page).toContain(`| \`${address}\` | \`${code}\` |`)
  expect(parseAddress(address, undefined)).toMatchObject({ ok: true, canonical: address })
})

test('the slow address is green in the end and listed', () => {
  expect(decide(MAGIC_SLOW_ADDRESS, 'ETH').level).toBe('green')
  expect(page).toContain(MAGIC_SLOW_ADDRESS)
})

test('anything else is unknown to the sandbox: grey, without evidence', () => {
  const report = decide('0x098b716b8aaf21512996dc57eb0615e2383e2f96', 'ETH')
  expect(report).toMatchObject({ level: 'grey', score: 0 })
  expect(JSON.parse(report.report)).toMatchObject({
    risk: { level_reasons: ['no_chain_data'], evidence: [] },
    coverage: { labels: { status: 'complete', lists: [{ status: 'current' }] } },
  })
})
