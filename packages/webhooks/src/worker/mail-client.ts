/**
 * Sends e-mail through the mail server that the operator named, which may be in a private network. TLS with a verified certificate is
 * required unless the operator allows otherwise. Each message has a connection of its own, and limits on time and on the text kept of an answer.
 */
import { createSlots } from '@cupel/kit/concurrency'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** Null if no sign-in is made. */
  readonly signIn: { readonly user: string; readonly password: string } | null
  /** Certificate authorities in PEM; undefined for those of Node. */
  readonly ca?: string | undefined
  /** Accept no TLS, and certificates that cannot be verified. */
  readonly isInsecure: boolean
}

export interface Mail {
  /** The same in each attempt, with its angle brackets. */
  readonly messageId: string
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

export type MailResult = { readonly durationMs: number } & (
  | {
      /** The mail server took the message, or refused it. */
      readonly kind: 'answered'
      /** Code of the reply, 200 to 599. */
      readonly code: number
      /** The beginning of its text, without control characters. It may have the address of the recipient. */
      readonly reply: string
      /** The reply concerns this recipient or message, and a repeat gets the same one. */
      readonly isFinal: boolean
    }
  | {
      readonly kind: 'failed'
      readonly error:
        | 'name_unresolved'
        | 'connect_failed'
        | 'tls_failed'
        | 'sign_in_refused'
        | 'timeout'
        | 'bad_reply'
        | 'connection_lost'
        | 'stopped'
    }
)

export interface SendOptions {
  /** Owners take turns at the connections. */
  readonly owner: string
  readonly signal?: AbortSignal | undefined
}

export interface MailClient {
  /** Sends the message once. Never rejects. If the connection is lost after the message, it is not known whether the server took it. */
  send(mail: Mail, options: SendOptions): Promise<MailResult>
  /** Connects and signs in. Null if that works, else why not, in one word as `error` of a result. */
  fault(): Promise<string | null>
}

const TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 10_000
/** Port on which a connection is TLS from its start (RFC 8314). */
const IMPLICIT_TLS_PORT = 465
/** Connections at once to the mail server. */
const MAX_CONNECTIONS = 8
const MAX_REPLY_CHARACTERS = 1_024
const REFUSED = 400
const PERMANENT = 500

export function createMailClient(
  server: MailServer,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): MailClient {
  const inSlot = createSlots(MAX_CONNECTIONS)
  return {
    async send(mail, { owner, signal }) {
      const startedMs = performance.now()
      const outcome = await inSlot(() => sendOne(server, mail, { timeoutMs, signal }), { owner })
      return { ...outcome, durationMs: Math.round(performance.now() - startedMs) }
    },
    async fault() {
      const transport = createTransport(optionsOf(server, timeoutMs))
      try {
        await transport.verify()
        return null
      } catch (error) {
        const outcome = outcomeOf(error)
        return outcome.kind === 'failed' ? outcome.error : `answered ${outcome.code}`
      } finally {
        transport.close()
      }
    },
  }
}

function optionsOf(
  { host, port, signIn, ca, isInsecure }: MailServer,
  timeoutMs: number,
): SMTPTransport.Options {
  const isImplicit = port === IMPLICIT_TLS_PORT
  return {
    ...{ host, port, secure: isImplicit, requireTLS: !isImplicit && !isInsecure },
    ...(signIn === null ? {} : { auth: { user: signIn.user, pass: signIn.password } }),
    tls: { rejectUnauthorized: !isInsecure, minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    greetingTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    socketTimeout: timeoutMs,
    // A message names no file and no URL that would be read.
    ...{ disableFileAccess: true, disableUrlAccess: true, logger: false },
  }
}

type Outcome = MailResult extends infer R ? (R extends unknown ? Omit<R, 'durationMs'> : never) : never

async function sendOne(
  server: MailServer,
  mail: Mail,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<Outcome> {
  const limit = AbortSignal.timeout(timeoutMs)
  const ended = signal === undefined ? limit : AbortSignal.any([limit, signal])
  if (ended.aborted) return { kind: 'failed', error: 'stopped' }
  const transport = createTransport(optionsOf(server, timeoutMs))
  const { from, to, messageId, subject, text, html, headers } = mail
  try {
    const { response } = await transport.sendMail({
      envelope: { from, to },
      from: { name: 'Cupel', address: from },
      to: { name: '', address: to },
      ...{ messageId, subject, text, html },
      headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
      // It ends the connection too: what is not awaited any more is not sent either.
      signal: ended,
    })
    return answered(response, false)
  } catch (error) {
    if ((error as MailError).code !== 'EABORT') return outcomeOf(error)
    return { kind: 'failed', error: signal?.aborted === true ? 'stopped' : 'timeout' }
  } finally {
    transport.close()
  }
}

interface MailError {
  readonly code?: string
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
  readonly syscall?: string
}

function outcomeOf(error: unknown): Outcome {
  const { code, command = '', response = '', responseCode, syscall } = error as MailError
  if (code === 'EAUTH') return { kind: 'failed', error: 'sign_in_refused' }
  if (code === 'ETLS') return { kind: 'failed', error: 'tls_failed' }
  if (responseCode !== undefined && responseCode >= REFUSED) {
    const isOfMessage = command === 'RCPT TO' || command === 'DATA' || code === 'EMESSAGE'
    return answered(response, isOfMessage && responseCode >= PERMANENT)
  }
  // An error with a reply of success, as a greeting that is none: nothing was sent.
  if (code === 'EPROTOCOL' || responseCode !== undefined) return { kind: 'failed', error: 'bad_reply' }
  // Only now, because the text of a reply may have these words.
  if (isOfCertificates(error)) return { kind: 'failed', error: 'tls_failed' }
  if (code === 'EDNS' || code === 'ENOTFOUND') return { kind: 'failed', error: 'name_unresolved' }
  if (code === 'ETIMEDOUT') return { kind: 'failed', error: 'timeout' }
  // A connection that ends in the midst of a message has the command of its beginning too.
  return { kind: 'failed', error: syscall === 'connect' ? 'connect_failed' : 'connection_lost' }
}

const isOfCertificates = (error: unknown): boolean =>
  /certificate|self.signed|altname|TLS|SSL/i.test(
    `${(error as NodeJS.ErrnoException).code ?? ''} ${(error as Error).message}`,
  )

function answered(response: string, isFinal: boolean): Outcome {
  const code = Number(/^[2-5]\d{2}/.exec(response)?.[0])
  if (Number.isNaN(code)) return { kind: 'failed', error: 'bad_reply' }
  const reply = response.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_REPLY_CHARACTERS)
  return { kind: 'answered', code, reply, isFinal }
}
