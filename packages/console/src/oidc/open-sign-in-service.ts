/** The sign-in service as the settings describe it. Faulty settings stop the start; a provider that is down does not. */
import type { Logger, Metrics } from '@cupel/contracts'
import { isSafeUrl, readClientSecret, readOidcSettings } from '@cupel/kit/oidc'
import { ConfigError, type Config } from '@cupel/kit/service'
import { createSignInService, type SignInService } from './sign-in-service.js'

interface OpenOptions {
  readonly config: Pick<Config, 'CUPEL_OIDC_FILE' | 'CUPEL_WEB_URL' | 'CUPEL_WEB_HOST'>
  readonly publicUrl: () => string
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Null where none is configured. Throws ConfigError. */
export async function openSignInService({ config, ...rest }: OpenOptions): Promise<SignInService | null> {
  const settings = await readOidcSettings(config.CUPEL_OIDC_FILE)
  if (settings === null) return null
  const clientSecret = await readClientSecret(settings)
  const { CUPEL_WEB_URL: url, CUPEL_WEB_HOST: host } = config
  if (url === undefined && !isSafeUrl(`http://${host}`))
    throw new ConfigError(
      'CUPEL_OIDC_FILE takes CUPEL_WEB_URL, because the sign-in service sends people back to that address.',
    )
  if (url !== undefined && !isSafeUrl(url))
    throw new ConfigError(
      'CUPEL_WEB_URL must be an https address if CUPEL_OIDC_FILE is set; http is accepted only on loopback.',
    )
  return createSignInService({ settings, clientSecret, ...rest })
}
