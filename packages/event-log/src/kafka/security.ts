/** Makes connections to the brokers: sockets with or without TLS, and the sign-in by password or token. */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import type { SASLOptions } from 'kafkajs'

export interface KafkaSecurity {
  /** A function is called for each new connection, so that changed certificates apply from the next one on. */
  readonly ssl?: boolean | ConnectionOptions | (() => ConnectionOptions)
  readonly sasl?: SaslCredentials
}

export type SaslCredentials = PasswordCredentials | TokenCredentials

export interface PasswordCredentials {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  /** A function is called for each new connection. */
  readonly password: string | (() => string)
}

export interface TokenCredentials {
  readonly mechanism: 'oauthbearer'
  /** A currently valid token; called for each new connection, and again before a broker ends a connection whose token expires. */
  readonly token: () => Promise<string>
}

/** Connections without requests are probed after this, so that one to a lost machine ends before its next use. */
const KEEP_ALIVE_MS = 5_000

interface SocketRequest {
  readonly host: string
  readonly port: number
  readonly onConnect: () => void
}

/** TCP_NODELAY sends small requests at once; without it they may wait up to 40 ms for an acknowledgement. */
export function socketsOf({ ssl }: KafkaSecurity): (request: SocketRequest) => Socket {
  return ({ host, port, onConnect }) => {
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const tls = typeof ssl === 'function' ? ssl() : ssl === true ? {} : ssl
    const socket = tls
      ? connectTls({ host, port, ...servername, ...tls }, onConnect)
      : connectTcp({ host, port }, onConnect)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    return socket
  }
}

/** kafkajs reads the fields when it signs in: a getter returns the current password. */
export function saslOf({ sasl }: KafkaSecurity): { sasl?: SASLOptions } {
  if (sasl === undefined) return {}
  if (sasl.mechanism === 'oauthbearer')
    return {
      sasl: { mechanism: sasl.mechanism, oauthBearerProvider: async () => ({ value: await sasl.token() }) },
    }
  const { mechanism, username, password } = sasl
  return {
    sasl: {
      ...{ mechanism, username },
      get password() {
        return typeof password === 'function' ? password() : password
      },
    } as SASLOptions,
  }
}
