/** Who gives a command, for the audit log: the user of the operating system. */
import { userInfo } from 'node:os'

export function operator(): string {
  try {
    return `operator:${userInfo().username}`
  } catch {
    // A container may run under a number without a name.
    return `operator:uid-${process.getuid?.() ?? 'unknown'}`
  }
}
