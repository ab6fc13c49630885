/** Queries all providers of a chain at once, within a time limit. A late answer is kept, so that the next screen finds it. */
import { LATE, withinMs } from '@cupel/kit/concurrency'
import type { ChainFact, Logger, Metrics } from '@cupel/contracts'
import type { ChainCode, ChainInputs } from '@cupel/domain'
import { LRUCache } from 'lru-cache'
import type { Agent } from 'undici'
import type { ProviderConfig } from './configuration.js'
import { openConnections, openProviderHttp, type Endpoint } from './provider-http.js'
import { createGuard, MAX_CONCURRENT_QUESTIONS, type Guard } from './guard.js'
import { createInstruments, type ChainDataInstruments } from './instruments.js'
import { adapterOf } from './open-provider.js'
import type { ChainProvider } from './provider.js'
import { ProviderError } from './provider-error.js'

/** Answers kept at once, over all providers: about a kilobyte each. */
const MAX_KEPT_ANSWERS = 20_000
/** Time limit of one attempt; far longer than a screen waits. */
const REQUEST_TIMEOUT_MS = 5_000
/** A provider is slow when this many of its newest answers were all late. It is still queried, so that its recovery is noticed. */
export const NEWEST_ANSWERS = 5
/** Times in reports are rounded down to this, so that a kept answer looks like a fresh one. */
const TIME_ROUNDED_TO_MS = 60_000

export interface ChainDataOptions {
  /** The most trusted first. */
  readonly providers: readonly ProviderConfig[]
  /** Maximum age of an answer that is used again. */
  readonly maxAgeMs: number
  readonly logger: Logger
  readonly metrics: Metrics
  readonly requestTimeoutMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export interface ChainQuestion {
  /** Answers are kept per account: a shared one would reveal what another account screened. */
  readonly accountId: string
  readonly chain: string
  /** Canonical form. */
  readonly address: string
}

export interface ChainData {
  /** The origins of the queried endpoints, for operators: no path, no query. */
  readonly endpoints: readonly { readonly name: string; readonly chain: ChainCode; readonly origin: string }[]
  /** Whether any provider is configured for the chain. */
  covers(chain: string): boolean
  /** Asks all providers of the chain and waits at most `waitMs` for all answers. Never rejects. */
  look(question: ChainQuestion, waitMs: number): Promise<ChainInputs>
  close(): Promise<void>
}

export function openChainData(options: ChainDataOptions): ChainData {
  const now = options.now ?? Date.now
  const instruments = createInstruments(options.metrics)
  const opened = options.providers.map((config) => openProvider(config, options, instruments, now))
  const ofChain = (chain: string): readonly OpenedProvider[] => byChain.get(chain) ?? []
  const byChain = new Map<string, readonly OpenedProvider[]>()
  for (const provider of opened) byChain.set(provider.chain, [...ofChain(provider.chain), provider])
  const answers = new LRUCache<string, Promise<ChainFact>>({ max: MAX_KEPT_ANSWERS })
  const settledAt = new WeakMap<Promise<ChainFact>, number>()

  const factOf = (provider: OpenedProvider, { accountId, address }: ChainQuestion): Promise<ChainFact> => {
    const key = JSON.stringify([accountId, provider.name, address])
    const kept = answers.get(key)
    if (kept !== undefined && now() - (settledAt.get(kept) ?? now()) < options.maxAgeMs) {
      instruments.kept()
      return kept
    }
    const asked = provider.factOf(address)
    answers.set(key, asked)
    void asked.then((fact) => {
      settledAt.set(asked, now())
      // A failure is not kept: the guard decides whether to ask again.
      if (fact.error !== null && answers.peek(key) === asked) answers.delete(key)
    })
    return asked
  }

  return {
    endpoints: options.providers.map(({ name, chain, url }) => ({ name, chain, origin: url.origin })),
    covers: (chain) => byChain.has(chain),
    async look(question, waitMs) {
      const providers = ofChain(question.chain)
      if (providers.length === 0) return { stage: '', facts: [] }
      const asked = providers.map((provider) => factOf(provider, question))
      // If all newest answers of a provider came too late, the screen does not wait for it; a kept answer is available at once.
      const worthMs = providers.some((provider) => provider.isTooSlowFor(waitMs)) ? 0 : waitMs
      const facts = await withinMs(worthMs, Promise.all(asked))
      const inputs = facts === LATE ? lateInputs(providers, now()) : answeredInputs(facts)
      instruments.looked(inputs.stage)
      return inputs
    },
    close: async () => {
      await Promise.all(opened.map((provider) => provider.close()))
    },
  }
}

interface OpenedProvider {
  readonly name: string
  readonly chain: ChainCode
  readonly stateRequest: string
  /** Never rejects: a failure is a fact with an error. */
  factOf(address: string): Promise<ChainFact>
  /** Whether each of the newest answers took longer than `waitMs`. */
  isTooSlowFor(waitMs: number): boolean
  close(): Promise<void>
}

function openProvider(
  config: ProviderConfig,
  { logger, requestTimeoutMs = REQUEST_TIMEOUT_MS }: ChainDataOptions,
  instruments: ChainDataInstruments,
  now: () => number,
): OpenedProvider {
  const { name, chain } = config
  const adapter = adapterOf(config, now)
  const connections = openConnections(MAX_CONCURRENT_QUESTIONS)
  instruments.circuit(name, false)
  const guard = createGuard({
    timeoutMs: requestTimeoutMs,
    onOpen() {
      instruments.circuit(name, true)
      logger.warn(
        { provider: name },
        'A provider of chain data failed repeatedly and is not asked for a while',
      )
    },
    onClosed() {
      instruments.circuit(name, false)
      logger.info({ provider: name }, 'A provider of chain data answers again')
    },
  })
  const newestTookMs: number[] = []
  const channel = { guard, connections, endpoint: endpointOf(config) }

  return {
    name,
    chain,
    stateRequest: adapter.stateRequest,
    async factOf(address) {
      const since = performance.now()
      const fact = await readFact(name, adapter, address, channel, { logger, now })
      const tookMs = performance.now() - since
      instruments.asked(name, fact.error ?? 'answered', tookMs)
      newestTookMs.push(tookMs)
      if (newestTookMs.length > NEWEST_ANSWERS) newestTookMs.shift()
      return fact
    },
    isTooSlowFor: (waitMs) =>
      newestTookMs.length === NEWEST_ANSWERS && newestTookMs.every((tookMs) => tookMs > waitMs),
    // Ends the calls that are still running.
    close: () => connections.destroy(),
  }
}

/** Where the calls of a provider go: its query is part of each. */
export function endpointOf({ url, query, headers }: ProviderConfig): Endpoint {
  const asked = new URL(url)
  for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value)
  return { url: asked, headers }
}

