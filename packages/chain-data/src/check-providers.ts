/** Tests each provider of a configuration with calls that name no address of a customer. */
import type { ChainCode, HistoryKind } from '@cupel/domain'
import type { ProviderConfig, ProviderKind } from './configuration.js'
import type { HistoryEnd, HistoryGap } from './histories/history-source.js'
import { openHistorySource } from './histories/open-history-source.js'
import { endpointOf } from './open-chain-data.js'
import { adapterOf } from './open-provider.js'
import { ProviderError, type ProviderErrorCode } from './provider-error.js'
import { openConnections, openProviderHttp, type ProviderHttp } from './provider-http.js'

/** Longer than any answer takes that a screen could use. */
const TIMEOUT_MS = 10_000
/** Nobody has its key, so that asking for it tells nothing. */
const NOBODY = '0x0000000000000000000000000000000000000000'

export interface ProviderCheck {
  readonly name: string
  readonly kind: ProviderKind
  readonly chain: ChainCode
  /** Scheme, host and port: no path, no query. */
  readonly origin: string
  /** Null if the provider answers as its kind does, for its chain, up to the present. */
  readonly error: ProviderErrorCode | null
  /** Why not; empty if it does. */
  readonly detail: string
  /** The newest block whose transfers a history would have, or that a balance is of; null if it does not answer. */
  readonly head: { readonly height: number; readonly atS: number | null } | null
  /** Kinds of transfers that histories of the provider have whole; null if the kind of provider has no histories. */
  readonly histories: readonly HistoryKind[] | null
  /** Why histories cannot be whole, by name. */
  readonly incomplete: readonly HistoryGap[]
  readonly tookMs: number
}

/** One after the other, because several may be of one host. `now` is in milliseconds since 1970. */
export async function checkProviders(
  providers: readonly ProviderConfig[],
  now: () => number = Date.now,
): Promise<readonly ProviderCheck[]> {
  const checks: ProviderCheck[] = []
  for (const config of providers) checks.push(await checkProvider(config, now))
  return checks
}

async function checkProvider(config: ProviderConfig, now: () => number): Promise<ProviderCheck> {
  const { name, kind, chain, url } = config
  const common = { name, kind, chain, origin: url.origin }
  const connections = openConnections(1)
  const startedMs = performance.now()
  const tookMs = (): number => Math.round(performance.now() - startedMs)
  try {
    const http = openProviderHttp(endpointOf(config), connections, AbortSignal.timeout(TIMEOUT_MS))
    const found = await ask(config, http, now)
    return { ...common, ...found, error: null, detail: '', tookMs: tookMs() }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const none = {
      head: null,
      histories: openHistorySource(config, now) === null ? null : [],
      incomplete: [],
    }
    return { ...common, ...none, error: error.code, detail: error.message, tookMs: tookMs() }
  } finally {
    await connections.destroy()
  }
}

async function ask(
  config: ProviderConfig,
  http: ProviderHttp,
  now: () => number,
): Promise<Pick<ProviderCheck, 'head' | 'histories' | 'incomplete'>> {
  const source = openHistorySource(config, now)
  if (source === null) {
    const { height } = await adapterOf(config, now).accountState(NOBODY, http)
    return { head: { height: Number(height), atS: null }, histories: null, incomplete: [] }
  }
  const { head, lacks } = await source.start(http)
  return {
    head: { height: head.height, atS: head.atS },
    histories: wholeKinds(source.kinds, lacks),
    incomplete: [...new Set(lacks.map(({ gap }) => gap))],
  }
}

const wholeKinds = (
  kinds: readonly HistoryKind[],
  lacks: readonly { readonly kind?: HistoryKind; readonly gap: HistoryEnd['incomplete'][number] }[],
): readonly HistoryKind[] =>
  kinds.filter((kind) => !lacks.some((one) => one.kind === undefined || one.kind === kind))
