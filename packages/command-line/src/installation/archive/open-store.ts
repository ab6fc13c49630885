/** The place of the archive of a command: a folder, or `s3://bucket/prefix` in the store of the settings. */
import { openPlace, type ArchiveStore } from '@cupel/archive'
import { isS3Address } from '@cupel/kit/object-store'
import { type CliContext, CommandError, EXIT_USAGE } from '../../index.js'

/** A folder is relative to the caller's. */
export const archivePlace = (context: CliContext, text: string): string =>
  isS3Address(text) ? text : context.path(text)

/** Throws ConfigError if the settings of the store are incomplete, and a CommandError for an invalid address. */
export async function openStore(context: CliContext, place: string): Promise<ArchiveStore> {
  try {
    return openPlace(place, await context.config(), context.note)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new CommandError(cause.message, EXIT_USAGE, { cause })
  }
}
