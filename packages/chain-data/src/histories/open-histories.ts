/** The providers that are asked for histories, each behind its guard. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { ProviderConfig } from '../configuration.js'
import { createGuard, MAX_CONCURRENT_QUESTIONS } from '../guard.js'
import { endpointOf } from '../open-chain-data.js'
import { openConnections, openProviderHttp, type ProviderHttp } from '../provider-http.js'
import { MAX_HISTORY_RESPONSE_BYTES, type HistorySource } from './history-source.js'
import { openTransactionSource } from '../transactions/open-transaction-source.js'
import type { TransactionSource } from '../transactions/transaction-source.js'
import { openHistorySource } from './open-history-source.js'

/** Time limit of one call: a page of a history is large. */
const CALL_TIMEOUT_MS = 20_000

export interface HistoryProvider {
  readonly source: HistorySource
  /** Calls to the provider, each after `beforeCall`, which throws if there must be none. */
  http(beforeCall: () => Promise<void>): ProviderHttp
}

/** A provider that tells whether one transaction has a stated transfer. */
export interface TransactionProvider {
  readonly source: TransactionSource
  http(beforeCall: () => Promise<void>): ProviderHttp
}

export interface Histories {
  /** Those of a chain, in the order of the configuration. */
  of(chain: string): readonly HistoryProvider[]
  /** Those that tell single transactions of a chain, in the order of the configuration. */
  transactionsOf(chain: string): readonly TransactionProvider[]
  /** Whether two of them must state the same history of an address. */
  mustAgree(chain: string): boolean
  close(): Promise<void>
}

export interface HistoriesOptions {
  /** The most trusted first. */
  readonly providers: readonly ProviderConfig[]
  readonly logger: Logger
  readonly metrics: Metrics
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export function openHistories({ providers, logger, metrics, now = Date.now }: HistoriesOptions): Histories {
  const circuit = metrics.gauge(
    'history_circuit_open',
    '1 while a provider is not asked for histories after failures, else 0',
    ['provider'],
  )
  const opened = providers.flatMap((config) => {
    const source = openHistorySource(config, now)
    const transactions = openTransactionSource(config, now)
    if (source === null && transactions === null) return []
    const { name: provider } = config
    circuit.set(0, { provider })
    const connections = openConnections(MAX_CONCURRENT_QUESTIONS)
    const guard = createGuard({
      timeoutMs: CALL_TIMEOUT_MS,
      onOpen() {
        circuit.set(1, { provider })
        logger.warn({ provider }, 'A provider of histories failed repeatedly and is not asked for a while')
      },
      onClosed() {
        circuit.set(0, { provider })
        logger.info({ provider }, 'A provider of histories answers again')
      },
    })
    const endpoint = endpointOf(config)
    const http = (beforeCall: () => Promise<void>): ProviderHttp => {
      const call = async <T>(ask: (http: ProviderHttp) => Promise<T>): Promise<T> => {
        // A wait for the turn is not part of the time limit.
        await beforeCall()
        let attempts = 0
        return await guard.ask(async (signal) => {
          if ((attempts += 1) > 1) await beforeCall()
          return await ask(openProviderHttp(endpoint, connections, signal, MAX_HISTORY_RESPONSE_BYTES))
        })
      }
      return {
        getJson: (path, query) => call((one) => one.getJson(path, query)),
        getText: (path) => call((one) => one.getText(path)),
        postJson: (path, body) => call((one) => one.postJson(path, body)),
        // The file of a history has a hash of its own.
        responseSha256: () => '',
      }
    }
    return [{ source, transactions, http, connections }]
  })
  return {
    of: (chain) => opened.flatMap(({ source, http }) => (source?.chain === chain ? [{ source, http }] : [])),
    transactionsOf: (chain) =>
      opened.flatMap(({ transactions: source, http }) => (source?.chain === chain ? [{ source, http }] : [])),
    mustAgree: (chain) => providers.some((one) => one.chain === chain && one.agree !== undefined),
    close: async () => {
      await Promise.all(opened.map(({ connections }) => connections.destroy()))
    },
  }
}
