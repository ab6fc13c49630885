import { documentOf, objectOf, reportOf, type Download } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { NewShare, Report, Share } from '../generated/models.js'
import { listOf, timeText, type ListOptions, type Time } from './list-of.js'

export interface ReportListOptions extends ListOptions {
  readonly address?: string | undefined
  readonly chain?: string | undefined
  /** `green`, `orange`, `red` or `grey`. */
  readonly level?: string | undefined
  /** `open`, `escalated`, `cleared`, or `none` for reports without a case. */
  readonly disposition?: string | undefined
  /** Exactly the reference given with the screen. */
  readonly customerReference?: string | undefined
  /** Only reports at this time or later. */
  readonly from?: Time | undefined
  /** Only reports before this time. */
  readonly to?: Time | undefined
}

export interface ShareOptions extends CallOptions {
  /** 1 to 8,760. Default 168, a week. */
  readonly expiresInHours?: number | undefined
  /** For whom or what the link is made. Readers do not see it. */
  readonly label?: string | undefined
}

/** Stored reports. */
export class Reports {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The report, exactly as the screen returned it. While the screening still runs, the call is repeated until its deadline. */
  async get(reportId: string, options: CallOptions = {}): Promise<Report> {
    const call = { method: 'GET', path: path`/v1/reports/${reportId}`, repeat: 'safe', options } as const
    return reportOf(await this.#transport(call), { report_id: reportId })
  }

  /** Newest first. */
  list(options: ReportListOptions = {}): ItemList<Report> {
    const { address, chain, level, disposition, customerReference, from, to } = options
    return listOf(this.#transport, '/v1/reports', options, {
      address,
      chain,
      level,
      disposition,
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

  /** The report byte for byte, as its proof covers it: keep these bytes, not a parsed report. */
  async document(reportId: string, options: CallOptions = {}): Promise<Download> {
    const call = { method: 'GET', path: path`/v1/reports/${reportId}`, repeat: 'safe', options } as const
    return documentOf(await this.#transport(call), /^application\/json\b/i)
  }

  /**
   * The offline proof that the report is in the transparency log, for `verifyProof`, `cupel verify` or the verifier in Python. A report has its proof
   * within 10 seconds; until then the call is repeated.
   */
  async proof(reportId: string, options: CallOptions = {}): Promise<Download> {
    const at = path`/v1/reports/${reportId}/proof`
    const call = { method: 'GET', path: at, accept: 'text/plain', repeat: 'safe', options } as const
    return documentOf(await this.#transport(call), /^text\/plain\b/i)
  }

  /** Makes a link that opens this report without a key until it expires. Only this answer shows it. */
  async share(reportId: string, options: ShareOptions = {}): Promise<NewShare> {
    const body = { expires_in_hours: options.expiresInHours, label: options.label }
    const call = { method: 'POST', path: path`/v1/reports/${reportId}/share-links`, body } as const
    const answer = await this.#transport({ ...call, repeat: 'once', options })
    return objectOf(answer) as unknown as NewShare
  }

  /** The links to the report, without the tokens that open them. */
  shares(reportId: string, options: ListOptions = {}): ItemList<Share> {
    return listOf(this.#transport, path`/v1/reports/${reportId}/share-links`, options)
  }

  /** Ends the link. From now on it opens nothing. */
  async revokeShare(reportId: string, shareId: string, options: CallOptions = {}): Promise<void> {
    const at = path`/v1/reports/${reportId}/share-links/${shareId}`
    await this.#transport({ method: 'DELETE', path: at, repeat: 'safe', options })
  }
}
