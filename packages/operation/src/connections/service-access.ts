/**
 * The access of each service to the log: the topics that it reads and writes, and its groups. A start checks only these topics, and
 * `cupel install --print-acls` prints the rights for them. Topics are without the prefix of the installation.
 */
import { derivedTopicSpecs, screenTopic, topicOf, topicSpecs, type EventType } from '@cupel/contracts'
import { deadLetterGroups, deadLetterTopic, GENESIS_TOPIC } from '@cupel/event-log'

export interface LogAccess {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Prefix of the names of its groups; null for a service without groups. */
  readonly groups: string | null
}

export const logServices = [
  'api',
  'scorer',
  'bulk-coordinator',
  'webhook-dispatcher',
  'label-refresher',
  'projector',
] as const
export type LogService = (typeof logServices)[number]

/** What an installation may do without. Each gets a user in the database only if it is given one. */
export const optionalServices = ['ledger-follower'] as const
export type AnyService = LogService | (typeof optionalServices)[number]

const existing = new Set(topicSpecs.map(({ name }) => name))
/** The topics of the events, including their sandbox topics if these exist. */
const topicsOf = (...types: readonly EventType[]): string[] => [
  ...new Set(
    types.flatMap((type) => [topicOf(type), topicOf(type, false)]).filter((name) => existing.has(name)),
  ),
]
const screens = [screenTopic('interactive'), screenTopic('interactive', false)]
const bulkScreens = [screenTopic('bulk'), screenTopic('bulk', false)]
/** Each start compares the database with the claims of report numbers (docs/adr/0367). */
const atStart = [GENESIS_TOPIC, ...topicsOf('ReportEpochClaimed')]
const deadLetters = (service: string): string[] =>
  deadLetterGroups
    .filter((group) => group.startsWith(`${service}.`))
    .map((group) => deadLetterTopic(group).name)

/** The projector fills every read model and every derived topic, and its relay appends the events of the primary tables. */
const all = [...topicSpecs, ...derivedTopicSpecs].map(({ name }) => name)

export const serviceAccess: Readonly<Record<AnyService, LogAccess>> = {
  api: {
    reads: [
      GENESIS_TOPIC,
      ...topicsOf(
        'ReportGenerated',
        'BulkSubmitted',
        'LabelStateRecorded',
        'PolicyActivated',
        'LedgerSegmentImported',
        'ReportEpochClaimed',
        'SigningKeyPublished',
      ),
    ],
    writes: [
      ...screens,
      ...topicsOf('BulkSubmitted', 'ApiRequestAudited', 'ReportEpochClaimed'),
      // An operator puts a policy in force in the console.
      ...topicsOf('PolicyActivated'),
    ],
    groups: null,
  },
  scorer: {
    reads: [
      ...atStart,
      ...screens,
      ...bulkScreens,
      ...topicsOf('LabelsAsserted', 'PolicyActivated', 'LedgerSegmentImported', 'SigningKeyPublished'),
    ],
    writes: [...bulkScreens, ...topicsOf('ReportGenerated', 'LabelStateRecorded'), ...deadLetters('scorer')],
    groups: 'scorer.',
  },
  'bulk-coordinator': {
    // It splits changes of watched addresses from two reports and the events that they name.
    reads: [
      ...atStart,
      ...topicsOf('BulkSubmitted', 'ReportGenerated', 'LabelStateRecorded', 'PolicyActivated'),
      ...topicsOf('SigningKeyPublished'),
    ],
    // The screenings of watches have their own report numbers.
    writes: [
      ...bulkScreens,
      ...topicsOf('BulkCompleted', 'ReportEpochClaimed'),
      ...deadLetters('bulk-coordinator'),
    ],
    groups: 'bulk-coordinator.',
  },
  'webhook-dispatcher': {
    reads: [...atStart, ...topicsOf('BulkCompleted', 'ReportChanged', 'ReportGenerated')],
    writes: deadLetters('webhook-dispatcher'),
    groups: 'webhook-dispatcher.',
  },
  'label-refresher': {
    reads: [...atStart, ...topicsOf('LabelsAsserted')],
    writes: topicsOf('LabelsAsserted'),
    groups: null,
  },
  // Its events go through the outbox.
  'ledger-follower': { reads: atStart, writes: [], groups: null },
  projector: { reads: [GENESIS_TOPIC, ...all], writes: all, groups: 'projector.' },
}
