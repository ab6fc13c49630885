/**
 * Works out what a view proves and what it shows to be missing, with simple reasons that share no code with the product. A proof is a
 * lower bound of the score; the product may know more.
 */
import type { LabelSetState } from '@cupel/contracts'
import type { LabelFacts, Transfer } from '../src/index.js'
import {
  addressNamed,
  assetOf,
  assetsOf,
  elsewhereOf,
  names,
  nameOf,
  netOf,
  type Name,
  type View,
} from './adversary-world.js'
import { GENERATED_AT } from './judgement-builders.js'

const HOUR_MS = 3_600_000
const NOW_MS = Date.parse(GENERATED_AT)

const isInForce = ({ publishedAt, total }: LabelSetState): boolean => publishedAt !== '' && total > 0
const dateOf = ({ asOf }: LabelSetState): string => (asOf ?? '').slice(0, 10)

/** The later publication of the two says so. */
const isSameList = (one: LabelSetState, other: LabelSetState): boolean =>
  saysSame(one, other) || saysSame(other, one)

const saysSame = (later: LabelSetState, { labelSetSeq, source, dataset }: LabelSetState): boolean =>
  later.labelSetSeq >= labelSetSeq && later.versionOf.some((name) => name === `${source}/${dataset}`)

/** Another whole list of the authority is newer than this one. */
const isHistory = (view: View, set: LabelSetState): boolean =>
  set.whole &&
  set.asOf !== null &&
  view.labelSets.some(
    (other) =>
      other.whole &&
      isInForce(other) &&
      other.authorityOrigin === set.authorityOrigin &&
      dateOf(other) > dateOf(set) &&
      isSameList(other, set),
  )

/** Whether the label is on a list of the authority that is in force. */
function isDesignation(view: View, label: LabelFacts): boolean {
  return (
    label.category === 'sanctions' &&
    view.labelSets.some(
      (set) =>
        set.source === label.source &&
        set.dataset === label.dataset &&
        set.authorityOrigin === label.origin &&
        isInForce(set) &&
        !isHistory(view, set),
    )
  )
}

const wholeLists = (view: View): readonly LabelSetState[] =>
  view.labelSets.filter((set) => set.authorityOrigin !== '' && set.whole && isInForce(set))

/** Parts per million; 0 for a label that a list in force has ended. */
function strengthOf(view: View, label: LabelFacts): number {
  if (isDesignation(view, label)) return 1_000_000
  const isEnded =
    label.category === 'sanctions' &&
    wholeLists(view).some(({ authorityOrigin }) => authorityOrigin === label.origin)
  return isEnded || label.confidencePpm < 300_000 ? 0 : label.confidencePpm
}

const weights: Readonly<Record<string, number>> = {
  sanctions: 1,
  darknet: 0.95,
  stolen: 0.95,
  scam: 0.9,
  mixer: 0.85,
}
/** The caps of direct exposure: in, out. */
const caps: Readonly<Record<string, readonly [number, number]>> = {
  sanctions: [90, 95],
  stolen: [85, 20],
  scam: [75, 15],
}
const SEVERE = 'ransomware'

/** The least number of points that the visible facts prove, with a tolerance of a hundredth for each rounding. */
export function provenScore(view: View): number {
  const elsewhere = elsewhereOf(view)
  return Math.max(provenOnChain(view), elsewhere === null ? 0 : provenOnChain(elsewhere))
}

function provenOnChain(view: View): number {
  const own = view.labels['a'] ?? []
  const byLabels = own.map((label) =>
    isDesignation(view, label)
      ? 100
      : (weights[label.category] ?? 0) * (strengthOf(view, label) / 10_000) - 0.02,
  )
  const byFunds =
    view.ledger !== 'examined' || isCleanService(view) ? [] : names.flatMap((name) => fundsProve(view, name))
  return Math.max(0, ...byLabels, ...byFunds)
}

const isCleanService = ({ labels: { a: own = [] } }: View): boolean =>
  own.length > 0 && own.every(({ category }) => category === 'clean_exchange')

/** What proven transfers between the address and a labelled one show, in any order. */
function fundsProve(view: View, name: Name): readonly number[] {
  const labels = name === 'a' ? [] : (view.labels[name] ?? [])
  return labels.flatMap((label) => {
    const strength = strengthOf(view, label)
    if (strength < 500_000 || caps[label.category] === undefined) return []
    return (['in', 'out'] as const).flatMap((direction) =>
      (['native', 'usd'] as const).map((group) =>
        directProof(view, { name, label, strength, direction, group }),
      ),
    )
  })
}

