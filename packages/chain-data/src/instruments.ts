/** Metrics of the providers of chain data. */
import type { Metrics } from '@cupel/contracts'

const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10]

export interface ChainDataInstruments {
  /** Outcome: `answered`, or the code of the error. */
  asked(provider: string, outcome: string, ms: number): void
  kept(): void
  looked(stage: string): void
  circuit(provider: string, isOpen: boolean): void
}

export function createInstruments(metrics: Metrics): ChainDataInstruments {
  const asked = metrics.counter('chain_data_questions_total', 'Questions put to a provider of chain data', [
    'provider',
    'outcome',
  ])
  const seconds = metrics.histogram(
    'chain_data_question_seconds',
    'Time a question to a provider took, attempts included',
    LATENCY_BUCKETS,
    ['provider'],
  )
  const kept = metrics.counter('chain_data_kept_total', 'Questions answered from what was kept')
  const looked = metrics.counter('chain_data_stages_total', 'Stages of chain data by how they ended', [
    'stage',
  ])
  const circuit = metrics.gauge(
    'chain_data_circuit_open',
    '1 while a provider is not called after failures, else 0',
    ['provider'],
  )
  return {
    asked(provider, outcome, ms) {
      asked.inc({ provider, outcome })
      seconds.observe(ms / 1_000, { provider })
    },
    kept: () => kept.inc(),
    looked: (stage) => looked.inc({ stage }),
    circuit: (provider, isOpen) => circuit.set(isOpen ? 1 : 0, { provider }),
  }
}
