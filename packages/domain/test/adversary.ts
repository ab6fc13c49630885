/**
 * The adversary takes a world whose truth it knows, hides part of it, and has the product judge the rest. Whatever is hidden, the
 * level never falls below the level that the visible facts prove. It is never green if something shows that a part is missing, whether
 * or not the whole truth forbids green. Hidings that leave no sign at all are counted.
 */
import { createHash } from 'node:crypto'
import type { Report } from '@cupel/contracts'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  attribute,
  compiledDefaultPolicy,
  decideScreening,
  emptyExposure,
  knownCandidates,
  measureExposure,
  parseAddress,
  withCluster,
  type Attribution,
  type ChainFindings,
  type PriceTable,
} from '../src/index.js'
import { hidings } from './adversary-hidings.js'
import { cleanWorld } from './adversary-moves.js'
import { ledgerSigns, listSigns, provenScore, signsElsewhere, statedView } from './adversary-proofs.js'
import { readOf } from './adversary-reader.js'
import {
  addressNamed,
  drawnWorld,
  elsewhereOf,
  nameOf,
  netOf,
  worldDraws,
  type View,
} from './adversary-world.js'
import { chooser } from './chooser.js'
import { neighbourhood } from './exposure-builders.js'
import { GENERATED_AT, PUBLISHED_AT } from './judgement-builders.js'

const policy = compiledDefaultPolicy
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The product's report on a view: the product measures, then decides. */
export function judgedView(view: View): Report {
  const elsewhere = elsewhereOf(view)
  const { labels, chainInputs, exposure, cluster } = findingsOf(view)
  const decision = decideScreening(
    {
      request: {
        reportId: '0'.repeat(16),
        accountId: 'adversary',
        livemode: true,
        address: addressNamed('a'),
        canonicalAddress: addressNamed('a'),
        chain: view.chain,
        candidateChains: elsewhere === null ? [] : [view.chain, elsewhere.chain],
        customerReference: null,
        reportUrl: '',
        jobId: null,
        jobIndex: null,
      },
      snapshot: {
        labelSetSeq: 1,
        labelView: view.labelView,
        labelsAsOf: PUBLISHED_AT,
        labelSets: view.labelSets,
        labels,
      },
      ...{ chainInputs, exposure, cluster },
      candidates: elsewhere === null ? [] : knownCandidates(labels, [findingsOf(elsewhere)]),
      policy,
      generatedAt: GENERATED_AT,
    },
    sha256,
  )
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return JSON.parse(decision.event.report) as Report
}

/** What is known of the screened address on the chain of the view. */
const findingsOf = (view: View) =>
  ({
    ...{ chain: view.chain, canonicalAddress: addressNamed('a'), labels: view.labels['a'] ?? [] },
    ...{ chainInputs: view.chainInputs, exposure: exposureOf(view), cluster: view.cluster },
  }) satisfies ChainFindings

function exposureOf(view: View) {
  if (view.ledger === 'none') return null
  if (view.ledger !== 'examined')
    return emptyExposure(view.ledger, { ledgerSeq: 7, policy, error: view.ledger })
  const known = new Map<string, Attribution>()
  const attributionOf = (address: string): Attribution => {
    const attribution = known.get(address) ?? attributed(view, address)
    known.set(address, attribution)
    return attribution
  }
  const read = readOf(view)
  const around = neighbourhood(read.transfers, {
    ...read,
    chain: view.chain,
    address: addressNamed('a'),
    ranges: view.ranges,
    prices: pricesOf(view),
    netBaseUnits: view.chain === 'BTC' ? netOf(view.transfers, addressNamed('a')) : null,
    unknownTokens: view.unknownTokens ?? [],
  })
  return measureExposure(around, { attributionOf, generatedAt: GENERATED_AT, policy })
}

const pricesOf = ({ prices }: View): PriceTable | null =>
  prices === null
    ? null
    : { sha256: 'e'.repeat(64), microUsdOf: (symbol, day) => prices.get(`${symbol} ${day}`) ?? null }

/** Labels are found by the key of an address, as the label view finds them. */
function attributed({ chain, labels, labelSets, mates = {} }: View, address: string): Attribution {
  const context = { chain, labelSets, generatedAt: GENERATED_AT, policy }
  const name = nameOf(address)
  const key = keyOf(address, chain)
  const found = Object.values(labels)
    .flat()
    .filter((label) => keyOf(label.address, label.chain) === key)
  const members = (mates[name] ?? []).map((one) => attribute(one, context))
  return withCluster(attribute(found, context), members, policy)
}

