/** An installation with decided screens: the real projector and scorer on the embedded log, and commands that work on it. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import {
  reportPartition,
  screenTopic,
  topicOf,
  type DomainEvent,
  type ReportGenerated,
} from '@cupel/contracts'
import {
  compiledDefaultPolicy,
  labelState,
  parseAddress,
  type LabelStateFacts,
  type SharedInputs,
} from '@cupel/domain'
import { withMac, type LogRecord, type NewRecord, type Position } from '@cupel/event-log'
import { openSharedInputs } from '@cupel/evidence/proofs'
import { ensureDefaultPolicy } from '@cupel/policy'
import { startProjector } from '@cupel/projector'
import { startScorer } from '@cupel/scorer'
import { loadConfig } from '@cupel/kit/service'
import { createSigningKeys, readSigningKeys, signRecords } from '@cupel/signing'
import { until } from '@cupel/testkit'
import { failLoudly, testEnvelope, testEvent, testRecordKeys } from '@cupel/testkit/installation'
import { expect } from 'vitest'
import { openCommandLine, type CommandLine } from './command-line.js'

const HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at'

export interface Decided extends CommandLine {
  /** Imports rows under the header of Cupel's CSV as one set. */
  importLabels(set: string, rows: readonly string[], ...options: readonly string[]): Promise<void>
  /** Requests a screen and resolves to its report once the log holds it. */
  screen(address: string, chain: string, livemode?: boolean): Promise<ReportGenerated>
  /** Writes other data into the first record of a report, as an attacker with the disk could. */
  tamper(reportId: string, change: (data: ReportGenerated) => ReportGenerated): Promise<void>
  /** Restarts the scorer, with the files of the home as they are. */
  restartScorer(): Promise<void>
  /** Writes another value or other headers into the record of a live report, with a valid MAC. */
  rewrite(
    reportId: string,
    change: (record: LogRecord) => Partial<Pick<LogRecord, 'value' | 'headers'>>,
  ): Promise<Position>
  /** Returns the events that a report names by hash. */
  shared(report: ReportGenerated): Promise<SharedInputs>
  /** Appends an invented state of the lists, and returns its name. */
  appendLabelState(state: LabelStateFacts): Promise<string>
  /** Appends the failure of a screening; its id may never have been requested. */
  appendFailure(reportId: string): Promise<void>
  /** Appends a report with a valid MAC, and with the signature from `sign`. */
  appendSigned(
    data: ReportGenerated,
    sign: (records: readonly NewRecord[]) => readonly NewRecord[],
  ): Promise<void>
  /** Appends a report once more, changed. */
  appendAgain(data: ReportGenerated): Promise<void>
}

