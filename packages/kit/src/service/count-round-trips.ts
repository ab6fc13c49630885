import type { Metrics } from '@cupel/contracts'

/** Counts the database requests of a process, by the name of the statement: pass it as `onRoundTrip`. */
export function countRoundTrips(metrics: Metrics): (statement: string) => void {
  const counter = metrics.counter('database_round_trips_total', 'Requests to the database.', ['statement'])
  return (statement) => counter.inc({ statement })
}
