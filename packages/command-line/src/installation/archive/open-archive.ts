/** Opens an archive for the commands that read it. They need its folder and public keys, and neither a database nor a broker. */
import { accessSync, constants } from 'node:fs'
import {
  archiveCatalog,
  ArchiveError,
  openArchiveLog,
  readArchiveFiles,
  type ArchiveContents,
  type ArchiveFault,
} from '@cupel/archive'
import {
  createEventCodec,
  createForgeryCheck,
  readAuthentic,
  readRecordKeys,
  type AuthenticLog,
  type EventCodec,
  type RecordKeys,
} from '@cupel/event-log'
import { verifier, type PublicKey, type Verifier } from '@cupel/signing'
import { installationEvidence } from '../evidence.js'
import {
  type CliContext,
  CommandError,
  EXIT_CONFIG,
  EXIT_FAILED,
  EXIT_NOT_FOUND,
  EXIT_UNAVAILABLE,
} from '../../index.js'
import { homeRecordKeys } from '../record-keys-file.js'
import { openStore } from './open-store.js'

export interface OpenedArchive {
  /** Or `s3://bucket/prefix`. */
  readonly folder: string
  readonly contents: ArchiveContents
  /** Files of a run that is at work; they are not read. */
  readonly pending: readonly string[]
  /** Verifier with the keys that count for the manifests of the archive. */
  readonly verifier: Verifier
  readonly log: AuthenticLog
  readonly codec: EventCodec
  /** False without record keys: records of other producers are read like the others. */
  readonly checksMacs: boolean
  /** The faults of the files that were read so far. */
  readonly faults: () => readonly ArchiveFault[]
}

/** There is no archive in the folder or store. */
export class NoArchiveError extends CommandError {
  constructor(folder: string) {
    super(`There is no archive in ${folder}.`, EXIT_NOT_FOUND)
  }
}

export interface OpenArchiveOptions {
  /** Keys that an auditor got in another way; null for those of the installation in the home. */
  readonly publicKeys: readonly PublicKey[] | null
  /** Whether damaged files are gathered as faults. Otherwise the first one ends the command. */
  readonly gathersFaults: boolean
}

const UNNAMED = `No manifest names it: a run of \`cupel archive create\` was cut off (run it again), or somebody put the file there.`

/** Throws NoArchiveError if the folder holds none, and a CommandError where it cannot be read. */
export async function openArchive(
  context: CliContext,
  folder: string,
  { publicKeys, gathersFaults }: OpenArchiveOptions,
): Promise<OpenedArchive> {
  const store = await openStore(context, folder)
  const verifier = await manifestVerifier(context, publicKeys)
  const { contents, faults, unnamed, pending } = await readArchiveFiles(store, verifier)
  const found: ArchiveFault[] = [
    ...faults,
    ...unnamed.map((file) => ({ file, detail: UNNAMED, since: contents.time })),
  ]
  if (contents.log === null && found.length === 0 && pending.length > 0)
    throw new CommandError(
      `The first run of \`cupel archive create\` is at work in ${folder}, and no manifest is there yet.`,
      EXIT_UNAVAILABLE,
    )
  if (contents.log === null && found.length === 0) throw new NoArchiveError(folder)
  const [first] = gathersFaults && contents.log !== null ? [] : faults
  if (first !== undefined) throw new CommandError(`${folder}: ${first.file}: ${first.detail}`, EXIT_FAILED)
  if (contents.log === null)
    throw new CommandError(`${folder}: ${found[0]!.file}: ${found[0]!.detail}`, EXIT_FAILED)
  const damaged = new Map<string, ArchiveFault>()
  const keys = await archiveRecordKeys(context, publicKeys)
  const log = openArchiveLog({
    ...{ store, contents },
    ...(gathersFaults
      ? {
          onDamaged: ({ file, topic, partition, first: from, next, namedAt }, { message }) =>
            void damaged.set(file, {
              file,
              ...{ detail: message, since: namedAt },
              records: { topic, partition, first: from, next },
            }),
        }
      : {}),
  })
  const check = createForgeryCheck({ keys, isOwn: () => false })
  return {
    ...{ folder, contents, pending, verifier, checksMacs: keys !== null },
    log: readAuthentic(log, check),
    codec: createEventCodec(archiveCatalog(contents)),
    faults: () => [...found, ...damaged.values()],
  }
}

async function manifestVerifier(
  context: CliContext,
  publicKeys: readonly PublicKey[] | null,
): Promise<Verifier> {
  if (publicKeys === null) {
    const settings = installationEvidence(context, await context.config())
    if (settings !== null) return settings.keys.verifier
    throw new CommandError(
      `Signing keys are missing in ${context.home}: give the keys of the installation with --public-keys (\`cupel log signing-keys\` prints them there).`,
      EXIT_CONFIG,
    )
  }
  return verifier(publicKeys)
}

/** With the keys of an auditor the home belongs to another installation, or to none: only a named file counts then. */
async function archiveRecordKeys(
  context: CliContext,
  publicKeys: readonly PublicKey[] | null,
): Promise<RecordKeys | null> {
  const { CUPEL_RECORD_KEYS_FILE: named } = await context.config()
  const file = named ?? (publicKeys === null ? homeRecordKeys(context.home) : undefined)
  return file !== undefined && isReadable(file) ? readRecordKeys(file) : null
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    // An auditor has no record keys.
    return false
  }
}

/** Throws an error of an archive as a CommandError, and any other error unchanged. */
export function refusedArchive(cause: unknown): never {
  if (!(cause instanceof ArchiveError)) throw cause
  throw new CommandError(cause.message, EXIT_FAILED, { cause })
}
