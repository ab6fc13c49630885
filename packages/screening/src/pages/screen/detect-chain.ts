/** GET /screen/detect: judges the text in the field for the script of the form. Nothing is stored or asked elsewhere. */
import { MAX_ADDRESS_LENGTH } from '@cupel/domain'
import { raw, type Page } from '@cupel/console'
import { adviseOn } from './address-advice.js'

/** More than any address and a few mistakes. */
const MAX_READ_CHARACTERS = 2 * MAX_ADDRESS_LENGTH

export const detectChain: Page = {
  method: 'GET',
  path: '/screen/detect',
  access: 'session',
  handle({ query }) {
    const address = (query.get('address') ?? '').slice(0, MAX_READ_CHARACTERS)
    const advice = adviseOn(address, query.get('chain') ?? '')
    const kind = advice.kind === 'fault' && advice.isName ? 'name' : advice.kind
    return raw(JSON.stringify({ kind, text: advice.kind === 'empty' ? '' : advice.text }), {
      'content-type': 'application/json',
    })
  },
}
