/** Reads the form of a POST, within its limits. Its headers are judged before, and its token afterwards. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import {
  createBodyBudget,
  strangerBudgetLimits,
  type BodyAccount,
  type BodyBudget,
} from '@cupel/kit/http-edge'
import type { Metrics } from '@cupel/contracts'
import type { Page } from './page.js'

/** The longest form without a file. */
export const MAX_FORM_BYTES = 65_536
/** A pasted or dropped file of a bulk job, with room. */
export const MAX_UPLOAD_BYTES = 2 * 1_048_576
/** Fields of a form; ours have fewer than 30. */
const MAX_FIELDS = 50

export type FormFault = 400 | 413 | 415 | 503
export type ReadForm =
  | { readonly ok: true; readonly form: FormData }
  | { readonly ok: false; readonly status: FormFault }

const URLENCODED = /^application\/x-www-form-urlencoded(?:\s*;|$)/i
const MULTIPART = /^multipart\/form-data(?:\s*;|$)/i

/** What visitors send before they are signed in, and what people with a session send. */
export interface FormBudgets {
  readonly strangers: BodyBudget
  readonly people: BodyBudget
}

const PEOPLE = {
  maxBytes: 16 * MAX_UPLOAD_BYTES,
  maxBytesPerClient: 4 * MAX_UPLOAD_BYTES,
  maxBodies: 256,
  maxBodiesPerClient: 16,
}

export function createFormBudgets(metrics: Metrics): FormBudgets {
  return {
    strangers: createBodyBudget(metrics, strangerBudgetLimits, 'web_stranger'),
    people: createBodyBudget(metrics, PEOPLE, 'web_form'),
  }
}

/** The fault that the headers of a form show; null where it is worth reading. */
export function formFaultOf({ headers }: IncomingMessage, page: Pick<Page, 'takesFile'>): FormFault | null {
  const contentType = headers['content-type'] ?? ''
  if (!URLENCODED.test(contentType) && !MULTIPART.test(contentType)) return 415
  return Number(headers['content-length'] ?? 0) > maxBytesOf(contentType, page) ? 413 : null
}

const maxBytesOf = (contentType: string, { takesFile }: Pick<Page, 'takesFile'>): number =>
  takesFile === true && MULTIPART.test(contentType) ? MAX_UPLOAD_BYTES : MAX_FORM_BYTES

/** Never rejects; a request that ends early becomes a 400 that nobody reads. `account`: null where there is no room for the form. */
export async function readForm(
  request: IncomingMessage,
  page: Pick<Page, 'takesFile'>,
  account: BodyAccount | null,
): Promise<ReadForm> {
  if (account === null) return { ok: false, status: 503 }
  const contentType = request.headers['content-type']!
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytesOf(contentType, page)) return { ok: false, status: 413 }
      if (!account.take(chunk.length)) return { ok: false, status: 503 }
      chunks.push(chunk)
    }
    const body = Buffer.concat(chunks)
    if (hasTooManyFields(body, contentType)) return { ok: false, status: 413 }
    return {
      ok: true,
      form: await new Response(body, { headers: { 'content-type': contentType } }).formData(),
    }
  } catch {
    return { ok: false, status: 400 }
  } finally {
    account.close()
  }
}

/** Counts what divides the fields, before a parser makes an object of each. */
function hasTooManyFields(body: Buffer, contentType: string): boolean {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const divider = MULTIPART.test(contentType) ? `--${quoted ?? plain ?? ''}` : '&'
  let at = -divider.length
  for (let count = 0; count <= MAX_FIELDS + 1; count += 1) {
    at = body.indexOf(divider, at + divider.length)
    if (at === -1) return false
  }
  return true
}

/** Drops the rest of a form that is not read: closing a connection with unread bytes could overtake the answer. */
export function dropForm(request: IncomingMessage): void {
  if (request.complete) return
  answeredEarly.add(request.socket)
  request.once('end', () => answeredEarly.delete(request.socket))
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_UPLOAD_BYTES) request.destroy()
  })
  request.on('error', () => undefined).resume()
}

/** Connections whose form was refused before it arrived. If it never arrives, they get no second answer. */
const answeredEarly = new WeakSet<Socket>()

export const isAnsweredEarly = (socket: Socket): boolean => answeredEarly.has(socket)

export const EMPTY_FORM: FormData = new FormData()
