/**
 * Puts a stored report into words, in the order of a reader's questions: verdict, what is not known, why, where the money went,
 * provenance. It decides nothing again: the same report gives the same document.
 */
import { categories, type Report, type RecordedLeaf } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '@cupel/domain'
import type { Bar, Field, ReportDocument, Table, Verdict } from './document.js'
import { codeField, evidenceView, findingText } from './findings.js'
import { flowRows } from './flow.js'
import { flowPicture } from './flow-picture.js'
import { lacksStage, limitsOf } from './limits.js'
import { limitText } from './points.js'
import { en, type Strings } from './strings.en.js'
import { transferView } from './transfer.js'
import { setText } from './set-name.js'
import { amountText, dateOr, dateText, nameOf, safeLink, visibleText, wordsOf } from './writing.js'

/** Maximum number of sentences in a summary. */
const MAX_SUMMARY_ITEMS = 5

/**
 * Every amount, date and name in the document is written for people; the report itself stays authoritative. `leaf`: null if the leaf
 * of the report is not known; the document then says so.
 */
export function reportDocument(
  report: Report,
  leaf: RecordedLeaf | null = null,
  strings: Strings = en,
): ReportDocument {
  return {
    language: strings.language,
    title: strings.title(report.report_id),
    reportId: report.report_id,
    chain: report.chain,
    reportUrl: report.report_url,
    generatedAt: report.generated_at,
    verdict: verdictOf(report, strings),
    transfer: transferView(report, strings),
    bars: categories.map((category) => barOf(category, report, strings)),
    unknown: {
      title: strings.unknown.title,
      intro: strings.unknown.intro,
      points: limitsOf(report, strings),
    },
    why: whyOf(report, strings),
    flow: {
      title: strings.flow.title,
      intro: flowIntro(report, strings),
      head: strings.flow.head,
      rows: flowRows(report, strings),
      picture: flowPicture(report, strings),
    },
    facts: { title: strings.facts.title, fields: factFields(report, strings) },
    provenance: {
      title: strings.provenance.title,
      listsTitle: strings.provenance.listsTitle,
      lists: listTable(report, strings),
      fields: [...provenanceFields(report, strings), ...leafFields(leaf, strings)],
      howToCheck: strings.provenance.howToCheck,
    },
  }
}

/** An empty picture is meaningful only if the ledger was examined. */
function flowIntro({ exposure, coverage }: Report, strings: Strings): string {
  const { flow, exposureReasons } = strings
  if (exposure.length > 0) return flow.intro
  const { status, reason } = coverage.exposure
  if (status !== 'unavailable') return flow.nothing
  return reason === null ? flow.unknown : wordsOf(exposureReasons, reason, strings)
}

/** The score as it is shown; empty where points would look like good news. */
export const scoreText = ({ level, score }: { readonly level: string; readonly score: number }): string =>
  level === 'grey' && score === 0 ? '' : String(score)

/** What the address is on the other chains that were judged, each with the reasons of its level. */
export const judgedChains = (
  { other_chains: others = [] }: Report,
  strings: Strings = en,
): readonly string[] =>
  others.map((one) => {
    const score = scoreText(one)
    const word = nameOf(strings.levels, one.level)
    const level = score === '' ? word : strings.verdict.level(word, score)
    const reasons = one.level_reasons.map((code) => wordsOf(strings.levelReasons, code, strings))
    return [strings.verdict.onChain(visibleText(one.chain), level), ...reasons].join(' ')
  })

/** The verdict by itself, for lists of reports. */
export function verdictOf(report: Report, strings: Strings = en): Verdict {
  const { level } = report.risk
  const levelWord = nameOf(strings.levels, level)
  const shownScore = scoreText(report.risk)
  const otherChains = (report.candidate_chains ?? []).filter((chain) => chain !== report.chain)
  return {
    level,
    levelWord,
    score: shownScore,
    headline:
      shownScore === ''
        ? strings.verdict.withoutScore(levelWord, becauseOf(report, strings))
        : strings.verdict.headline(levelWord, shownScore, becauseOf(report, strings)),
    meaning: Object.hasOwn(strings.levelMeanings, level)
      ? strings.levelMeanings[level as keyof Strings['levelMeanings']]
      : strings.unexplained(visibleText(level)),
    action: { label: strings.actions.title, value: actionOf(report, strings) },
    cautions: cautionsOf(report, strings),
    subject: [
      codeField(strings.fields.address, report.address),
      { label: strings.fields.chain, value: visibleText(report.chain) },
      ...(otherChains.length === 0
        ? []
        : [{ label: strings.fields.candidates, value: otherChains.map(visibleText).join(', ') }]),
      ...judgedChains(report, strings).map((value) => ({ label: strings.fields.judgedChain, value })),
      { label: strings.fields.generatedAt, value: dateText(report.generated_at) },
      ...(report.customer_reference === null
        ? []
        : [{ label: strings.fields.reference, value: visibleText(report.customer_reference) }]),
    ],
  }
}

