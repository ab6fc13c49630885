/** An address of this machine from which a call does not come over loopback. */
import { networkInterfaces } from 'node:os'
import { noteSkip } from '@cupel/testkit'

/** Null if this machine has only loopback addresses: then no call can come from another address. */
export function outerAddress(): string | null {
  const found = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.internal === false && address.family === 'IPv4')
  if (found === undefined) noteSkip('https_required is not provoked: this machine has no network interface')
  return found?.address ?? null
}
