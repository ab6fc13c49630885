/** Every setting of the platform, read from the environment once at start. The operator's reference is generated from this table. */
import { z } from 'zod'
import { WATERMARK_PATTERN } from './disk-space.js'
import { settingsOfConnections } from './connection-settings.js'
import { settingsOfEvidence } from './evidence-settings.js'
import { settingsOfHistories } from './history-settings.js'
import { mailFaults, settingsOfMail } from './mail-settings.js'
import { settingsOfTraces } from './tracing/trace-settings.js'
import { withSecretsOfFiles } from './secret-files.js'
import {
  file,
  flag,
  insecure,
  list,
  messages,
  milliseconds,
  port,
  ranges,
  secret,
  secretFile,
  url,
} from './setting-types.js'

export const settings = {
  CUPEL_HOME: z
    .string()
    .min(1)
    .default('.cupel')
    .describe('Folder that holds everything a local installation stores.'),
  CUPEL_LOG: z.enum(['embedded', 'kafka']).default('embedded').describe('Which log the service works on.'),
  ...settingsOfConnections,
  CUPEL_LOCAL_BROKER_COMPILER: z
    .enum(['full', 'quick'])
    .default('full')
    .describe(
      'Java compiler of the broker that `cupel start --kafka` runs: quick is faster during the first minutes of load, full afterwards.',
    ),
  CUPEL_HOST: z.string().min(1).default('127.0.0.1').describe('Address the API listens on.'),
  CUPEL_PORT: port
    .default(8080)
    .describe('Port of the API; 0 takes any free one. Instance i listens on CUPEL_PORT + i.'),
  CUPEL_METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe(
      'Address that /metrics, /healthz and /readyz of a service process listen on. They name parts of the installation and have no key: open them only to probes and scrapers.',
    ),
  CUPEL_METRICS_PORT: port
    .default(0)
    .describe('Port of /metrics, /healthz and /readyz of a service process; 0 takes any free one.'),
  CUPEL_INSTANCE: z
    .union([z.literal('auto'), z.coerce.number().int().min(0).max(1023)])
    .default(0)
    .describe(
      'Number of this instance among the instances of its service, from 0. Two processes of a service cannot have one number: the second one does not start. With `auto` a process takes the lowest number that is free, and adds nothing to its ports.',
    ),
  CUPEL_BASE_URL: url
    .optional()
    .describe('Base address of the API as callers see it; by default the address it listens on.'),
  CUPEL_WEB: flag
    .default(true)
    .describe('Serve the console. It concerns `cupel start`; elsewhere the console is a process of its own.'),
  CUPEL_WEB_HOST: z.string().min(1).default('127.0.0.1').describe('Address the console listens on.'),
  CUPEL_WEB_PORT: port
    .optional()
    .describe(
      'Port of the console; 0 takes any free one, and instance i listens on CUPEL_WEB_PORT + i. By default 8081; `cupel start` takes the port after those of the API, or any free one where CUPEL_PORT is 0.',
    ),
  CUPEL_WEB_URL: url
    .optional()
    .describe(
      'Address of the console as people see it, for links to it; by default the address it listens on. The API needs it too where the console is a process of its own.',
    ),
  CUPEL_API_URL: url.optional().describe('Address at which the console calls the API.'),
  CUPEL_API_INSECURE: insecure('the API of CUPEL_API_URL'),
  CUPEL_WEB_SECRET: secret
    .optional()
    .describe(
      'Secret by which the console proves itself to the API, 32 characters or more, the same for both: the API then takes the client address that the console names. `cupel start` makes one.',
    ),
  CUPEL_WEB_SECRET_FILE: file('File with that secret, in place of CUPEL_WEB_SECRET.'),
  CUPEL_OIDC_FILE: file(
    'JSON file that lets people sign in to the console with a sign-in service by OpenID Connect (docs/console.md). The API needs it too. Without it people sign in only with a key.',
  ),
  CUPEL_REPORT_PAGE_URL: url
    .optional()
    .describe(
      'Beginning of report_url; by default the report page of the console, or {base_url}/reports/ without one.',
    ),
  CUPEL_PDF_NAME: z
    .string()
    .max(80)
    .optional()
    .describe('Name of your own at the top of every PDF of a report or a job.'),
  CUPEL_PDF_LOGO_FILE: file(
    'PNG without transparency, or SVG of shapes only, at the top of every PDF of a report or a job: at most 64 KiB. The PDF names it, so that `cupel verify` can check the document.',
  ),
  CUPEL_TRUSTED_PROXIES: ranges
    .prefault('')
    .describe(
      'Comma-separated CIDR ranges of proxies in front of the API: they may call without TLS, and only their X-Forwarded-For is used.',
    ),
  CUPEL_TLS_CERT_FILE: file(
    'File with the certificate chain of the API in PEM; with CUPEL_TLS_KEY_FILE the API serves HTTPS only, TLS 1.2 or later. A renewed pair is served without a restart, some ten seconds after both files were replaced.',
  ),
  CUPEL_TLS_KEY_FILE: file('File with the private key that belongs to CUPEL_TLS_CERT_FILE, in PEM.'),
  CUPEL_MAX_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(8_192)
    .describe('Connections one API instance holds at once; further ones are dropped.'),
  CUPEL_MAX_CONNECTIONS_PER_CLIENT: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_024)
    .describe(
      'Connections one client (an IPv4 address, or the /64 of an IPv6 address) may hold at once on an API instance; trusted proxies are exempt.',
    ),
  CUPEL_PDF_WORKERS: z.coerce
    .number()
    .int()
    .min(1)
    .max(32)
    .default(1)
    .describe(
      'Threads in which an API instance renders PDFs, each with about 150 MiB while it is in use. Each keeps 8 reports at most; further ones get 503.',
    ),
  CUPEL_CLIENT_ADDRESS_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(36_500)
    .default(0)
    .describe(
      'Days for which client addresses stay readable after the end of their month; then the API destroys their keys (docs/personal-data.md). 0: for ever.',
    ),
  CUPEL_CASE_SECOND_PERSON: list
    .pipe(z.array(z.enum(['green', 'orange', 'red', 'grey'])))
    .prefault('')
    .describe(
      'Comma-separated levels of reports that only two persons together can clear: one proposes, another one confirms.',
    ),
  CUPEL_POLICY_SECOND_PERSON: flag
    .default(false)
    .describe(
      'True if another person than its proposer must put a proposed policy in force. `cupel policy activate` stays for whoever has a shell.',
    ),
  CUPEL_KEY_SECOND_PERSON: flag
    .default(false)
    .describe(
      'True if two persons issue and change API keys: one proposes it, another one confirms it. A key is revoked at once, and `cupel keys` stays for whoever has a shell.',
    ),
  CUPEL_LIST_SECOND_PERSON: flag
    .default(false)
    .describe(
      'True if two persons accept removals or unreadable rows of a list: one proposes it, another one confirms it. `cupel labels import` stays for whoever has a shell.',
    ),
  CUPEL_SCREEN_DEADLINE_MS: milliseconds(10, 60_000)
    .default(5_000)
    .describe('How long a screen call waits for its report before it answers 503.'),
  CUPEL_READ_WAIT_MS: milliseconds(100, 60_000)
    .default(8_000)
    .describe(
      'How long a read of a new report or job waits for the read model before it answers 503: longer than another projector needs to take over from one that was killed.',
    ),
  CUPEL_ENTERPRISE_CALLS_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(5_000)
    .describe(
      'Fair use of the enterprise plan: calls a second per key. Calls beyond it are logged, not refused.',
    ),
  CUPEL_ENTERPRISE_BURST: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Calls an enterprise key may make at once within fair use.'),
  CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe('Hard cap of an enterprise key: beyond so many calls a second, or at once, it gets 429.'),
  CUPEL_ENTERPRISE_WATCHES: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(100_000)
    .describe('Addresses that an account of the enterprise plan may watch. The pro plan has 10,000.'),
  CUPEL_ENTERPRISE_OPEN_JOBS: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe(
      'Fair use of the enterprise plan: bulk jobs an account may have open at once; beyond it gets 429. The pro plan has 50.',
    ),
  CUPEL_ENTERPRISE_WAITING_ITEMS: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(100_000_000)
    .default(250_000)
    .describe(
      'Fair use of the enterprise plan: addresses in the open bulk jobs of an account; beyond it gets 429. The pro plan has 25,000.',
    ),
  CUPEL_DISK_WATERMARK: z
    .string()
    .regex(WATERMARK_PATTERN, 'expected bytes, as 268435456, or a part of the volume, as 5%')
    .default('268435456')
    .describe(
      'Free room on the volume of CUPEL_HOME below which screens and bulk jobs get 503: bytes, or a share of the volume such as 5%. 0 accepts work until the volume is full.',
    ),
  CUPEL_AUTH_FAILURES_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(20)
    .describe(
      'Failed authentications a minute from one client address (IPv4, or the /64 of IPv6) before further failing calls get 429.',
    ),
  CUPEL_SCORER_LANE: z
    .enum(['interactive', 'bulk', 'both'])
    .default('both')
    .describe('Which requests a scorer reads.'),
  CUPEL_BULK_DWELL_TARGET_MS: milliseconds(1, 60_000)
    .default(25)
    .describe(
      'Dwell of interactive screens (95th percentile) above which bulk jobs slow down; a setting of scorers.',
    ),
  CUPEL_WATCH_DIGEST_HOUR: z.coerce
    .number()
    .int()
    .min(0)
    .max(23)
    .default(6)
    .describe('Hour of the day, UTC, at which the daily digest of watches ends and is sent.'),
  CUPEL_LABEL_LAG_LIMIT_MS: milliseconds(100, 3_600_000)
    .default(30_000)
    .describe('Lag of the label view beyond which labels count as stale and nothing is green.'),
  CUPEL_LABEL_LAG_REFUSE_MS: milliseconds(1_000, 86_400_000)
    .default(600_000)
    .describe('Lag of the label view beyond which screenings are refused.'),
  CUPEL_CHAIN_DATA_FILE: file(
    'JSON file with the providers of chain data (docs/chain-data.md). Without it the scorer asks none.',
  ),
  CUPEL_CHAIN_DATA_INSECURE: insecure('the providers of CUPEL_CHAIN_DATA_FILE'),
  CUPEL_CHAIN_DATA_PUBLIC: flag
    .default(false)
    .describe(
      'Ask public endpoints for chains without a provider in the file. They learn which addresses are screened.',
    ),
  CUPEL_CHAIN_DATA_BUDGET_MS: milliseconds(0, 10_000)
    .default(300)
    .describe(
      'How long a screen waits for chain data; late answers are left out and kept for the next screen.',
    ),
  CUPEL_CHAIN_DATA_MAX_AGE_MS: milliseconds(0, 3_600_000)
    .default(60_000)
    .describe('Age up to which a provider’s answer is reused for the same account.'),
  ...settingsOfHistories,
  CUPEL_EXPOSURE_BUDGET_MS: milliseconds(1, 10_000)
    .default(200)
    .describe(
      'How long a screen waits for the ledger; a late answer is dropped whole, and the report records that.',
    ),
  CUPEL_WEBHOOK_ALLOW: ranges
    .prefault('')
    .describe(
      'For development: comma-separated CIDR ranges that webhooks may be sent to although they are not globally reachable, on any port and without TLS. Of a receiver there the status is kept and, but for loopback, no text. Addresses at which clouds serve credentials stay closed.',
    ),
  CUPEL_WEBHOOK_SECRETS_KEY: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Key that encrypts webhook secrets in the database, 32 characters or more; by default a key in the database itself. Do not change it once it is set.',
    ),
  CUPEL_WEBHOOK_SECRETS_KEY_FILE: secretFile('CUPEL_WEBHOOK_SECRETS_KEY'),
  CUPEL_WEBHOOK_ATTEMPTS_PER_SECOND: messages(50, 10_000).describe(
    'Webhooks a second that a dispatcher sends to one endpoint at most.',
  ),
  CUPEL_WEBHOOK_HOST_ATTEMPTS_PER_SECOND: messages(50, 10_000).describe(
    'Webhooks a second that all dispatchers together send to one host and port, and to one address, at most, over all accounts. Others wait; that costs no attempt.',
  ),
  CUPEL_WEBHOOK_HOST_BURST: messages(200, 100_000).describe(
    'Webhooks that one host and port, and one address, is sent at once after a pause.',
  ),
  ...settingsOfMail,
  CUPEL_LABEL_REFRESH_FILE: z
    .string()
    .startsWith('/')
    .optional()
    .describe(
      'Absolute path of the refresh plan: a JSON file with the label lists to refresh, their sources and intervals. Without it no list is refreshed.',
    ),
  ...settingsOfEvidence,
  CUPEL_LATEST_REPORTS: flag
    .default(false)
    .describe(
      'True if projectors keep the topic of the latest report of each account about each address. While it is false nothing is read or written for it.',
    ),
  CUPEL_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level of log lines that are written.'),
  CUPEL_LOG_DEBUG_MS: milliseconds(1_000, 86_400_000)
    .default(900_000)
    .describe(
      'How long a process writes debug lines after the signal SIGUSR2, whatever CUPEL_LOG_LEVEL is. A second signal ends it before.',
    ),
  CUPEL_DRAIN_MS: milliseconds(0, 120_000)
    .default(0)
    .describe(
      'How long the API and the console go on answering at shutdown while /readyz says that they are not ready and every answer ends its connection. Where a proxy shares out the calls, set it to more than the proxy needs to notice; it counts to CUPEL_SHUTDOWN_TIMEOUT_MS.',
    ),
  CUPEL_SHUTDOWN_TIMEOUT_MS: milliseconds(100, 300_000)
    .default(20_000)
    .describe('Time for a service to finish its work at shutdown; then it is ended.'),
  ...settingsOfTraces,
} as const satisfies Record<`CUPEL_${string}` | `OTEL_${string}`, z.ZodType>

