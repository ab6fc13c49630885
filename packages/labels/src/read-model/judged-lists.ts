import { compiledDefaultPolicy, compilePolicyText, judgeLists } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { readActivePolicy } from '@cupel/policy/read-model'
import { setFacts } from './decision-facts.js'
import { listSets } from './queries.js'

/** The lists that the installation has or expects, judged at `now` as a report of that moment states them. */
export async function readJudgedLists(
  database: Queryable,
  now: Date,
): Promise<ReturnType<typeof judgeLists>> {
  const [sets, policy] = await Promise.all([listSets(database), readActivePolicy(database)])
  const compiled = policy === null ? compiledDefaultPolicy : compilePolicyText(policy.document)
  return judgeLists(sets.map(setFacts), now.toISOString(), compiled)
}
