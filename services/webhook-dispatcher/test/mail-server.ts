/** A mail server that a test steers: STARTTLS, sign-in, replies of its choice, silence and lost connections. It keeps the messages that it took. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface TakenMail {
  readonly from: string
  readonly to: readonly string[]
  /** With its lines as sent. */
  readonly raw: string
  readonly isSecure: boolean
  readonly user: string | undefined
}

/** What a step of the server does: nothing special, a reply with this code, silence, or the end of the connection. */
export type Step = 'take' | 'hang' | 'drop' | number

export interface MailServer {
  readonly port: number
  readonly caFile: string
  readonly taken: TakenMail[]
  /** Envelopes that were begun. */
  readonly recipients: string[]
  /** From now on. `afterTaking`: what comes once the message is kept. */
  onRecipient: Step
  onMessage: Step
  afterTaking: Step
  close(): Promise<void>
}

export const USER = 'cupel'
export const PASSWORD = 'the password of the mail server'

export async function startMailServer(
  options: { readonly hasTls?: boolean; readonly isTrusted?: boolean } = {},
): Promise<MailServer> {
  const { hasTls = true } = options
  const folder = mkdtempSync(join(tmpdir(), 'cupel-mail-'))
  const [keyFile, caFile] = [join(folder, 'key.pem'), join(folder, 'ca.pem')]
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', keyFile, '-out', caFile],
    ],
    { stdio: 'ignore' },
  )
  const state: Omit<MailServer, 'port' | 'close'> = {
    ...{ caFile, taken: [], recipients: [] },
    ...{ onRecipient: 'take', onMessage: 'take', afterTaking: 'take' },
  }
  const smtp = new SMTPServer({
    ...(hasTls ? { key: readFileSync(keyFile), cert: readFileSync(caFile) } : { hideSTARTTLS: true }),
    allowInsecureAuth: !hasTls,
    authOptional: false,
    onAuth({ username, password }, _session, callback) {
      const isRight = username === USER && password === PASSWORD
      callback(isRight ? null : new Error('Wrong user or password'), { user: username })
    },
    onRcptTo({ address }, session, callback) {
      state.recipients.push(address)
      act(state.onRecipient, session, callback, `<${address}> is not here`)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (state.onMessage !== 'take') return act(state.onMessage, session, callback, 'no such message')
        state.taken.push({
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          isSecure: session.secure,
          user: session.user,
        })
        act(state.afterTaking, session, callback, 'taken')
      })
    },
  } satisfies SMTPServerOptions)
  // A client that verifies the certificate ends the connection: that is a case, not a fault of the test.
  smtp.on('error', () => undefined)
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  return Object.assign(state, {
    port: (smtp.server.address() as AddressInfo).port,
    close: async () => {
      for (const connection of (smtp as unknown as { connections: Set<{ close(): void }> }).connections)
        connection.close()
      await new Promise<void>((resolve) => smtp.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  })

  function act(
    step: Step,
    session: { readonly id: string },
    callback: (error?: Error | null) => void,
    text: string,
  ): void {
    if (step === 'take') callback()
    else if (step === 'drop') dropConnection(session.id)
    else if (step !== 'hang') callback(Object.assign(new Error(text), { responseCode: step }))
  }

  function dropConnection(id: string): void {
    const connections = (
      smtp as unknown as { connections: Set<{ id: string; _socket: { destroy(): void } }> }
    ).connections
    for (const connection of connections) if (connection.id === id) connection._socket.destroy()
  }
}

/** A header of a message with its folded lines joined; null if it has none. */
export function headerOf({ raw }: TakenMail, name: string): string | null {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
  const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`))
  return line === undefined ? null : line.slice(name.length + 1).trim()
}

/** The text of a message with its encoding undone. */
export function textOf({ raw }: TakenMail): string {
  return raw
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (coded) =>
      Buffer.from(coded.replaceAll('=', ''), 'hex').toString('utf8'),
    )
}
