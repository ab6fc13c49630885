/** The changes that an adversary, a fault or an incomplete import makes to the truth. Each hiding leaves a view that knows less. */
import type { LabelSetState } from '@cupel/contracts'
import type { Transfer } from '../src/index.js'
import { failedFact } from './chain-fact-builders.js'
import { addressNamed, assetsOf, names, worldDays, type View } from './adversary-world.js'

type Choose = <T>(choices: readonly T[]) => T
type Hiding = (view: View, choose: Choose) => View

const places = Array.from({ length: 12 }, (_, index) => index)

/** Changes one transfer, selected by number; a world without transfers stays unchanged. */
function onTransfer(change: (transfer: Transfer) => Transfer | null): Hiding {
  return (view, choose) => {
    const at = choose(places) % Math.max(1, view.transfers.length)
    const transfers = view.transfers.flatMap((one, index) => (index === at ? (change(one) ?? []) : one))
    return { ...view, transfers }
  }
}

const onTransfers =
  (change: (transfer: Transfer) => Transfer): Hiding =>
  (view) => ({ ...view, transfers: view.transfers.map(change) })

const onRange =
  (
    change: (range: View['ranges'][number]) => View['ranges'][number] | readonly View['ranges'][number][],
  ): Hiding =>
  (view, choose) => {
    const at = choose([0, 1, 2]) % Math.max(1, view.ranges.length)
    return { ...view, ranges: view.ranges.flatMap((range, index) => (index === at ? change(range) : range)) }
  }

function onSet(change: (set: LabelSetState) => LabelSetState | null): Hiding {
  return (view, choose) => {
    const at = choose([0, 0, 1, 2, 3]) % Math.max(1, view.labelSets.length)
    return {
      ...view,
      labelSets: view.labelSets.flatMap((set, index) => (index === at ? (change(set) ?? []) : set)),
    }
  }
}

/** Hides the labels of one holder; `count` states how the set changes with them. */
function dropLabels(count: (set: LabelSetState, dropped: number) => LabelSetState): Hiding {
  return (view, choose) => {
    const name = choose(names)
    const dropped = view.labels[name] ?? []
    return {
      ...view,
      labels: { ...view.labels, [name]: [] },
      labelSets: view.labelSets.map((set) => {
        const own = dropped.filter(({ dataset }) => dataset === set.dataset).length
        return own === 0 ? set : count(set, own)
      }),
    }
  }
}

const DAY_S = 86_400

