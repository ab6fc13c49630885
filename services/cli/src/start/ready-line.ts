/** The output of `cupel start` when everything is ready. */
import type { DemoKeys } from '@cupel/command-line'

export interface Ready {
  readonly base_url: string
  readonly base_urls: readonly string[]
  /** Null if the console is not served. */
  readonly console_url: string | null
  readonly keys: { readonly read_write: string; readonly read_only: string; readonly operator: string }
  readonly metrics_urls: readonly string[]
  readonly log:
    | { readonly kind: 'embedded' }
    | {
        readonly kind: 'kafka'
        readonly brokers: readonly string[]
        /** File with the settings of a client, for Kafka's own tools. It holds the password, which nothing prints. */
        readonly client_properties: string
        readonly registry: string
      }
  readonly home: string
}

export function readyLine(parts: {
  baseUrls: readonly string[]
  webUrl: string | null
  keys: DemoKeys
  metricsUrls: readonly string[]
  log: Ready['log']
  home: string
}): Ready {
  const [first] = parts.baseUrls
  if (first === undefined) throw new Error('The installation has no API')
  return {
    base_url: first,
    base_urls: parts.baseUrls,
    console_url: parts.webUrl,
    keys: {
      read_write: parts.keys.read_write,
      read_only: parts.keys.read_only,
      operator: parts.keys.operator,
    },
    metrics_urls: parts.metricsUrls,
    log: parts.log,
    home: parts.home,
  }
}

/** An address of the Ronin bridge theft, designated by OFAC in April 2022, so that the first screen has a finding. */
const FIRST_SCREEN = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'

/** `hint` is what the operator should do next; empty for none. */
export function readyText(ready: Ready, logs: string, hint = ''): string {
  const where =
    ready.log.kind === 'embedded'
      ? 'one process on the embedded log'
      : `Kafka at ${ready.log.brokers.join(', ')}, schema registry at ${ready.log.registry}
Clients of Kafka connect with the settings in ${ready.log.client_properties}`
  return `
Cupel is ready: ${ready.base_urls.join(', ')}
${where}
${ready.console_url === null ? '' : `\n  console          ${ready.console_url}  (sign in with one of the keys)\n`}
  read-write key   ${ready.keys.read_write}
  read-only key    ${ready.keys.read_only}
  operator key     ${ready.keys.operator}  (imports lists, administers keys)

1. Screen an address${ready.console_url === null ? '' : ', in the console or with this call'}:

curl -sS ${ready.base_url}/v1/screen -H 'Authorization: Bearer ${ready.keys.read_write}' -H 'Content-Type: application/json' -d '{"address":"${FIRST_SCREEN}"}'
${hint === '' ? '' : `\n2. Allow green results. ${hint}\n\n3. Screen the same address again, and watch it.\n${ready.console_url === null ? '' : '\nThe console has these steps as buttons for the operator key. '}A report with a path of money: npm run --silent cupel -- demo load\n`}
Data in ${ready.home}, logs in ${logs}. Ctrl-C stops everything.
`
}