const schema = z.object(settings)

export type Config = z.infer<typeof schema>

/** Invalid settings: one sentence for each, without values of secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The instance number in the settings, which is added to its ports; 0 if the instance takes any free number. */
export const givenInstance = ({ CUPEL_INSTANCE: instance }: Pick<Config, 'CUPEL_INSTANCE'>): number =>
  instance === 'auto' ? 0 : instance

/** Reads the settings. Throws ConfigError naming every setting that is wrong or unknown. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  for (const name of Object.keys(environment)) {
    if (name.startsWith('CUPEL_') && !(name in settings) && !outside(name))
      faults.push(`${name} is not a setting of this version.`)
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    faults.push('NODE_TLS_REJECT_UNAUTHORIZED=0 accepts any certificate of any peer: unset it.')
  const given = Object.fromEntries(
    Object.entries(withSecretsOfFiles(environment, settings, faults)).filter(
      ([name, value]) => name in settings && value !== '',
    ),
  )
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) faults.push(`${issue.path.join('.')}: ${issue.message}.`)
  } else faults.push(...kafkaFaults(parsed.data), ...drainFaults(parsed.data), ...mailFaults(parsed.data))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return parsed.data!
}

/** A drain that takes the whole time would leave no time to answer the accepted calls. */
function drainFaults({ CUPEL_DRAIN_MS: drainMs, CUPEL_SHUTDOWN_TIMEOUT_MS: limitMs }: Config): string[] {
  if (drainMs < limitMs) return []
  return [`CUPEL_DRAIN_MS (${drainMs}) must be less than CUPEL_SHUTDOWN_TIMEOUT_MS (${limitMs}).`]
}