/** Why the report has its level, without a capital letter and full stop. */
export function becauseOf({ risk, coverage }: Report, strings: Strings = en): string {
  const decisive = risk.evidence.filter((item) => item.decisive)
  const first = decisive[0]
  const { verdict } = strings
  if (risk.level === 'grey') return greyBecause(coverage, risk.level_reasons, strings)
  if (risk.level === 'green') return risk.score > 0 ? verdict.belowOrange : verdict.greenBecause
  if (first === undefined) return verdict.otherBecause
  const limit = first.capped_by === null ? '' : strings.findings.limited(limitText(first.capped_by, strings))
  return (
    findingText(first, strings) + limit + (decisive.length > 1 ? verdict.others(decisive.length - 1) : '')
  )
}

/** A level of a later version is never a reason to go on. */
function actionOf({ risk, coverage }: Report, { actions }: Strings): string {
  if (risk.level === 'grey' && missingStages(coverage).length > 0) return actions.again
  return Object.hasOwn(actions.levels, risk.level)
    ? actions.levels[risk.level as keyof Strings['actions']['levels']]
    : actions.other
}

const missingStages = ({ missing_stages: missing, exposure }: Report['coverage']): readonly string[] =>
  missing ?? (lacksStage(exposure.reason) ? ['exposure'] : [])

/** What is known forbids green by itself, however much more is known. */
const SPEAKS_AGAINST: ReadonlySet<string> = new Set([
  ...['conflict', 'illicit_value', 'illicit_dust', 'illicit_token', 'designated_contract', 'weak_origin'],
])

function greyBecause(coverage: Report['coverage'], reasons: readonly string[], { verdict }: Strings): string {
  // The transaction of a transfer says nothing of the address.
  const missing = missingStages(coverage).filter((one) => one !== 'transaction')
  const [stage] = missing
  if (stage === undefined)
    return reasons.some((code) => SPEAKS_AGAINST.has(code)) ? verdict.againstGreen : verdict.greyBecause
  if (stage === 'history') return verdict.historyMissing
  return stage === 'chain_data' && missing.length === 1 ? verdict.chainDataMissing : verdict.stageMissing
}

function cautionsOf({ livemode, demo = false, risk }: Report, strings: Strings): readonly string[] {
  const { cautions } = strings
  return [
    ...(livemode ? [] : [cautions.sandbox]),
    ...(demo ? [cautions.demo] : []),
    ...(risk.score_is_lower_bound && risk.score < 100 ? [cautions.lowerBound] : []),
    ...risk.conflicts.map(({ clean_entity, illicit_entity, category }) =>
      cautions.conflict(
        visibleText(clean_entity),
        visibleText(illicit_entity),
        nameOf(strings.categories, category).toLowerCase(),
      ),
    ),
  ]
}

function barOf(category: (typeof categories)[number], { risk }: Report, strings: Strings): Bar {
  const points = risk.categories[category]
  return {
    category,
    label: strings.categories[category],
    points,
    // No points are no good news for an address that is not cleared.
    text: risk.level === 'grey' && points === 0 ? strings.noPoints : String(points),
    isRisk: category !== 'clean_exchange',
  }
}

/** Decisive items first, then the others that count, each in the order of the report. */
function whyOf({ risk }: Report, strings: Strings): ReportDocument['why'] {
  const { why } = strings
  const counted = risk.evidence.filter((item) => item.used)
  const ordered = [...counted.filter((item) => item.decisive), ...counted.filter((item) => !item.decisive)]
  const viewOf = (item: (typeof risk.evidence)[number]) =>
    evidenceView(item, risk.evidence.indexOf(item), strings)
  const views = ordered.map(viewOf)
  const others = views.length - MAX_SUMMARY_ITEMS
  return {
    title: why.title,
    intro: risk.score === 0 ? why.nothing : why.intro,
    summaryTitle: why.inShort,
    summary: [
      ...views.slice(0, MAX_SUMMARY_ITEMS).map(({ headline, points }) => why.short(headline, points)),
      ...(others > 0 ? [why.others(others)] : []),
    ],
    counted: views,
    notCountedTitle: why.notCountedTitle,
    notCounted: risk.evidence.filter((item) => !item.used).map(viewOf),
    omitted: risk.evidence_omitted === 0 ? null : why.omitted(risk.evidence_omitted),
  }
}