/** `signs`: the home holds signing keys, so that every report is signed. */
export async function openDecided({
  signs = false,
  settings = {},
  ...given
}: {
  readonly signs?: boolean
  readonly settings?: Readonly<Record<string, string>>
} & Parameters<typeof openCommandLine>[1] = {}): Promise<Decided> {
  const base = await openCommandLine(settings, given)
  const { database, log, codec } = base
  const keyFile = join(base.folder, SIGNING_KEYS_FILE)
  if (signs) createSigningKeys(keyFile)
  const keys = signs ? readSigningKeys(keyFile) : null
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  await ensureDefaultPolicy({ ...base.deps, policy })
  const deps = { ...base.deps, database: base.connect() }
  const projector = await startProjector(deps)
  base.onClose(() => projector.stop())
  const score = () => startScorer({ ...deps, config: loadConfig(base.environment), fail: failLoudly })
  let scorer = await score()
  base.onClose(() => scorer.stop())

  const reports = async (livemode: boolean, reportId: string) => {
    const records = await base.records(topicOf('ReportGenerated', livemode), reportPartition(reportId))
    return records.flatMap((record) => {
      const event = record.key === reportId ? codec.decodeAs('ReportGenerated', record) : null
      return event === null ? [] : [{ offset: record.offset, event }]
    })
  }
  const recordOf = (event: DomainEvent<'ReportGenerated'>) =>
    codec.encode(event, {
      topic: topicOf('ReportGenerated', event.data.livemode),
      key: event.data.reportId,
      partition: reportPartition(event.data.reportId),
    })

  return {
    ...base,
    async importLabels(set, rows, ...options) {
      const file = await base.file(`${set}.csv`, [HEADER, ...rows, ''].join('\n'))
      const said = await base.cupel('labels', 'import', file, '--format', 'csv', '--set', set, ...options)
      expect(said.error).toBeNull()
    },
    async screen(address, chain, livemode = true) {
      const event = requestOf(address, chain, livemode)
      const { reportId } = event.data
      await log.append('test', [
        codec.encode(event, { topic: screenTopic('interactive', livemode), key: reportId }),
      ])
      return await until(async () => {
        const [first] = await reports(livemode, reportId)
        expect(first).toBeDefined()
        return first!.event.data
      })
    },
    async tamper(reportId, change) {
      for (const livemode of [true, false]) {
        const [first] = await reports(livemode, reportId)
        if (first === undefined) continue
        const changed = recordOf({ ...first.event, data: change(structuredClone(first.event.data)) })
        const { value, headers } = withMac(testRecordKeys, changed)
        await database.execute(
          `UPDATE log.record SET value = $1, headers = $5 WHERE record_offset = $2 AND partition_id =
             (SELECT id FROM log.topic_partition WHERE topic = $3 AND partition = $4)`,
          [
            value,
            first.offset,
            topicOf('ReportGenerated', livemode),
            reportPartition(reportId),
            JSON.stringify(headers),
          ],
        )
        return
      }
      throw new Error(`There is no report ${reportId}`)
    },
    async restartScorer() {
      await scorer.stop()
      scorer = await score()
    },
    async rewrite(reportId, change) {
      const topic = topicOf('ReportGenerated')
      const partition = reportPartition(reportId)
      const record = (await base.records(topic, partition)).find(({ key }) => key === reportId)!
      const { value, headers } = withMac(testRecordKeys, { ...record, ...change(record) })
      await database.execute(
        `UPDATE log.record SET value = $1, headers = $5 WHERE record_offset = $2 AND partition_id =
           (SELECT id FROM log.topic_partition WHERE topic = $3 AND partition = $4)`,
        [value, record.offset, topic, partition, JSON.stringify(headers)],
      )
      return { topic, partition, offset: record.offset }
    },
    shared: (report) => openSharedInputs({ log, codec }).of(report),
    async appendLabelState(facts) {
      const data = labelState(facts)
      const target = { topic: topicOf('LabelStateRecorded'), key: data.sha256 }
      await log.append('test', [codec.encode(testEvent('LabelStateRecorded', data.sha256, data), target)])
      return data.sha256
    },
    async appendFailure(reportId) {
      const event = testEvent('ScreeningFailed', reportId, {
        ...{ reportId, accountId: 'acc_test', livemode: true, code: 'screening_failed', detail: 'a test' },
        ...{ failedAt: new Date().toISOString(), isTransfer: false, jobId: null, jobIndex: null },
      })
      const partition = reportPartition(reportId)
      const topic = topicOf('ScreeningFailed')
      await log.append('test', [codec.encode(event, { topic, key: reportId, partition })])
    },
    async appendSigned(data, sign) {
      const records = sign([
        recordOf({ type: 'ReportGenerated', data, envelope: testEnvelope(data.reportId) }),
      ])
      await log.append('test', records)
    },
    async appendAgain(data) {
      const [first] = await reports(data.livemode, data.reportId)
      const envelope = first?.event.envelope ?? testEnvelope(data.reportId)
      const again = [recordOf({ type: 'ReportGenerated', data, envelope })]
      await log.append(
        'test',
        keys === null ? again : signRecords(again, { signer: keys.signer, log: await log.identity() }),
      )
    },
  }
}

function requestOf(address: string, chain: string, livemode: boolean): DomainEvent<'ScreenRequested'> {
  const reportId = randomBytes(8).toString('hex')
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) throw new Error(`${address} is not an address`)
  const now = new Date().toISOString()
  return testEvent('ScreenRequested', reportId, {
    reportId,
    accountId: 'acc_test',
    livemode,
    address,
    canonicalAddress: parsed.canonical,
    chain: parsed.chain,
    candidateChains: [],
    customerReference: null,
    lane: 'interactive',
    answerByAt: new Date(Date.now() + 60_000).toISOString(),
    stagesByAt: null,
    requestedAt: now,
    reportUrl: `https://example.org/reports/${reportId}`,
    jobId: null,
    jobIndex: null,
    transfer: null,
    call: null,
  })
}
