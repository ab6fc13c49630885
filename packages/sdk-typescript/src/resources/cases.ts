import { documentOf, objectOf, type Download } from '../answers.js'
import type { ItemList } from '../item-list.js'
import { path } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'
import type { CaseAssignee, CaseSummary, ReportCase } from '../generated/models.js'
import { listOf, type ListOptions } from './list-of.js'

export interface CaseListOptions extends ListOptions {
  /** `open`, `escalated` or `cleared`. */
  readonly disposition?: string | undefined
  readonly level?: string | undefined
  /** `me`, `nobody`, or the id of a key. */
  readonly assignee?: string | undefined
  /** Only cases that are overdue. */
  readonly overdue?: true | undefined
}

export interface Assignment {
  /** The id of a key that `assignees` lists; null for nobody. */
  readonly assignee: string | null
  /** A person who signs in with that key. */
  readonly person?: string | undefined
  /** A day of UTC, such as `2026-12-31`; null for none. */
  readonly dueOn: string | null
  readonly reason?: string | undefined
  /** The `version` of the case that you have read. If the case has another version now, nothing is written. */
  readonly version: number
}

export interface AttachOptions extends NoteOptions {
  /** Without a path. */
  readonly name: string
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
    const { disposition, level, assignee, overdue } = options
    const filter = { disposition, level, assignee, overdue: overdue === true ? 'true' : undefined }
    return listOf(this.#transport, '/v1/cases', options, filter)
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

  /** Who can be assigned: keys that work and may change cases, and the persons in them. */
  assignees(options: CallOptions = {}): ItemList<CaseAssignee> {
    return listOf(this.#transport, '/v1/cases/assignees', options, {})
  }

  /** Says who works on the case, and until when. Not repeated if it may have been written. */
  assign(reportId: string, assignment: Assignment, options: CallOptions = {}): Promise<ReportCase> {
    const { assignee, person, dueOn, reason, version } = assignment
    const named = assignee === null ? null : { key_id: assignee, person }
    const body = { assignee: named, due_on: dueOn, reason, version }
    return this.#write(path`/v1/reports/${reportId}/case/assignment`, body, options)
  }

  /** Attaches a PDF, a PNG, a JPEG or a text in UTF-8, which nobody can change or remove. Not repeated if it may have been written. */
  attach(reportId: string, content: Uint8Array, options: AttachOptions): Promise<ReportCase> {
    const { name, version } = options
    const body = { name, content: base64Of(content), version }
    return this.#write(path`/v1/reports/${reportId}/case/files`, body, options)
  }

  /** The bytes of a file. `version`: that of its entry. */
  async file(reportId: string, version: number, options: CallOptions = {}): Promise<Download> {
    const at = path`/v1/reports/${reportId}/case/files/${String(version)}`
    const call = {
      method: 'GET',
      path: at,
      accept: 'application/octet-stream',
      repeat: 'safe',
      options,
    } as const
    return documentOf(await this.#transport(call), /^application\/octet-stream\b/i)
  }

  /** The case with every report of its subject as a PDF, to write a filing from. */
  async dossier(reportId: string, options: CallOptions = {}): Promise<Download> {
    const at = path`/v1/reports/${reportId}/case/dossier`
    const call = { method: 'GET', path: at, accept: 'application/pdf', repeat: 'safe', options } as const
    return documentOf(await this.#transport(call), /^application\/pdf\b/i)
  }

  async #write(at: string, body: object, options: CallOptions): Promise<ReportCase> {
    const answer = await this.#transport({ method: 'POST', path: at, body, repeat: 'once', options })
    return objectOf(answer) as unknown as ReportCase
  }
}

/** Bytes of one call of the function that makes characters of them. */
const SLICE = 32_768

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += SLICE)
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE))
  return btoa(text)
}
