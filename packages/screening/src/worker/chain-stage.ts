/**
 * The stage of chain data: before a request is decided, the scorer asks the providers of its chain, within the budget of the
 * request. A later answer is not part of this report; it is cached for the next one.
 */
import { readFile } from 'node:fs/promises'
import type { ChainData, ProviderCheck, ProviderConfig } from '@cupel/chain-data'
import type { Lane, Logger, Metrics } from '@cupel/contracts'
import type { ChainInputs } from '@cupel/domain'
import { ConfigError, requireVerifiedPeers, urlPeer, type Config, type Peer } from '@cupel/kit/service'
import type { Queryable } from '@cupel/postgres'
import { neverAsking } from './asks-providers.js'
import { onEveryChain } from './candidates.js'
import type { Decide, Request } from './lane.js'

/** A request with what the providers of each chain said about its address; without them where no provider was asked. */
export type PreparedRequest = Request & {
  readonly chainInputs?: ReadonlyMap<string, ChainInputs>
  /** Nothing of the account is sent to a provider. */
  readonly neverAsks?: true
}

export interface ChainStage {
  /** Chains that have a provider to query. */
  readonly chains: readonly string[]
  /** The providers of the operator's own file. */
  readonly own: readonly ProviderConfig[]
  /** Runs the stage before the decisions of a lane. */
  before(lane: Lane, decide: Decide<PreparedRequest>): Decide
  close(): Promise<void>
}

export interface ChainStageDeps {
  readonly config: ChainStageConfig
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: () => Date
  readonly database: Queryable
}

export type ChainStageConfig = Pick<
  Config,
  | 'CUPEL_CHAIN_DATA_FILE'
  | 'CUPEL_CHAIN_DATA_PUBLIC'
  | 'CUPEL_CHAIN_DATA_BUDGET_MS'
  | 'CUPEL_CHAIN_DATA_MAX_AGE_MS'
> &
  Partial<Pick<Config, 'CUPEL_CHAIN_DATA_INSECURE'>>

/** Without a configured provider the stage does nothing and costs nothing. */
const absent: ChainStage = {
  chains: [],
  own: [],
  before: (_lane, decide) => decide,
  close: async () => undefined,
}

/** Throws a ConfigError where the file of providers cannot be used: a mistake of the operator must not go unnoticed. */
export async function openChainStage({
  config,
  logger,
  metrics,
  now,
  database,
}: ChainStageDeps): Promise<ChainStage> {
  const file = config.CUPEL_CHAIN_DATA_FILE
  if (file === undefined && !config.CUPEL_CHAIN_DATA_PUBLIC) return absent
  // Loaded on demand: a scorer without providers needs no HTTP client.
  const { openChainData } = await import('@cupel/chain-data')
  const { providers, own } = await configuredProviders(config, (sentence) => logger.warn({}, sentence))
  if (providers.length === 0) return absent
  const chainData = openChainData({
    providers,
    maxAgeMs: config.CUPEL_CHAIN_DATA_MAX_AGE_MS,
    logger,
    metrics,
    now: () => now().getTime(),
  })
  logger.info({ endpoints: chainData.endpoints }, 'Addresses are sent to providers of chain data')
  return createChainStage(chainData, {
    ...{ budgetMs: config.CUPEL_CHAIN_DATA_BUDGET_MS, now, own },
    neverAsking: (accountIds) => neverAsking(database, accountIds),
  })
}

/** Those of the file, and public ones for other chains if they are allowed. Throws a ConfigError. */
async function configuredProviders(
  config: ChainStageConfig,
  warn: (sentence: string) => void,
): Promise<{ readonly providers: readonly ProviderConfig[]; readonly own: readonly ProviderConfig[] }> {
  const { publicProviders } = await import('@cupel/chain-data')
  const file = config.CUPEL_CHAIN_DATA_FILE
  const own = file === undefined ? [] : await readProviders(file)
  requireVerifiedPeers(own.map(peerOf), config, warn)
  const others = config.CUPEL_CHAIN_DATA_PUBLIC ? publicProviders : []
  return {
    own,
    providers: [...own, ...others.filter(({ chain }) => !own.some((one) => one.chain === chain))],
  }
}

/** Tests every provider that a scorer with this configuration asks. Throws a ConfigError. */
export async function checkChainData(
  config: ChainStageConfig,
  warn: (sentence: string) => void,
): Promise<readonly ProviderCheck[]> {
  const { checkProviders } = await import('@cupel/chain-data')
  return checkProviders((await configuredProviders(config, warn)).providers)
}

const peerOf = ({ name, url }: ProviderConfig): Peer =>
  urlPeer(url, {
    name: `The chain data provider ${name},`,
    setting: 'CUPEL_CHAIN_DATA_FILE',
    exception: 'CUPEL_CHAIN_DATA_INSECURE',
  })

async function readProviders(file: string): Promise<readonly ProviderConfig[]> {
  const { parseConfiguration } = await import('@cupel/chain-data')
  try {
    return parseConfiguration(await readFile(file, 'utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`CUPEL_CHAIN_DATA_FILE cannot be used: ${reason}`, { cause: error })
  }
}

/** One line for each public endpoint that a scorer calls with CUPEL_CHAIN_DATA_PUBLIC. */
export async function describePublicChainData(): Promise<readonly string[]> {
  const { describePublicProviders } = await import('@cupel/chain-data')
  return describePublicProviders()
}

export function createChainStage(
  chainData: ChainData,
  {
    budgetMs,
    now,
    own = [],
    neverAsking: neverAskingOf,
  }: {
    readonly budgetMs: number
    readonly now: () => Date
    readonly own?: readonly ProviderConfig[]
    /** Which of these accounts never ask. Where that cannot be read nobody is asked: it rejects. */
    readonly neverAsking: (accountIds: readonly string[]) => Promise<ReadonlySet<string>>
  },
): ChainStage {
  return {
    own,
    chains: [...new Set(chainData.endpoints.map(({ chain }) => chain))],
    before: (lane, decide) => async (requests) => {
      const nowMs = now().getTime()
      const never = await neverAskingOf([...new Set(requests.map(({ data }) => data.accountId))])
      return await decide(
        await Promise.all(
          requests.map(async (request): Promise<PreparedRequest> => {
            if (never.has(request.data.accountId)) return { ...request, neverAsks: true }
            const asked = onEveryChain(request).filter((one) => isAsked(chainData, one))
            if (asked.length === 0) return request
            const leftMs = waitMs(lane, request, budgetMs, nowMs)
            const answers = asked.map(async ({ data: { accountId, chain, canonicalAddress: address } }) => {
              return [chain, await chainData.look({ accountId, chain, address }, leftMs)] as const
            })
            return { ...request, chainInputs: new Map(await Promise.all(answers)) }
          }),
        ),
      )
    },
    close: () => chainData.close(),
  }
}

/** Requests of the sandbox are never sent to a provider. */
const isAsked = (chainData: ChainData, { data }: Request): boolean =>
  data.livemode && chainData.covers(data.chain)

/**
 * The budget runs from the acceptance of the call, because that is when its caller began to wait: a request that queued
 * behind others spends its budget there. No caller waits for one item of a bulk job.
 */
export function waitMs(lane: Lane, { data }: Request, budgetMs: number, nowMs: number): number {
  if (lane === 'bulk') return budgetMs
  const untilMs = Math.max(
    Date.parse(data.requestedAt) + budgetMs,
    Date.parse(data.stagesByAt ?? data.requestedAt),
  )
  return Math.min(budgetMs, Math.max(0, untilMs - nowMs))
}
