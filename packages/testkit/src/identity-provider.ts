/**
 * A fake sign-in service for tests: discovery document, keys, a token endpoint with configurable answers, and ID tokens with any
 * claims, right and wrong ones.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash, randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'

export const IDENTITY_CLIENT = 'cupel'
export const IDENTITY_SECRET = 'what the console and the provider know'

export interface TokenRequest {
  readonly form: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

export interface SignOptions {
  /** Signs with a key that the provider does not publish. */
  readonly isForged?: boolean
  readonly header?: Readonly<Record<string, string>>
}

export interface IdentityProvider {
  readonly issuer: string
  /** Paths of every request since the last check. */
  readonly requests: string[]
  /** The answer of the token endpoint; by default a refusal. */
  onToken: (request: TokenRequest) => Promise<{ readonly status: number; readonly body: unknown }>
  /** Members that replace those of the discovery document. */
  metadata: Readonly<Record<string, unknown>>
  /** While it is true every answer is 503. */
  isDown: boolean
  /** An ID token of `sub` ann for the nonce, with these claims added or replaced. */
  sign(claims: JWTPayload & { readonly nonce?: string }, options?: SignOptions): Promise<string>
  /** A fresh secret and an ID token for it. */
  signIn(
    claims?: JWTPayload,
    options?: SignOptions,
  ): Promise<{ readonly id_token: string; readonly nonce: string }>
  /** Path of a settings file for this provider. */
  settingsFile(groups: Readonly<Record<string, string>>, rest?: Readonly<Record<string, unknown>>): string
  close(): Promise<void>
}

const LIFETIME_SECONDS = 300
const ALGORITHM = 'ES256'
const KEY_ID = 'first'

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const [own, foreign] = await Promise.all([generateKeyPair(ALGORITHM), generateKeyPair(ALGORITHM)])
  const publicKey = { ...(await exportJWK(own.publicKey)), kid: KEY_ID, alg: ALGORITHM, use: 'sig' }
  const folder = mkdtempSync(join(tmpdir(), 'cupel-identity-'))
  const server = createServer((request, response) => void answer(provider, publicKey, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider: IdentityProvider = {
    issuer,
    requests: [],
    onToken: () => Promise.resolve({ status: 400, body: { error: 'invalid_grant' } }),
    metadata: {},
    isDown: false,
    sign: (claims, { isForged = false, header = {} } = {}) =>
      signed({ issuer, key: isForged ? foreign.privateKey : own.privateKey }, claims, header),
    async signIn(claims = {}, options) {
      const nonce = randomBytes(32).toString('base64url')
      const digest = createHash('sha256').update(nonce).digest('base64url')
      return { id_token: await provider.sign({ nonce: digest, ...claims }, options), nonce }
    },
    settingsFile: (groups, rest) => writeSettings(folder, issuer, { groups, ...rest }),
    close: () =>
      new Promise((resolve) => {
        rmSync(folder, { recursive: true, force: true })
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return provider
}

async function signed(
  { issuer, key }: { readonly issuer: string; readonly key: CryptoKey },
  claims: JWTPayload,
  header: Readonly<Record<string, string>>,
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000)
  const usual = { iss: issuer, aud: IDENTITY_CLIENT, sub: 'ann', iat: now, exp: now + LIFETIME_SECONDS }
  return await new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID, ...header })
    .sign(key)
}

function writeSettings(folder: string, issuer: string, rest: Readonly<Record<string, unknown>>): string {
  const name = randomBytes(6).toString('hex')
  const file = join(folder, `${name}.json`)
  writeFileSync(join(folder, `${name}.secret`), `${IDENTITY_SECRET}\n`)
  const settings = { issuer, client_id: IDENTITY_CLIENT, client_secret_file: `${name}.secret`, ...rest }
  writeFileSync(file, JSON.stringify(settings))
  return file
}

async function answer(
  provider: IdentityProvider,
  publicKey: object,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?', 1)
  provider.requests.push(path)
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  if (provider.isDown) return send(503, { error: 'temporarily_unavailable' })
  if (path === '/.well-known/openid-configuration') return send(200, metadataOf(provider))
  if (path === '/keys') return send(200, { keys: [publicKey] })
  if (path !== '/token') return send(404, {})
  let text = ''
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString()
  const { status, body } = await provider.onToken({
    form: new URLSearchParams(text),
    headers: request.headers,
  })
  send(status, body)
}

function metadataOf({ issuer, metadata }: IdentityProvider): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [ALGORITHM],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    end_session_endpoint: `${issuer}/logout`,
    ...metadata,
  }
}
