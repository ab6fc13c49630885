/** The database server of a local installation. */
import { startPostgres, type RunningPostgres } from '@cupel/local-stack'
import { keep, portOf, type KeepOptions } from './keep.js'
import type { StackOptions } from './stack-options.js'

/** Starts the server, and again when it ends. */
export async function runPostgres(
  options: KeepOptions & Pick<StackOptions, 'home' | 'profile'>,
): Promise<RunningPostgres> {
  const { home, profile } = options
  return await keep<RunningPostgres>('postgres', options, (before) =>
    startPostgres({
      folder: `${home.folder}/postgres`,
      logFile: home.logFile(profile, 'postgres'),
      recordFolder: home.processFolder,
      ...portOf(before),
    }),
  )
}