const keys = new Map<string, string>()

/** Addresses of a world that are none of its chain have themselves as their key. */
function keyOf(address: string, chain: string): string {
  const written = `${chain} ${address}`
  const known = keys.get(written)
  if (known !== undefined) return known
  const parsed = parseAddress(address, chain)
  const key = parsed.ok ? parsed.lookupKey : address
  keys.set(written, key)
  return key
}

/** Everything in the risk except dollars, and all dollar values in order. */
function pricedRisk({ risk }: Report) {
  const dollars: unknown[] = []
  const numbers = JSON.stringify(risk, (key, value: unknown) => {
    if (key !== 'value_usd') return value
    dollars.push(value)
    return undefined
  })
  return { numbers, dollars }
}

/** Prices decide nothing. If a price is missing, a value in dollars is unknown, never smaller. */
function expectUnmovedByPrices(view: View, prices: View['prices'], report: Report): void {
  const [left, whole] = [pricedRisk(report), pricedRisk(judgedView({ ...view, prices }))]
  expect(left.numbers).toBe(whole.numbers)
  expect(left.dollars.length).toBe(whole.dollars.length)
  left.dollars.forEach((dollars, index) => {
    if (dollars !== null) expect(dollars).toBe(whole.dollars[index])
  })
}

const ranks = ['green', 'grey', 'orange', 'red']

/**
 * Fails if the product breaks one of the two promises; `hidden` names the changes to the truth. Green by a clean attribution
 * rests only on labels, so gaps in the ledger are not a sign against it.
 */
export function expectHonest(view: View, hidden: readonly string[]): Report {
  const report = judgedView(view)
  const { level, score, categories } = report.risk
  const proven = provenScore(view)
  const least = proven >= 70 ? 'red' : proven >= 25 ? 'orange' : 'green'
  const said = (): string =>
    `hidden: ${hidden.join('; ') || 'nothing'}\n${statedView(view)}\n${JSON.stringify(report.risk)}`
  if (score < proven) expect.fail(`score ${score}, but the visible facts prove ${proven}\n${said()}`)
  if (ranks.indexOf(level) < ranks.indexOf(least)) expect.fail(`${level}, but ${least} is proven\n${said()}`)
  if (level !== 'green') return report
  const isByLabels = categories.clean_exchange >= 80
  const signs = [...listSigns(view), ...(isByLabels ? [] : ledgerSigns(view)), ...signsElsewhere(view)]
  if (signs.length > 0) expect.fail(`green, although ${signs.join(', ')}\n${said()}`)
  return report
}

export interface Attack {
  readonly property: fc.IProperty<[[number[], number, number], number[]]>
  /** Counts of worlds by level of the truth, by level of the remaining view, and by hiding. */
  readonly seen: Map<string, number>
}

const number = fc.noBias(fc.nat(2 ** 31 - 1))

/** Hides up to three things at once, selected among the given names. */
export function attack(hidingNames: readonly string[] = Object.keys(hidings)): Attack {
  const seen = new Map<string, number>()
  const count = (word: string): void => void seen.set(word, (seen.get(word) ?? 0) + 1)
  const property = fc.property(
    worldDraws,
    fc.array(number, { maxLength: 3 }),
    ([moves, labels, rest], draws) => {
      // Few drawn worlds are green, and what is hidden shows most where all else is.
      const truth = labels % 4 === 0 ? cleanWorld(rest) : drawnWorld(moves, labels, rest)
      const hidden: string[] = []
      const view = draws.reduce((left: View, drawn) => {
        const choose = chooser(drawn)
        const name = choose(hidingNames)
        hidden.push(name)
        return hidings[name]!(left, choose)
      }, truth)
      const report = expectHonest(view, hidden)
      if (hidden.some((name) => name.includes('price'))) expectUnmovedByPrices(view, truth.prices, report)
      hidden.forEach(count)
      const isHidden = hidden.length > 0 && report.risk.level === 'green'
      if (isHidden && judgedView(truth).risk.level !== 'green') count('green for want of any sign')
      count(hidden.length === 0 ? `truth is ${report.risk.level}` : `left is ${report.risk.level}`)
    },
  )
  return { property, seen }
}
