import { documentOf, objectOf, type Download } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { CaseSummary, ReportCase } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface CaseListOptions extends ListOptions {
  /** `open`, `escalated` or `cleared`. */
  readonly disposition?: string | undefined
  readonly level?: string | undefined
}

export interface NoteOptions extends CallOptions {
  /** The `version` of the case that you have read. If the case has another version now, nothing is written. */
  readonly version?: number | undefined
}

export interface Disposition {
  readonly disposition: 'open' | 'escalated' | 'cleared'
  readonly reason: string
  /** The `version` of the case that you have read. If the case has another version now, nothing is written. */
  readonly version: number
}

/** Decisions of people about reports. The reports themselves never change. A case has the id of its report. */
export class Cases {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The most recently changed case first. A report on which nobody has worked has no case yet. */
  list(options: CaseListOptions = {}): ItemList<CaseSummary> {
    const { disposition, level } = options
    return listOf(this.#transport, '/v1/cases', options, { disposition, level })
  }

  /** The case of a report with its whole history; version 0 if nobody has worked on it. */
  async get(reportId: string, options: CallOptions = {}): Promise<ReportCase> {
    const call = { method: 'GET', path: path`/v1/reports/${reportId}/case`, repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as ReportCase
  }

  /**
   * The offline proof of the report and of everything that people wrote and decided about it, for `verifyProof`, `cupel verify` or the
   * verifier in Python. An entry has its proof within 10 seconds; until then the call is repeated.
   */
  async proof(reportId: string, options: CallOptions = {}): Promise<Download> {
    const at = path`/v1/reports/${reportId}/case/proof`
    const call = { method: 'GET', path: at, accept: 'text/plain', repeat: 'safe', options } as const
    return documentOf(await this.#transport(call), /^text\/plain\b/i)
  }

  /** Adds a note. The call is not repeated if the note may have been written. */
  addNote(reportId: string, text: string, options: NoteOptions = {}): Promise<ReportCase> {
    return this.#write(path`/v1/reports/${reportId}/notes`, { text, version: options.version }, options)
  }

  /** Decides about the report, or proposes the decision if a second person must confirm. Not repeated if it may have been written. */
  setDisposition(reportId: string, disposition: Disposition, options: CallOptions = {}): Promise<ReportCase> {
    return this.#write(path`/v1/reports/${reportId}/disposition`, disposition, options)
  }

  async #write(at: string, body: object, options: CallOptions): Promise<ReportCase> {
    const answer = await this.#transport({ method: 'POST', path: at, body, repeat: 'once', options })
    return objectOf(answer) as unknown as ReportCase
  }
}
