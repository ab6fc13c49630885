/** `cupel archive retire`: nothing waits for an archive that is not continued. */
import { retireArchive } from '@cupel/evidence/transparency'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext, CommandError, EXIT_NOT_FOUND } from '@cupel/command-line'
import { withConnections, archivePlace } from '@cupel/command-line/installation'

export function registerRetire(archive: Command, context: CliContext): void {
  archive
    .command('retire')
    .summary('say that an archive is not continued')
    .argument('<place>', 'the archive, as `cupel archive create` was given it')
    .description('Its files stay as they are. `cupel status` and `cupel doctor` then expect no further run.')
    .option('--json', 'answer in JSON')
    .action(async (folder: string, options: JsonOption) => {
      const place = archivePlace(context, folder)
      await withConnections(context, async ({ database, log }) => {
        if (await retireArchive(database, await log.identity(), place)) return
        throw new CommandError(`No run made an archive in ${place}.`, EXIT_NOT_FOUND)
      })
      answer(context, options, { folder: place }, () => `The archive ${place} is not continued.`)
    })
}