function factFields(report: Report, strings: Strings): readonly Field[] {
  const { facts } = strings
  const { chain_data, exposure } = report.coverage
  return [
    {
      label: facts.balance,
      value: report.balance === null ? strings.notKnown : amountText(report.balance),
      isAmount: true,
    },
    ...report.balances.map(({ asset, amount }) => ({
      label: facts.token(visibleText(asset)),
      value: amountText(amount),
      isAmount: true,
    })),
    {
      label: nameOf(facts.transactions, report.tx_count_kind ?? 'total'),
      value: report.tx_count === null ? strings.notKnown : amountText(String(report.tx_count)),
    },
    {
      label: facts.source,
      value: chain_data.source === null ? strings.none : visibleText(chain_data.source),
    },
    ...(chain_data.height === null
      ? []
      : [{ label: facts.height, value: amountText(String(chain_data.height)) }]),
    {
      label: facts.ledger,
      value: facts.ledgerText(exposure.transfers_examined, exposure.hops_searched),
    },
    ...(report.cluster === null
      ? []
      : [
          {
            label: facts.cluster,
            value: facts.clusterText(report.cluster.size, visibleText(report.cluster.id)),
          },
        ]),
  ]
}

function listTable({ coverage }: Report, strings: Strings): Table {
  const { provenance } = strings
  const rows = coverage.labels.lists.map((list) => [
    setText(list, strings.sourceNames),
    list.authority === null ? '' : nameOf(strings.authorities, list.authority),
    list.whole ? provenance.whole : provenance.part,
    dateOr(list.list_date, strings.notKnown),
    dateOr(list.confirmed_at, strings.none),
    amountText(String(list.labels)),
    nameOf(strings.listStatuses, list.status),
  ])
  const noLists = [provenance.noLists, '', '', '', '', '', '']
  return { head: provenance.listHead, rows: rows.length === 0 ? [noLists] : rows }
}

function provenanceFields(report: Report, strings: Strings): readonly Field[] {
  const { provenance } = strings
  const { coverage, policy } = report
  const href = safeLink(report.report_url)
  const reportUrl = { label: provenance.reportUrl, value: visibleText(report.report_url) }
  return [
    codeField(provenance.reportId, report.report_id),
    href === undefined ? reportUrl : { ...reportUrl, href },
    codeField(provenance.hash, hashOf(report, strings)),
    { label: provenance.environment, value: report.livemode ? provenance.live : provenance.test },
    {
      label: provenance.policy,
      value: provenance.policyText(visibleText(policy.id), policy.version),
    },
    { label: provenance.scorer, value: visibleText(report.scorer_version) },
    { label: provenance.labelsAsOf, value: dateOr(coverage.labels.as_of, strings.notKnown) },
    { label: provenance.labelSources, value: String(coverage.labels.sources) },
    ...historiesOf(report, strings).map((value) => ({ label: provenance.history, value })),
    { label: provenance.labelSnapshot, value: visibleText(report.label_snapshot) },
    coverage.prices === null
      ? { label: provenance.prices, value: strings.none }
      : codeField(provenance.prices, coverage.prices.version),
  ]
}

/** Which providers the transfers of the address rest on, and up to which block. */
export const historiesOf = (
  { coverage }: Report,
  { provenance, ...strings }: Strings = en,
): readonly string[] =>
  (coverage.exposure.histories ?? []).map(({ provider, height, kinds, incomplete }) =>
    incomplete.length === 0
      ? provenance.historyWhole(nameOf(strings.sourceNames, provider), height, visibleText(kinds.join(', ')))
      : provenance.historyPart(
          nameOf(strings.sourceNames, provider),
          height,
          visibleText(incomplete.map((gap) => nameOf(strings.historyReasons, gap)).join(', ')),
        ),
  )

/** A reader of the printed document compares them with the output of a verifier. The proof says where in the log the leaf is. */
function leafFields(leaf: RecordedLeaf | null, { provenance }: Strings): readonly Field[] {
  if (leaf === null) return [{ label: provenance.log, value: provenance.noLeaf }]
  return [codeField(provenance.log, leaf.log), codeField(provenance.leafHash, leaf.hash)]
}

/** Text with half of a character has no RFC 8785 form, so the report has no hash; everything else of it can be read. */
function hashOf(report: Report, { provenance }: Strings): string {
  try {
    return sha256Hex(canonicalJson(report))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return provenance.noHash
  }
}
