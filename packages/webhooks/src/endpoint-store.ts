/** What changes to endpoints need, whose they are, and why one is refused. */
import type { Judge } from '@cupel/kit/outbound'
import type { Database } from '@cupel/postgres'
import type { SecretBox } from './secret-box.js'

/** An account in one of its environments. */
export interface Owner {
  readonly accountId: string
  readonly livemode: boolean
}

export type EndpointRefusal =
  | { readonly ok: false; readonly code: 'unknown_endpoint' }
  | { readonly ok: false; readonly code: 'too_many_endpoints' }
  /** E-mail carries no signature. */
  | { readonly ok: false; readonly code: 'no_secret' }
  /** `reason`: one sentence for the caller. */
  | { readonly ok: false; readonly code: 'invalid_url'; readonly reason: string }

/** The dependencies of changes to endpoints. */
export interface EndpointStore {
  readonly database: Database
  readonly secrets: SecretBox
  readonly judge: Judge
  /** Seals the address of a recipient of e-mail; null if the operator set no mail server. */
  readonly sealRecipient: ((accountId: string, address: string) => Promise<string>) | null
}
