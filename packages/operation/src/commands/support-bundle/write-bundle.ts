/** Writes the archive to a new file, or to standard output. */
import { writeFile } from 'node:fs/promises'
import { CommandError, EXIT_USAGE } from '@cupel/command-line'

export interface BundleFile {
  readonly path: string
  readonly mode: number
}

/** Throws CommandError if the file exists already: no file is overwritten. */
export async function writeBundle(archive: Buffer, file?: BundleFile): Promise<void> {
  if (file === undefined) return await toStandardOutput(archive)
  try {
    await writeFile(file.path, archive, { flag: 'wx', mode: file.mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new CommandError(`${file.path} is there already.`, EXIT_USAGE, { cause: error })
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EROFS')
      throw new CommandError(
        `${file.path} cannot be written: choose another place with --output.`,
        EXIT_USAGE,
        {
          cause: error,
        },
      )
    throw error
  }
}

function toStandardOutput(archive: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(archive, (error) => (error ? reject(error) : resolve()))
  })
}
