/** Provokes the problems of changes that take two persons. */
import { MAX_CHANGES_A_DAY } from '@cupel/gate/second-person'
import { exampleOf, type Described } from './described.js'
import type { CallOptions, Reply } from './http-client.js'
import type { ApiOptions } from './installation.js'

const CHANGES = '/v1/proposed-changes'

interface Desk {
  readonly start: (options: ApiOptions) => Promise<string>
  readonly send: (path: string, body: object) => Promise<Reply>
}

type SendExample = (
  at: Described,
  options?: Omit<CallOptions, 'key'> & { url?: string; id?: string },
) => Promise<Reply>

/** Makes open proposals. */
export async function openProposals({ start, send }: Desk) {
  const proposeChange = () => send(CHANGES, exampleOf('POST', CHANGES))
  const newChange = async (): Promise<string> => String((await proposeChange()).json()['change_id'])
  const twoPersonsUrl = await start({
    config: { CUPEL_KEY_SECOND_PERSON: true, CUPEL_LIST_SECOND_PERSON: true },
  })
  // Later the account can make no more on this day.
  const [changeId, refusedId, aloneId] = [await newChange(), await newChange(), await newChange()]
  return {
    changeId,
    /** Null for other endpoints. */
    notFound: (at: Described, sendExample: SendExample): Promise<Reply> | null => {
      if (at.path !== CHANGES) return null
      const issue = { scope: 'read-only', account_id: 'acc_00000000000000000000' }
      return sendExample(at, { body: { issue_key: issue, reason: 'an example' } })
    },
    provoked: (sendExample: SendExample) => ({
      change_conflict: async (at: Described): Promise<Reply> => {
        if (at.path !== CHANGES) {
          await sendExample(at, { id: refusedId, body: { decision: 'refuse' } })
          return await sendExample(at, { id: refusedId })
        }
        for (let made = 0; made < MAX_CHANGES_A_DAY; made += 1) await proposeChange()
        return await sendExample(at)
      },
      second_person_required: async (at: Described): Promise<Reply> =>
        await sendExample(at, {
          url: twoPersonsUrl,
          ...(at.path.startsWith(CHANGES) ? { id: aloneId } : {}),
        }),
    }),
  }
}
