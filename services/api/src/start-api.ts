/** The API as a running service: opens its parts, serves its endpoints, and stops both in order. */
import {
  claimReportEpoch,
  createAdmission,
  createReportNames,
  loadInstallationSecrets,
  openReportNumbers,
} from '@cupel/gate/access'
import type { Logger, Metrics, Tracing } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import {
  createBodyBudgets,
  createTransport,
  listen,
  renewIdentity,
  type TlsIdentity,
} from '@cupel/kit/http-edge'
import { openPersonalData } from '@cupel/personal-data'
import { readOidcSettings, type OidcSettings } from '@cupel/kit/oidc'
import type { ResolveName } from '@cupel/kit/outbound'
import type { Database } from '@cupel/postgres'
import { createPdfRenderer, type Brand } from '@cupel/reports/pdf'
import { openSignedLog, startInstallationClock } from '@cupel/operation/connections'
import {
  givenInstance,
  followTlsIdentity,
  readTlsIdentity,
  readWebSecret,
  type Check,
  type Config,
  type RunningService,
} from '@cupel/kit/service'
import { createMailLinks } from '@cupel/webhooks'
import {
  createClientAddressKeeper,
  type ClientAddressKeeperOptions,
  plansOf,
  startKeyStoreWatch,
  createReservationKeeper,
  createDiskWatch,
  createSessionKeeper,
} from '@cupel/gate/calls'
import { createPersonSignIn } from '@cupel/gate/routes'
import { buildApp, type App } from './app.js'
import { createAuditTrail } from '@cupel/gate/audit'
import { readBrand, transparencyReads } from '@cupel/reports/routes'
import { openBulk } from '@cupel/bulk/routes'
import { endpointsOf, type EndpointParts } from './endpoints.js'
import { type StreamLimits, createPageTokens, createTraffic } from '@cupel/gate/http'
import { webhookStoreOf } from '@cupel/webhooks/routes'
import { judgeSets } from '@cupel/labels/routes'
import { administrationOf, changeSettlerOf, type AdministrationSetting } from './administration.js'
import { findRetirementOf, listingOf } from './listings.js'
import { policyPartsOf } from '@cupel/policy/routes'
import { screensCheck, openScreening } from '@cupel/screening/routes'

export interface ApiDeps {
  readonly config: Pick<
    Config,
    | 'CUPEL_HOST'
    | 'CUPEL_PORT'
    | 'CUPEL_INSTANCE'
    | 'CUPEL_BASE_URL'
    | 'CUPEL_REPORT_PAGE_URL'
    | 'CUPEL_WEB_URL'
    | 'CUPEL_WEB_SECRET'
    | 'CUPEL_WEB_SECRET_FILE'
    | 'CUPEL_OIDC_FILE'
    | 'CUPEL_SCREEN_DEADLINE_MS'
    | 'CUPEL_READ_WAIT_MS'
    | 'CUPEL_TRUSTED_PROXIES'
    | 'CUPEL_TLS_CERT_FILE'
    | 'CUPEL_TLS_KEY_FILE'
    | 'CUPEL_DRAIN_MS'
    | 'CUPEL_MAX_CONNECTIONS'
    | 'CUPEL_MAX_CONNECTIONS_PER_CLIENT'
    | 'CUPEL_PDF_WORKERS'
    | 'CUPEL_PDF_NAME'
    | 'CUPEL_PDF_LOGO_FILE'
    | 'CUPEL_CASE_SECOND_PERSON'
    | AdministrationSetting
    | 'CUPEL_ENTERPRISE_CALLS_PER_SECOND'
    | 'CUPEL_ENTERPRISE_BURST'
    | 'CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND'
    | 'CUPEL_ENTERPRISE_OPEN_JOBS'
    | 'CUPEL_ENTERPRISE_WAITING_ITEMS'
    | 'CUPEL_ENTERPRISE_WATCHES'
    | 'CUPEL_HOME'
    | 'CUPEL_DISK_WATERMARK'
    | 'CUPEL_LOG_IS_PUBLIC'
    | 'CUPEL_AUTH_FAILURES_PER_MINUTE'
    | 'CUPEL_WEBHOOK_ALLOW'
    | 'CUPEL_WEBHOOK_SECRETS_KEY'
    | 'CUPEL_MAIL_HOST'
    | 'CUPEL_PERSONAL_DATA_KEYS_FILE'
    | 'CUPEL_SIGNING_KEYS_FILE'
    | 'CUPEL_CLIENT_ADDRESS_RETENTION_DAYS'
    | 'CUPEL_RETENTION_ARCHIVE'
  >
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Number of this process among the instances of the API; by default that of the settings. */
  readonly instance?: number
  /** Called for a failure that only a restart repairs, for example when the report tail is lost for good. */
  readonly fail: (reason: string, error: unknown) => void
  /** The address and the secret of the console, where the composer knows them; else the settings name them. */
  readonly web?: WebOfApi
  /** In place of the name servers of the system, where webhook URLs are judged. */
  readonly resolve?: ResolveName
  /** In place of the clock of this machine. */
  readonly now?: () => Date
  /** In place of the usual times of the retention of client addresses. */
  readonly retention?: Pick<ClientAddressKeeperOptions, 'firstAfterMs' | 'intervalMs' | 'now'>
  /** In place of the usual limits of event streams. */
  readonly streamLimits?: Partial<StreamLimits>
  /** Null or absent: no traces are made. */
  readonly tracing?: Tracing | null
}

