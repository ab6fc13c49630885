/** Applies the facts of the log to the primary tables, and names the facts that only a newer database held. */
import {
  endEverySession,
  isKeyKnown,
  keyHolder,
  replayAccount,
  replayKeyChange,
  replayAccountChange,
  replayRevocation,
} from '@cupel/gate/access'
import { storeDecision, storeProposal } from '@cupel/gate/second-person'
import { primaryTables } from '@cupel/command-line/installation'
import {
  reportPartition,
  restoredEventTypes,
  topicOf,
  topicSpecs,
  type DomainEvent,
  type EventData,
  type RestoredEventType,
} from '@cupel/contracts'
import { isPriceTableKnown, isSegmentKnown, stateLedgerAgain } from '@cupel/ledger'
import { replayErasure } from '@cupel/personal-data'
import {
  type PartitionPosition,
  putCheckpoints,
  readModelGroup,
  type ReplayParts,
  type ReportFacts,
  unreadRange,
} from '@cupel/projections'
import { reportView } from '@cupel/reports/read-model'
import { endUnsettledDeliveries } from '@cupel/webhooks'
import { erasedAgain, forgetErased } from './erased-again.js'
import type { Notes } from './notes.js'
import { eachEventSince, type SinceBackup } from './since-backup.js'
import { RESTORE_GROUP } from '../../health/index.js'

export interface PrimaryParts extends SinceBackup {
  readonly notes: Notes
  /** The operator accepts that exposure may lack the lost segments of the ledger. */
  readonly acceptsMissingLedger: boolean
}

type ReplayedParts = PrimaryParts & ReplayParts

/** Handlers of the facts that a feature does not apply by itself. */
type OwnReplay = {
  readonly [T in Exclude<RestoredEventType, keyof FeatureReplay>]: (
    parts: PrimaryParts,
    data: EventData[T],
  ) => Promise<void>
}

type Together<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer All,
) => void
  ? All
  : never

type FeatureReplay = Together<Extract<(typeof primaryTables)[number], { replay: unknown }>['replay']>

const created = (count: number): string => `${count} accounts are created again, as the log tells of them.`
const reset = (count: number): string =>
  `${count} accounts have their later choice about providers again, as the log tells of it.`
const revoked = (count: number): string =>
  `${count} keys that were revoked after the backup are revoked again.`
const keyChanged = (count: number): string =>
  `${count} keys that were changed after the backup are changed again.`
const proposed = (count: number): string =>
  `${count} proposed changes and decisions on them are stored again, as the log tells of them.`
const unsettled = (count: number): string =>
  `${count} webhook deliveries end as exhausted: neither database nor log tells whether their receivers have them. Send them again with \`cupel webhooks redeliver\`.`
const signedOut = (count: number): string => `${count} sessions of the console end.`

const lostKey = (keyId: string): string =>
  `The key ${keyId} was issued after the backup, and no database holds it: issue another one.`
const closedKey = (keyId: string): string =>
  `The key ${keyId} got other addresses after the backup, which the log holds sealed only. It is revoked: issue another one.`

const LOST_SEGMENT = 'The ledger segment'

const ownReplay: OwnReplay = {
  async AccountCreated({ transaction, notes }, account) {
    if (await replayAccount(transaction, account)) notes.changed(created)
  },
  async AccountChanged({ transaction, notes }, change) {
    if (await replayAccountChange(transaction, change)) notes.changed(reset)
  },
  async ApiKeyIssued({ transaction, notes }, key) {
    const hasExpired = key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()
    if (!hasExpired && !(await isKeyKnown(transaction, key))) notes.lost(lostKey(key.keyId))
  },
  async ApiKeyChanged({ transaction, notes }, change) {
    const outcome = await replayKeyChange(transaction, change)
    if (outcome === 'changed') notes.changed(keyChanged)
    if (outcome === 'addresses-unknown') notes.lost(closedKey(change.keyId))
  },
  async ApiKeyRevoked({ transaction, notes }, revocation) {
    notes.notLost(lostKey(revocation.keyId))
    if (await replayRevocation(transaction, revocation)) notes.changed(revoked)
  },
  async ChangeProposed({ transaction, notes }, change) {
    if (await storeProposal(transaction, change)) notes.changed(proposed)
  },
  async ProposedChangeDecided({ transaction, notes }, decision) {
    if (await storeDecision(transaction, decision)) notes.changed(proposed)
  },
  async PersonalDataErased({ transaction, notes }, erasure) {
    if (await replayErasure(transaction, erasure)) notes.changed(erasedAgain)
  },
  async LedgerSegmentImported({ transaction, notes, acceptsMissingLedger }, segment) {
    if (await isSegmentKnown(transaction, segment)) return
    const { fileName, sha256, chain, ledgerSeq } = segment
    const sentence = `${LOST_SEGMENT} ${ledgerSeq} (${chain}, ${fileName}, sha256 ${sha256}) was imported after the backup, and its transfers are lost`
    if (acceptsMissingLedger) notes.lost(`${sentence}.`)
    else
      notes.refused(
        `${sentence}: reports would not show their exposure. Import the file again with \`cupel ledger import\`, or accept that with --accept-missing-ledger.`,
      )
  },
  async PriceTableImported({ transaction, notes }, table) {
    if (await isPriceTableKnown(transaction, table)) return
    notes.lost(
      `The price table ${table.fileName} (sha256 ${table.sha256}) was imported after the backup: import it again.`,
    )
  },
}

