/** `cupel archive create`: adds the records of the log that the archive lacks. */
import { ArchiveInUseError, createArchive, type ArchivedTree, type Created } from '../../index.js'
import { topicSpecs } from '@cupel/contracts'
import { deadLetterGroups, deadLetterTopic, readCatalogRows } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { Verifier } from '@cupel/signing'
import {
  openCheckpoint,
  readArchives,
  readCheckpoint,
  storeArchive,
  storeArchiveBegun,
  storeArchiveFailure,
} from '@cupel/evidence/transparency'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  readingNotes,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
  EXIT_UNAVAILABLE,
} from '@cupel/command-line'
import {
  installationEvidence,
  withConnections,
  type Connections,
  treeText,
  refusedArchive,
  archivePlace,
  openStore,
} from '@cupel/command-line/installation'

export function registerCreate(archive: Command, context: CliContext): void {
  archive
    .command('create')
    .summary('copy the records of the log that the archive does not have yet')
    .argument('<place>', 'the archive: a folder, which is made where it is missing, or s3://bucket/prefix')
    .description(
      `Copies every record of the log into files of the archive, with exactly its bytes, and signs a manifest that names
each file by its hash. A later run adds what is new. A run that was cut off at any moment leaves an archive that counts, and the
next run goes on there. The log is only read, and the services go on meanwhile. The keys are those of the checkpoints. From the
first run on, \`cupel status\` is red if a run fails or the archive gets older than 48 hours.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (folder: string, options: JsonOption) => {
      const place = archivePlace(context, folder)
      const created = await withConnections(context, (connections) =>
        create(context, place, { connections, options }),
      )
      answer(context, options, { folder: place, ...snakeCase(created) }, () => textOf(place, created))
    })
}

async function create(
  context: CliContext,
  folder: string,
  { connections, options }: { readonly connections: Connections; readonly options: JsonOption },
): Promise<KeptUp> {
  const { log, database, config } = connections
  const settings = installationEvidence(context, config)
  if (settings === null)
    throw new CommandError(
      'This installation has no signing keys, and an archive without signatures proves nothing.',
      EXIT_NOT_FOUND,
    )
  const identity = await log.identity()
  const known = (await readArchives(database, identity)).find(({ place }) => place === folder)
  await storeArchiveBegun(database, identity, folder)
  const created = await copied(context, folder, { connections, options, settings, identity }).catch(
    async (cause: unknown) => {
      if (cause instanceof ArchiveInUseError)
        throw new CommandError(cause.message, EXIT_UNAVAILABLE, { cause })
      await storeArchiveFailure(database, identity, { place: folder, failure: (cause as Error).message })
      return refusedArchive(cause)
    },
  )
  const { number, numberBefore } = created
  await storeArchive(database, identity, {
    place: folder,
    manifest: number,
    size: created.tree?.size ?? 0,
  })
  const isShorter = known !== undefined && numberBefore < known.manifest
  return { ...created, wasShortened: isShorter ? { from: known.manifest, to: numberBefore } : null }
}

interface CopyParts {
  readonly connections: Connections
  readonly options: JsonOption
  readonly settings: NonNullable<ReturnType<typeof installationEvidence>>
  readonly identity: string
}

async function copied(
  context: CliContext,
  folder: string,
  { connections: { log, database }, options, settings, identity }: CopyParts,
): Promise<Created> {
  // Read first: the log has the records of its leaves.
  const tree = await signedTree(database, identity, settings.keys.verifier)
  const deadLetters = deadLetterGroups.map((group) => deadLetterTopic(group).name)
  return await createArchive({
    store: await openStore(context, folder),
    // With the records of other producers: they are in the log, and a proof names them.
    log: log.unchecked,
    topics: [...topicSpecs.map(({ name }) => name), ...deadLetters],
    rawTopics: new Set(deadLetters),
    schemas: () => schemasOf(database),
    tree,
    ...{ signer: settings.keys.signer, verifier: settings.keys.verifier },
    now: () => new Date().toISOString(),
    ...(options.json === true ? {} : { onProgress: readingNotes(context.note, () => performance.now()) }),
  })
}

interface KeptUp extends Created {
  /** Numbers of manifests, if the archive had fewer than earlier runs made: somebody removed them. This run made them anew. */
  readonly wasShortened: { readonly from: number; readonly to: number } | null
}

async function schemasOf(database: Database) {
  const rows = await readCatalogRows(database)
  return {
    schemas: [...new Map(rows.map(({ id, definition }) => [id, { id, definition }])).values()],
    versions: rows.map(({ subject, sha256, id }) => ({ subject, sha256, schemaId: id })),
  }
}

async function signedTree(
  database: Database,
  identity: string,
  verifier: Verifier,
): Promise<ArchivedTree | null> {
  const note = await readCheckpoint(database, identity)
  const opened = note === null ? null : openCheckpoint(note, verifier)
  return opened && { size: opened.size, root: opened.root.toString('base64') }
}

function textOf(
  folder: string,
  { log, number, tree, records, segments, bytes, wasShortened }: KeptUp,
): string {
  const count = (value: number): string => value.toLocaleString('en-US')
  return [
    records === 0
      ? `${folder} has every record of the log ${log} already.`
      : `${count(records)} records of the log ${log} were added to ${folder}: ${count(segments)} segments, ${count(bytes)} bytes.`,
    ...(wasShortened === null
      ? []
      : [
          `WARNING: it ended with manifest ${wasShortened.to}, and earlier runs made ${wasShortened.from}: somebody set it back. Its records were added again.`,
        ]),
    `Last manifest: ${number}, with the records of ${treeText(tree)}.`,
    `Check it with: cupel archive verify ${folder} --min-leaves ${tree?.size ?? 0}`,
  ].join('\n')
}
