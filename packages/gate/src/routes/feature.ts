/** Every endpoint of keys, accounts and sessions. */
import type { Endpoint } from '../http/index.js'
import { accountEndpoints } from './accounts/index.js'
import type { PeopleParts } from './accounts/list-people.js'
import { keyEndpoints } from './keys/index.js'
import type { KeyParts } from './keys/key-description.js'
import { keyChangeKinds, type ChangeKinds } from './proposed-changes/change-kinds.js'
import { proposedChangeEndpoints, type ProposedChangeParts } from './proposed-changes/index.js'
import { sessionEndpoints } from './sessions/index.js'
import type { SessionParts } from './sessions/session-description.js'

interface Parts {
  readonly keys: KeyParts
  readonly sessions: SessionParts
  /** Null if nobody signs in with a service. */
  readonly groups: PeopleParts['groups']
  readonly proposedChanges: Omit<ProposedChangeParts, 'kinds'> & { readonly furtherKinds: ChangeKinds }
}

export const accountsFeature = ({
  keys,
  sessions,
  groups,
  proposedChanges: { furtherKinds, ...changes },
}: Parts): readonly Endpoint[] => [
  ...keyEndpoints(keys),
  ...proposedChangeEndpoints({ ...changes, kinds: [...keyChangeKinds(keys), ...furtherKinds] }),
  ...accountEndpoints({ ...keys, groups }),
  ...sessionEndpoints(sessions),
]
