/** The API as a running service: access, the screens in wait, the tail that answers them, and the HTTP frame around it all. */
import type { AddressInfo } from 'node:net'
import {
  createAdmission,
  isPendingScreen,
  loadInstallationSecrets,
  notePendingScreens,
  takeReportNumbers,
  type Caller,
} from '@cupel/access'
import { REPORT_PARTITIONS, reportPartitionOfLane, type Logger, type Metrics } from '@cupel/contracts'
import { reportIdsOf } from '@cupel/domain'
import type { EventCodec, EventLog } from '@cupel/event-log'
import { createJudge, parseAllowedRanges, type ResolveName } from '@cupel/outbound'
import type { Database } from '@cupel/postgres'
import { readModelGroup, waitUntilProjected } from '@cupel/projections'
import {
  getReport as readReport,
  listAuditEntries,
  listReports as readReports,
  reportView,
} from '@cupel/read-models'
import type { Check, Config, RunningService } from '@cupel/service-kit'
import { createSecretBox } from '@cupel/webhooks'
import { plansOf } from './access/configured-plans.js'
import { createReservationKeeper } from './access/reservation-keeper.js'
import { readTlsIdentity } from './access/tls-identity.js'
import { createTransport } from './access/transport.js'
import { buildApp } from './app.js'
import { createAuditTrail } from './audit/audit-trail.js'
import { openBulk } from './bulk/open-bulk.js'
import { endpointsOf } from './endpoints.js'
import { createPageTokens } from './http/page-token.js'
import type { AuditListing } from './routes/audit/list-audit-log.js'
import type { ReportListing } from './routes/reports/list-reports.js'
import { createAwaitReport } from './screening/await-report.js'
import { createPendingKeeper } from './screening/pending-keeper.js'
import { createPendingTable } from './screening/pending-table.js'
import { reportIdRounds } from './screening/report-id-cipher.js'
import { createReportIds } from './screening/report-ids.js'
import { createReportReader } from './screening/report-reader.js'
import { followReports } from './screening/report-tail.js'
import { createScreens } from './screening/screens.js'

export interface ApiDeps {
  readonly config: Pick<
    Config,
    | 'CUPEL_HOST'
    | 'CUPEL_PORT'
    | 'CUPEL_INSTANCE'
    | 'CUPEL_BASE_URL'
    | 'CUPEL_REPORT_PAGE_URL'
    | 'CUPEL_SCREEN_DEADLINE_MS'
    | 'CUPEL_TRUSTED_PROXIES'
    | 'CUPEL_TLS_CERT_FILE'
    | 'CUPEL_TLS_KEY_FILE'
    | 'CUPEL_MAX_CONNECTIONS'
    | 'CUPEL_MAX_CONNECTIONS_PER_CLIENT'
    | 'CUPEL_ENTERPRISE_CALLS_PER_SECOND'
    | 'CUPEL_ENTERPRISE_BURST'
    | 'CUPEL_ENTERPRISE_HARD_CAP_PER_SECOND'
    | 'CUPEL_AUTH_FAILURES_PER_MINUTE'
    | 'CUPEL_WEBHOOK_ALLOW'
    | 'CUPEL_WEBHOOK_SECRETS_KEY'
  >
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  /** Called where only a restart leads back, for example when the report tail is lost for good. */
  readonly fail: (reason: string, error: unknown) => void
  /** In place of the name servers of the system, where webhook URLs are judged. */
  readonly resolve?: ResolveName
}

export interface RunningApi extends RunningService {
  /** What callers see as the base address, without a slash at the end. */
  readonly baseUrl: string
  /** Where this instance listens. */
  readonly url: string
}

const GAUGE_INTERVAL_MS = 1_000
/** An attempt under an Idempotency-Key is given up when it is this much past the deadline of its answer. */
const LEASE_MARGIN_MS = 1_000

