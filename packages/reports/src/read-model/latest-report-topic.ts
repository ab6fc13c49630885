/** The keys and records of the topic that holds the latest report of each account about each address. */
import { decidedEventId, topicOf, type DomainEvent } from '@cupel/contracts'
import { TYPE_HEADER, type EventCodec, type NewRecord } from '@cupel/event-log'
import type { LatestReport, ReportedAddress } from './latest-reports.js'

/** Account ids and chain codes contain no slash. The environment is in the name of the topic. */
export function latestReportKey({ accountId, chain, canonicalAddress }: ReportedAddress): string {
  return `${accountId}/${chain}/${canonicalAddress}`
}

/** Null if the key is not one of the topic's keys. */
export function addressOfKey(key: string, livemode: boolean): ReportedAddress | null {
  const [accountId = '', chain = '', ...rest] = key.split('/')
  const canonicalAddress = rest.join('/')
  if (accountId === '' || chain === '' || canonicalAddress === '') return null
  return { accountId, livemode, chain, canonicalAddress }
}

/** The same report always gives the same record. */
export function latestReportRecord(codec: EventCodec, report: LatestReport): NewRecord {
  const { endedAt: generatedAt, logPartition, logOffset, reportId, accountId, livemode, ...rest } = report
  const { chain, canonicalAddress, address, level, score, jobId } = rest
  const key = latestReportKey(report)
  const event: DomainEvent<'LatestReportRecorded'> = {
    type: 'LatestReportRecorded',
    data: {
      ...{
        accountId,
        livemode,
        chain,
        canonicalAddress,
        address,
        reportId,
        level,
        score,
        generatedAt,
        jobId,
      },
      ...{ reportPartition: logPartition, reportOffset: logOffset },
    },
    envelope: {
      id: decidedEventId('LatestReportRecorded', reportId),
      source: 'cupel/projector',
      time: generatedAt,
      subject: key,
      correlationId: reportId,
      causationId: decidedEventId('ReportGenerated', reportId),
    },
  }
  return codec.encode(event, { topic: topicOf('LatestReportRecorded', livemode), key })
}

const NO_VALUE = Buffer.alloc(0)

/**
 * The record that removes everything known about an address. It has no value, so compaction removes the key. The same erasure
 * always gives the same record.
 */
export function forgottenReportRecord(about: ReportedAddress, erasedAt: string): NewRecord {
  const key = latestReportKey(about)
  return {
    topic: topicOf('LatestReportRecorded', about.livemode),
    key,
    value: NO_VALUE,
    headers: {
      ce_id: decidedEventId('LatestReportRecorded', `erased ${about.livemode} ${key}`),
      [TYPE_HEADER]: 'LatestReportRecorded',
      ce_source: 'cupel/projector',
      ce_time: erasedAt,
      ce_subject: key,
      ce_specversion: '1.0',
    },
  }
}
