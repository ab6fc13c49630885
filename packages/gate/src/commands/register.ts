/** `cupel keys`: the API keys of accounts. */
import {
  AccessRefusal,
  changeKey,
  issueKey,
  listKeys,
  revokeKey,
  ROTATION_OVERLAP_MS,
  rotateKey,
  type ApiKey,
  type IssuedKey,
} from '../access/index.js'
import { openValue } from '@cupel/personal-data'
import { registerProposedChanges } from './proposed-changes.js'
import { planNames, scopes, type Environment, type PlanName, type Scope } from '@cupel/domain'
import { InvalidArgumentError, Option, type Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_FAILED,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections, type Connections, operator } from '@cupel/command-line/installation'

const HOUR_MS = 3_600_000

interface CreateOptions extends JsonOption {
  readonly account: string
  readonly scope: Scope
  readonly plan: PlanName
  readonly environment: Environment
  readonly allowIp: readonly string[]
  readonly name?: string
  readonly expires?: string
  /** `--no-webhook-admin` makes it false. */
  readonly webhookAdmin: boolean
  readonly reason: string
}

export function registerKeys(program: Command, context: CliContext): void {
  const keys = program
    .command('keys')
    .summary('issue, list, change, rotate and revoke API keys')
    .description('Issue, list, change, rotate and revoke API keys.')
  registerCreate(keys, context)
  registerList(keys, context)
  registerChange(keys, context)
  registerRotate(keys, context)
  registerRevoke(keys, context)
  registerProposedChanges(keys, context, { scope: 'admin' })
}

function registerCreate(keys: Command, context: CliContext): void {
  keys
    .command('create')
    .description('Issue a key. The key is shown only once.')
    .requiredOption('--account <id>', 'account the key belongs to')
    .addOption(new Option('--scope <scope>', 'scope of the key').choices(scopes).makeOptionMandatory())
    .addOption(new Option('--plan <plan>', 'plan of the key').choices(planNames).makeOptionMandatory())
    .addOption(
      new Option('--environment <environment>', 'live or sandbox').choices(['live', 'test']).default('live'),
    )
    .option('--allow-ip <cidr>', 'allow the key only from this range; may be repeated', collect, [])
    .option('--name <name>', 'name of the key')
    .option('--expires <date>', 'when the key expires (RFC 3339), later than now', futureTime)
    .option('--no-webhook-admin', 'the key may not change webhook endpoints')
    .option('--reason <text>', 'why, for the audit log', '')
    .option('--json', 'answer in JSON')
    .action(async (options: CreateOptions) => {
      const issued = await changing(context, ({ database, personalData }) =>
        issueKey(database, {
          sealing: personalData,
          accountId: options.account,
          environment: options.environment,
          scope: options.scope,
          plan: options.plan,
          allowedIps: options.allowIp,
          webhookAdmin: options.webhookAdmin,
          expiresAt: options.expires ?? null,
          by: operator(),
          reason: options.reason,
          ...(options.name === undefined ? {} : { name: options.name }),
        }),
      )
      answer(context, options, keyJson(issued), () => shownOnce(issued))
    })
}

function registerList(keys: Command, context: CliContext): void {
  keys
    .command('list')
    .description('List keys, oldest first. The keys themselves cannot be shown again.')
    .option('--account <id>', 'only keys of this account')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption & { account?: string }) => {
      const filter = options.account === undefined ? {} : { accountId: options.account }
      const found = await withConnections(context, async ({ database, personalData }) =>
        openValue(personalData, await listKeys(database, filter)),
      )
      answer(context, options, { items: found.map(keyJson) }, () => table([HEADING, ...found.map(row)]))
    })
}

interface ChangeOptions extends JsonOption {
  readonly scope?: Scope
  readonly plan?: PlanName
  readonly allowIp: readonly string[]
  readonly allowAnyIp?: boolean
  readonly name?: string
  readonly expires?: string
  readonly webhookAdmin?: boolean
  readonly reason: string
}

function registerChange(keys: Command, context: CliContext): void {
  keys
    .command('change <key-id>')
    .description('Change the rights or the name of a key, which stays the same key.')
    .addOption(new Option('--scope <scope>', 'another scope').choices(scopes))
    .addOption(new Option('--plan <plan>', 'another plan').choices(planNames))
    .option('--allow-ip <cidr>', 'allow the key only from this range; may be repeated', collect, [])
    .addOption(new Option('--allow-any-ip', 'allow the key from anywhere').conflicts('allowIp'))
    .option('--name <name>', 'another name')
    .option('--expires <date>', 'when the key expires (RFC 3339), later than now', futureTime)
    .option('--webhook-admin', 'the key may change webhook endpoints')
    .option('--no-webhook-admin', 'the key may not change webhook endpoints')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--json', 'answer in JSON')
    .action(async (keyId: string, { allowIp, allowAnyIp, expires, ...options }: ChangeOptions) => {
      const { scope, plan, name, webhookAdmin, reason } = options
      const allowedIps = allowAnyIp === true ? [] : allowIp.length > 0 ? allowIp : undefined
      const given = { scope, plan, name, webhookAdmin, allowedIps, expiresAt: expires }
      const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      if (Object.keys(change).length === 0) throw new CommandError('Nothing to change is given.', EXIT_USAGE)
      const key = await changing(context, ({ database, personalData: sealing }) =>
        changeKey(database, { keyId, change, by: operator(), reason, sealing }),
      )
      answer(context, options, keyJson(key), () => table([HEADING, row(key)]))
    })
}

