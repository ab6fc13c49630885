/** A certified provider (oidc-provider) in this process, with its own pages for names and consent. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IDENTITY_CLIENT, IDENTITY_SECRET } from '@cupel/testkit'
import Provider from 'oidc-provider'

export interface RealProvider {
  readonly issuer: string
  /** Starts to serve; `consoleUrl` is the address to which people return. Before that, every answer is 503. */
  serve(consoleUrl: string): void
  close(): Promise<void>
}

/** `people`: groups of each person, by the name typed into the provider’s page. */
export async function startRealProvider(
  people: Readonly<Record<string, readonly string[]>>,
): Promise<RealProvider> {
  let handle = (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(503).end()
  }
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    serve(consoleUrl) {
      handle = new Provider(issuer, configurationOf(people, consoleUrl)).callback()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function configurationOf(
  people: Readonly<Record<string, readonly string[]>>,
  consoleUrl: string,
): Readonly<Record<string, unknown>> {
  return {
    clients: [
      {
        client_id: IDENTITY_CLIENT,
        client_secret: IDENTITY_SECRET,
        redirect_uris: [`${consoleUrl}/sign-in/oidc/callback`],
        post_logout_redirect_uris: [`${consoleUrl}/sign-in`],
      },
    ],
    claims: { openid: ['sub', 'groups'], profile: ['name'] },
    // The ID token holds the claims of the person, as with the usual providers of desks.
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 3_600,
      IdToken: 600,
      Interaction: 3_600,
      Session: 3_600,
    },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the tests'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `${id} Example`, groups: people[id] ?? [] }),
    }),
  }
}
