/** Arguments of imports, checked before anything is started for the command. */
import { accessSync, constants } from 'node:fs'
import { checkedReason } from '@cupel/gate/access'
import { InvalidArgumentError } from 'commander'
import { CommandError, EXIT_NOT_FOUND, EXIT_USAGE } from '@cupel/command-line'

export function readableFile(path: string): string {
  try {
    accessSync(path, constants.R_OK)
    return path
  } catch (cause) {
    throw new CommandError(`Cannot read ${path}.`, EXIT_NOT_FOUND, { cause })
  }
}

export function readableReason(reason: string): string {
  try {
    return checkedReason(reason)
  } catch (cause) {
    throw new CommandError(`${(cause as Error).message}.`, EXIT_USAGE, { cause })
  }
}

export function height(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
