/** An installation with labels and a ledger. A test decides screens in it as a scorer does, and changes the data behind them. */
import { reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import {
  compiledDefaultPolicy,
  compilePolicyText,
  decideScreening,
  knownCandidates,
  labelState,
  parseAddress,
  type ChainFindings,
  type ChainInputs,
  type CompiledPolicy,
  type PriceTable,
} from '@cupel/domain'
import { importLabels, labelsMigrations } from '@cupel/labels'
import {
  currentLedger,
  examineAddress,
  importLedger,
  ledgerMigrations,
  readClusterFacts,
} from '@cupel/ledger'
import {
  labelFacts,
  labelView,
  newestPublication,
  ownLabelsOf,
  readLabelsAsOf,
  readLabelSnapshot,
  setFacts,
} from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'
import { readModels } from '@cupel/operation/read-models'
import { until } from '@cupel/testkit'
import { openTestInstallation, testEvent, type TestInstallation } from '@cupel/testkit/installation'
import { expect } from 'vitest'

export interface Deciding {
  readonly installation: TestInstallation
  importLabelText(text: string, set?: string, options?: { readonly whole?: boolean }): Promise<void>
  /** `complete`: the heights for which the file is declared complete. */
  importTransfers(
    name: string,
    text: string,
    of?: {
      readonly format: string
      readonly chain: string
      readonly complete?: { readonly from: number; readonly to: number }
    },
  ): Promise<void>
  activate(policy: CompiledPolicy): Promise<void>
  /** Makes a refresher wait for a list, or stop waiting for it. */
  expectList(dataset: string, expected: boolean): Promise<void>
  /** Makes a decision with exposure and cluster, as a scorer would now. Nothing later has the same millisecond. */
  decide(of: {
    readonly address: string
    readonly chain: string
    readonly reportId: string
    readonly prices?: PriceTable | null
    readonly chainInputs?: ChainInputs
    /** Other chains that the address is possible on. */
    readonly candidates?: readonly string[]
  }): Promise<ReportGenerated>
  append(data: ReportGenerated): Promise<void>
}

export const ACCOUNT = 'acc_test'

/** Opens it with the default policy in force. */
export async function openDeciding(): Promise<Deciding> {
  const installation = await openTestInstallation({
    migrations: [ledgerMigrations, labelsMigrations],
    readModels,
    statementTimeoutMs: 0,
  })
  const { database } = installation
  installation.run(policyView)
  installation.run(labelView)
  const activate: Deciding['activate'] = async ({ document, canonical, sha256 }) => {
    const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
    const activatedAt = new Date().toISOString()
    await installation.append(
      testEvent('PolicyActivated', policy.policyId, {
        ...policy,
        activatedBy: 'test',
        reason: '',
        activatedAt,
      }),
    )
    await installation.caughtUp(policyView)
  }
  await activate(compiledDefaultPolicy)

  return {
    installation,
    activate,
    async expectList(dataset, expected) {
      const expectation = { dataset, expected, source: '', reason: '', expectedBy: 'test' }
      const expectedAt = new Date().toISOString()
      await installation.append(
        testEvent('LabelSetExpected', dataset, {
          ...{ ...expectation, expectedAt, expectationId: `${dataset} ${expectedAt}` },
        }),
      )
      await installation.caughtUp(labelView)
    },
    async importLabelText(text, set = 'mine', { whole = false } = {}) {
      const file = await installation.file('labels.csv', text)
      const deps = { ...installation.deps, labelView: 'here' as const }
      // The texts return to earlier ones, which needs a reason.
      const reason = 'the test ends it'
      const request = { file, format: 'csv' as const, set, importedBy: 'test', reason }
      const list = whole ? { ...request, whole, asOf: new Date().toISOString() } : request
      const result = await importLabels(list, deps)
      if (result.status !== 'refused') return
      // A list of a test is short, so any designation that ends needs its number.
      const accepted = { acceptRemovals: result.removals ?? undefined }
      expect(await importLabels({ ...list, ...accepted }, deps)).toMatchObject({ status: 'imported' })
    },
    async importTransfers(name, text, { complete, ...of } = { format: 'csv', chain: 'ETH' }) {
      const file = await installation.file(name, text)
      const request = { file, ...of, importedBy: 'test', ...declared(complete) }
      expect(await importLedger(request, { database })).toMatchObject({ status: 'imported' })
      await installation.relay()
    },
    decide: (of) => decide(installation, of),
    async append(data) {
      const target = {
        topic: topicOf('ReportGenerated'),
        key: data.reportId,
        partition: reportPartition(data.reportId),
      }
      const event = testEvent('ReportGenerated', data.reportId, data)
      await installation.log.append('test', [installation.codec.encode(event, target)])
    },
  }
}

const declared = (complete: { readonly from: number; readonly to: number } | undefined) =>
  complete === undefined ? {} : { completeFrom: complete.from, completeTo: complete.to }

async function decide(
  installation: TestInstallation,
  {
    address,
    chain,
    reportId,
    prices = null,
    chainInputs,
    candidates = [],
  }: Parameters<Deciding['decide']>[0],
): Promise<ReportGenerated> {
  const { database } = installation
  const snapshot = await readLabelSnapshot(database, { lookupKeys: [] })
  const labelSets = snapshot.sets!.map(setFacts)
  const generatedAt = new Date().toISOString()
  const policy = compilePolicyText(snapshot.policy!.document)
  const { ledgerSeq } = await currentLedger(database)
  const labelsOf = async (lookupKeys: readonly string[]) => {
    const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq: snapshot.labelSetSeq })
    return new Map(
      lookupKeys.map((key) => [key, labels.filter((one) => one.lookupKey === key).map(labelFacts)]),
    )
  }
  const { addresses: maxAddresses } = policy.document.cluster
  const findingsOn = async (on: string): Promise<ChainFindings> => {
    const parsed = parseAddress(address, on)
    if (!parsed.ok) throw new Error(parsed.detail)
    const { canonical: canonicalAddress, lookupKey } = parsed
    const question = { accountId: ACCOUNT, livemode: true, lookupKey }
    const { own: rows } = await readLabelSnapshot(database, { lookupKeys: [], own: [question] })
    const own = ownLabelsOf(rows)(question)
    const labels = [...(await labelsOf([lookupKey])).get(lookupKey)!, ...own.map(({ facts }) => facts)]
    if (ledgerSeq === 0) return { chain: on, canonicalAddress, labels }
    const asked = { chain: on, address: canonicalAddress, ledgerSeq, labelsOf }
    const exposure = await examineAddress(database, { ...asked, prices, policy, labelSets, generatedAt })
    const cluster = await readClusterFacts(database, { ...asked, maxAddresses })
    return { chain: on, canonicalAddress, labels, exposure, cluster }
  }
  const { labels, canonicalAddress, exposure = null, cluster = null } = await findingsOn(chain)
  const others = await Promise.all(candidates.map(findingsOn))
  const lists = {
    labelSetSeq: snapshot.labelSetSeq,
    labelsAsOf: newestPublication(snapshot.sets!),
    labelSets,
  }
  const state = labelState(lists)
  await installation.append(testEvent('LabelStateRecorded', state.sha256, state))
  const decision = decideScreening({
    request: {
      ...{
        reportId,
        accountId: ACCOUNT,
        livemode: true,
        address,
        canonicalAddress,
        chain,
      },
      candidateChains: candidates.length === 0 ? [] : [chain, ...candidates],
      ...{ customerReference: null, reportUrl: '', jobId: null, jobIndex: null },
    },
    snapshot: { ...lists, labelView: 'current', labels },
    candidates: knownCandidates(labels, others),
    ...(chainInputs === undefined ? {} : { chainInputs }),
    ...{ exposure, cluster, policy, generatedAt },
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  await until(() => expect(Date.now()).toBeGreaterThan(Date.parse(generatedAt)))
  return decision.event
}