function directProof(
  view: View,
  given: {
    name: Name
    label: LabelFacts
    strength: number
    direction: 'in' | 'out'
    group: 'native' | 'usd'
  },
): number {
  const { name, label, strength, direction, group } = given
  const [a, other] = [addressNamed('a'), addressNamed(name)]
  const moved = view.transfers.filter(
    (one) =>
      one.proven &&
      one.from === (direction === 'in' ? other : a) &&
      one.to === (direction === 'in' ? a : other) &&
      assetOf(view.chain, one).group === group,
  )
  // A millionth of the dust is exact enough for a bound, and it measures every asset of the group alike.
  const inDust = (transfers: readonly Transfer[]): number =>
    transfers.reduce(
      (sum, one) => sum + Number((one.amount * 1_000_000n) / assetOf(view.chain, one).dust),
      0,
    ) / 1e6
  const after = moved.filter(
    ({ occurredAtS }) =>
      label.category !== 'sanctions' ||
      label.validFrom === null ||
      occurredAtS === null ||
      occurredAtS * 1_000 >= Date.parse(label.validFrom),
  )
  const whole = inDust(moved)
  if (after.length === 0 || (direction === 'in' && whole < 1)) return 0
  const size = Math.min(1, Math.max(0, Math.log10(inDust(after)) / 3))
  const isSevere = label.subcategory === SEVERE && direction === 'out' && whole >= 1
  const cap = isSevere
    ? Math.max(60, caps[label.category]![1])
    : caps[label.category]![direction === 'in' ? 0 : 1]
  const factor = label.category === 'sanctions' ? 1 : 0.6
  const points = cap * (strength / 1e6) * size * factor
  const weighted = Math.max(label.category === 'sanctions' ? 25 : 0, points) * weights[label.category]!
  // The minimum for payments to a severe source is in weighted points.
  return Math.max(isSevere ? 25 : 0, weighted - 0.05)
}

/** Signs in the known lists that something is missing. */
export function listSigns(view: View): readonly string[] {
  const signs: string[] = []
  const inForce = wholeLists(view).filter((set) => !isHistory(view, set))
  if (inForce.length === 0) signs.push('no whole list of sanctions')
  for (const set of view.labelSets) {
    if (set.visible !== set.total) signs.push(`${set.dataset} lacks labels`)
    if (set.rows.unreadable !== set.rows.accepted) signs.push(`${set.dataset} has rows that nobody read`)
    if (set.publishedAt === '') signs.push(`${set.dataset} never came`)
    const isRequired = set.refreshConfigured || set.authorityOrigin === 'us-ofac'
    if (!isRequired || isHistory(view, set) || !set.whole) continue
    // When a withdrawal on a stale base leaves labels visible, the counts show it.
    if (set.staleBase && isInForce(set)) signs.push(`${set.dataset} has a stale base`)
    const datedMs = Math.max(
      Date.parse(set.asOf ?? '1970-01-01'),
      Date.parse(set.confirmedAt ?? '1970-01-01'),
    )
    if (NOW_MS - datedMs > 48 * HOUR_MS && isInForce(set)) signs.push(`${set.dataset} is old`)
  }
  if (view.labelView !== 'current') signs.push('the labels lag')
  return signs
}

/** What is missing on another chain on which something knows the address: it must be green there too. */
export function signsElsewhere(view: View): readonly string[] {
  const elsewhere = elsewhereOf(view)
  if (elsewhere === null || isCleanService(elsewhere)) return []
  if (!elsewhere.transfers.some(({ from, to }) => [from, to].includes(addressNamed('a')))) return []
  return ledgerSigns(elsewhere).map((sign) => `${sign} on ${elsewhere.chain}`)
}

/** Signs in the ledger, and in the node's answers, that something is missing. */
export function ledgerSigns(view: View): readonly string[] {
  if (view.ledger !== 'examined') return ['no ledger']
  return [...rangeSigns(view), ...transferSigns(view), ...nodeSigns(view)]
}

function rangeSigns({ chain, ranges }: View): readonly string[] {
  const kinds = chain === 'BTC' ? ['native'] : ['native', 'internal', 'token']
  return kinds.flatMap((kind) => {
    const declared = ranges.filter((range) => range.kind === kind)
    if (declared.length === 0) return [`no range of ${kind}`]
    if (declared.some(({ toAtS }) => toAtS !== null && toAtS * 1_000 > NOW_MS))
      return [`${kind} ends in the future`]
    const known = (height: number): boolean =>
      declared.some(({ fromHeight, toHeight }) => fromHeight <= height && height <= toHeight)
    // Worlds are small, so every height of theirs can be tried.
    const heights = [1, 899, 999, ...Array.from({ length: 100 }, (_, index) => 1_000 + index)]
    if (!heights.every(known)) return [`${kind} has a gap`]
    const endMs = Math.max(...declared.map(({ toAtS }) => (toAtS ?? 0) * 1_000))
    // Another kind may date the end of this one if it ends no higher.
    const byOthers = Math.max(...ranges.map(({ toAtS }) => (toAtS ?? 0) * 1_000))
    return NOW_MS - Math.max(endMs, byOthers) > 24 * HOUR_MS ? [`${kind} ends early`] : []
  })
}