export interface WebOfApi {
  /** Without a slash at the end. */
  readonly url: string
  readonly secret: string
}

export interface RunningApi extends RunningService {
  /** What callers see as the base address, without a slash at the end. */
  readonly baseUrl: string
  /** Where this instance listens. */
  readonly url: string
}

/** An attempt under an Idempotency-Key may be continued by another one this long after the deadline of its answer. */
const LEASE_MARGIN_MS = 1_000

/** Resolves once calls are served. The topics, tables and schemas exist already. */
export async function startApi(given: ApiDeps): Promise<RunningApi> {
  const deps = { ...given, log: await openSignedLog(given) }
  const { config, logger } = deps
  const links: Links = { baseUrl: '', reportPageUrl: '', shareUrl: '' }
  let isStopping = false
  // First of all: an operator must replace a certificate that does not fit its key.
  const tls = await readTlsIdentity(config)
  const oidc = await readOidcSettings(config.CUPEL_OIDC_FILE)
  const webSecret = deps.web?.secret ?? (await readWebSecret(config))
  const webUrl = (config.CUPEL_WEB_URL ?? deps.web?.url)?.replace(/\/$/, '')
  const parts = await openParts({ ...deps, brand: await readBrand(config) }, links)
  const { screening, gate } = parts
  const checks = (): readonly Check[] => [
    { name: 'accepting', ok: !isStopping },
    // Calls that still arrive are answered while stopping: the proxy in front sends the next ones elsewhere.
    { name: 'report tail', ok: screening.isReady() },
    { name: 'key store', ok: gate.isAvailable() },
    screensCheck(screening.screens.failing()),
    ...parts.disk.checks(),
  ]
  const failing = (): string[] =>
    checks().flatMap((check) => (check.ok || check.isServing ? [] : [check.name]))
  const app = appOf(deps, parts, { tls, oidc, webSecret, webUrl, failing })
  // If the port is taken, the composer reports it, and nothing may keep running.
  const url = await listenWith(app, config, tls !== null).catch(async (error: unknown) => {
    await release(parts)
    throw error
  })
  links.baseUrl = (config.CUPEL_BASE_URL ?? url).replace(/\/$/, '')
  links.shareUrl = webUrl === undefined ? `${links.baseUrl}/v1/shared/` : `${webUrl}/shared/`
  links.reportPageUrl = config.CUPEL_REPORT_PAGE_URL ?? `${webUrl ?? links.baseUrl}/reports/`
  const onSettled = (identity: TlsIdentity): void => renewIdentity(app.fastify.server, identity)
  const renewal = tls === null ? null : followTlsIdentity({ config, current: tls, logger, onSettled })
  logger.info({ url, partition: screening.partition }, 'The API serves calls')
  const ranges = config.CUPEL_TRUSTED_PROXIES
  if (ranges.length > 0) logger.info({ ranges }, 'Proxies in these ranges say whose calls they pass on')

  return {
    name: 'api',
    url,
    baseUrl: links.baseUrl,
    checks,
    async stop() {
      // Order: report not accepting, accept no more calls, answer the accepted ones, then release what their answers needed.
      isStopping = true
      await app.drain(config.CUPEL_DRAIN_MS)
      await renewal?.stop()
      // A stream does not end by itself.
      await parts.bulk.streams.stop()
      await app.close()
      await screening.drained()
      await release(parts)
    },
  }
}

