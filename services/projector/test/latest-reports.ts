/** Reports for tests of the topic of the latest ones, the expected records, and the records of the topic. */
import {
  LATEST_REPORTS_CHECK_GROUP,
  LATEST_REPORTS_ERASURES_GROUP,
  LATEST_REPORTS_GROUP,
  topicOf,
  type DomainEvent,
  type EventData,
} from '@cupel/contracts'
import { endsOf, type LogRecord, scan } from '@cupel/event-log'
import { testEvent, type TestInstallation } from '@cupel/testkit/installation'
import { listCheckpoints } from '@cupel/projections'

export interface MadeReport {
  readonly reportId: string
  readonly livemode: boolean
  readonly accountId: string
  readonly address: string
  readonly chain: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly generatedAt: string
  readonly score: number
}

type Latest = DomainEvent<'LatestReportRecorded'>

export function reportEvent(made: MadeReport): DomainEvent<'ReportGenerated'> {
  const { reportId, address, ...rest } = made
  const inputs = {
    ...{
      labelSetSeq: 0,
      labelView: '',
      labelStateSha256: '',
      labels: [],
      ownAddressLabels: [],
      cluster: null,
    },
    ...{ policyId: '', policyVersion: 0, policySha256: '', chainTableVersion: '', originTableVersion: '' },
    ...{
      assetTableVersion: '',
      scorerVersion: '',
      chainStage: '',
      chainFacts: [],
      historyReading: null,
      exposure: null,
      candidates: [],
    },
  }
  const data: EventData['ReportGenerated'] = {
    ...{ ...rest, reportId, inputs, report: '{}', address: address.toUpperCase(), canonicalAddress: address },
    ...{ candidateChains: [], customerReference: 'of a customer', level: 'red', levelReasons: [] },
    categories: { sanctions: 0, darknet: 0, mixer: 0, scam: 0, stolen: 0, cleanExchange: 0 },
    ...{ scoreIsLowerBound: false, reportUrl: '', jobId: null, jobIndex: null, reportSha256: '' },
    ...{ transfer: null, recommendation: null },
  }
  return testEvent('ReportGenerated', reportId, data)
}

/** Treats the keys of an account as `cupel accounts erase` does, and appends its event. */
export async function eraseAccount(
  { database, append }: TestInstallation,
  accountId: string,
  at: string,
): Promise<void> {
  await database.execute(
    `INSERT INTO personal_data.account_key (account_id, period, key_id, master_id, wrapped, destroyed_at)
     VALUES ($1, '', $1, '', NULL, $2)`,
    [accountId, at],
  )
  await append(erasureEvent(accountId, at, 'account'))
}

export function erasureEvent(
  accountId: string,
  erasedAt: string,
  scope: 'account' | 'reference',
): DomainEvent<'PersonalDataErased'> {
  return testEvent('PersonalDataErased', accountId, {
    ...{ scope, accountId, period: '', keyIds: [accountId], plainRecords: 0, erasedAt },
    ...{ erasedBy: 'operator', reason: 'asked for' },
  })
}

/** The expected end of the topic, computed without the product: among the first records of each report id, the latest by time and id. */
export function expectedLatest(appended: readonly MadeReport[]): ReadonlyMap<string, MadeReport> {
  const first = new Map<string, MadeReport>()
  for (const made of appended) if (!first.has(made.reportId)) first.set(made.reportId, made)
  const latest = new Map<string, MadeReport>()
  for (const made of first.values()) {
    const key = `${made.livemode} ${made.accountId}/${made.chain}/${made.address}`
    const known = latest.get(key)
    if (known === undefined || orderOf(known) < orderOf(made)) latest.set(key, made)
  }
  return latest
}

const orderOf = ({ generatedAt, reportId }: { generatedAt: string; reportId: string }): string =>
  `${generatedAt} ${reportId}`

/** Returns every record of the topic in each environment, in the order of each partition, also those of other producers. */
export async function latestRecords({ log, codec }: TestInstallation): Promise<LatestRecord[]> {
  const found: LatestRecord[] = []
  for (const livemode of [true, false]) {
    const topic = topicOf('LatestReportRecorded', livemode)
    for await (const record of scan(log.unchecked, [topic]))
      found.push({
        record,
        event: record.value.length === 0 ? null : codec.decodeAs('LatestReportRecorded', record),
      })
  }
  return found
}

export interface LatestRecord {
  readonly record: LogRecord
  /** Null if the record has no value. */
  readonly event: Latest | null
}

/** Returns the records that compaction would keep. */
export async function lastOfKeys(
  installation: TestInstallation,
): Promise<ReadonlyMap<string, Latest | null>> {
  const records = await latestRecords(installation)
  return new Map(
    records.map(({ record: { topic, key }, event }) => [`${!topic.startsWith('sandbox.')} ${key}`, event]),
  )
}

/** Whether the readers have read the whole log, also the topic of the latest reports. */
export async function isSettled({ database, log }: TestInstallation): Promise<boolean> {
  const next = new Map(
    (await listCheckpoints(database)).map((each) => [
      `${each.group} ${each.topic} ${each.partition}`,
      each.next,
    ]),
  )
  const both = [true, false]
  const groups = [
    [LATEST_REPORTS_ERASURES_GROUP, 'PersonalDataErased', [true]],
    [LATEST_REPORTS_GROUP, 'ReportGenerated', both],
    [LATEST_REPORTS_CHECK_GROUP, 'LatestReportRecorded', both],
  ] as const
  for (const [group, type, modes] of groups)
    for (const livemode of modes) {
      const topic = topicOf(type, livemode)
      for (const { partition, offset } of await endsOf(log, [topic]))
        if ((next.get(`${group} ${topic} ${partition}`) ?? 0) < offset) return false
    }
  return true
}
