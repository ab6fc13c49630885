/** The operator, for the audit log: the user of the operating system. */
import { userInfo } from 'node:os'

export function operator(): string {
  try {
    return `operator:${userInfo().username}`
  } catch {
    // In a container the user id may have no name.
    return `operator:uid-${process.getuid?.() ?? 'unknown'}`
  }
}