function registerRotate(keys: Command, context: CliContext): void {
  keys
    .command('rotate <key-id>')
    .description('Issue a successor with the same rights. The old key works for some more hours.')
    .addOption(
      new Option('--overlap <hours>', 'hours that the old key keeps working, 0 to end it at once')
        .argParser(overlapHours)
        .default(ROTATION_OVERLAP_MS / HOUR_MS),
    )
    .option('--reason <text>', 'why, for the audit log', '')
    .option('--json', 'answer in JSON')
    .action(async (keyId: string, options: JsonOption & { overlap: number; reason: string }) => {
      const { overlap, reason } = options
      const order = { keyId, by: operator(), reason, overlapMs: overlap * HOUR_MS }
      const issued = await changing(context, ({ database, personalData: sealing }) =>
        rotateKey(database, { ...order, sealing }),
      )
      answer(context, options, keyJson(issued), () => shownOnce(issued))
    })
}

function registerRevoke(keys: Command, context: CliContext): void {
  keys
    .command('revoke <key-id>')
    .description('Revoke a key: it is refused everywhere within two seconds.')
    .option('--reason <text>', 'why, for the audit log', 'revoked by an operator')
    .option('--json', 'answer in JSON')
    .action(async (keyId: string, options: JsonOption & { reason: string }) => {
      const key = await changing(context, ({ database, personalData: sealing }) =>
        revokeKey(database, { keyId, by: operator(), reason: options.reason, sealing }),
      )
      answer(context, options, keyJson(key), () => `Key ${key.keyId} was revoked at ${key.revokedAt}.`)
    })
}

const exitCodes: Record<AccessRefusal['code'], number> = {
  unknown_account: EXIT_NOT_FOUND,
  unknown_key: EXIT_NOT_FOUND,
  key_revoked: EXIT_FAILED,
  rights_changed: EXIT_FAILED,
  own_key: EXIT_FAILED,
  beyond_rights: EXIT_FAILED,
  invalid: EXIT_USAGE,
}

async function changing<T>(context: CliContext, work: (connections: Connections) => Promise<T>): Promise<T> {
  try {
    return await withConnections(context, async (connections) =>
      openValue(connections.personalData, await work(connections)),
    )
  } catch (error) {
    if (error instanceof AccessRefusal) throw new CommandError(`${error.message}.`, exitCodes[error.code])
    if (error instanceof RangeError) throw new CommandError(`${error.message}.`, EXIT_USAGE)
    throw error
  }
}

function keyJson(key: ApiKey | IssuedKey): Record<string, unknown> {
  return snakeCase(key)
}

function shownOnce(issued: IssuedKey): string {
  return `Key ${issued.keyId} of account ${issued.accountId} (${issued.environment}, ${issued.scope}, ${issued.plan}).
It is shown this once:

  ${issued.key}
`
}

const HEADING = ['KEY', 'ACCOUNT', 'ENVIRONMENT', 'SCOPE', 'PLAN', 'NAME', 'ISSUED', 'LAST USED', 'STATE']

function row(key: ApiKey): string[] {
  return [
    key.keyId,
    key.accountId,
    key.environment,
    key.scope,
    key.plan,
    key.name,
    key.issuedAt,
    key.lastUsedAt ?? 'never',
    stateOf(key),
  ]
}

function stateOf(key: ApiKey): string {
  const now = new Date().toISOString()
  if (key.revokedAt !== null) return `${key.revokedAt <= now ? 'revoked' : 'works until'} ${key.revokedAt}`
  if (key.expiresAt !== null) return `${key.expiresAt <= now ? 'expired' : 'expires'} ${key.expiresAt}`
  return 'works'
}

function overlapHours(text: string): number {
  const hours = Number(text)
  if (!/^\d{1,4}(\.\d{1,3})?$/.test(text))
    throw new InvalidArgumentError('Expected hours, for example 24 or 0.5.')
  return hours
}

/** Unchanged: the store reads it. A key that has expired already would be a mistake, and its caller would get 401. */
function futureTime(text: string): string {
  if (Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('Expected a date, for example 2027-01-31 or 2027-01-31T12:00:00Z.')
  if (Date.parse(text) <= Date.now()) throw new InvalidArgumentError('It is in the past.')
  return text
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}
