/** Transfers, labels and neighbourhoods for tests of exposure. */
import {
  attribute,
  compiledDefaultPolicy,
  compilePolicy,
  defaultPolicy,
  measureExposure,
  type CompiledPolicy,
  type ExposurePolicyDocument,
  type LabelFacts,
  type LabelSetFacts,
  type Neighbourhood,
  type Transfer,
} from '../src/index.js'
import { ADDRESS, GENERATED_AT, labelSet } from './judgement-builders.js'

export const ETHER = 10n ** 18n

/** The address with number n. */
export const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '1')}`

let made = 0

/** A proven transfer of ether to the screened address; each transfer is an hour after the previous one. */
export function transfer(changes: Partial<Transfer> = {}): Transfer {
  made += 1
  return {
    id: made.toString(16).padStart(32, '0'),
    txHash: `0x${made.toString(16).padStart(64, '0')}`,
    kind: 'native',
    contract: '',
    from: addressOf(1),
    to: ADDRESS,
    amount: ETHER,
    blockNumber: 1_000 + made,
    occurredAtS: 1_700_000_000 + made * 3_600,
    index: 0,
    position: null,
    proven: true,
    coinJoin: false,
    ...changes,
  }
}

export function neighbourhood(
  transfers: readonly Transfer[],
  changes: Partial<Neighbourhood> = {},
): Neighbourhood {
  return {
    chain: 'ETH',
    address: ADDRESS,
    ledgerSeq: 7,
    transfers,
    followed: [],
    cut: [],
    truncated: false,
    ranges: [],
    prices: null,
    netBaseUnits: null,
    ...changes,
  }
}

/** Declares the whole history since the start of the chain. */
export const wholeHistory: Neighbourhood['ranges'] = (['native', 'internal', 'token'] as const).map(
  (kind) => ({
    kind,
    fromHeight: 0,
    toHeight: 100_000_000,
    toAtS: Date.parse(GENERATED_AT) / 1_000,
  }),
)

export function policyWith(exposure: Partial<ExposurePolicyDocument>): CompiledPolicy {
  return compilePolicy({ ...defaultPolicy, exposure: { ...defaultPolicy.exposure, ...exposure } })
}

/** Measures a neighbourhood with the given labels by address. */
export function measured(
  around: Neighbourhood,
  labels: Readonly<Record<string, readonly LabelFacts[]>>,
  {
    policy = compiledDefaultPolicy,
    labelSets = [labelSet()],
  }: { policy?: CompiledPolicy; labelSets?: readonly LabelSetFacts[] } = {},
) {
  const context = { chain: around.chain, labelSets, generatedAt: GENERATED_AT, policy }
  return measureExposure(around, {
    attributionOf: (address) => attribute(labels[address] ?? [], context),
    generatedAt: GENERATED_AT,
    policy,
  })
}
