/** Brings an installation up on a database server that is starting: everything that loads the packages of the product. */
import { join } from 'node:path'
import { databaseBehindLog } from '@cupel/access'
import {
  lostRecords,
  REPORT_SIGNING_KEYS_FILE,
  requireSignatures,
  SIGNING_KEYS_FILE,
} from '@cupel/checkpoints'
import type { HeldHome, Profile, RunningPostgres } from '@cupel/local-stack'
import type { Config, MetricsRegistry, ServiceLogger, Shutdown } from '@cupel/service-kit'
import { createSigningKeys } from '@cupel/signing'
import { installationCheckpoints } from '../checkpoints.js'
import type { CliContext } from '../context.js'
import { sanctionsListHint } from '../labels/sanctions-list-hint.js'
import { listState } from '../labels/sources.js'
import { CommandError, EXIT_FAILED } from '../explain.js'
import { startStack, type Stack } from '../stack/stack.js'
import { ensureDefaultPolicy } from './default-policy.js'
import { ensureDemoKeys } from './demo-keys.js'
import { readyLine, readyText, type Ready } from './ready-line.js'
import { renewReadModels } from './renew-read-models.js'
import type { Scale } from './scale.js'
import { startServiceProcesses } from './service-processes.js'
import type { Services, StartOptions } from './start-options.js'
import { ensureStarterLabels } from './starter-labels.js'
import type { StopRequest } from './stop-request.js'

/** What `start` has prepared. */
export interface Boot {
  readonly options: StartOptions
  readonly context: CliContext
  readonly profile: Profile
  readonly brokers: number | undefined
  readonly scale: Scale
  readonly config: Config
  readonly home: HeldHome
  readonly logger: ServiceLogger
  /** Of the services that run in this process. */
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
  readonly stop: StopRequest
  /** ISO 8601, UTC. */
  readonly startedAt: string
  /** A database server that starts while this module is loaded. By default `boot` starts it. */
  readonly postgres: Promise<RunningPostgres> | undefined
  readonly fail: (reason: string, error: unknown) => void
}

/** Prints the ready line once everything is ready. */
export async function boot(boot: Boot): Promise<void> {
  const { context, profile, home, logger, metrics, shutdown, config, stop, options, startedAt } = boot
  loadAhead(profile)

  const stack = await startStack({
    ...{ home, profile, config, logger, metrics, shutdown },
    brokers: boot.brokers,
    postgres: boot.postgres,
    registry: 'always',
    note: context.note,
  })
  const run = {
    profile,
    startedAt,
    databaseUrl: stack.databaseUrl,
    brokers: stack.kafka?.access.brokers ?? [],
    kafkaSasl: stack.kafka?.access.sasl ?? null,
    topicPrefix: config.CUPEL_TOPIC_PREFIX,
  }
  home.writeRun({ ...run, registry: null, state: 'starting', baseUrls: [], services: [] })
  stop.check()
  await requireWholeLog(stack, context, config)
  await renewReadModels(stack, { logger, note: context.note })
  stop.check()
  const [keys] = await Promise.all([ensureDemoKeys(stack, home), ensureDefaultPolicy(stack)])
  await beginSigning(stack, home, config)
  stop.check()

  const services = await startServices(boot, stack)
  stop.check()
  await ensureStarterLabels(stack, { logger, note: context.note })
  stop.check()
  const registry = stack.kafka === null ? null : await stack.kafka.registry()
  stop.check()
  const ready: Ready = readyLine({
    baseUrls: services.baseUrls,
    webUrl: services.webUrl,
    keys,
    metricsUrls: services.processes.map(({ healthUrl }) => `${healthUrl}/metrics`),
    log: logLine(stack, registry),
    home: home.folder,
  })
  shutdown.phase('run.json', async () =>
    home.writeRun({ ...run, registry, state: 'stopping', baseUrls: [], services: [] }),
  )
  home.writeRun({
    ...run,
    registry,
    state: 'ready',
    baseUrls: services.baseUrls,
    services: services.processes,
  })
  context.print(
    options.json === true
      ? JSON.stringify(ready)
      : readyText(ready, `${home.profileFolder(profile)}/logs`, await nextStep(stack, config)),
  )
}

/** Throws where the database is older than the log, or the log lost records that were signed, before anything follows it. */
async function requireWholeLog(
  { log, database, codec }: Stack,
  context: CliContext,
  config: Config,
): Promise<void> {
  const behind = await databaseBehindLog({ log, database, codec })
  if (behind !== null) throw new CommandError(behind, EXIT_FAILED)
  const settings = installationCheckpoints(context, config)
  if (settings === null) return
  const lost = await lostRecords({ log, database, ...settings, verifier: settings.keys.verifier })
  if (lost !== null) throw new CommandError(lost, EXIT_FAILED)
}

/** Makes the keys of checkpoints and of reports in the home. No scorer runs without signing: this process holds the home. */
async function beginSigning({ database, log }: Stack, home: HeldHome, config: Config): Promise<void> {
  if (config.CUPEL_SIGNING_KEYS_FILE === undefined) createSigningKeys(join(home.folder, SIGNING_KEYS_FILE))
  if (config.CUPEL_REPORT_SIGNING_KEYS_FILE === undefined)
    createSigningKeys(join(home.folder, REPORT_SIGNING_KEYS_FILE), 'reports')
  await requireSignatures(database, log)
}

function logLine({ kafka }: Stack, registry: string | null): Ready['log'] {
  if (kafka === null || registry === null) return { kind: 'embedded' }
  const { access, clientProperties } = kafka
  return { kind: 'kafka', brokers: access.brokers, client_properties: clientProperties, registry }
}

/** A configured refresh may still be fetching its first list; without one, no list is fetched. */
async function nextStep({ database }: Stack, { CUPEL_LABEL_REFRESH_FILE: plan }: Config): Promise<string> {
  if (plan !== undefined) return ''
  const { hasSanctionsList } = await listState(database, new Date())
  return hasSanctionsList ? '' : sanctionsListHint()
}

/** Loads the services of the embedded profile while the database starts. If that fails, `startServices` reports it. */
function loadAhead(profile: Profile): void {
  if (profile === 'embedded') import('./in-process.js').catch(() => undefined)
}

async function startServices(boot: Boot, stack: Stack): Promise<Services> {
  if (boot.profile === 'embedded') {
    const { startInProcess } = await import('./in-process.js')
    return await startInProcess({ ...boot, stack })
  }
  const processes = await startServiceProcesses({
    ...boot,
    stack,
    environment: boot.context.environment,
    note: boot.context.note,
  })
  return {
    baseUrls: processes.flatMap(({ baseUrl }) => (baseUrl === null ? [] : [baseUrl])),
    webUrl: processes.find(({ webUrl }) => webUrl !== null)?.webUrl ?? null,
    processes: processes.map(({ name, healthUrl }) => ({ name, healthUrl })),
  }
}
