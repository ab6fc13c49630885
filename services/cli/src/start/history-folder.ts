/** Histories that providers tell are kept in the home, unless the operator names another folder. */
import { join } from 'node:path'
import { configOf, type CliContext } from '../context.js'

const SETTING = 'CUPEL_HISTORY_FOLDER'

export function withHistoryFolder(context: CliContext): CliContext {
  if ((context.environment[SETTING] ?? '') !== '') return context
  const environment = { ...context.environment, [SETTING]: join(context.home, 'histories') }
  return { ...context, environment, config: () => configOf(environment) }
}
