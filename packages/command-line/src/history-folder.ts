/** Histories that providers tell are kept in the home, unless the operator names another folder. */
import { join } from 'node:path'
import { lastProfile } from '@cupel/local-stack/home'
import { configOf, type CliContext } from './context.js'

const SETTING = 'CUPEL_HISTORY_FOLDER'

export function withHistoryFolder(context: CliContext): CliContext {
  if ((context.environment[SETTING] ?? '') !== '') return context
  const environment = { ...context.environment, [SETTING]: join(context.home, 'histories') }
  return { ...context, environment, config: () => configOf(environment) }
}

/** Where scorers keep them; undefined for an installation elsewhere whose operator does not name the folder. */
export function keptHistoriesOf(context: CliContext): string | undefined {
  const named = context.environment[SETTING] ?? ''
  if (named !== '') return named
  return lastProfile(context.home) === null ? undefined : withHistoryFolder(context).environment[SETTING]
}
