/** The target: a running installation, reached directly or through a proxy, with two unrelated accounts. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cupel } from '../command.js'
import { createClient, type Client } from '../client.js'
import { endedJob, submitJob } from '../bulk-client.js'
import { removeHome, startInstallation, type Installation } from '../installation.js'
import type { TargetKind } from './places.js'
import { proxies, PROXY_SOURCE, type Proxy, type ProxyName } from './proxies.js'

export interface Target extends TargetKind {
  readonly name: string
  /** Address for callers. */
  readonly baseUrl: string
  /** Address of the console for people, behind a proxy of the same kind. */
  consoleUrl(): Promise<string>
  readonly installation: Installation
  /** Owns the data that the attacker wants to see. */
  readonly victim: Victim
  /** An account with every right in it. */
  readonly attacker: Tenant
  /** Runs a statement with the owner's account of the database. */
  readonly executeAsOwner: ExecuteAsOwner
  readonly startSignInService: StartSignInService
  readonly scanFiles: ScanFiles
  /** Stops the services and the software below them; `start` starts them again, at another address, to which it directs the proxies. */
  stop(): Promise<void>
  /** `settings`: besides those that every attack has. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>
}

/** Searches every file of a folder for texts, also in what is compressed. Resolves to `<text> in <file>`. */
export type ScanFiles = (folder: string, texts: readonly string[]) => { readonly found: readonly string[] }

/** A sign-in service that the test owns. */
export type StartSignInService = () => Promise<{
  /** Path of a settings file that maps the groups to keys. */
  settingsFile(groups: Readonly<Record<string, string>>): string
  /** The body of a sign-in with these claims. */
  signIn(
    claims: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id_token: string; readonly nonce: string }>
  close(): Promise<void>
}>

export type ExecuteAsOwner = (
  databaseUrl: string,
  statement: string,
  values: readonly unknown[],
) => Promise<void>

export interface Tenant {
  readonly accountId: string
  /** Read-write, of the plan whose calls are not refused. */
  readonly key: string
  readonly readOnlyKey: string
}

export interface Victim extends Tenant {
  /** Ids of its objects, by the path parameter that takes them. */
  readonly ids: { readonly report: string; readonly job: string }
  /** Texts that no other account may ever read. */
  readonly canaries: readonly string[]
}

export interface AttackedInstallation {
  /** The installation as callers reach it through the proxy, or directly. */
  target(proxy: ProxyName | null): Promise<Target>
  stop(): Promise<void>
}

/** Where receivers of webhooks may listen: an address used only for this. */
export const RECEIVER_ADDRESS = '127.0.0.83'
/** Limits for messages to one host: far lower than the default, so that an attack needs few messages. */
export const HOST_LIMITS = { perSecond: 5, burst: 20 }
/** Addresses in open jobs of an account. */
export const MAX_WAITING_ITEMS = 1_000
const JOB_TIMEOUT_MS = 120_000

export async function startAttacked({
  kafka,
  ...means
}: { readonly kafka: boolean } & Pick<
  Target,
  'executeAsOwner' | 'startSignInService' | 'scanFiles'
>): Promise<AttackedInstallation> {
  const order = {
    kafka,
    environment: {
      // A customer waits longer than a busy machine takes.
      CUPEL_SCREEN_DEADLINE_MS: '20000',
      CUPEL_TRUSTED_PROXIES: `${PROXY_SOURCE}/32`,
      CUPEL_AUTH_FAILURES_PER_MINUTE: '1000000',
      CUPEL_WEBHOOK_ALLOW: `${RECEIVER_ADDRESS}/32`,
      CUPEL_WEBHOOK_HOST_ATTEMPTS_PER_SECOND: String(HOST_LIMITS.perSecond),
      CUPEL_WEBHOOK_HOST_BURST: String(HOST_LIMITS.burst),
      CUPEL_ENTERPRISE_WAITING_ITEMS: String(MAX_WAITING_ITEMS),
    },
  }
  let installation = await startInstallation(order)
  const { home } = installation
  const ways = createWays((door) => {
    const { base_urls: api, console_url: pages } = installation.ready
    return new URL(door === 'api' ? api[0]! : String(pages))
  })
  const attacker = await createTenant(installation.home, 'Attacker')
  const victim = await createVictim(installation)
  return {
    async target(name) {
      await ways.open(name, 'api')
      const { kind } = installation.ready.log
      return {
        ...{ ...means, victim, attacker, log: kind, proxy: name },
        name: name === null ? kind : `${kind} behind ${name}`,
        get installation() {
          return installation
        },
        get baseUrl() {
          return ways.url(name, 'api')
        },
        async consoleUrl() {
          await ways.open(name, 'console')
          return ways.url(name, 'console')
        },
        stop: async () => void (await installation.stop()),
        async start(settings = {}) {
          const environment = { ...order.environment, ...settings }
          installation = await startInstallation({ ...order, home, environment })
          await ways.redirect()
        },
      }
    },
    async stop() {
      await ways.close()
      await installation.stop()
      removeHome(home)
    },
  }
}

