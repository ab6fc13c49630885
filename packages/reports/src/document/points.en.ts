/** The words for how the points of an evidence item come about. */
import type { CappedBy, Factor } from '@cupel/domain'

const limits: Readonly<Record<CappedBy, string>> = {
  execution_unknown: 'limited to below red, because the execution of a transfer is not proven',
  order_unknown: 'limited to below red, because the order of its transfers is not known',
  pre_designation: 'limited, because the value moved before the designation',
  historical: 'limited to below red, because the designation has ended since',
  coinjoin: 'limited to below orange, because nobody is known to have paid whom in a CoinJoin',
  cluster: 'limited to orange, because only another address of the cluster is labelled',
}

/** What lifts a limit. */
const lifts: Readonly<Record<CappedBy, string>> = {
  execution_unknown: 'Import the status of the transaction, screen again.',
  order_unknown: 'Import their blocks or times, screen again.',
  pre_designation: "Check the date of the customer's transaction.",
  historical: 'Check the dates of the transfers and of the delisting.',
  coinjoin: 'Ask the customer for the source of funds.',
  cluster: 'Look at the transaction that joins the two.',
}

const factors: Readonly<Record<Factor['name'], string>> = {
  confidence: 'confidence',
  role: 'role of the address',
  share: 'weight of its share',
  size: 'weight of its size',
  size_weight: 'weight of the size if the share is known',
}

export const pointsEn = {
  limits: limits as Readonly<Record<string, string>>,
  lifts: lifts as Readonly<Record<string, string>>,
  factors: factors as Readonly<Record<string, string>>,
  base: (points: string) => `${points} points at most`,
  times: (factor: string, name: string) => `× ${factor} (${name})`,
  raised: 'raised to the minimum of its kind',
  weight: (weight: string) => `× ${weight} (weight of the category)`,
  result: (points: string) => `= ${points} points`,
}
