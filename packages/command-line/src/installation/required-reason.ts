/** The value of a required --reason. */
import { checkedReason } from '@cupel/gate/access'
import { CommandError, EXIT_USAGE } from '../index.js'

/** The trimmed text of a required --reason. Throws a CommandError if it could not be read in the audit log. */
export function requiredReason(reason: string | undefined): string {
  try {
    const checked = checkedReason(reason ?? '')
    if (checked !== '') return checked
  } catch (cause) {
    throw new CommandError(`${(cause as Error).message}.`, EXIT_USAGE, { cause })
  }
  throw new CommandError('--reason must say why; it is recorded with your name.', EXIT_USAGE)
}
