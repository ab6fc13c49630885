/**
 * Secrets and data leave this machine only over verified TLS, or if a setting allows it for this one peer by name. A start
 * rejects anything else, and says which setting to change.
 */
import { BlockList, isIP } from 'node:net'
import { ConfigError, type Config } from './config.js'

export const insecureSettings = [
  'CUPEL_DATABASE_INSECURE',
  'CUPEL_LEDGER_INSECURE',
  'CUPEL_KAFKA_INSECURE',
  'CUPEL_REGISTRY_INSECURE',
  'CUPEL_S3_INSECURE',
  'CUPEL_CHAIN_DATA_INSECURE',
  'CUPEL_API_INSECURE',
  'CUPEL_OTLP_INSECURE',
] as const
export type InsecureSetting = (typeof insecureSettings)[number]

export interface Peer {
  /** Subject of a sentence: `The database db.internal`. */
  readonly name: string
  /** Name or address; `null` for a socket in the file system. */
  readonly host: string | null
  /** Whether the connection is encrypted and the certificate and name of the peer are checked. */
  readonly isVerified: boolean
  /** The way to secure it, as the end of a sentence: `set CUPEL_KAFKA_TLS=true`. */
  readonly remedy: string
  /** The setting that allows this peer without TLS. */
  readonly exception: InsecureSetting
}

/**
 * Throws ConfigError with one sentence for each peer on another machine that is called without verified TLS. `warn` receives one at
 * every start that names all peers that settings allow.
 */
export function requireVerifiedPeers(
  peers: readonly Peer[],
  config: Partial<Pick<Config, InsecureSetting>>,
  warn: (sentence: string) => void,
): void {
  const open = peers.filter(({ host, isVerified }) => !isVerified && !(host === null || isLoopback(host)))
  const refused = open.filter(({ exception }) => config[exception] !== true)
  if (refused.length > 0)
    throw new ConfigError(
      refused
        .map(
          ({ name, remedy, exception }) =>
            `${name} is on another machine and would be called without verified TLS: ${remedy}, or accept it with ${exception}=true.`,
        )
        .join('\n'),
    )
  if (open.length === 0) return
  const [first, ...others] = open.map(({ name }) => name)
  const names = [first, ...others.map((name) => `${name[0]!.toLowerCase()}${name.slice(1)}`)].join(', ')
  const allowing = [...new Set(open.map(({ exception }) => exception))].join(', ')
  warn(`Without verified TLS, as ${allowing} allows: ${names}. Others can read and change what is sent.`)
}

/** The brokers of the settings. */
export function kafkaPeers(
  config: Pick<Config, 'CUPEL_LOG' | 'CUPEL_KAFKA_BROKERS' | 'CUPEL_KAFKA_TLS'>,
): readonly Peer[] {
  if (config.CUPEL_LOG !== 'kafka') return []
  return config.CUPEL_KAFKA_BROKERS.map((broker) => ({
    name: `The Kafka broker ${broker}`,
    host: broker.replace(/:\d*$/, ''),
    isVerified: config.CUPEL_KAFKA_TLS,
    remedy: 'set CUPEL_KAFKA_TLS=true',
    exception: 'CUPEL_KAFKA_INSECURE',
  }))
}

/** The ClickHouse of the settings. */
export function ledgerPeers({ CUPEL_LEDGER_URL: url }: Pick<Config, 'CUPEL_LEDGER_URL'>): readonly Peer[] {
  if (url === undefined) return []
  const { protocol, hostname } = new URL(url)
  return [
    {
      name: `ClickHouse at ${hostname}`,
      host: hostname,
      isVerified: protocol === 'clickhouses:',
      remedy: 'name an address with clickhouses:// in CUPEL_LEDGER_URL',
      exception: 'CUPEL_LEDGER_INSECURE',
    },
  ]
}

/** A peer given by an address. `name` and `setting` are for the sentence; the path of the address may hold a secret. */
export function urlPeer(
  url: string | URL,
  { name, setting, exception }: { name: string; setting: string; exception: InsecureSetting },
): Peer {
  const { protocol, host, hostname } = new URL(url)
  return {
    name: `${name} ${host}`,
    host: hostname,
    isVerified: protocol === 'https:',
    remedy: `name an address with https in ${setting}`,
    exception,
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether a name or an address is this machine, without a look-up. A name that only resolves to it is not. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (bare === 'localhost') return true
  const version = isIP(bare)
  return version !== 0 && loopback.check(bare, version === 6 ? 'ipv6' : 'ipv4')
}
