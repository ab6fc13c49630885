/** The set of the starter labels. */
export const STARTER_SOURCE = 'cupel_starter'
export const STARTER_DATASET = 'starter'

export const isStarterSet = ({
  source,
  dataset,
}: {
  readonly source: string
  readonly dataset: string
}): boolean => source === STARTER_SOURCE && dataset === STARTER_DATASET