function transferSigns(view: View): readonly string[] {
  const signs: string[] = []
  if (view.truncated) signs.push('not everything was read')
  const own = view.transfers.filter(({ from, to }) => [from, to].includes(addressNamed('a')))
  if (own.length === 0) signs.push('no history')
  if (own.some(({ blockNumber, occurredAtS }) => blockNumber === null && occurredAtS === null))
    signs.push('an own transfer is without a place')
  if (own.some(({ proven }) => !proven)) signs.push('an own transfer may have failed')
  if (hasShortfall(view, addressNamed('a'))) signs.push('it sent what it never received')
  return signs
}

/** Sums need no order. If every block is known, no prefix of the history may be short either. */
function hasShortfall({ chain, transfers }: View, address: string): boolean {
  const own = transfers.filter(({ from, to }) => from === address || to === address)
  // A transaction may spend an output in the block that made it, at any position.
  const isOrdered =
    chain !== 'BTC' && own.every(({ blockNumber, index }) => blockNumber !== null && index !== null)
  const place = ({ blockNumber, index }: Transfer): number => (isOrdered ? blockNumber! * 1_000 + index! : 0)
  const held = new Map<string, bigint>()
  const ordered = [...own].sort(
    (x, y) => place(x) - place(y) || Number(y.to === address) - Number(x.to === address),
  )
  return ordered.some((one) => {
    const balance = (held.get(one.contract) ?? 0n) + (one.to === address ? one.amount : -one.amount)
    held.set(one.contract, balance)
    return balance < 0n
  })
}

function nodeSigns({ chain, chainInputs, transfers }: View): readonly string[] {
  if (chainInputs.stage === 'failed' || chainInputs.stage === 'late') return ['the node did not answer']
  const [fact] = chainInputs.facts
  if (fact === undefined) return []
  const address = addressNamed('a')
  const [balance, net] = [BigInt(fact.balanceBaseUnits!), netOf(transfers, address)]
  const isExplained = chain === 'BTC' ? balance === net : balance <= net
  const hasSent = transfers.some(({ from }) => from === address)
  const signs = isExplained ? [] : ['the balance is another']
  for (const { asset, amountBaseUnits } of fact.tokens) {
    const { contract } = assetsOf[chain].find(({ symbol }) => symbol === asset)!
    if (BigInt(amountBaseUnits) > netOf(transfers, address, contract))
      signs.push(`the balance of ${asset} is another`)
  }
  if (chain !== 'BTC' && fact.txCount! > 0 !== hasSent)
    signs.push('the count of sent transactions is another')
  return signs
}

/** Prints one line per fact, for a reader of a failed case. */
export function statedView(view: View): string {
  const who = (address: string): string => nameOf(address) ?? address
  return [
    `chain ${view.chain}, labels ${view.labelView}, ledger ${view.ledger}, node ${view.chainInputs.stage}, followed ${view.followed.join()}`,
    ...view.labelSets.map(
      ({ dataset, asOf, whole, visible, total, staleBase, publishedAt }) =>
        `list ${dataset} of ${asOf} ${whole ? 'whole' : 'part'} ${visible}/${total}${staleBase ? ' stale base' : ''}${publishedAt === '' ? ' never came' : ''}`,
    ),
    ...names.flatMap((name) =>
      (view.labels[name] ?? []).map(
        ({ category, subcategory, dataset, confidencePpm, validFrom }) =>
          `${name}: ${category} ${subcategory} by ${dataset} at ${confidencePpm}, since ${validFrom}`,
      ),
    ),
    ...view.transfers.map(
      (one) =>
        `${who(one.from)} → ${who(one.to)}: ${one.amount} ${assetOf(view.chain, one).symbol} ${one.kind}, block ${one.blockNumber} index ${one.index}, time ${one.occurredAtS}${one.proven ? '' : ', unproven'}`,
    ),
    ...view.ranges.map(
      ({ kind, fromHeight, toHeight, toAtS }) => `range ${kind} ${fromHeight}–${toHeight} until ${toAtS}`,
    ),
    ...view.chainInputs.facts.map(
      ({ balanceBaseUnits, txCount }) => `node: balance ${balanceBaseUnits}, ${txCount} transactions`,
    ),
    ...(view.cluster === null
      ? []
      : [`cluster: ${JSON.stringify(view.cluster.labels.map(({ label: one }) => one.category))}`]),
    ...(view.elsewhere === undefined ? [] : ['elsewhere:', statedView(view.elsewhere)]),
  ].join('\n')
}
