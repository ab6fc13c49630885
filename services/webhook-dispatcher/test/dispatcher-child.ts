/** A process of a test: it sends webhooks until it dies, or does one piece of work on endpoints and dies during it. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { createJudge, parseAllowedRanges } from '@cupel/outbound'
import { openDatabase } from '@cupel/postgres'
import { createSecretBox, createEndpoint, redeliverRange } from '@cupel/webhooks'
import { loadInstallationSecrets } from '@cupel/access'
import { openTestLog } from '@cupel/testkit/installation'
import { startWebhookDispatcher } from '../src/index.js'
import { CONFIG, readTestJob } from './installation.js'

const [connectionString = '', work = '', accountId = '', endpointId = '', url = ''] = process.argv.slice(2)
const database = openDatabase({ connectionString, maxConnections: 8, applicationName: 'dispatcher child' })
const owner = { accountId, livemode: true }

const works: Record<string, () => Promise<unknown>> = {
  dispatch: async () =>
    startWebhookDispatcher({
      config: CONFIG,
      log: await openTestLog(database, { leaseMs: 2_000 }),
      codec: createEventCodec(await loadSchemaCatalog(database)),
      database,
      logger: silentLogger,
      metrics: noMetrics,
      readEndedJob: readTestJob,
      fail: (reason, error) => {
        throw new Error(reason, { cause: error })
      },
    }),
  create: async () =>
    createEndpoint(
      {
        database,
        secrets: createSecretBox({
          installationKey: (await loadInstallationSecrets(database)).webhookSecretsKey,
          operatorKey: undefined,
        }),
        judge: createJudge({ allow: parseAllowedRanges(CONFIG.CUPEL_WEBHOOK_ALLOW) }),
      },
      { ...owner, url, by: 'test' },
    ),
  redeliver: () =>
    redeliverRange(database, {
      ...owner,
      endpointId,
      since: '2026-01-01T00:00:00.000Z',
      statuses: ['delivered', 'pending'],
    }),
}
await works[work]!()
