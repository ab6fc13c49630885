/** `cupel archive export`: the events of an archive as tables, for people who ask questions with SQL. */
import { exportParquet, UNDECODED, type ExportedParquet } from '../../index.js'
import { deadLetterGroups, deadLetterTopic } from '@cupel/event-log'
import { Option, type Command } from 'commander'
import { answer, snakeCase, type JsonOption, readingNotes, type CliContext } from '@cupel/command-line'
import { readPublicKeys, openArchive, refusedArchive, archivePlace } from '@cupel/command-line/installation'

interface ExportCommand extends JsonOption {
  readonly format: 'parquet'
  readonly publicKeys?: string
}

export function registerExport(archive: Command, context: CliContext): void {
  archive
    .command('export')
    .summary('write the events of an archive as Parquet files')
    .argument('<place>', 'the archive: a folder, or s3://bucket/prefix')
    .argument('<folder>', 'where the files go: missing or empty; made whole or not at all')
    .description(
      `Writes the events of an archive as tables for DuckDB and other programs that read Parquet: one file for each type of event and month,
with a column for each field. Nothing is written of an archive that is damaged or that no known key signed. The files prove nothing themselves:
run \`cupel archive verify\` first. They hold what the archive holds, in the clear.`,
    )
    .addOption(new Option('--format <format>', 'of the files').choices(['parquet']).default('parquet'))
    .option('--public-keys <file>', 'count manifests that these keys signed, in place of those of the home')
    .option('--json', 'answer in JSON')
    .action(async (place: string, folder: string, options: ExportCommand) => {
      const target = context.path(folder)
      const exported = await exportArchive(context, { place: archivePlace(context, place), target }, options)
      answer(context, options, { folder: target, ...snakeCase(exported) }, () => textOf(target, exported))
    })
}

async function exportArchive(
  context: CliContext,
  { place, target }: { readonly place: string; readonly target: string },
  { publicKeys, json }: ExportCommand,
): Promise<ExportedParquet> {
  const keys = publicKeys === undefined ? null : readPublicKeys(context.path(publicKeys))
  const { log, codec, contents } = await openArchive(context, place, {
    publicKeys: keys,
    gathersFaults: false,
  })
  return await exportParquet({
    ...{ log, codec, folder: target, topics: [...contents.topics.keys()] },
    rawTopics: new Set(deadLetterGroups.map((group) => deadLetterTopic(group).name)),
    ...(json === true ? {} : { onProgress: readingNotes(context.note, () => performance.now()) }),
  }).catch(refusedArchive)
}

function textOf(folder: string, { records, files, undecoded }: ExportedParquet): string {
  const count = (value: number): string => value.toLocaleString('en-US')
  return [
    `${count(records)} records were written into ${count(files)} files of ${folder}.`,
    ...(undecoded === 0
      ? []
      : [
          `${count(undecoded)} of them are not an event that this release knows: they are in ${UNDECODED}, as they came.`,
        ]),
  ].join('\n')
}