interface Channel {
  readonly guard: Guard
  readonly connections: Agent
  readonly endpoint: Endpoint
}

async function readFact(
  provider: string,
  adapter: ChainProvider,
  address: string,
  { guard, connections, endpoint }: Channel,
  { logger, now }: { readonly logger: Logger; readonly now: () => number },
): Promise<ChainFact> {
  try {
    const { state, responseSha256 } = await guard.ask(async (signal) => {
      const http = openProviderHttp(endpoint, connections, signal)
      return {
        state: await adapter.accountState(address, http),
        responseSha256: http.responseSha256(),
      }
    })
    const { chain, stateRequest: request } = adapter
    const fetchedAt = roundedTime(now())
    return { chain, provider, request, ...state, fetchedAt, responseSha256, error: null }
  } catch (error) {
    if (!(error instanceof ProviderError)) {
      // A fault of the adapter: it must reject every unusable answer with a ProviderError. The screen continues without it.
      logger.error({ err: error, provider }, 'An adapter of chain data failed')
      return failedFact({ ...adapter, name: provider }, now(), 'malformed')
    }
    logger.debug({ provider, cause: error.message }, 'A provider of chain data gave no answer')
    return failedFact({ ...adapter, name: provider }, now(), error.code)
  }
}

function failedFact(
  { chain, name, stateRequest }: Pick<OpenedProvider, 'chain' | 'name' | 'stateRequest'>,
  nowMs: number,
  error: string,
): ChainFact {
  return {
    ...{ chain, provider: name, request: stateRequest, height: null, blockHash: null },
    ...{ fetchedAt: roundedTime(nowMs), balanceBaseUnits: null, txCount: null, txCountKind: null },
    ...{ isContract: null, tokens: [], responseSha256: '', error },
  }
}

const roundedTime = (nowMs: number): string =>
  new Date(Math.floor(nowMs / TIME_ROUNDED_TO_MS) * TIME_ROUNDED_TO_MS).toISOString()

/** If one provider is late, all facts are dropped: a part of them would depend on which provider was quick. */
function lateInputs(providers: readonly OpenedProvider[], nowMs: number): ChainInputs {
  return { stage: 'late', facts: providers.map((provider) => failedFact(provider, nowMs, 'late')) }
}

function answeredInputs(facts: readonly ChainFact[]): ChainInputs {
  return { stage: facts.some(({ error }) => error === null) ? 'answered' : 'failed', facts }
}
