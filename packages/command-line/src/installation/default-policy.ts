/** A new installation uses the default policy from its first screen on. */
import { compiledDefaultPolicy } from '@cupel/domain'
import { ensureDefaultPolicy as ensurePolicy } from '@cupel/policy'
import type { Stack } from './stack/stack.js'

/** Activates it unless a policy was activated before; resolves to whether it did. */
export async function ensureDefaultPolicy({
  log,
  codec,
  database,
}: Pick<Stack, 'log' | 'codec' | 'database'>): Promise<boolean> {
  const { document, canonical, sha256 } = compiledDefaultPolicy
  const policy = { policyId: document.id, version: document.version, document: canonical, sha256 }
  return await ensurePolicy({ log, codec, database, policy })
}
