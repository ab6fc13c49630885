/** The hint for an operator while no whole sanctions list is in force, as in every new installation. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A refresh plan for the list of OFAC, with its designation dates. */
export const OFAC_PLAN = fileURLToPath(new URL('../../../../../data/refresh-ofac.json', import.meta.url))

export function sanctionsListHint(): string {
  const plan = relative(process.cwd(), OFAC_PLAN)
  return `No whole sanctions list that the policy requires is in force here, so no report is green. Import the list of OFAC, and have it
refreshed:

  npm run --silent cupel -- labels refresh --plan ${plan}
  CUPEL_LABEL_REFRESH_FILE=${OFAC_PLAN} npm start

Or import a file that you downloaded; it is as old as the date in it:

  npm run --silent cupel -- labels import SDN_ADVANCED.XML --format ofac-advanced-xml --set sdn`
}
