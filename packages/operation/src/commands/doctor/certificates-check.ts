/** The check of `cupel doctor` that certificates are valid for longer than it takes to renew them: those of files, and those that peers show. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Config } from '@cupel/kit/service'
import { fault, ok, warning, type Check, type Examined, type Finding } from './examine.js'

type Found = Omit<Finding, 'name'>

/** A certificate, and where it was found. */
export interface SeenCertificate {
  readonly of: string
  /** Null if it could not be read, or its peer showed none. */
  readonly validToMs: number | null
}

const DAY_MS = 24 * 3_600_000
/** Renewal by itself begins weeks before the end. */
const WARNING_DAYS = 21
const FAULT_DAYS = 3
const PEER_TIMEOUT_MS = 5_000
const UNSEEN = 'Run `cupel doctor` where the file can be read and the address answers.'
const REMEDY = 'Renew it: docs/runbooks/rotate-credentials.md.'
/** Source: PostgreSQL documentation, Message Formats, SSLRequest: length 8 and the code 80877103. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

export const certificatesCheck = ({ config }: Pick<Examined, 'config'>): Check => ({
  name: 'certificates',
  look: async () => findingsOf(await certificatesOf(config), Date.now()),
})

/** One finding for each certificate that ends soon, or that was not seen: it may have ended. */
export function findingsOf(seen: readonly SeenCertificate[], nowMs: number): readonly Found[] {
  const ending = seen.flatMap(({ of, validToMs }) => {
    if (validToMs === null || Number.isNaN(validToMs))
      return [warning(`The certificate of ${of} could not be read.`, UNSEEN)]
    const days = Math.floor((validToMs - nowMs) / DAY_MS)
    const ends = `${days < 0 ? 'ended' : 'ends'} at ${new Date(validToMs).toISOString()}`
    if (days < FAULT_DAYS) return [fault(`The certificate of ${of} ${ends}.`, REMEDY)]
    return days < WARNING_DAYS ? [warning(`The certificate of ${of} ${ends}.`, REMEDY)] : []
  })
  if (ending.length > 0) return ending
  return [
    ok(seen.length === 0 ? 'None is in use.' : `${seen.length} are valid for at least ${WARNING_DAYS} days.`),
  ]
}

async function certificatesOf(config: Config): Promise<readonly SeenCertificate[]> {
  const seen = await Promise.all([
    ...FILES.flatMap((setting) => {
      const path = config[setting]
      return path === undefined ? [] : [ofFile(setting, path)]
    }),
    ...peersOf(config).map(ofPeer),
  ])
  return seen.flat()
}

const FILES = [
  'CUPEL_TLS_CERT_FILE',
  'CUPEL_KAFKA_TLS_CERT_FILE',
  'CUPEL_KAFKA_TLS_CA_FILE',
  'CUPEL_REGISTRY_CA_FILE',
] as const

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificate of a chain that ends first. */
async function ofFile(setting: string, path: string): Promise<SeenCertificate[]> {
  const of = `${setting} (${path})`
  try {
    const ends = [...(await readFile(path, 'utf8')).matchAll(PEM)].map(([pem]) =>
      Date.parse(new X509Certificate(pem).validTo),
    )
    return [{ of, validToMs: ends.length === 0 ? null : Math.min(...ends) }]
  } catch {
    return [{ of, validToMs: null }]
  }
}

interface Peer {
  readonly of: string
  readonly host: string
  readonly port: number
  readonly isPostgres?: true
}

function peersOf(config: Config): readonly Peer[] {
  const brokers = config.CUPEL_KAFKA_TLS ? config.CUPEL_KAFKA_BROKERS : []
  const urls = [config.CUPEL_BASE_URL, config.CUPEL_WEB_URL, config.CUPEL_REGISTRY_URL]
  return [
    ...brokers.map((broker) => ({
      of: `the broker ${broker}`,
      ...hostAndPort(new URL(`kafka://${broker}`), 9092),
    })),
    ...urls
      .filter((url) => url?.startsWith('https:'))
      .map((url) => ({ of: new URL(url!).host, ...hostAndPort(new URL(url!), 443) })),
    ...databasePeer(config.CUPEL_DATABASE_ADMIN_URL ?? config.CUPEL_DATABASE_URL),
  ]
}

const hostAndPort = ({ hostname, port }: URL, usual: number) => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? usual : Number(port),
})

function databasePeer(connection: string | undefined): readonly Peer[] {
  if (connection === undefined || !URL.canParse(connection)) return []
  const url = new URL(connection)
  if (url.hostname === '' || url.searchParams.get('sslmode') === 'disable') return []
  return [{ of: `the database ${url.hostname}`, ...hostAndPort(url, 5432), isPostgres: true }]
}

/** A database that speaks without TLS has no certificate. */
const PLAIN = 'plain'

/** Nothing is sent over the connection and nothing is believed, so that an ended certificate can be read. */
async function ofPeer({ of, host, port, isPostgres }: Peer): Promise<SeenCertificate[]> {
  const socket = connectTcp({ host, port, timeout: PEER_TIMEOUT_MS })
  try {
    const validTo = await new Promise<string>((resolve, reject) => {
      const give = (): void => reject(new Error('no certificate'))
      socket.once('error', give).once('timeout', give).once('close', give)
      const begin = (): void => shown(socket, host, resolve, give)
      if (isPostgres !== true) return void socket.once('connect', begin)
      socket.once('connect', () => socket.write(SSL_REQUEST))
      socket.once('data', (answer) =>
        answer.toString() === 'S' ? begin() : answer.toString() === 'N' ? resolve(PLAIN) : give(),
      )
    })
    return validTo === PLAIN ? [] : [{ of, validToMs: Date.parse(validTo) }]
  } catch {
    return [{ of, validToMs: null }]
  } finally {
    socket.destroy()
  }
}

function shown(socket: Socket, host: string, resolve: (validTo: string) => void, give: () => void): void {
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const tls = connectTls({ socket, ...servername, rejectUnauthorized: false }, () => {
    resolve(tls.getPeerCertificate().valid_to)
    tls.destroy()
  }).once('error', give)
}
