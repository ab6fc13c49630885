/** A page as data: its path, its access rule, and the function that answers. The frame does everything else. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ComponentChildren } from 'preact'
import type { ApiClient } from '../api/api-client.js'
import type { Session } from '../session/session-cookie.js'

export interface Page {
  readonly method: 'GET' | 'POST'
  /** OpenAPI form: `/reports/{report_id}`. */
  readonly path: `/${string}`
  /** `session`: a person who is not signed in is asked to sign in, and comes back. */
  readonly access: 'open' | 'session'
  /** Whether its form may hold a file; other forms are short. */
  readonly takesFile?: true
  /** Throws ApiProblem or ApiDown where it has no better answer; the frame shows a page for each. */
  handle(call: PageCall): Promise<PageAnswer> | PageAnswer
}

export interface PageCall {
  /** Parameters of the path, decoded. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The form of a POST, whose token and origin were checked; empty for a GET. */
  readonly form: FormData
  readonly headers: IncomingHttpHeaders
  /** Path and query of this call. */
  readonly target: string
  /** The person; null where nobody is signed in, which only open pages see. */
  readonly session: Session | null
  /** Calls the API with the person's session. */
  readonly api: ApiClient
  /** Calls the API with other credentials, or none. */
  readonly apiAs: (credentials: string | null) => ApiClient
  /** The hidden field of every form that is posted; see the component Form. */
  readonly csrf: () => string
  /** Whether the call came over TLS, which decides the names of cookies. */
  readonly isSecure: boolean
  /** Whether the console has a page at the path: it has only those of its features. */
  readonly hasPage: (path: Page['path']) => boolean
  /** Ends when the browser has gone. */
  readonly signal: AbortSignal
}

export interface ShownPage {
  readonly kind: 'page'
  readonly title: string
  readonly body: ComponentChildren
  readonly status: number
  /** The entry of the navigation that is marked; a path. */
  readonly section: string | null
  readonly headers: Readonly<Record<string, string>>
  /** Set-Cookie headers in addition to those of the frame. */
  readonly cookies?: readonly string[]
}

export interface Redirect {
  readonly kind: 'redirect'
  /** A path of the console, never an address. */
  readonly to: string
  /** Set-Cookie: the session that begins; null ends it; undefined leaves it. */
  readonly session?: Session | null
  readonly cookies?: readonly string[]
}

/** A redirect to an outside address, which comes from the settings of the installation and never from a visitor. */
export interface Departure {
  readonly kind: 'departure'
  readonly to: string
  readonly cookies: readonly string[]
}

/** An answer that is not a page: a file, or a stream that is passed on. */
export interface RawAnswer {
  readonly kind: 'raw'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | Readable | null
}

export type PageAnswer = ShownPage | Redirect | Departure | RawAnswer

/** What a feature shows on the first page; null if there is nothing to show. */
export type HomeCard = (call: PageCall) => Promise<ComponentChildren>

/** What a feature shows on the page of a report. */
export type ReportPanel = (call: PageCall, reportId: string) => Promise<ComponentChildren>

export function page(
  title: string,
  body: ComponentChildren,
  rest: Partial<Pick<ShownPage, 'status' | 'section' | 'headers' | 'cookies'>> = {},
): ShownPage {
  return { kind: 'page', title, body, status: 200, section: null, headers: {}, ...rest }
}

/** 303: the browser follows with a GET. */
export function redirect(to: string, session?: Session | null): Redirect {
  return { kind: 'redirect', to, ...(session === undefined ? {} : { session }) }
}

export function raw(
  body: RawAnswer['body'],
  headers: Readonly<Record<string, string>>,
  status = 200,
): RawAnswer {
  return { kind: 'raw', status, headers, body }
}

/** A text field of a form; empty where it is missing or a file. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
