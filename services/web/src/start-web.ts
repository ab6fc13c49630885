/** The console as a running service: pages for people, served from what the public API answers. */
import type { Logger, Metrics } from '@cupel/contracts'
import { createTransport, listen, renewIdentity } from '@cupel/kit/http-edge'
import {
  followTlsIdentity,
  givenInstance,
  readTlsIdentity,
  type Config,
  type RunningService,
} from '@cupel/kit/service'
import { createApiConnection, openSignInService, buildWebApp, loadAssets } from '@cupel/console'
import { pagesOf } from './pages/index.js'

export interface WebDeps {
  readonly config: Pick<
    Config,
    | 'CUPEL_WEB_HOST'
    | 'CUPEL_WEB_PORT'
    | 'CUPEL_WEB_URL'
    | 'CUPEL_PORT'
    | 'CUPEL_INSTANCE'
    | 'CUPEL_OIDC_FILE'
    | 'CUPEL_TRUSTED_PROXIES'
    | 'CUPEL_TLS_CERT_FILE'
    | 'CUPEL_TLS_KEY_FILE'
    | 'CUPEL_DRAIN_MS'
    | 'CUPEL_MAX_CONNECTIONS'
    | 'CUPEL_MAX_CONNECTIONS_PER_CLIENT'
  >
  readonly logger: Logger
  readonly metrics: Metrics
  readonly api: {
    /** Base address of the API; null until it is known. */
    readonly url: () => string | null
    /** Identifies the console; without it the API takes the console for the client. */
    readonly secret: string | undefined
  }
}

export interface RunningWeb extends RunningService {
  /** Where this instance listens, without a slash at the end. */
  readonly url: string
}

const DEFAULT_PORT = 8081

/** Resolves once pages are served. */
export async function startWeb({ config, logger, metrics, api }: WebDeps): Promise<RunningWeb> {
  const tls = await readTlsIdentity(config)
  let ownUrl: string | null = null
  const publicUrl = (): string => config.CUPEL_WEB_URL ?? ownUrl!
  const service = await openSignInService({ config, publicUrl, logger, metrics })
  const connection = createApiConnection({ ...api, certificate: tls?.cert ?? null })
  let isStopping = false
  const app = buildWebApp({
    ...{ pages: pagesOf(service), assets: loadAssets(), connection, logger, metrics, tls },
    transport: createTransport({
      trustedProxies: config.CUPEL_TRUSTED_PROXIES,
      isEncrypted: tls !== null,
    }),
    publicUrl: config.CUPEL_WEB_URL ?? null,
    limits: {
      maxConnections: config.CUPEL_MAX_CONNECTIONS,
      maxConnectionsPerPeer: config.CUPEL_MAX_CONNECTIONS_PER_CLIENT,
    },
  })
  const address = { host: config.CUPEL_WEB_HOST, port: portOf(config), isEncrypted: tls !== null }
  const url = await listen(app.fastify, address)
  ownUrl = url
  const renewal =
    tls === null
      ? null
      : followTlsIdentity({
          ...{ config, current: tls, logger },
          onSeen: ({ cert }) => connection.accept(cert),
          onSettled: (identity) => renewIdentity(app.fastify.server, identity),
        })
  logger.info({ url }, 'The console serves pages')
  return {
    name: 'web',
    url,
    checks: () => [{ name: 'accepting', ok: !isStopping }],
    async stop() {
      isStopping = true
      await app.drain(config.CUPEL_DRAIN_MS)
      await renewal?.stop()
      await app.close()
      await connection.close()
    },
  }
}

/** Any free port where the API takes any, so that installations run side by side. */
function portOf(config: WebDeps['config']): number {
  const first = config.CUPEL_WEB_PORT ?? (config.CUPEL_PORT === 0 ? 0 : DEFAULT_PORT)
  return first === 0 ? 0 : first + givenInstance(config)
}