const replay = new Map<string, (parts: ReplayedParts, data: never) => Promise<void>>(
  [ownReplay, ...primaryTables.flatMap((tables) => ('replay' in tables ? [tables.replay] : []))].flatMap(
    (handlers) => Object.entries(handlers),
  ),
)

/** Compares every primary table with the log. The log is read once, after the position that the database has read. */
export async function replayPrimaryTables(parts: PrimaryParts): Promise<void> {
  const existing = new Set(topicSpecs.map(({ name }) => name))
  const topics = new Set(restoredEventTypes.flatMap((type) => [topicOf(type), topicOf(type, false)]))
  const positions: PartitionPosition[] = []
  const erasures: EventData['PersonalDataErased'][] = []
  const all: ReplayedParts = {
    ...parts,
    holderOf: (keyId) => keyHolder(parts.transaction, keyId),
    reportOf: (report) => reportOf(parts, report),
  }
  for (const topic of topics) {
    if (!existing.has(topic)) continue
    const apply = async (event: DomainEvent): Promise<void> => {
      await replay.get(event.type)?.(all, event.data as never)
      if (event.type === 'PersonalDataErased') erasures.push(event.data as EventData['PersonalDataErased'])
    }
    positions.push(...(await eachEventSince(parts, topic, new Set(restoredEventTypes), apply)))
  }
  if (parts.notes.losses().some((loss) => loss.startsWith(LOST_SEGMENT)))
    await stateLedgerAgain(parts.transaction, 'the loss of segments was accepted')
  // Other events restored data of these accounts and references.
  for (const erasure of erasures) await forgetErased(parts.transaction, erasure)
  const identity = await parts.log.identity()
  await putCheckpoints(parts.transaction, { group: RESTORE_GROUP, log: identity, positions })
}

/** Ends what an older database would do a second time, and what may have been ended meanwhile without a record in the log. */
export async function fenceThePast({
  transaction,
  notes,
}: Pick<PrimaryParts, 'transaction' | 'notes'>): Promise<void> {
  notes.changed(unsettled, await endUnsettledDeliveries(transaction))
  notes.changed(signedOut, await endEverySession(transaction))
}

/** The report from the read model, or from the log where the read model has not reached it. */
async function reportOf(
  { transaction, log, codec }: PrimaryParts,
  { reportId, livemode }: { readonly reportId: string; readonly livemode: boolean },
): Promise<ReportFacts | null> {
  const [row] = await transaction.query<ReportFacts>(
    `SELECT report_id AS "reportId", address, chain, level, score FROM ${reportView.schema}.report
     WHERE report_id = $1 AND state = 'generated'`,
    [reportId],
  )
  if (row !== undefined) return row
  const [topic, partition] = [topicOf('ReportGenerated', livemode), reportPartition(reportId)]
  const range = await unreadRange(transaction, log, { group: readModelGroup(reportView), topic, partition })
  if (range.from >= range.to) return null
  for await (const records of log.read(range))
    for (const record of records) {
      const found = record.key === reportId ? codec.decodeAs('ReportGenerated', record) : null
      if (found !== null) {
        const { address, chain, level, score } = found.data
        return { reportId, address, chain, level, score }
      }
    }
  return null
}
