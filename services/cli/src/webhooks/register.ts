/** `cupel webhooks`: endpoints of accounts and their deliveries. */
import { loadInstallationSecrets } from '@cupel/access'
import { deliveryStatuses, payloadKinds, type DeliveryStatus, type PayloadKind } from '@cupel/domain'
import { createJudge, parseAllowedRanges } from '@cupel/outbound'
import {
  changeEndpoint,
  createEndpoint,
  createSecretBox,
  deleteEndpoint,
  findEndpoint,
  listDeliveries,
  listEndpoints,
  redeliver,
  redeliverRange,
  rotateEndpointSecret,
  sendTest,
  type EndpointStore,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@cupel/webhooks'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { answer, snakeCase, table, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_FAILED, EXIT_NOT_FOUND, EXIT_USAGE } from '../explain.js'
import { withConnections, type Connections } from '../connections.js'
import { operator } from '../operator.js'

interface ReasonOption extends JsonOption {
  readonly reason?: string
}

interface OwnerOptions extends JsonOption {
  readonly account: string
  readonly environment: 'live' | 'test'
}

const MAX_LISTED = 200

export function registerWebhooks(program: Command, context: CliContext): void {
  const webhooks = program
    .command('webhooks')
    .summary('manage webhook endpoints and their deliveries')
    .description('Manage webhook endpoints, list their deliveries, and send them again.')
  registerList(webhooks, context)
  registerCreate(webhooks, context)
  registerChanges(webhooks, context)
  registerRotate(webhooks, context)
  registerDelete(webhooks, context)
  registerDeliveries(webhooks, context)
  registerTest(webhooks, context)
  registerRedeliver(webhooks, context)
}

function registerList(webhooks: Command, context: CliContext): void {
  ofAccount(webhooks.command('list').description('List the endpoints of an account.')).action(
    async (options: OwnerOptions) => {
      const endpoints = await withConnections(context, ({ database }) =>
        listEndpoints(database, ownerOf(options)),
      )
      answer(context, options, { items: endpoints.map(endpointJson) }, () =>
        table([ENDPOINT_HEADING, ...endpoints.map(endpointRow)]),
      )
    },
  )
}

function registerCreate(webhooks: Command, context: CliContext): void {
  ofAccount(
    webhooks
      .command('create <url>')
      .description('Create an endpoint. Its secret is shown only once.')
      .option('--reason <text>', 'why, for the audit log')
      .addOption(
        new Option(
          '--payload <kind>',
          'send the results (full), only a link to them (thin), or a text for Slack (slack)',
        )
          .choices(payloadKinds)
          .default('full'),
      ),
  ).action(async (url: string, options: OwnerOptions & ReasonOption & { payload: PayloadKind }) => {
    const made = await withConnections(context, async (connections) =>
      createEndpoint(await storeOf(connections), {
        ...ownerOf(options),
        url,
        payload: options.payload,
        ...(await actor(connections, options.account, options)),
      }),
    )
    if (!made.ok) throw refused(made)
    const { endpoint, secret } = made
    answer(context, options, { ...endpointJson(endpoint), secret }, () => shownOnce(endpoint, secret))
  })
}

function registerChanges(webhooks: Command, context: CliContext): void {
  const changes = [
    ['pause', 'disabled', 'Disable an endpoint and hold its deliveries.'],
    ['resume', 'enabled', 'Enable an endpoint and send its held deliveries.'],
  ] as const
  for (const [name, status, description] of changes) {
    withReason(webhooks.command(`${name} <endpoint-id>`).description(description)).action(
      async (endpointId: string, options: ReasonOption) => {
        const changed = await onEndpoint(context, endpointId, async (found, connections) =>
          changeEndpoint(await storeOf(connections), {
            ...{ ...found, status },
            ...(await actor(connections, found.accountId, options)),
          }),
        )
        answer(
          context,
          options,
          endpointJson(changed.endpoint),
          () => `Endpoint ${endpointId} is ${changed.endpoint.status}.`,
        )
      },
    )
  }
}

function registerRotate(webhooks: Command, context: CliContext): void {
  withReason(
    webhooks
      .command('rotate-secret <endpoint-id>')
      .description('Give an endpoint a new secret; for 24 hours messages are signed with both.'),
  ).action(async (endpointId: string, options: ReasonOption) => {
    const rotated = await onEndpoint(context, endpointId, async (found, connections) =>
      rotateEndpointSecret(await storeOf(connections), {
        ...found,
        ...(await actor(connections, found.accountId, options)),
      }),
    )
    const { endpoint, secret, previousSecretExpiresAt } = rotated
    const json = { endpoint_id: endpointId, secret, previous_secret_expires_at: previousSecretExpiresAt }
    answer(context, options, json, () => shownOnce(endpoint, secret))
  })
}

function registerDelete(webhooks: Command, context: CliContext): void {
  withReason(
    webhooks.command('delete <endpoint-id>').description('Delete an endpoint and its deliveries.'),
  ).action(async (endpointId: string, options: ReasonOption) => {
    await onEndpoint(context, endpointId, async (found, connections) =>
      deleteEndpoint(connections, { ...found, ...(await actor(connections, found.accountId, options)) }),
    )
    answer(
      context,
      options,
      { endpoint_id: endpointId, deleted: true },
      () => `Endpoint ${endpointId} was deleted.`,
    )
  })
}

function registerDeliveries(webhooks: Command, context: CliContext): void {
  withJson(
    webhooks
      .command('deliveries <endpoint-id>')
      .description(`List deliveries of an endpoint, newest first, at most ${MAX_LISTED}.`)
      .addOption(
        new Option('--status <status>', 'only deliveries with this status').choices(deliveryStatuses),
      ),
  ).action(async (endpointId: string, options: JsonOption & { status?: DeliveryStatus }) => {
    const { items } = await onEndpoint(context, endpointId, async (found, { database }) => {
      const query = { ...found, pageSize: MAX_LISTED, after: null, status: options.status }
      return { ok: true, ...(await listDeliveries(database, query)) }
    })
    answer(context, options, { items: items.map(deliveryJson) }, () =>
      table([DELIVERY_HEADING, ...items.map(deliveryRow)]),
    )
  })
}

function registerTest(webhooks: Command, context: CliContext): void {
  withJson(webhooks.command('test <endpoint-id>').description('Send a ping to an endpoint.')).action(
    async (endpointId: string, options: JsonOption) => {
      const sent = await onEndpoint(context, endpointId, (found, { database }) => sendTest(database, found))
      answer(
        context,
        options,
        deliveryJson(sent.delivery),
        () =>
          `Delivery ${sent.delivery.deliveryId} is being sent; \`cupel webhooks deliveries ${endpointId}\` shows its outcome.`,
      )
    },
  )
}

function registerRedeliver(webhooks: Command, context: CliContext): void {
  withJson(
    webhooks
      .command('redeliver <endpoint-id> [delivery-id]')
      .description('Send one delivery again, or all missed deliveries of a range of time.')
      .option('--since <time>', 'deliveries created at or after this time (RFC 3339)', moment)
      .option('--until <time>', 'deliveries created before this time (RFC 3339)', moment)
      .addOption(
        new Option('--status <status>', 'deliveries with this status instead of the missed ones').choices(
          deliveryStatuses,
        ),
      ),
  ).action(
    async (
      endpointId: string,
      deliveryId: string | undefined,
      options: JsonOption & { since?: string; until?: string; status?: DeliveryStatus },
    ) => {
      if ((deliveryId === undefined) === (options.since === undefined))
        throw new CommandError('Name a delivery, or a time with --since.', EXIT_USAGE)
      const again = await onEndpoint(context, endpointId, async (found, { database }) => {
        if (deliveryId !== undefined) {
          const one = await redeliver(database, { ...found, deliveryId })
          return one.ok ? { ok: true as const, count: 1 } : one
        }
        const { since, until, status } = options
        const statuses = status === undefined ? undefined : [status]
        return await redeliverRange(database, { ...found, since: since!, until, statuses })
      })
      answer(context, options, { count: again.count }, () => `${again.count} deliveries will be sent again.`)
    },
  )
}

function ofAccount(command: Command): Command {
  return withJson(
    command
      .requiredOption('--account <id>', 'account the endpoints belong to')
      .addOption(
        new Option('--environment <environment>', 'live or sandbox')
          .choices(['live', 'test'])
          .default('live'),
      ),
  )
}

function withReason(command: Command): Command {
  return withJson(command.option('--reason <text>', 'why, for the audit log'))
}

async function actor(
  { personalData }: Connections,
  accountId: string,
  { reason }: ReasonOption,
): Promise<{ by: string; reason: string | undefined }> {
  const seal = await personalData.of(accountId)
  return { by: seal.seal(operator()), reason: reason === undefined ? undefined : seal.seal(reason) }
}

function withJson(command: Command): Command {
  return command.option('--json', 'answer in JSON')
}

function ownerOf({ account, environment }: OwnerOptions): { accountId: string; livemode: boolean } {
  return { accountId: account, livemode: environment === 'live' }
}

async function storeOf({ database, config }: Connections): Promise<EndpointStore> {
  return {
    database,
    secrets: createSecretBox({
      installationKey: (await loadInstallationSecrets(database)).webhookSecretsKey,
      operatorKey: config.CUPEL_WEBHOOK_SECRETS_KEY,
    }),
    judge: createJudge({ allow: parseAllowedRanges(config.CUPEL_WEBHOOK_ALLOW) }),
  }
}

/** An operator gives only the id of an endpoint; its account and environment are looked up. Throws if `work` is refused. */
async function onEndpoint<T>(
  context: CliContext,
  endpointId: string,
  work: (endpoint: OfEndpoint, connections: Connections) => Promise<({ readonly ok: true } & T) | Refused>,
): Promise<T> {
  return await withConnections(context, async (connections) => {
    const found = await findEndpoint(connections.database, endpointId)
    if (found === null) throw new CommandError(`There is no webhook endpoint ${endpointId}.`, EXIT_NOT_FOUND)
    const { accountId, livemode } = found
    const result = await work({ accountId, livemode, endpointId }, connections)
    if (!result.ok) throw refused(result)
    return result
  })
}

type OfEndpoint = Pick<WebhookEndpoint, 'accountId' | 'livemode' | 'endpointId'>
type Refused = { readonly ok: false; readonly code: string; readonly reason?: string }

const refusals: Record<string, { sentence: string; exitCode: number }> = {
  unknown_endpoint: { sentence: 'There is no such webhook endpoint.', exitCode: EXIT_NOT_FOUND },
  unknown_delivery: { sentence: 'The endpoint has no such delivery.', exitCode: EXIT_NOT_FOUND },
  too_many_endpoints: {
    sentence: 'The account has the maximum number of endpoints.',
    exitCode: EXIT_FAILED,
  },
  endpoint_disabled: { sentence: 'The endpoint is disabled: resume it first.', exitCode: EXIT_FAILED },
}

function refused(result: Refused): CommandError {
  const { sentence, exitCode } = refusals[result.code] ?? {
    sentence: result.reason ?? result.code,
    exitCode: EXIT_USAGE,
  }
  return new CommandError(sentence, exitCode)
}

function endpointJson(endpoint: WebhookEndpoint): Record<string, unknown> {
  return snakeCase(endpoint)
}

function deliveryJson({ attempts, ...delivery }: WebhookDelivery): Record<string, unknown> {
  return { ...snakeCase(delivery), attempts: attempts.map(snakeCase) }
}

function shownOnce({ endpointId, url, payload, provenAt }: WebhookEndpoint, secret: string): string {
  const proof =
    'Messages about jobs are held until the receiver answers a test message with 2xx. One is sent by itself.'
  return `Endpoint ${endpointId} (${url}, ${payload}).
Its secret is shown this once:

  ${secret}
${provenAt === null ? `\n${proof}\n` : ''}`
}

const ENDPOINT_HEADING = ['ENDPOINT', 'URL', 'PAYLOAD', 'CREATED', 'STATE']

function endpointRow({
  endpointId,
  url,
  payload,
  createdAt,
  status,
  disabledReason,
  provenAt,
}: WebhookEndpoint): string[] {
  const remark = disabledReason ?? (provenAt === null ? 'not proven' : null)
  return [endpointId, url, payload, createdAt, remark === null ? status : `${status} (${remark})`]
}

const DELIVERY_HEADING = ['DELIVERY', 'TYPE', 'JOB', 'CREATED', 'ATTEMPTS', 'LAST', 'NEXT', 'STATE']

function deliveryRow(delivery: WebhookDelivery): string[] {
  const last = delivery.attempts.at(-1)
  return [
    delivery.deliveryId,
    delivery.type,
    delivery.jobId ?? '-',
    delivery.createdAt,
    String(delivery.attempts.length),
    last === undefined ? '-' : String(last.statusCode ?? last.error),
    delivery.nextAttemptAt ?? '-',
    delivery.status,
  ]
}

function moment(text: string): string {
  const at = new Date(text)
  if (Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('Expected a time such as 2026-11-21T09:00:00Z.')
  return at.toISOString()
}