/** Links as callers see them, without a slash at the end of the first; known once the API listens. */
interface Links {
  baseUrl: string
  reportPageUrl: string
  /** The prefix of a share link, before its token. */
  shareUrl: string
}

type Parts = Awaited<ReturnType<typeof openParts>>

async function openParts(deps: ApiDeps & { readonly brand: Brand | null }, links: Links) {
  const { config, log, codec, database, logger, metrics } = deps
  const deadlineMs = config.CUPEL_SCREEN_DEADLINE_MS
  const readWaitMs = config.CUPEL_READ_WAIT_MS
  const leaseMs = deadlineMs + LEASE_MARGIN_MS
  const retentionDays = config.CUPEL_CLIENT_ADDRESS_RETENTION_DAYS
  const instance = deps.instance ?? givenInstance(config)
  const secrets = await loadInstallationSecrets(database)
  const personalData = await openPersonalData({ database, keysFile: config.CUPEL_PERSONAL_DATA_KEYS_FILE })
  // Calls without an account are recorded also while the database is down.
  await personalData.of('')
  if (!personalData.isSealing)
    logger.warn(
      {},
      'There is no CUPEL_PERSONAL_DATA_KEYS_FILE: personal data is stored as it is, and cannot be erased',
    )
  const clock = await startInstallationClock({ database, logger, metrics, machineNow: deps.now })
  const traffic = createTraffic()
  const nameReports = createReportNames(secrets.reportIdKey)
  const takeNumbers = await openReportNumbers(() =>
    claimReportEpoch({ database, log, codec }, { instance, nowMs: Date.now() }),
  )
  const screening = await openScreening({
    ...{ log, codec, database, logger, metrics, instance, deadlineMs, readWaitMs, takeNumbers, nameReports },
    ...{ findRetirement: findRetirementOf(deps), now: clock.now },
    reportUrlOf: (reportId) => links.reportPageUrl + reportId,
    onTailLost: (error) => deps.fail('The report log cannot be followed any more', error),
  })
  const gate = createAdmission({
    ...{ database, logger, metrics, leaseMs },
    plans: plansOf(config),
    maxFailuresPerMinute: config.CUPEL_AUTH_FAILURES_PER_MINUTE,
  })
  return {
    clock,
    screening,
    bulk: openBulk({
      ...{ log, codec, database, logger, metrics, links, deadlineMs, readWaitMs },
      ...{ takeNumbers, nameReports, traffic, openJson: personalData.openJson },
      ...{ streamLimits: deps.streamLimits, findRetirement: findRetirementOf(deps) },
      plans: plansOf(config),
    }),
    gate,
    keyStoreWatch: startKeyStoreWatch(gate),
    audit: createAuditTrail({
      ...{ log, codec, database, logger, metrics, personalData },
      instance: `api-${instance}`,
    }),
    reservations: createReservationKeeper({ database, logger }),
    sessionKeeper: createSessionKeeper({ database, logger }),
    changeSettler: changeSettlerOf(deps),
    clientAddressKeeper: createClientAddressKeeper({ database, logger, retentionDays, ...deps.retention }),
    idempotent: { database, leaseMs, logger },
    ...createBodyBudgets(metrics),
    traffic,
    disk: createDiskWatch({
      ...{ logger, metrics },
      folder: config.CUPEL_HOME,
      watermark: config.CUPEL_DISK_WATERMARK,
    }),
    webhookStore: webhookStoreOf({ ...deps, installationKey: secrets.webhookSecretsKey, personalData }),
    mailLinks: createMailLinks(secrets.webhookSecretsKey),
    personalData,
    tokens: createPageTokens(secrets.pageTokenKey),
    links,
    pdf: createPdfRenderer({ workers: config.CUPEL_PDF_WORKERS, brand: deps.brand }),
  }
}