type Door = 'api' | 'console'

/** The ways to an installation: through one proxy of each kind to each door, or direct. */
function createWays(upstream: (door: Door) => URL) {
  const open = new Map<string, { readonly name: ProxyName; readonly door: Door; readonly proxy: Proxy }>()
  const begin = async (name: ProxyName, door: Door): Promise<void> => {
    open.set(`${name} ${door}`, { name, door, proxy: await proxies[name].start(upstream(door)) })
  }
  return {
    url: (name: ProxyName | null, door: Door): string =>
      name === null ? upstream(door).origin : open.get(`${name} ${door}`)!.proxy.baseUrl,
    async open(name: ProxyName | null, door: Door): Promise<void> {
      if (name !== null && !open.has(`${name} ${door}`)) await begin(name, door)
    },
    async redirect(): Promise<void> {
      for (const { name, door, proxy } of [...open.values()]) {
        await proxy.stop()
        await begin(name, door)
      }
    },
    async close(): Promise<void> {
      for (const { proxy } of open.values()) await proxy.stop()
    },
  }
}

/** Runs a statement in the database of the target as its owner. */
export async function asOwner(
  { installation, executeAsOwner }: Pick<Target, 'installation' | 'executeAsOwner'>,
  statement: string,
  values: readonly unknown[] = [],
): Promise<void> {
  const { databaseUrl } = JSON.parse(readFileSync(join(installation.home, 'run.json'), 'utf8')) as {
    databaseUrl: string
  }
  await executeAsOwner(databaseUrl, statement, values)
}

/** Calls as the victim. The caller closes the client. */
export function victimClient({ baseUrl, victim }: Pick<Target, 'baseUrl' | 'victim'>): Client {
  return createClient([baseUrl], victim.key)
}

async function createVictim(installation: Installation): Promise<Victim> {
  const tenant = await createTenant(installation.home, 'Victim')
  const client = createClient(installation.ready.base_urls, tenant.key)
  try {
    const address = `0x${randomBytes(20).toString('hex')}`
    const note = `canary-${randomBytes(12).toString('hex')}`
    const report = (JSON.parse((await client.screen(address)).text) as { report_id: string }).report_id
    const noted = await client.send('POST', `/v1/reports/${report}/notes`, JSON.stringify({ text: note }))
    if (noted.status !== 201) throw new Error(`The note of the victim is answered ${noted.status}`)
    const job = await submitJob(client, [address], `victim-${note}`)
    await endedJob(client, job.job_id, JOB_TIMEOUT_MS)
    return { ...tenant, ids: { report, job: job.job_id }, canaries: [address, address.slice(2), note] }
  } finally {
    await client.close()
  }
}

export async function createTenant(home: string, name: string): Promise<Tenant> {
  const account = await answerOf(home, ['accounts', 'create', name])
  const accountId = String(account['account_id'])
  const [key, readOnlyKey] = [
    await issueKey(home, accountId, ['--scope', 'read-write']),
    await issueKey(home, accountId, ['--scope', 'read-only']),
  ]
  return { accountId, key, readOnlyKey }
}

/** A further key of the enterprise plan. */
export async function issueKey(home: string, accountId: string, options: readonly string[]): Promise<string> {
  return (await issueNamedKey(home, accountId, options)).key
}

export async function issueNamedKey(
  home: string,
  accountId: string,
  options: readonly string[],
): Promise<{ readonly key: string; readonly keyId: string }> {
  const args = ['keys', 'create', '--account', accountId, '--plan', 'enterprise', ...options]
  const issued = await answerOf(home, args)
  return { key: String(issued['key']), keyId: String(issued['key_id']) }
}

/** Runs a command that must succeed. */
export async function answerOf(home: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await cupel(home, [...args, '--json'])
  if (exitCode !== 0) throw new Error(`cupel ${args.join(' ')} ended with exit code ${exitCode}:\n${stderr}`)
  return JSON.parse(stdout) as Record<string, unknown>
}
