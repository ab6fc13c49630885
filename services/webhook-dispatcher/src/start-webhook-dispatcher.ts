/** The webhook dispatcher as a running service: any number of instances share the work through claims. */
import { loadInstallationSecrets } from '@cupel/gate/access'
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import {
  createOutboundClient,
  parseAllowedRanges,
  type AdmitPlace,
  type ResolveName,
} from '@cupel/kit/outbound'
import { openPersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { Config, RunningService } from '@cupel/kit/service'
import { createSecretBox, takeDestinationTokens } from '@cupel/webhooks'
import {
  startBuildingBodies,
  mailStyleOf,
  openMail,
  type MailConfig,
  createDestinationGate,
  followJobs,
  readEndedJobFrom,
  type ReadEndedJob,
  startSending,
  startUpkeep,
} from '@cupel/webhooks/worker'

export interface WebhookDispatcherDeps {
  readonly config: Pick<
    Config,
    | 'CUPEL_BASE_URL'
    | 'CUPEL_HOST'
    | 'CUPEL_PORT'
    | 'CUPEL_WEBHOOK_ALLOW'
    | 'CUPEL_WEBHOOK_SECRETS_KEY'
    | 'CUPEL_PERSONAL_DATA_KEYS_FILE'
    | 'CUPEL_WEBHOOK_ATTEMPTS_PER_SECOND'
    | 'CUPEL_WEBHOOK_HOST_ATTEMPTS_PER_SECOND'
    | 'CUPEL_WEBHOOK_HOST_BURST'
  > &
    MailConfig
  readonly log: EventLog
  readonly codec: EventCodec
  /** Takes up to five connections. */
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
  /** Called for a failure that only a restart repairs. */
  readonly fail: (reason: string, error: unknown) => void
  /** The base address that callers see, where it is known only once the API listens. */
  readonly baseUrl?: () => string
  /** The address of the console, where only the composer knows it; null without a console. */
  readonly webUrl?: () => string | null
  /** In place of the name servers of the system. */
  readonly resolve?: ResolveName
  /** In place of the read models. */
  readonly readEndedJob?: ReadEndedJob
  /** In place of the time an attempt may take. */
  readonly attemptTimeoutMs?: number
}

/** Resolves once the dispatcher reads ends of jobs and sends deliveries. Topics, tables and schemas must exist. */
export async function startWebhookDispatcher(deps: WebhookDispatcherDeps): Promise<RunningService> {
  const { config, log, codec, database, logger, metrics } = deps
  const { webhookSecretsKey: installationKey } = await loadInstallationSecrets(database)
  const secrets = createSecretBox({
    installationKey,
    operatorKey: config.CUPEL_WEBHOOK_SECRETS_KEY,
  })
  if (config.CUPEL_WEBHOOK_ALLOW.length > 0)
    logger.warn({ ranges: config.CUPEL_WEBHOOK_ALLOW }, 'Webhooks may be sent into ranges that are opened')
  const personalData = await openPersonalData({ database, keysFile: config.CUPEL_PERSONAL_DATA_KEYS_FILE })
  const client = createOutboundClient({
    allow: parseAllowedRanges(config.CUPEL_WEBHOOK_ALLOW),
    ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
    ...(deps.attemptTimeoutMs === undefined ? {} : { timeoutMs: deps.attemptTimeoutMs }),
  })
  const baseUrl = (): string => baseUrlOf(deps)
  const timeoutMs = deps.attemptTimeoutMs
  const mail = openMail({ config, database, personalData, installationKey, baseUrl, logger, timeoutMs })
  const mailStyle = mailStyleOf(config, { baseUrl, webUrl: deps.webUrl ?? (() => null) })
  const sending = startSending({
    ...{ database, secrets, client, logger, metrics, personalData, mail, admit: gateOf(deps) },
    tracing: deps.tracing ?? null,
    attemptsPerSecond: config.CUPEL_WEBHOOK_ATTEMPTS_PER_SECOND,
  })
  const bodies = startBuildingBodies({
    database,
    readEndedJob: deps.readEndedJob ?? readEndedJobFrom({ database, log, codec, logger, metrics }),
    resultsUrl: (jobId) => `${baseUrl()}/v1/bulk/${jobId}/results`,
    mailStyle,
    logger,
    onBodies: () => sending.wake(),
  })
  const upkeep = startUpkeep({ database, logger, metrics })
  const following = followJobs({
    ...{ log, codec, database, logger, metrics, mailStyle },
    tracing: deps.tracing ?? null,
    onDeliveries() {
      bodies.wake()
      sending.wake()
    },
    onStopped: (error) => deps.fail('The ends of bulk jobs cannot be followed any more', error),
  })
  await following.joined
  const check = (name: string, problem: string | null) =>
    problem === null ? { name, ok: true } : { name, ok: false, detail: problem }
  return {
    name: 'webhook-dispatcher',
    checks: () => [
      check('ends of jobs', following.problem()),
      check('bodies', bodies.error()),
      check('deliveries', sending.error()),
    ],
    async stop() {
      await following.stop()
      await bodies.stop()
      await sending.stop()
      await upkeep.stop()
      await client.close()
    },
  }
}

function gateOf({ config, database, logger }: WebhookDispatcherDeps): AdmitPlace {
  const limits = {
    perSecond: config.CUPEL_WEBHOOK_HOST_ATTEMPTS_PER_SECOND,
    burst: config.CUPEL_WEBHOOK_HOST_BURST,
  }
  return createDestinationGate({
    take: (messages) => takeDestinationTokens(database, limits, messages),
    logger,
  })
}

function baseUrlOf({ config, baseUrl }: WebhookDispatcherDeps): string {
  const known = config.CUPEL_BASE_URL ?? baseUrl?.() ?? `http://${config.CUPEL_HOST}:${config.CUPEL_PORT}`
  return known.replace(/\/$/, '')
}