async function release({ sessionKeeper, reservations, ...parts }: Parts): Promise<void> {
  const { audit, screening, gate, pdf, bulk, disk, clock, keyStoreWatch } = parts
  await clock.stop()
  await disk.stop()
  await bulk.streams.stop()
  await bulk.watch.stop()
  await pdf.close()
  await bulk.stopReading()
  await audit.stop()
  await reservations.stop()
  await sessionKeeper.stop()
  await parts.clientAddressKeeper.stop()
  await parts.changeSettler.stop()
  await screening.stop()
  await keyStoreWatch.stop()
  await gate.close()
}

interface AppSettings {
  readonly tls: TlsIdentity | null
  readonly oidc: OidcSettings | null
  readonly webSecret: string | undefined
  /** Undefined where no pages are served. */
  readonly webUrl: string | undefined
  readonly failing: () => readonly string[]
}

function appOf(deps: ApiDeps, parts: Parts, { tls, oidc, webSecret, webUrl, failing }: AppSettings): App {
  const { config, database, logger, metrics } = deps
  const { screening, bulk, gate, audit, idempotent, bodies, strangers, disk, traffic } = parts
  const { webhookStore, mailLinks, tokens, pdf, links, personalData } = parts
  const sessions = { database, signIn: createPersonSignIn({ database, gate, logger, personalData }, oidc) }
  const shared = {
    ...{ database, tokens, plansInForce: plansOf(config) },
    ...{ doPeopleSignIn: oidc !== null, secondPersonLevels: config.CUPEL_CASE_SECOND_PERSON },
    reportPageUrl: () => links.reportPageUrl,
    shareUrlOf: (token: string) => links.shareUrl + token,
  }
  return buildApp({
    endpoints: endpointsOf({
      ...{ ...shared, ...screening, listing: listingOf(deps, parts), ...referenceOf(deps, parts) },
      ...administrationOf({ ...deps, personalData, tokens }, oidc),
      webhooks: { store: webhookStore, tokens, personalData, mailLinks },
      ...{ bulk, sessions, pdf, personalData, failing },
      health: { database, logger, log: deps.log },
    }),
    ...{ gate, audit, idempotent, bodies, strangers, disk, traffic, personalData },
    ...{ logger, metrics, tls, webUrl, tracing: deps.tracing ?? null },
    transport: createTransport({
      trustedProxies: config.CUPEL_TRUSTED_PROXIES,
      isEncrypted: tls !== null,
      webSecret,
    }),
    limits: {
      maxConnections: config.CUPEL_MAX_CONNECTIONS,
      maxConnectionsPerPeer: config.CUPEL_MAX_CONNECTIONS_PER_CLIENT,
    },
  })
}

/** The parts for lists and policy, and for the proof of reports. */
function referenceOf(
  { config, database, log, codec, logger }: ApiDeps,
  { tokens, personalData, traffic }: Parts,
): Pick<EndpointParts, 'lists' | 'policy' | 'transparency'> {
  return {
    transparency: {
      ...transparencyReads({
        ...{ database, log, codec, logger, personalData },
        findRetirement: findRetirementOf({ config, database }),
      }),
      publicReads: config.CUPEL_LOG_IS_PUBLIC ? traffic : null,
    },
    lists: { judge: (caller) => judgeSets(database, caller), tokens },
    policy: policyPartsOf({ database, log, codec, tokens }),
  }
}

/** Resolves to the URL of this instance. Rejects where the port is taken. */
async function listenWith(
  { fastify }: App,
  config: ApiDeps['config'],
  isEncrypted: boolean,
): Promise<string> {
  const { CUPEL_HOST: host, CUPEL_PORT: firstPort } = config
  const port = firstPort === 0 ? 0 : firstPort + givenInstance(config)
  return await listen(fastify, { host, port, isEncrypted })
}
