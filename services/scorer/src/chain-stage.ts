/**
 * The stage of chain data: before a request is decided, the providers of its chain are asked, within the budget of the
 * request. What comes later is left out of this report and is there for the next.
 */
import { readFile } from 'node:fs/promises'
import type { ChainData, ProviderConfig } from '@cupel/chain-data'
import type { Lane, Logger, Metrics } from '@cupel/contracts'
import type { ChainInputs } from '@cupel/domain'
import { ConfigError, type Config } from '@cupel/service-kit'
import type { Decision, Request } from './lane.js'

/** A request with what providers said of its address; without it where none was asked. */
export type PreparedRequest = Request & { readonly chainInputs?: ChainInputs }

type Decide<R extends Request> = (requests: readonly R[]) => Promise<readonly Decision[]>

export interface ChainStage {
  /** Puts the stage before a lane's decisions. */
  before(lane: Lane, decide: Decide<PreparedRequest>): Decide<Request>
  close(): Promise<void>
}

export interface ChainStageDeps {
  readonly config: ChainStageConfig
  readonly logger: Logger
  readonly metrics: Metrics
  readonly now: () => Date
}

export type ChainStageConfig = Pick<
  Config,
  | 'CUPEL_CHAIN_DATA_FILE'
  | 'CUPEL_CHAIN_DATA_PUBLIC'
  | 'CUPEL_CHAIN_DATA_BUDGET_MS'
  | 'CUPEL_CHAIN_DATA_MAX_AGE_MS'
>

/** Without a configured provider the stage is not there at all, and costs nothing. */
const absent: ChainStage = { before: (_lane, decide) => decide, close: async () => undefined }

/** Throws a ConfigError where the file of providers cannot be used: an operator's mistake must not pass for silence. */
export async function openChainStage({ config, logger, metrics, now }: ChainStageDeps): Promise<ChainStage> {
  const file = config.CUPEL_CHAIN_DATA_FILE
  if (file === undefined && !config.CUPEL_CHAIN_DATA_PUBLIC) return absent
  // Loaded here: who asks nobody needs no HTTP client.
  const { openChainData, publicProviders } = await import('@cupel/chain-data')
  const own = file === undefined ? [] : await readProviders(file)
  const providers = config.CUPEL_CHAIN_DATA_PUBLIC
    ? [...own, ...publicProviders.filter(({ chain }) => !own.some((one) => one.chain === chain))]
    : own
  if (providers.length === 0) return absent
  const chainData = openChainData({
    providers,
    maxAgeMs: config.CUPEL_CHAIN_DATA_MAX_AGE_MS,
    logger,
    metrics,
    now: () => now().getTime(),
  })
  logger.info({ endpoints: chainData.endpoints }, 'Addresses are sent to providers of chain data')
  return createChainStage(chainData, { budgetMs: config.CUPEL_CHAIN_DATA_BUDGET_MS, now })
}

async function readProviders(file: string): Promise<readonly ProviderConfig[]> {
  const { parseConfiguration } = await import('@cupel/chain-data')
  try {
    return parseConfiguration(await readFile(file, 'utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`CUPEL_CHAIN_DATA_FILE cannot be used: ${reason}`, { cause: error })
  }
}

/** One line for each public endpoint that CUPEL_CHAIN_DATA_PUBLIC lets a scorer ask. */
export async function describePublicChainData(): Promise<readonly string[]> {
  const { describePublicProviders } = await import('@cupel/chain-data')
  return describePublicProviders()
}

export function createChainStage(
  chainData: ChainData,
  { budgetMs, now }: { readonly budgetMs: number; readonly now: () => Date },
): ChainStage {
  return {
    before: (lane, decide) => async (requests) => {
      if (!requests.some((request) => isAsked(chainData, request))) return await decide(requests)
      const nowMs = now().getTime()
      const inputs = await Promise.all(
        requests.map(async (request) => {
          if (!isAsked(chainData, request)) return null
          const { accountId, chain, canonicalAddress: address } = request.data
          return await chainData.look({ accountId, chain, address }, waitMs(lane, request, budgetMs, nowMs))
        }),
      )
      return await decide(requests.map((request, index) => prepared(request, inputs[index] ?? null)))
    },
    close: () => chainData.close(),
  }
}

/** The sandbox asks nobody. */
const isAsked = (chainData: ChainData, { data }: Request): boolean =>
  data.livemode && chainData.covers(data.chain)

/**
 * The budget runs from the acceptance of the call, because that is when its caller began to wait: a request that queued
 * behind others spends its budget there. Nobody waits for an item of a bulk.
 */
function waitMs(lane: Lane, { data }: Request, budgetMs: number, nowMs: number): number {
  if (lane === 'bulk') return budgetMs
  const leftMs = Date.parse(data.requestedAt) + budgetMs - nowMs
  return Math.min(budgetMs, Math.max(0, leftMs))
}

function prepared(request: Request, chainInputs: ChainInputs | null): PreparedRequest {
  return chainInputs === null ? request : { ...request, chainInputs }
}
