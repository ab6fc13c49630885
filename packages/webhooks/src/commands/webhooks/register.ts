/** `cupel webhooks`: endpoints of accounts and their deliveries. */
import { loadInstallationSecrets } from '@cupel/gate/access'
import {
  chosenWebhookTypes,
  deliveryStatuses,
  payloadKinds,
  type DeliveryStatus,
  type PayloadKind,
  type WebhookType,
} from '@cupel/domain'
import { openValue } from '@cupel/personal-data'
import { refused, type Refused } from './refused.js'
import { createJudge, parseAllowedRanges } from '@cupel/kit/outbound'
import {
  changeEndpoint,
  createEndpoint,
  createSecretBox,
  deleteEndpoint,
  findEndpoint,
  getDelivery,
  listDeliveries,
  listEndpoints,
  redeliver,
  redeliverRange,
  rotateEndpointSecret,
  sendTest,
  type EndpointStore,
  type SentDelivery,
  type WebhookEndpoint,
} from '../../index.js'
import { Option, type Command } from 'commander'
import {
  answer,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections, type Connections, operator } from '@cupel/command-line/installation'
import {
  DELIVERY_HEADING,
  deliveryJson,
  deliveryRow,
  ENDPOINT_HEADING,
  endpointJson,
  endpointRow,
  shownOnce,
} from './shown.js'
import { eventTypes, moment } from './values.js'

interface ReasonOption extends JsonOption {
  readonly reason?: string
}

interface ReceivedOptions {
  readonly payload?: PayloadKind
  readonly events?: readonly WebhookType[]
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
  registerDelivery(webhooks, context)
  registerEvents(webhooks, context)
  registerTest(webhooks, context)
  registerRedeliver(webhooks, context)
}

function registerList(webhooks: Command, context: CliContext): void {
  ofAccount(webhooks.command('list').description('List the endpoints of an account.')).action(
    async (options: OwnerOptions) => {
      const endpoints = await withConnections(context, async ({ database, personalData }) =>
        openValue(personalData, await listEndpoints(database, ownerOf(options))),
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
      .description(
        'Create an endpoint. Its secret is shown only once. With mailto:NAME@HOST messages go by e-mail, once the recipient has confirmed.',
      )
      .option('--reason <text>', 'why, for the audit log')
      .addOption(
        new Option(
          '--payload <kind>',
          'send the results (full), only a link to them (thin), or a text for Slack (slack); e-mail has its own (email)',
        ).choices(payloadKinds),
      )
      .option(
        '--events <types>',
        `only these messages, separated by commas: ${chosenWebhookTypes.join(', ')}`,
        eventTypes,
      ),
  ).action(async (url: string, options: OwnerOptions & ReasonOption & ReceivedOptions) => {
    const made = await withConnections(context, async (connections) => {
      const result = await createEndpoint(await storeOf(connections), {
        ...ownerOf(options),
        ...{ url, payload: options.payload, events: options.events },
        ...(await actor(connections, options.account, options)),
      })
      return await openValue(connections.personalData, result)
    })
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

function registerDelivery(webhooks: Command, context: CliContext): void {
  withJson(
    webhooks
      .command('delivery <endpoint-id> <delivery-id>')
      .description('Show one delivery with its body as sent and the answers to it.'),
  ).action(async (endpointId: string, deliveryId: string, options: JsonOption) => {
    const sent = await onEndpoint<SentDelivery>(
      context,
      endpointId,
      async (found, { database, personalData }) => {
        const one = await getDelivery(database, { ...found, deliveryId })
        if (one === null) return { ok: false as const, code: 'unknown_delivery' }
        const body = one.body === null ? null : await personalData.openJson(one.body, found.accountId)
        return { ok: true as const, ...one, body }
      },
    )
    const { delivery, body } = sent
    answer(context, options, { ...deliveryJson(delivery), body }, () =>
      [
        table([DELIVERY_HEADING, deliveryRow(delivery)]),
        ...delivery.attempts.map(
          (one) => `${one.at}  ${one.statusCode ?? one.error}  ${one.responseExcerpt ?? ''}`,
        ),
        body ?? 'The results of the job cannot be read yet.',
      ].join('\n\n'),
    )
  })
}

function registerEvents(webhooks: Command, context: CliContext): void {
  withReason(
    webhooks
      .command('events <endpoint-id> <types>')
      .description(
        `Choose the messages of an endpoint: all, or some of ${chosenWebhookTypes.join(', ')}, separated by commas.`,
      ),
  ).action(async (endpointId: string, types: string, options: ReasonOption) => {
    const events = types === 'all' ? null : givenTypes(types)
    const { endpoint } = await onEndpoint(context, endpointId, async (found, connections) =>
      changeEndpoint(await storeOf(connections), {
        ...{ ...found, events },
        ...(await actor(connections, found.accountId, options)),
      }),
    )
    const now = endpoint.events === null ? 'every message' : endpoint.events.join(', ')
    answer(context, options, endpointJson(endpoint), () => `Endpoint ${endpointId} gets ${now}.`)
  })
}

/** An argument that is read within the command ends it as a wrong use, as an option does. */
function givenTypes(types: string): WebhookType[] {
  try {
    return eventTypes(types)
  } catch (error) {
    throw new CommandError((error as Error).message, EXIT_USAGE)
  }
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

async function storeOf({ database, config, personalData }: Connections): Promise<EndpointStore> {
  return {
    database,
    secrets: createSecretBox({
      installationKey: (await loadInstallationSecrets(database)).webhookSecretsKey,
      operatorKey: config.CUPEL_WEBHOOK_SECRETS_KEY,
    }),
    judge: createJudge({ allow: parseAllowedRanges(config.CUPEL_WEBHOOK_ALLOW) }),
    sealRecipient:
      config.CUPEL_MAIL_HOST === undefined
        ? null
        : async (accountId, address) => (await personalData.of(accountId)).seal(address),
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
