import { documentOf, reportOf } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { Download, Report } from '../types.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

export interface ReportListOptions extends ListOptions {
  readonly address?: string | undefined
  readonly chain?: string | undefined
  /** `green`, `orange`, `red` or `grey`. */
  readonly level?: string | undefined
  /** Exactly the reference that was given with the screen. */
  readonly customerReference?: string | undefined
  /** Only reports of this time or later. */
  readonly from?: Time | undefined
  /** Only reports before this time. */
  readonly to?: Time | undefined
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
    const { address, chain, level, customerReference, from, to } = options
    return listOf(this.#transport, '/v1/reports', options, {
      address,
      chain,
      level,
      customer_reference: customerReference,
      from: timeText(from),
      to: timeText(to),
    })
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
