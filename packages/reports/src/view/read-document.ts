/** A report of the API in words, with its leaf in the transparency log where the answer names one. */
import { LEAF_HEADER, parseLeafHeader, type Report } from '@cupel/contracts'
import { reportDocument, type ReportDocument } from '../document/index.js'
import type { ApiClient } from '@cupel/console'

export interface ShownReport {
  readonly report: Report
  readonly document: ReportDocument
}

export async function readDocument(api: ApiClient, path: string): Promise<ShownReport> {
  const { body: report, headers } = await api.read<Report>(path)
  return { report, document: reportDocument(report, parseLeafHeader(headers[LEAF_HEADER])) }
}
