import { documentOf, pageOf, reportOf } from '../answers.js'
import { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { Download, Report } from '../types.js'
import { listQuery, type ListOptions } from './list-options.js'

export interface ReportListOptions extends ListOptions {
  readonly address?: string | undefined
  readonly chain?: string | undefined
  /** `green`, `orange`, `red` or `grey`. */
  readonly level?: string | undefined
}

/** Stored reports. */
export class Reports {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The report, as the screen answered it. While the screening still runs, the call is repeated until its deadline. */
  async get(reportId: string, options: CallOptions = {}): Promise<Report> {
    const call = { method: 'GET', path: path`/v1/reports/${reportId}`, repeat: 'safe', options } as const
    return reportOf(await this.#transport(call), { report_id: reportId })
  }

  /** Newest first. */
  list(options: ReportListOptions = {}): ItemList<Report> {
    const { address, chain, level } = options
    return new ItemList(async (pageToken) => {
      const query = { address, chain, level, ...listQuery(options, pageToken) }
      return pageOf(
        await this.#transport({ method: 'GET', path: '/v1/reports', query, repeat: 'safe', options }),
      )
    }, options.pageToken)
  }

  /** The report as a PDF document. */
  async pdf(reportId: string, options: CallOptions = {}): Promise<Download> {
    const answer = await this.#transport({
      method: 'GET',
      path: path`/v1/reports/${reportId}/pdf`,
      accept: 'application/pdf',
      repeat: 'safe',
      options,
    })
    return documentOf(answer, /^application\/pdf\b/i)
  }
}
