/** GET /v1/installation-health: services, standstills and lag, for operators. */
import { instant } from '@cupel/contracts'
import { z } from 'zod'
import {
  notLookedAt,
  readInstallationHealth,
  type HealthParts,
  type InstallationHealth,
} from './installation-health.js'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'

const serviceComponent = z
  .object({
    name: z.string(),
    state: z.string().describe('`ready`, `not_ready`, or `not_seen` for a process whose heartbeats ended.'),
    failing: z.array(z.string()).describe('Its checks that fail.'),
    host: z.string(),
    release: z.string(),
    started_at: instant,
    seen_age_ms: z.number().describe('Since its last heartbeat.'),
  })
  .meta({ id: 'ServiceHealth' })

const healthComponent = z
  .object({
    state: z
      .string()
      .describe(
        '`healthy`; `fault`: something has stopped or waits; `unknown`: nothing is known to be wrong, and something could not be read.',
      ),
    looked_at: instant,
    services: z.array(serviceComponent),
    missing_services: z.array(z.string()).describe('Services that no process runs.'),
    faults: z
      .array(
        z
          .object({
            part: z.string(),
            detail: z.string(),
            remedy: z.string().describe('The remedy, or the page that says it.'),
          })
          .meta({ id: 'HealthFault' }),
      )
      .describe('The parts that have stopped or stand still.'),
    projections: z.array(
      z
        .object({
          name: z.string(),
          state: z.string(),
          error: z.string().nullable(),
          seen_age_ms: z.number(),
        })
        .meta({ id: 'ProjectionHealth' }),
    ),
    groups: z
      .array(
        z
          .object({ group: z.string(), lag: z.int().min(0) })
          .meta({ id: 'GroupLag', description: 'Records that the group has not processed yet.' }),
      )
      .describe('Readers of the log.'),
    dead_letters: z.array(
      z.object({ topic: z.string(), records: z.int().min(0) }).meta({ id: 'DeadLetterCount' }),
    ),
    not_read: z
      .array(z.string())
      .describe('The parts that could not be read, so that nothing is known of them.'),
    not_looked_at: z
      .array(z.string())
      .describe(
        'The parts that this process cannot see. `cupel doctor` looks at them, on the machine on which it runs.',
      ),
  })
  .meta({ id: 'InstallationHealth' })

const example: z.infer<typeof healthComponent> = {
  state: 'healthy',
  looked_at: '2026-11-21T09:00:00.000Z',
  services: [
    {
      ...{ name: 'scorer-0', state: 'ready', failing: [], host: 'north', release: '1.0.0' },
      ...{ started_at: '2026-11-21T08:00:00.000Z', seen_age_ms: 812 },
    },
  ],
  missing_services: [],
  faults: [],
  projections: [{ name: 'report-view', state: 'running', error: null, seen_age_ms: 500 }],
  groups: [{ group: 'projector.report-view.v1', lag: 0 }],
  dead_letters: [{ topic: 'scorer.interactive.v1.dlq', records: 0 }],
  not_read: [],
  not_looked_at: [...notLookedAt],
}

export function getInstallationHealth(parts: HealthParts): Endpoint {
  return keyedEndpoint<undefined, undefined>({
    operationId: 'getInstallationHealth',
    method: 'GET',
    path: '/v1/installation-health',
    tag: 'Health',
    summary: 'See the health of the installation',
    description:
      'The state that `cupel status` shows, as far as this process sees it. A part that has stopped is a fault, a part that could not be read is unknown, and a part that nobody can see from here is named. For operators.',
    access: 'operator',
    // It tells of a store that fails, and does not fail with it.
    usesStore: false,
    answers: [
      {
        status: 200,
        description: 'The health, also if it is bad.',
        contentType: 'application/json',
        schema: healthComponent,
        example,
      },
    ],
    problems: ['unavailable'],
    async handle() {
      return jsonAnswer(200, JSON.stringify(healthDocument(await readInstallationHealth(parts), new Date())))
    },
  })
}

function healthDocument(health: InstallationHealth, now: Date): z.infer<typeof healthComponent> {
  return {
    state: health.state,
    looked_at: now.toISOString(),
    services: health.processes.map(({ service, instance, isSeen, failing, ...process }) => ({
      name: `${service}-${instance}`,
      state: isSeen ? (failing.length === 0 ? 'ready' : 'not_ready') : 'not_seen',
      failing: [...failing],
      host: process.host,
      release: process.release,
      started_at: process.startedAt,
      seen_age_ms: process.seenAgeMs,
    })),
    missing_services: [...health.missing],
    faults: health.standstills.map(({ part, detail, remedy }) => ({ part, detail, remedy })),
    projections: health.projections.map(({ name, state, error, seenAgeMs }) => ({
      ...{ name, state, error, seen_age_ms: seenAgeMs },
    })),
    groups: [...health.lags],
    dead_letters: [...health.deadLetters],
    not_read: [...health.unread],
    not_looked_at: [...notLookedAt],
  }
}