/** Resolves once calls are served. The topics, tables and schemas exist already. */
export async function startApi(deps: ApiDeps): Promise<RunningApi> {
  const { config, log, codec, database, logger, metrics } = deps
  const deadlineMs = config.CUPEL_SCREEN_DEADLINE_MS
  const partition = reportPartitionOfLane('interactive', config.CUPEL_INSTANCE)
  const links = { baseUrl: '', reportPageUrl: '' }
  let lostTail: Error | null = null
  let stopping = false

  // Before anything runs: a certificate that does not fit is the operator's to mend.
  const tls = await readTlsIdentity(config)
  const secrets = await loadInstallationSecrets(database)
  const rounds = reportIdRounds(secrets.reportIdKey)
  const namesInARow = (first: number, count: number, partitionOf: (number: bigint) => number): string[] => {
    const numbers = Array.from({ length: count }, (_, index) => BigInt(first + index))
    return reportIdsOf(numbers, partitionOf, REPORT_PARTITIONS, rounds)
  }
  const bulk = openBulk({
    ...{ log, codec, database, links, deadlineMs },
    takeNumbers: (count) => takeReportNumbers(database, count),
    reportIdsOf: namesInARow,
  })
  const reportIds = createReportIds({
    take: (count) => takeReportNumbers(database, count),
    idsOf: (first, count) => namesInARow(first, count, () => partition),
  })
  const pending = createPendingTable({
    deadlineMs,
    note: (screens) => notePendingScreens(database, screens),
    logger,
  })
  const tail = await followReports({
    log,
    codec,
    partition,
    pending,
    logger,
    metrics,
    onStopped(error) {
      lostTail = error
      deps.fail('The report log cannot be followed any more', error)
    },
  })
  const leaseMs = deadlineMs + LEASE_MARGIN_MS
  const gate = createAdmission({
    database,
    logger,
    metrics,
    plans: plansOf(config),
    leaseMs,
    maxFailuresPerMinute: config.CUPEL_AUTH_FAILURES_PER_MINUTE,
  })
  // While stopping, what still arrives on kept connections is served: only new connections are sent elsewhere.
  const canAnswer = (): boolean => lostTail === null && tail.isReady()
  const read = (owner: Pick<Caller, 'accountId' | 'livemode'>, reportId: string) =>
    readReport(database, { accountId: owner.accountId, livemode: owner.livemode, reportId })
  const reports = createReportReader({
    log,
    read,
    waitUntilProjected: (position, timeoutMs) =>
      waitUntilProjected({ database, group: readModelGroup(reportView), ...position, timeoutMs }),
    isPending: ({ accountId, livemode }, reportId) =>
      isPendingScreen(database, { accountId, livemode, reportId }),
  })
  const screens = createScreens({
    log,
    codec,
    pending,
    reportIds,
    awaitElsewhere: createAwaitReport({ reports, database, deadlineMs, logger }),
    isReady: canAnswer,
    deadlineMs,
    reportUrlOf: (reportId) => links.reportPageUrl + reportId,
    metrics,
  })
  const listing: ReportListing = {
    list: ({ accountId, livemode }, query) => readReports(database, { accountId, livemode, ...query }),
    tokens: createPageTokens(secrets.pageTokenKey),
  }
  const auditListing: AuditListing = {
    list: ({ accountId, livemode }, query) => listAuditEntries(database, { accountId, livemode, ...query }),
    tokens: listing.tokens,
  }
  const webhooks = {
    store: {
      database,
      secrets: createSecretBox({
        installationKey: secrets.webhookSecretsKey,
        operatorKey: config.CUPEL_WEBHOOK_SECRETS_KEY,
      }),
      judge: createJudge({
        allow: parseAllowedRanges(config.CUPEL_WEBHOOK_ALLOW),
        ...(deps.resolve === undefined ? {} : { resolve: deps.resolve }),
      }),
    },
    tokens: listing.tokens,
  }
  const audit = createAuditTrail({
    log,
    codec,
    database,
    logger,
    metrics,
    instance: `api-${config.CUPEL_INSTANCE}`,
  })
  const keeper = createPendingKeeper({
    database,
    logger,
    hasEnded: async (screen) => (await read(screen, screen.reportId)) !== null,
  })

  const checks = (): readonly Check[] => [
    { name: 'accepting', ok: !stopping },
    { name: 'report tail', ok: canAnswer() },
    { name: 'key store', ok: gate.isAvailable() },
  ]
  const failing = (): string[] => checks().flatMap((check) => (check.ok ? [] : [check.name]))
  const app = buildApp({
    endpoints: endpointsOf({ screens, reports, reportIds, listing, auditListing, bulk, webhooks, failing }),
    gate,
    transport: createTransport({ trustedProxies: config.CUPEL_TRUSTED_PROXIES, isEncrypted: tls !== null }),
    tls,
    limits: {
      maxConnections: config.CUPEL_MAX_CONNECTIONS,
      maxConnectionsPerPeer: config.CUPEL_MAX_CONNECTIONS_PER_CLIENT,
    },
    idempotent: { database, leaseMs, logger },
    audit,
    logger,
    metrics,
  })
  const reservations = createReservationKeeper({ database, logger })
  const letGo = async (): Promise<void> => {
    await audit.stop()
    await reservations.stop()
    await keeper.stop()
    await tail.stop()
    await gate.close()
    pending.close()
  }
  const port = config.CUPEL_PORT === 0 ? 0 : config.CUPEL_PORT + config.CUPEL_INSTANCE
  try {
    await app.fastify.listen({ host: config.CUPEL_HOST, port, backlog: LISTEN_BACKLOG })
  } catch (error) {
    // A taken port is the composer's to report; nothing may go on running without it.
    await letGo()
    throw error
  }
  const url = urlOf(
    tls === null ? 'http' : 'https',
    config.CUPEL_HOST,
    (app.fastify.server.address() as AddressInfo).port,
  )
  links.baseUrl = (config.CUPEL_BASE_URL ?? url).replace(/\/$/, '')
  links.reportPageUrl = config.CUPEL_REPORT_PAGE_URL ?? `${links.baseUrl}/reports/`
  const gauges = watchGauges(metrics, pending)
  logger.info({ url, partition }, 'The API serves calls')

  return {
    name: 'api',
    url,
    baseUrl: links.baseUrl,
    checks,
    async stop() {
      // Order: take no more, answer what was taken, then let go of what the answers needed.
      stopping = true
      await app.close()
      await pending.drained()
      await letGo()
      clearInterval(gauges)
    },
  }
}

/** Connections the kernel holds for us while the event loop is busy. */
const LISTEN_BACKLOG = 1_024

function watchGauges(metrics: Metrics, pending: { size(): number; oldestAgeMs(): number }): NodeJS.Timeout {
  const size = metrics.gauge('api_pending_screens', 'Screens waited for.')
  const age = metrics.gauge('api_oldest_pending_seconds', 'Age of the oldest screen waited for.')
  const timer = setInterval(() => {
    size.set(pending.size())
    age.set(pending.oldestAgeMs() / 1000)
  }, GAUGE_INTERVAL_MS)
  return timer.unref()
}

function urlOf(scheme: 'http' | 'https', host: string, port: number): string {
  const shown =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${shown}:${port}`
}
