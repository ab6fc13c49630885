/** The report on a wallet: its files are imported into a ledger in memory, and the scorer judges what that holds. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ChainFact, LabelSetState, Report } from '@cupel/contracts'
import {
  attribute,
  compiledDefaultPolicy as policy,
  decideScreening,
  emptyExposure,
  measureExposure,
  type Attribution,
  type ChainInputs,
} from '@cupel/domain'
import { textOf } from './files.js'
import type { Knowledge } from './losses.js'
import { createMemoryLedger, type MemoryLedger } from './memory-ledger.js'
import { addressOf, GENERATED_AT, LAST_BLOCK, NOW, type World } from './world.js'

const set = (source: string, more: Partial<LabelSetState>): LabelSetState => ({
  ...{ source, dataset: source, sha256: 'a'.repeat(64), importId: 'import', labelSetSeq: 1 },
  ...{ publishedAt: '2026-11-21T08:00:00.000Z', asOf: '2026-11-20', authorityOrigin: '', whole: false },
  ...{ confirmedAt: null, refreshConfigured: false, total: 9, visible: 9, staleBase: false },
  ...{
    rows: { read: 9, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
    versionOf: [],
    parties: [],
    ...more,
  },
})

export const freshSets: readonly LabelSetState[] = [
  set('ofac_sdn', { authorityOrigin: 'us-ofac', whole: true }),
  set('pack', {}),
]

export interface Screened {
  readonly report: Report
  readonly refused: readonly string[]
}

export async function screened(world: World, known: Knowledge, folder: string): Promise<Screened> {
  const ledger = createMemoryLedger(NOW)
  const refused: string[] = []
  for (const file of known.files) {
    const range = file.covers === null ? {} : { completeFrom: 0, completeTo: LAST_BLOCK, covers: file.covers }
    const path = join(folder, `${file.name.replaceAll(' ', '-')}.txt`)
    const request = { file: path, format: file.format, chain: world.chain, ...range }
    const fault = await ledger.import(request, textOf(file))
    if (fault !== null) refused.push(`${file.name}: ${fault}`)
  }
  return { report: reportOn(world, known, ledger), refused }
}

function reportOn(world: World, known: Knowledge, ledger: MemoryLedger): Report {
  const address = addressOf(world.chain, 'wallet')
  const decision = decideScreening(
    {
      request: {
        ...{ reportId: '0'.repeat(16), accountId: 'account', livemode: true, reportUrl: '' },
        ...{ address, canonicalAddress: address, chain: world.chain, candidateChains: [] },
        ...{ customerReference: null, jobId: null, jobIndex: null },
      },
      snapshot: {
        ...{ labelSetSeq: 1, labelView: known.labelView, labelsAsOf: '2026-11-21T08:00:00.000Z' },
        ...{ labelSets: known.labelSets, labels: world.labels.get(address) ?? [] },
      },
      chainInputs: nodeSays(world, known),
      exposure: exposureOf(world, known, ledger),
      cluster: null,
      policy,
      generatedAt: GENERATED_AT,
    },
    (text) => createHash('sha256').update(text).digest('hex'),
  )
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return JSON.parse(decision.event.report) as Report
}

function exposureOf({ chain, labels }: World, { ledger: state, labelSets }: Knowledge, ledger: MemoryLedger) {
  const address = addressOf(chain, 'wallet')
  if (state !== 'examined') return emptyExposure(state, { ledgerSeq: 7, policy, error: state })
  const remembered = new Map<string, Attribution>()
  const attributionOf = (one: string): Attribution => {
    const known = remembered.get(one)
    if (known !== undefined) return known
    const made = attribute(labels.get(one) ?? [], { chain, labelSets, generatedAt: GENERATED_AT, policy })
    remembered.set(one, made)
    return made
  }
  const own = ledger.transfersOf(address)
  const others = new Set(own.map(({ from, to }) => (from === address ? to : from)))
  const followed = [...others].filter((one) => one !== '' && !labels.has(one))
  const all = new Map(
    [...own, ...followed.flatMap((one) => ledger.transfersOf(one))].map((one) => [one.id, one]),
  )
  return measureExposure(
    {
      ...{ chain, address, ledgerSeq: 7, followed, cut: [], truncated: false, prices: null },
      transfers: [...all.values()],
      ranges: ledger.ranges(),
      netBaseUnits: chain === 'BTC' ? ledger.netOf(address) : null,
      unknownTokens: ledger.unknownTokensOf(address),
    },
    { attributionOf, generatedAt: GENERATED_AT, policy },
  )
}

/** A node knows the truth, whatever files lost. */
function nodeSays({ chain, moves }: World, { node }: Knowledge): ChainInputs {
  if (node === 'none') return { stage: '', facts: [] }
  const isWallet = (name: string): boolean => name === 'wallet'
  const valid = moves.filter(({ succeeded }) => succeeded)
  const net = (contract: string): bigint =>
    valid
      .filter(({ asset }) => asset.contract === contract)
      .reduce(
        (sum, { from, to, amount }) => sum + (isWallet(to) ? amount : isWallet(from) ? -amount : 0n),
        0n,
      )
  const sent = moves.filter(({ from }) => isWallet(from)).length
  const fact: ChainFact = {
    ...{
      chain,
      provider: 'own-node',
      request: 'state',
      height: String(LAST_BLOCK),
      blockHash: `0x${'9'.repeat(64)}`,
    },
    ...{ fetchedAt: '2026-11-21T08:59:00.000Z', balanceBaseUnits: String(net('') < 0n ? 0n : net('')) },
    ...{
      txCount: chain === 'ETH' ? sent : moves.length,
      txCountKind: chain === 'ETH' ? 'outgoing' : 'total',
    },
    ...{
      isContract: chain === 'ETH' ? false : null,
      tokens: [],
      responseSha256: 'b'.repeat(64),
      error: null,
    },
  }
  if (node === 'late' || node === 'failed') {
    const none = { balanceBaseUnits: null, txCount: null, txCountKind: null, isContract: null, height: null }
    return { stage: node, facts: [{ ...fact, ...none, blockHash: null, responseSha256: '', error: node }] }
  }
  return { stage: 'answered', facts: [node === 'honest' ? fact : { ...fact, ...node }] }
}
