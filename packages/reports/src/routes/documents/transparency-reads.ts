/** The reads of the transparency log that the endpoints use. */
import { topicOf, type Logger, type RecordedLeaf } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import {
  findReportPlace,
  unreadReport,
  type FindRetirement,
  type ReportOwner,
} from '../../read-model/index.js'
import {
  readCheckpoint,
  readPublicTile,
  readReportLeaf,
  recordedLeafReader,
} from '@cupel/evidence/transparency'
import { readKnownLeaf } from './report-leaf.js'
import { proofReader } from './sealed-texts.js'

/** The leaf of a report that the caller was found to own, from its record. Null if the installation has no transparency log. */
export type ReadRecordedLeaf = (owner: ReportOwner, reportId: string) => Promise<RecordedLeaf | null>

export interface TransparencyReadParts {
  readonly database: Database
  readonly log: EventLog
  readonly codec: EventCodec
  readonly logger: Logger
  readonly personalData: PersonalData
  readonly findRetirement: FindRetirement | undefined
}

export function transparencyReads(parts: TransparencyReadParts) {
  const { database, log, logger, personalData } = parts
  const recordedLeafOf = recordedLeafReader(parts)
  const recordedLeaf: ReadRecordedLeaf = async ({ accountId, livemode }, reportId) => {
    const place = await findReportPlace(database, { accountId, livemode, reportId })
    if (place === null) throw new Error(`The report ${reportId} has no row`)
    try {
      return await recordedLeafOf({ topic: topicOf('ReportGenerated', livemode), ...place })
    } catch (cause) {
      throw await unreadReport(cause, { accountId, livemode, reportId }, parts.findRetirement)
    }
  }
  return {
    readProof: proofReader(database, personalData),
    readLeaf: readKnownLeaf((report) => readReportLeaf(database, report), logger),
    readRecordedLeaf: recordedLeaf,
    readCheckpoint: async () => readCheckpoint(database, await log.identity()),
    readTile: async (name: Parameters<typeof readPublicTile>[2]) =>
      readPublicTile(database, await log.identity(), name),
  }
}
