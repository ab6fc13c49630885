/** The demo: made-up labels and transfers of addresses that nobody can own. What rests on it says so and is never green. */
import type { ExposureRecord } from '@cupel/contracts'
import type { LabelFacts } from './label-facts.js'

/** The source of the labels of the demo, and the provider of its histories. */
export const DEMO_SOURCE = 'cupel_demo'

interface Findings {
  readonly labels: readonly Pick<LabelFacts, 'source' | 'knownTo'>[]
  readonly exposure?: Pick<ExposureRecord, 'histories'> | null
}

/** Whether a label in force or a history of the demo is among what is known of an address. */
export const restsOnDemo = ({ labels, exposure }: Findings): boolean =>
  labels.some(({ source, knownTo }) => source === DEMO_SOURCE && knownTo === null) ||
  (exposure?.histories ?? []).some(({ provider }) => provider === DEMO_SOURCE)
