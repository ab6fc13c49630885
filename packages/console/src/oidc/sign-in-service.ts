/** The code flow with the sign-in service of the installation, from the link of the sign-in page to an ID token for the API. */
import { randomBytes } from 'node:crypto'
import type { Logger, Metrics } from '@cupel/contracts'
import {
  CLOCK_TOLERANCE_SECONDS,
  createProvider,
  isSafeUrl,
  nonceOf,
  type OidcSettings,
  type Provider,
} from '@cupel/kit/oidc'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { createFlowSeal, type Flow } from './flow-cookie.js'
import { SignInFault, signInFaultOf } from './sign-in-fault.js'

export interface SignInService {
  /** The name that people know. */
  readonly name: string
  /** The address to send the person to, and the cookie that the browser keeps meanwhile. Rejects with SignInFault. */
  begin(order: BeginOrder): Promise<{ readonly to: string; readonly cookie: string }>
  /** `query`: the query of the address at which the person came back. Rejects with SignInFault. */
  finish(query: string, cookie: string | null): Promise<FinishedFlow>
  /** Where a person signs out of the service too; null where it has no such page, or does not answer. */
  signOutUrl(): Promise<string | null>
}

export interface BeginOrder {
  /** A page of this console, to go to after the sign-in. */
  readonly next: string
  /** The key that the person chose; null for the only one. */
  readonly keyId: string | null
  /** Makes the service ask who the person is, even if somebody is signed in there. */
  readonly asAnother: boolean
}

export interface FinishedFlow {
  readonly idToken: string
  readonly nonceSecret: string
  readonly next: string
  readonly keyId: string | null
}

export interface SignInServiceOptions {
  readonly settings: OidcSettings
  readonly clientSecret: string
  /** Address of the console as people see it; known once it listens. */
  readonly publicUrl: () => string
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Registered with the provider, under the address of the console. */
export const CALLBACK_PATH = '/sign-in/oidc/callback'
const SECRET_BYTES = 32
const TOKEN_TIMEOUT_SECONDS = 5

export function createSignInService(options: SignInServiceOptions): SignInService {
  const { settings, clientSecret, publicUrl, logger, metrics } = options
  const provider = createProvider(settings)
  const seal = createFlowSeal(clientSecret)
  const faults = metrics.counter(
    'web_sign_in_faults_total',
    'Sign-ins with the sign-in service that did not lead to an ID token, by what went wrong.',
    ['fault'],
  )
  const noted = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const fault = signInFaultOf(error)
      faults.inc({ fault: fault.kind })
      // Without the cause: it may hold what the provider answered.
      logger.warn({ fault: fault.kind, code: fault.code }, 'A person could not be signed in')
      throw fault
    }
  }
  return {
    name: settings.name,
    begin: (order) =>
      noted(async () => {
        const configuration = await configurationOf(provider, settings, clientSecret)
        const flow = {
          ...{ state: randomState(), verifier: randomPKCECodeVerifier() },
          nonceSecret: randomBytes(SECRET_BYTES).toString('base64url'),
          ...{ next: order.next, keyId: order.keyId },
        }
        const to = buildAuthorizationUrl(configuration, {
          redirect_uri: new URL(CALLBACK_PATH, publicUrl()).href,
          ...{ response_type: 'code', scope: settings.scopes.join(' '), state: flow.state },
          nonce: nonceOf(flow.nonceSecret),
          code_challenge: await calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
          ...(order.asAnother ? { prompt: 'login' } : {}),
        })
        return { to: to.href, cookie: await seal.seal(flow) }
      }),
    finish: (query, cookie) =>
      noted(async () => {
        const flow = cookie === null ? null : await seal.open(cookie)
        if (flow === null) throw new SignInFault('unknown')
        const configuration = await configurationOf(provider, settings, clientSecret)
        const answer = new URL(`${CALLBACK_PATH}${query}`, publicUrl())
        if (!isAnswerTo(flow, answer.searchParams, configuration)) throw new SignInFault('mismatch')
        const tokens = await authorizationCodeGrant(configuration, answer, {
          pkceCodeVerifier: flow.verifier,
          expectedState: flow.state,
          expectedNonce: nonceOf(flow.nonceSecret),
          idTokenExpected: true,
        })
        const { nonceSecret, next, keyId } = flow
        return { idToken: tokens.id_token!, nonceSecret, next, keyId }
      }),
    async signOutUrl() {
      const metadata = await provider.metadata().catch(() => null)
      if (metadata === null || !isSafeUrl(metadata.end_session_endpoint ?? '')) return null
      const back = new URL('/sign-in', publicUrl()).href
      const configuration = await configurationOf(provider, settings, clientSecret)
      return buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href
    },
  }
}

/** The library compares both too; this check can tell a person what happened. */
function isAnswerTo({ state }: Flow, answer: URLSearchParams, configuration: Configuration): boolean {
  const issuer = answer.get('iss')
  return (
    answer.get('state') === state && (issuer === null || issuer === configuration.serverMetadata().issuer)
  )
}

async function configurationOf(
  provider: Provider,
  { clientId }: OidcSettings,
  clientSecret: string,
): Promise<Configuration> {
  const metadata = await provider.metadata()
  const methods = metadata.token_endpoint_auth_methods_supported
  const isBasic = methods === undefined || methods.includes('client_secret_basic')
  const configuration = new Configuration(
    metadata,
    clientId,
    { [clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    isBasic ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret),
  )
  configuration[customFetch] = provider.fetch
  configuration.timeout = TOKEN_TIMEOUT_SECONDS
  // The fetch of the provider judges what may be called without TLS.
  allowInsecureRequests(configuration)
  return configuration
}