function kafkaFaults(config: Config): string[] {
  if (config.CUPEL_LOG !== 'kafka') return []
  const { CUPEL_KAFKA_SASL_MECHANISM: mechanism } = config
  const required: readonly (keyof Config)[] =
    mechanism === undefined
      ? []
      : mechanism === 'oauthbearer'
        ? ['CUPEL_KAFKA_OAUTH_TOKEN_URL', 'CUPEL_KAFKA_OAUTH_CLIENT_ID', 'CUPEL_KAFKA_OAUTH_CLIENT_SECRET']
        : ['CUPEL_KAFKA_USERNAME', 'CUPEL_KAFKA_PASSWORD']
  const faults = required
    .filter((name) => config[name] === undefined)
    .map((name) => `${name} is required where CUPEL_KAFKA_SASL_MECHANISM=${mechanism}.`)
  if (config.CUPEL_KAFKA_BROKERS.length === 0)
    faults.push('CUPEL_KAFKA_BROKERS is required where CUPEL_LOG=kafka.')
  if ((config.CUPEL_KAFKA_TLS_CERT_FILE === undefined) !== (config.CUPEL_KAFKA_TLS_KEY_FILE === undefined))
    faults.push('CUPEL_KAFKA_TLS_CERT_FILE and CUPEL_KAFKA_TLS_KEY_FILE are set together or not at all.')
  return faults
}

/** Variables that other programs read: tests, failpoints, the SDKs. */
function outside(name: string): boolean {
  return /^CUPEL_(TEST_|BENCH_|FAILPOINT(_FIRED)?$|API_KEY$|SHARED_DATA$)/.test(name)
}