export const hidings: Readonly<Record<string, Hiding>> = {
  'drops a transfer': onTransfer(() => null),
  'drops a transfer into the address': (view, choose) => dropTowards(view, choose, 'to'),
  'drops a transfer out of the address': (view, choose) => dropTowards(view, choose, 'from'),
  'drops the time of a transfer': onTransfer((one) => ({ ...one, occurredAtS: null })),
  'drops the block of a transfer': onTransfer((one) => ({
    ...one,
    blockNumber: null,
    index: null,
    position: null,
  })),
  'drops block and time of a transfer': onTransfer((one) => ({
    ...one,
    blockNumber: null,
    index: null,
    position: null,
    occurredAtS: null,
  })),
  'drops the place in the block': onTransfers((one) => ({ ...one, index: null, position: null })),
  'drops every time': onTransfers((one) => ({ ...one, occurredAtS: null })),
  'drops every time of tokens': onTransfers((one) =>
    one.contract === '' ? one : { ...one, occurredAtS: null },
  ),
  'drops every block': onTransfers((one) => ({ ...one, blockNumber: null, index: null, position: null })),
  'drops the proof of execution': onTransfer((one) => ({ ...one, proven: false })),
  'reorders what was read': (view) => ({ ...view, transfers: [...view.transfers].reverse() }),
  'drops a range': onRange(() => []),
  'drops all ranges': (view) => ({ ...view, ranges: [] }),
  'leaves a gap in a range': onRange((range) => [
    { ...range, toHeight: 1_001, toAtS: null },
    { ...range, fromHeight: 1_003 },
  ]),
  'begins a range late': onRange((range) => ({ ...range, fromHeight: 900 })),
  'ends a range early': onRange((range) => ({ ...range, toAtS: range.toAtS! - 2 * DAY_S })),
  'ends a range in the future': onRange((range) => ({ ...range, toAtS: range.toAtS! + 3_650 * DAY_S })),
  'drops the end of a range': onRange((range) => ({ ...range, toAtS: null })),
  'reads only the newest transfers': (view) => ({
    ...view,
    truncated: true,
    transfers: view.transfers.slice(Math.floor(view.transfers.length / 2)),
  }),
  'drops the transfers of token contracts': (view) => ({
    ...view,
    transfers: view.transfers.filter(({ contract }) => contract === ''),
    ranges: view.ranges.filter(({ kind }) => kind !== 'token'),
  }),
  'drops the traces': (view) => ({
    ...view,
    transfers: view.transfers.filter(({ kind }) => kind !== 'internal'),
    ranges: view.ranges.filter(({ kind }) => kind !== 'internal'),
  }),
  'follows nobody': (view) => ({ ...view, followed: [] }),
  'drops the whole ledger': (view) => ({ ...view, transfers: [], ranges: [], followed: [] }),
  'empties the ledger under its ranges': (view) => ({ ...view, transfers: [] }),
  'has no ledger': (view) => ({ ...view, ledger: 'none' }),
  'delays the ledger': (view) => ({ ...view, ledger: 'late' }),
  'fails the ledger': (view) => ({ ...view, ledger: 'failed' }),
  'delays the node': (view) =>
    view.chainInputs.stage === ''
      ? view
      : { ...view, chainInputs: { stage: 'late', facts: [failedFact('late')] } },
  'fails the node': (view) =>
    view.chainInputs.stage === ''
      ? view
      : { ...view, chainInputs: { stage: 'failed', facts: [failedFact('refused')] } },
  'has no node': (view) => ({ ...view, chainInputs: { stage: '', facts: [] } }),
  'drops visible labels': dropLabels((set, dropped) => ({ ...set, visible: set.visible - dropped })),
  'drops labels and their count': dropLabels((set, dropped) => ({
    ...set,
    visible: set.visible - dropped,
    total: set.total - dropped,
  })),
  'drops a list': onSet(() => null),
  'withdraws a list': (view, choose) => {
    const set = choose(view.labelSets)
    if (set === undefined) return view
    const labels = Object.fromEntries(
      Object.entries(view.labels).map(([name, list]) => [
        name,
        list.filter(({ dataset }) => dataset !== set.dataset),
      ]),
    )
    const labelSets = view.labelSets.map((one) => (one === set ? { ...one, total: 0, visible: 0 } : one))
    return { ...view, labels, labelSets }
  },
  'never receives a list': onSet((set) => ({
    ...set,
    sha256: '',
    importId: '',
    publishedAt: '',
    asOf: null,
    confirmedAt: null,
    authorityOrigin: '',
    whole: false,
    refreshConfigured: true,
    total: 0,
    visible: 0,
  })),
  'ages a list': onSet((set) => ({ ...set, asOf: '2019-03-01', confirmedAt: null })),
  'drops the date of a list': onSet((set) => ({ ...set, asOf: null, confirmedAt: null })),
  'takes a list for a part': onSet((set) => ({ ...set, whole: false })),
  'publishes a list on a stale base': onSet((set) => ({ ...set, staleBase: true })),
  'splits the authority’s list': (view, choose) => {
    const name = choose(names)
    const moved = { source: 'ofac_sdn', dataset: 'another file' }
    const list = (view.labels[name] ?? []).map((one) =>
      one.source === 'ofac_sdn' ? { ...one, ...moved } : one,
    )
    const own = view.labelSets.find(({ source }) => source === 'ofac_sdn')
    if (own === undefined) return view
    const part = {
      ...own,
      ...moved,
      whole: choose([false, true]),
      refreshConfigured: false,
      total: 600,
      visible: 600,
    }
    return { ...view, labels: { ...view.labels, [name]: list }, labelSets: [...view.labelSets, part] }
  },
  'adds an old list of the authority': (view) => {
    const own = view.labelSets.find(({ source }) => source === 'ofac_sdn')
    if (own === undefined) return view
    const old = {
      ...own,
      dataset: 'ofac_2024',
      asOf: '2024-09-27',
      confirmedAt: null,
      refreshConfigured: false,
    }
    return { ...view, labelSets: [...view.labelSets, old] }
  },
  'drops all prices': (view) => ({ ...view, prices: null }),
  'drops the prices of a day': (view, choose) => withoutPrices(view, ` ${choose(worldDays)}`),
  'drops the prices of an asset': (view, choose) =>
    withoutPrices(view, `${choose(assetsOf[view.chain]).symbol} `),
  'drops every hash': onTransfers((one) => ({ ...one, txHash: '' })),
  'drops the hash of a transfer': onTransfer((one) => ({ ...one, txHash: '' })),
  'writes a hash without prefix': onTransfer((one) => ({ ...one, txHash: one.txHash.replace(/^0x/i, '') })),
  'writes a hash in upper case': onTransfer((one) => ({ ...one, txHash: one.txHash.toUpperCase() })),
  'gives two transfers one hash': (view, choose) => {
    const { txHash } = choose(view.transfers) ?? { txHash: '' }
    return onTransfer((one) => ({ ...one, txHash }))(view, choose)
  },
  'repeats a transfer under another spelling': (view, choose) => {
    const one = choose(view.transfers)
    if (one === undefined) return view
    const again = { ...one, id: one.id.replace(/^0/, 'f'), txHash: one.txHash.toUpperCase() }
    return { ...view, transfers: [...view.transfers, again] }
  },
  'lags behind the log': (view) => ({ ...view, labelView: 'lagging' }),
  'fails the cluster': (view) =>
    view.cluster === null ? view : { ...view, cluster: { ...view.cluster, stopped: 'failed', labels: [] } },
}

/** Removes the prices whose symbol and day contain the words. */
function withoutPrices(view: View, words: string): View {
  const prices = new Map([...(view.prices ?? [])].filter(([key]) => !key.includes(words)))
  return { ...view, prices: view.prices === null ? null : prices }
}

function dropTowards(view: View, choose: Choose, end: 'from' | 'to'): View {
  const own = view.transfers.filter((one) => one[end] === addressNamed('a'))
  if (own.length === 0) return view
  const dropped = own[choose(places) % own.length]
  return { ...view, transfers: view.transfers.filter((one) => one !== dropped) }
}
