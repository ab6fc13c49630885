/** A --reason that must be given. */
import { checkedReason } from '@cupel/access'
import { CommandError, EXIT_USAGE } from './explain.js'

/** The trimmed text of a --reason that must be given. Throws a CommandError where nobody could read it in the audit log. */
export function requiredReason(reason: string | undefined): string {
  try {
    const checked = checkedReason(reason ?? '')
    if (checked !== '') return checked
  } catch (cause) {
    throw new CommandError(`${(cause as Error).message}.`, EXIT_USAGE, { cause })
  }
  throw new CommandError('--reason must say why; it is recorded with your name.', EXIT_USAGE)
}
