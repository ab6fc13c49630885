/** The leaf of a report in the transparency log, for the header that names it. */
import { LEAF_HEADER, leafHeader, type Logger, type ReportLeaf } from '@cupel/contracts'
import { z } from 'zod'
import type { DescribedHeader } from '@cupel/gate/http'

/** The leaf of a report that the caller was found to own, with its text as the log has it; null if it has none yet. */
export type ReadReportLeaf = (report: {
  readonly reportId: string
  readonly document: string
}) => Promise<ReportLeaf | null>

/**
 * Like `read`, but also null if the leaf cannot be read or belongs to another report: the row of the leaf was altered then, because the
 * document comes from its record, or has a MAC that holds. The report is shown without a leaf.
 */
export function readKnownLeaf(read: ReadReportLeaf, logger: Logger): ReadReportLeaf {
  return async (report) => {
    try {
      return await read(report)
    } catch (error) {
      logger.warn({ err: error, report_id: report.reportId }, 'The leaf of a report could not be read')
      return null
    }
  }
}

export const LEAF_HEADERS: Readonly<Record<string, DescribedHeader>> = {
  'Cupel-Leaf': {
    description:
      'Where the transparency log has the report: name of the log, index of the leaf, and its RFC 6962 hash (a dictionary of RFC 9651). It never changes. Absent where the report has no leaf yet.',
    schema: z.string(),
    optional: true,
  },
}

export const leafHeaders = (leaf: ReportLeaf | null): Readonly<Record<string, string>> =>
  leaf === null ? {} : { [LEAF_HEADER]: leafHeader(leaf) }
