/** `cupel archive restore`: makes a lost log again from an archive. */
import { restoreArchive, type ArchiveContents, type RestoredArchive } from '../../index.js'
import { adoptRestoredLog } from '@cupel/evidence/transparency'
import {
  addCatalogRows,
  beginRestoration,
  builtInRegistry,
  type CatalogRow,
  endsOf,
  installationTopics,
  markRestorationWhole,
  registerSchemas,
  replaceCatalogRows,
} from '@cupel/event-log'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  readingNotes,
  type CliContext,
  CommandError,
  EXIT_FAILED,
} from '@cupel/command-line'
import {
  requiredReason,
  readPublicKeys,
  withConnections,
  type Connections,
  operator,
  stillRunning,
  openArchive,
  refusedArchive,
  archivePlace,
  openStore,
} from '@cupel/command-line/installation'

interface RestoreArchiveCommand extends JsonOption {
  readonly publicKeys?: string
  readonly reason?: string
}

export function registerRestoreArchive(archive: Command, context: CliContext): void {
  archive
    .command('restore')
    .summary('make a log of an archive')
    .argument('<place>', 'the archive: a folder, or s3://bucket/prefix')
    .description(
      `Writes every record of the archive into the log of the settings, each at its offset and with exactly its bytes. The log must be
empty, or hold what an earlier run of this command wrote: that is compared, and the run goes on behind it. Stop the services first.
Who did it and why is recorded.
An empty CUPEL_HOME becomes an installation with that log; put its keys (record-keys.json and both files of signing keys) there first.
docs/runbooks/restore-an-archive.md says what follows.`,
    )
    .option('--reason <text>', 'what happened, for the audit log')
    .option('--public-keys <file>', 'count manifests that these keys signed, in place of those of the home')
    .option('--json', 'answer in JSON')
    .action(async (folder: string, options: RestoreArchiveCommand) => {
      const place = archivePlace(context, folder)
      const reason = requiredReason(options.reason)
      const keys = options.publicKeys === undefined ? null : readPublicKeys(context.path(options.publicKeys))
      const { contents } = await openArchive(context, place, { publicKeys: keys, gathersFaults: false })
      const result = await withConnections(
        context,
        async (connections) => {
          const restored = await restore(context, { connections, place, contents, options })
          const follows = await adopt(connections, contents, { restored, reason })
          await markRestorationWhole(connections.database, restored.log)
          return { ...restored, follows }
        },
        { creates: true },
      )
      answer(context, options, { folder: place, ...snakeCase(result) }, () => textOf(place, result))
    })
}

interface RestoreParts {
  readonly connections: Connections
  readonly place: string
  readonly contents: ArchiveContents
  readonly options: RestoreArchiveCommand
}

async function restore(
  context: CliContext,
  { connections, place, contents, options }: RestoreParts,
): Promise<RestoredArchive> {
  const { run, log, database } = connections
  if (run !== null) throw new CommandError('Stop the installation first: it is running.', EXIT_FAILED)
  const running = await stillRunning(database)
  if (running !== null) throw new CommandError(running, EXIT_FAILED)
  const topics = installationTopics()
  await log.unchecked.ensureTopics(topics)
  await takeSchemas(connections, contents)
  return await restoreArchive({
    ...{ store: await openStore(context, place), contents, log: log.unchecked },
    topics: topics.map(({ name }) => name),
    beforeWriting: () => fence(connections, contents),
    ...(options.json === true ? {} : { onProgress: readingNotes(context.note, () => performance.now()) }),
  }).catch(refusedArchive)
}

/** From now on services do not start, until the log is whole and `cupel restore` has run. */
async function fence({ database, log }: Connections, contents: ArchiveContents): Promise<void> {
  const restoration = {
    ...{ log: await log.identity(), archive: contents.log!, manifest: contents.number },
  }
  await database.transaction({ at: 'archive.restoration' }, (transaction) =>
    beginRestoration(transaction, restoration),
  )
}

function catalogRows({ schemas, versions }: ArchiveContents): readonly CatalogRow[] {
  return versions
    .map(({ subject, sha256, schemaId: id }) => ({ subject, sha256, id, definition: schemas.get(id)! }))
    .sort((a, b) => a.id - b.id)
}

/** Records name schemas by number, and the numbers of the archived log are those of its registry. */
async function takeSchemas({ log, database, logger }: Connections, contents: ArchiveContents): Promise<void> {
  const rows = catalogRows(contents)
  if (log.kind === 'embedded' && (await isEmpty(log))) {
    await replaceCatalogRows(database, rows)
    await registerSchemas({ database, registry: builtInRegistry(database), logger })
    return
  }
  await addCatalogRows(database, rows).catch((cause: unknown) => {
    throw new CommandError(
      `The schemas of the archive cannot be taken over: ${(cause as Error).message}. Connect the database and the registry of that log.`,
      EXIT_FAILED,
      { cause },
    )
  })
}

async function isEmpty(log: Connections['log']): Promise<boolean> {
  return (await endsOf(log, installationTopics())).every(({ offset }) => offset === 0)
}

/** Resolves to the log that the readers of the database follow, where that is another one. */
async function adopt(
  { database }: Connections,
  { number: manifest }: ArchiveContents,
  { restored, reason }: { readonly restored: RestoredArchive; readonly reason: string },
): Promise<string | null> {
  const { log, archived: replaces, partitions } = restored
  return await adoptRestoredLog({
    ...{ database, log, replaces, manifest, partitions, by: operator(), reason },
  })
}

const count = (value: number): string => value.toLocaleString('en-US')

function textOf(
  folder: string,
  {
    log,
    archived,
    partitions,
    records,
    present,
    follows,
  }: RestoredArchive & { readonly follows: string | null },
): string {
  return [
    `${count(records)} records of ${folder} were written into ${partitions} partitions of the log ${log}.`,
    ...(present === 0 ? [] : [`${count(present)} were there already, and are the same.`]),
    `They are those of the log ${archived}.`,
    follows === null
      ? 'Now run `cupel restore --older-database`.'
      : `The database follows the log ${follows}: now run \`cupel log adopt\`, then \`cupel restore\`.`,
  ].join('\n')
}
