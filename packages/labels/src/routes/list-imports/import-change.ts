/** The import of a list as a change that one person proposes and another one confirms. */
import { createHash } from 'node:crypto'
import { ChangeRefused, type ChangeKind } from '@cupel/gate/routes'
import { orAbsent, refuse } from '@cupel/gate/http'
import { z } from 'zod'
import { confirmListOrderIn, findListOrder, lockListOrder, type ListOrder } from '../../index.js'
import { importAuthor, importRefusal, type ListImportParts } from './import-description.js'

interface ImportContent {
  readonly import_id: string
  readonly accept_removals?: number
  readonly accept_unreadable?: number
}

const MAX_ACCEPTED = 2_147_483_647

export const importChange = ({ database, needsSecondPerson }: ListImportParts): ChangeKind => ({
  ...{ name: 'confirm_import', access: 'operator', needsSecondPerson },
  description: 'For operators: the import of a list, as for `POST /v1/list-imports/{import_id}/confirm`.',
  schema: z
    .strictObject({
      import_id: z.string().regex(/^lio_[0-9a-f]{20}$/),
      accept_removals: orAbsent(z.int().min(1).max(MAX_ACCEPTED)),
      accept_unreadable: orAbsent(z.int().min(1).max(MAX_ACCEPTED)),
    })
    .meta({ id: 'ProposedImport' }),
  async subject({ caller: { accountId, livemode } }, content) {
    const order = await findListOrder(database, String(content['import_id']))
    if (order === null) return importRefusal('unknown')
    return { ofAccountId: accountId, livemode, basedOn: lookOf(order), content }
  },
  async make(transaction, call, { content, reason, basedOn }) {
    const given = content as unknown as ImportContent
    const order = await lockListOrder(transaction, given.import_id)
    if (order === null) throw new ChangeRefused(importRefusal('unknown'))
    // Whoever confirms it sees what the look says now, and its proposer accepted what it said then.
    if (lookOf(order) !== basedOn)
      throw new ChangeRefused(
        refuse(
          'change_conflict',
          'The file was looked at again since, and says something else; propose it again.',
        ),
      )
    const done = await confirmListOrderIn(transaction, {
      ...{ orderId: given.import_id, by: importAuthor(call), reason },
      acceptRemovals: given.accept_removals ?? null,
      acceptUnreadable: given.accept_unreadable ?? null,
    })
    if (typeof done === 'string')
      throw new ChangeRefused(refuse('change_conflict', importRefusal(done).detail))
    return { newKey: null }
  },
})

/** SHA-256 of what the last look found. */
const lookOf = ({ result }: ListOrder): string =>
  createHash('sha256').update(JSON.stringify(result)).digest('hex')
