/** Every text of a report document in English. Another language is another table of this type. */
import {
  type Category,
  type ExposureReason,
  type ListStatus,
  type ClusterStop,
  type ExposureGap,
  type NotExamined,
  type PartCategory,
  type UnusedReason,
} from '@cupel/domain'
import { bulkEn } from './bulk/bulk-strings.en.js'
import { chainFactsEn, historyReasonsEn, providerErrorsEn } from './chain-data.en.js'
import { count, grouped } from './counting.js'
import { flowEn } from './flow.en.js'
import { levelReasonsEn, remediesEn } from './level-reasons.en.js'
import { pointsEn } from './points.en.js'
import { authorityNames, originNames, sourceNames } from './source-names.en.js'

const standing = (level: string, score: string): string => (score === '' ? level : `${level} (${score})`)

export const en = {
  language: 'en',
  title: (reportId: string) => `Wallet risk report ${reportId}`,
  none: 'none',
  notKnown: 'not known',
  noPoints: '–',
  noPrice: 'no price',
  unknownShare: 'share not known',
  unexplained: (code: string) => `“${code}”: this edition of the document has no words for it.`,
  unnamed: 'a party without a name',
  /** What publishers of labels are called. */
  sourceNames,

  levels: { red: 'Red', orange: 'Orange', green: 'Green', grey: 'Not cleared' },
  levelMeanings: {
    red: 'High risk: the score is 70 or more under the default policy, or an authority designates the address.',
    orange: 'Somebody should look at the evidence before a decision.',
    green:
      'All value of the address is known, nearly all of it is from clean services, and nothing of it touches anybody illicit.',
    grey: 'The address is not cleared (level grey): too little is known, or something speaks against green. That does not show that it is clean.',
  },
  actions: {
    title: 'What to do now',
    levels: {
      red: 'Do not accept the transfer, and do not send on what has already come in. Open a case: a person decides what the law asks for.',
      orange: 'Hold the transfer until a person has read the evidence and decided.',
      green: 'Nothing in this report speaks against the transfer. Your own rules still apply.',
      grey: 'Do not take the address as safe. Do what “What is not known” proposes and screen it again, or let a person decide.',
    },
    again: 'Do not take the address as safe. Screen it again: a part of the answer was not ready in time.',
    other: 'Let a person decide: this edition of the document does not know the level.',
  },
  verdict: {
    headline: (level: string, score: string, because: string) => `${level}, ${score} of 100: ${because}`,
    level: (level: string, score: string) => `${level}, ${score} of 100`,
    onChain: (chain: string, level: string) => `${chain}: ${level}.`,
    withoutScore: (level: string, because: string) => `${level}: ${because}`,
    others: (number: number) => ` (and ${count(number, 'more decisive item', 'more decisive items')})`,
    greenBecause: 'nothing that counts was found, and enough is known to say so',
    belowOrange: 'what counts against it stays below orange, and enough is known to say so',
    greyBecause: 'too little is known to say green',
    againstGreen: 'something that is known speaks against green',
    chainDataMissing: 'no provider of chain data answered in time: screen again',
    stageMissing: 'the ledger did not answer in time: screen again',
    historyMissing: 'the history of the address is still being read: screen again',
    otherBecause: 'see the evidence',
  },
  cautions: {
    lowerBound: 'The score may be too low: something that it needs was missing, failed or was too old.',
    conflict: (clean: string, illicit: string, category: string) =>
      `Sources disagree: one names ${clean}, a clean service; another ${illicit} (${category}). A person decides.`,
    demo: 'Demo: the report rests on made-up labels and transfers. It says nothing about a real address.',
    sandbox: 'Sandbox: made-up data. This report says nothing about a real address.',
  },

  categories: {
    sanctions: 'Sanctions',
    darknet: 'Darknet',
    mixer: 'Mixer',
    scam: 'Scam',
    stolen: 'Stolen funds',
    clean_exchange: 'Clean exchange',
    issuance: 'Newly issued coins',
    service: 'Service without a label',
    unattributed: 'Not attributed',
    uncounted: 'Not counted',
  } satisfies Record<Category | PartCategory, string>,
  subcategories: {
    ransomware: 'ransomware',
    sextortion: 'sextortion',
    investment_fraud: 'investment fraud',
    phishing: 'phishing',
    address_poisoning: 'address poisoning',
    hack: 'hack',
    terrorist_financing: 'terrorist financing',
    csam: 'child sexual abuse material',
    coinjoin: 'CoinJoin',
  },
  authorities: authorityNames,
  /** Who first stated a fact: an authority or another. */
  origins: originNames,
  relations: {
    ownership: 'the address itself',
    cluster: 'an address that spent together with it',
    direct: 'direct',
    indirect: 'indirect',
  },
  directions: { in: 'received', out: 'sent', incoming: 'Came in', outgoing: 'Went out' },
  statuses: { live: 'live', ended: 'ended', historical: 'ended since, in force at the time' },

  findings: {
    listed: (authority: string, entity: string, designated: string | null) =>
      `listed by ${authority} as ${entity}${designated === null ? '' : `, designated ${designated}`}`,
    blocked: (category: string) => `blocked by your label (${category})`,
    allowed: 'allowed by your label',
    owned: (entity: string, category: string, source: string) =>
      `attributed to ${entity} (${category}) by ${source}`,
    clustered: (entity: string, category: string) =>
      `spent together with an address attributed to ${entity} (${category})`,
    received: (value: string, hops: string, party: string, category: string) =>
      `received ${value}${hops} from ${party} (${category})`,
    sent: (value: string, hops: string, party: string, category: string) =>
      `sent ${value}${hops} to ${party} (${category})`,
    moved: (value: string, hops: string, party: string, category: string) =>
      `moved ${value}${hops}, ${party} (${category})`,
    value: 'value',
    hops: (hops: number) => ` over ${count(hops, 'hop', 'hops')}`,
    parties: (number: number) => count(number, 'address', 'addresses'),
    preDesignation: ', before the designation',
    historical: ', while designated; the designation has ended since',
    limited: (limit: string) => `; points ${limit}`,
  },

  ownLabel: 'your label',

  points: pointsEn,
  levelReasons: levelReasonsEn,
  remedies: remediesEn,
  remedy: (sentence: string, remedy: string) => `${sentence} ${remedy}`,
  notExamined: {
    cross_chain: 'A bridge ends the path: value that continues on another chain is not followed.',
    internal_transfers: 'Transfers inside contracts were not examined.',
    tokens: 'Transfers of tokens were not examined.',
    swaps: 'A swap ends the path: value that continues in another asset is not followed.',
    beyond_hops: 'Value is not followed beyond the number of hops in the policy.',
    clusters: 'Other addresses of the same owner are not known.',
    token_accounts:
      'The owner of a token account is not known, unless it is the associated account of a labelled or the screened address.',
    amounts: 'The chain hides amounts.',
  } satisfies Record<NotExamined, string> as Readonly<Record<string, string>>,
  exposureReasons: {
    not_configured: 'No ledger was asked where money came from or went to.',
    no_transfers: 'The ledger has no transfer of this address, and is not known to be whole.',
    late: 'The search of the ledger was not ready in time and was left out.',
    failed: 'The search of the ledger failed and was left out.',
  } satisfies Record<ExposureGap, string> as Readonly<Record<string, string>>,
  clusterStops: {
    too_large: 'The cluster is too large, so labels of its other members do not count.',
    holds_service: 'A service is in the cluster, so labels of its other members do not count.',
    failed: 'The cluster could not be read.',
  } satisfies Record<ClusterStop, string> as Readonly<Record<string, string>>,
  evidenceReasons: {
    ended: 'The label has ended.',
    authority_ended: 'The authority’s own list no longer has it.',
    low_confidence: 'The confidence of the source is too low.',
    other_chain: 'The label is on another chain.',
    contract_here: 'There is a contract at this address here, so a label of another chain does not count.',
    same_origin: 'It repeats a label that counts.',
    unknown_category: 'The category is not known to this scorer.',
    own_allow:
      'An allow label of your own has no points and hides no other statement. It only says that the account knows whose value this is.',
    dust: 'The amount is dust: anyone can send it.',
    weak_source: 'The label of the other party is too weak.',
    own_service: 'The address is a clean service, and the transfers are its customers’.',
    unattributed: 'The value is attributed to nobody.',
  } satisfies Record<UnusedReason | ExposureReason, string> as Readonly<Record<string, string>>,
  labelsStatuses: {
    partial: 'Not every list that is needed is here, or whole.',
    stale: 'A required list is too old.',
    unavailable: 'No list was available.',
  } as Readonly<Record<string, string>>,
  chainDataStatuses: {
    partial: 'Some providers of chain data did not answer, or contradict one another.',
    unavailable:
      'No provider of chain data answered, or none is configured: balance and activity are not known.',
  } as Readonly<Record<string, string>>,
  listStatuses: {
    current: 'current',
    old: 'too old',
    incomplete: 'incomplete',
    conflict: 'in conflict with a newer state',
    superseded: 'superseded by a newer list',
    withdrawn: 'withdrawn',
    missing: 'never came',
  } satisfies Record<ListStatus, string>,

  unknown: {
    title: 'What is not known',
    intro: 'No report knows everything. These are the limits of this one.',
    missingList: (name: string) => `A list is expected and never came: ${name}.`,
    tokenBalance: (asset: string) => `the balance of ${asset}`,
    providerFault: (source: string, error: string) =>
      `The provider ${source} gave no usable answer: ${error}.`,
    disagreement: (fact: string, values: string) =>
      `Providers contradict one another about ${fact}: ${values}.`,
    truncated: 'The search of the ledger stopped at a limit.',
    historyPages: (pages: number, expected: number | null) =>
      `The history of the address is being read: ${expected === null ? `${count(pages, 'page', 'pages')} so far` : `${pages} of ${count(expected, 'page', 'pages')}`}.`,
    historyOthers: (number: number) => `${count(number, 'more history waits', 'more histories wait')}.`,
    historyRead: 'The history is read.',
    historyStopped: 'The reading has stopped. It goes on with the next screen of the address.',
    historyCounterparties: (number: number) =>
      `The ${number === 1 ? 'history' : 'histories'} of ${count(number, 'counterparty is', 'counterparties are')} being read.`,
    historyFailed: (reason: string, provider: string | null) =>
      `The history of the address or of a counterparty could not be read${provider === null ? '' : ` from ${provider}`}: ${reason}.`,
    priceless: 'Dollar values are not known: no table of prices was in force.',
    partialTotal: (direction: string, asset: string) =>
      `${direction}, ${asset}: the total may not cover the whole history, so no shares are given.`,
  },
  why: {
    title: 'Why',
    intro: 'The item of most points decides the score; points are never added together.',
    nothing: 'Nothing that is known about this address counts towards a risk.',
    inShort: 'Why, in short',
    short: (headline: string, points: string) => `${headline}: ${points}.`,
    others: (number: number) => `${count(number, 'further item counts', 'further items count')} less.`,
    notCountedTitle: 'Also known, not counted',
    omitted: (number: number) =>
      `${count(number, 'further item has', 'further items have')} fewer points and ${number === 1 ? 'is' : 'are'} not in the report.`,
    points: (points: string) => `${points} points`,
  },
  flow: flowEn,
  counterparties: {
    head: ['Counterparty', 'Address', 'Value', 'US dollars', 'Transfers'],
    named: (name: string, source: string) =>
      name === '' ? `named by ${source}` : `${name}, named by ${source}`,
    others: (number: number) => `${count(number, 'other', 'others')}`,
  },
  steps: {
    head: ['When', 'From', 'To', 'Value', 'Transaction'],
    execution: { proven: '', unknown: 'execution not proven' } as Readonly<Record<string, string>>,
    block: (block: string) => `block ${block}`,
  },
  facts: {
    title: 'State of the address',
    balance: 'Balance',
    token: (asset: string) => `Balance, ${asset}`,
    transactions: { total: 'Transactions', outgoing: 'Outgoing transactions' } as Readonly<
      Record<string, string>
    >,
    source: 'Chain data from',
    height: 'Block height',
    cluster: 'Cluster',
    clusterText: (size: number, id: string) => `${count(size, 'address', 'addresses')}, ${id}`,
    ledger: 'Ledger examined',
    ledgerText: (transfers: number, hops: number) =>
      `${count(transfers, 'transfer', 'transfers')} over ${count(hops, 'hop', 'hops')}`,
  },
  fields: {
    address: 'Address',
    chain: 'Chain',
    candidates: 'The address also fits',
    judgedChain: 'Judged there too',
    generatedAt: 'Generated',
    reference: 'Customer reference',
    relation: 'Relation',
    role: 'Role',
    source: 'Source',
    origin: 'First stated by',
    link: 'Link',
    confidence: 'Confidence',
    observedAt: 'Observed',
    status: 'Status',
    entity: 'Name',
    labelledAddress: 'Labelled address',
    chainOfLabel: 'Chain of the label or transfer',
    subcategory: 'Kind',
    list: 'List',
    programmes: 'Programmes',
    entityId: 'Number on the list',
    aliases: 'Also known as',
    designatedOn: 'Designated',
    value: 'Value',
    valueUsd: 'US dollars',
    share: 'Share of all value',
    transfers: 'Transfers',
    sources: 'Addresses',
    firstAt: 'First',
    lastAt: 'Last',
    preDesignation: 'Moved before the designation',
    yes: 'yes',
    no: 'no',
    clusterTransaction: 'Spent together in',
    points: 'How its points come about',
    lift: 'What lifts the limit',
  },
  chainFacts: chainFactsEn,
  providerErrors: providerErrorsEn,
  /** Why the reading of a history failed. */
  historyReasons: historyReasonsEn,

  provenance: {
    title: 'Provenance',
    history: 'Transfers of the address',
    historyWhole: (provider: string, height: number, kinds: string) =>
      `whole (${kinds}) by ${provider} at block ${grouped(height)}`,
    historyPart: (provider: string, height: number, gaps: string) =>
      `not whole by ${provider} at block ${grouped(height)}: ${gaps}`,
    listsTitle: 'Lists and their ages',
    listHead: ['List', 'Authority', 'Imported', 'Dated', 'Confirmed', 'Labels', 'Status'],
    whole: 'whole',
    part: 'part',
    noLists: 'no list',
    labelsAsOf: 'Earliest sanctions list',
    labelSources: 'Label sources in all',
    labelSnapshot: 'State of the labels',
    policy: 'Policy',
    policyText: (id: string, version: number) => `${id}, version ${version}`,
    scorer: 'Scorer',
    prices: 'Price table',
    reportId: 'Report',
    reportUrl: 'Address of this report',
    hash: 'SHA-256 of the report',
    noHash: 'none: the report holds text that is not Unicode',
    log: 'Transparency log',
    leafHash: 'Hash of the leaf',
    noLeaf:
      'No leaf of this report was known when this document was made. A report has its leaf within seconds while the service writes the log; a document made later names it.',
    environment: 'Environment',
    live: 'live',
    test: 'sandbox',
    howToCheck: [
      'The report itself is JSON. The hash is the SHA-256 of its RFC 8785 form: UTF-8, members sorted, no white space.',
      'The service returns the same report under its id for ever: GET /v1/reports/{report_id}.',
      'The proof, GET /v1/reports/{report_id}/proof, shows without the service that the report is in the transparency log. “cupel verify” checks it, and says the log, the leaf and its hash.',
      'An operator decides it again from the recorded inputs with “cupel audit recompute”, and shows with “cupel audit verify” that no record was changed, removed or added.',
    ],
  },
  comparison: {
    lessKnown:
      'The later report knows less: the ledger did not answer in time. Screen again before you compare.',
    level: 'Level',
    score: 'Score',
    transactions: 'Transactions',
    labels: 'Labels examined',
    chainData: 'Chain data examined',
    exposure: 'Ledger examined',
    absent: 'not there',
    points: (points: string) => `${points} points`,
    notCounted: 'not counted',
    list: (date: string, labels: string, status: string) => `dated ${date}, ${labels} labels, ${status}`,
    summary: {
      same: 'Nothing differs between the two reports.',
      level: (from: string, fromScore: string, to: string, toScore: string) =>
        `The level changed from ${standing(from, fromScore)} to ${standing(to, toScore)}.`,
      score: (level: string, from: string, to: string) =>
        `The level is ${level} in both; the score changed from ${from} to ${to}.`,
      sameVerdict: (level: string, score: string) =>
        score === ''
          ? `The level is the same: ${level}.`
          : `Level and score are the same: ${level}, ${score} of 100.`,
      evidence: (added: number, gone: number, changed: number) =>
        `Evidence: ${added} new, ${gone} gone, ${changed} changed.`,
      omitted:
        'A report leaves out evidence of few points, so an item that seems new or gone may be such a one.',
      lists: (number: number) => `${count(number, 'list differs', 'lists differ')}.`,
      policy: 'The reports were decided under different policies.',
      scorer: 'The reports were decided by different versions of the scorer.',
    },
  },
  bulk: bulkEn,
}

export type Strings = typeof en
