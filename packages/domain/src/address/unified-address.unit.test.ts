import { bech32m } from '@scure/base'
import { expect, test } from 'vitest'
import { readUnifiedAddress } from './unified-address.js'

const contentOf = (text: string): Uint8Array =>
  bech32m.fromWords(bech32m.decode(text as `${string}1${string}`, false).words)

/** A published test vector of ZIP-316: a key hash, Orchard, and a receiver of type 65532. */
const UNKNOWN_POOL =
  'u1en8ysypun4gdkdnu8zqqg6k73ankr9ffwfzg08wtzg9z939w0wupewemfrc8a630e8gc4uqucym0l4v44fszy3et4veyypt3jsyp0whfpfsn2lw30kj8nepe6wvvasf00wklh85u9v8glqndupmamk9z2ja9sanf70pp4yxvkt3dmyzxa0kkhv2c9pxmkghrxqk0590azvya3nzrtevj449nu3laskrhf7c7nj9cyw7ty38mccg4znrr876guu6pzndx7ngwzhmlsn8d89saf5araaacrhr9958xr6z23mj4qtzzn98whdpu8u7n8fhf5d2vypljda62q73du44sf0e0kxmq3gvgkta0qqgq9w6r403gc5jz2any02etmwlttkv84hgh95czhdf2jugk3u36ke0kchcthg240'

test('a receiver of an unknown type is passed over', () => {
  const { transparent } = readUnifiedAddress(contentOf(UNKNOWN_POOL))!
  expect(transparent?.kind).toBe('key')
  expect(Buffer.from(transparent!.hash).toString('hex')).toBe('06974d8bcd8ba8ef89ce36a653d93868251c2e3d')
})

test('content with one changed byte is not a unified address', () => {
  const content = contentOf(UNKNOWN_POOL)
  for (let index = 0; index < content.length; index += 1) {
    const changed = Uint8Array.from(content)
    changed[index]! ^= 1
    expect(readUnifiedAddress(changed), `byte ${index}`).toBeUndefined()
  }
})

test('content that is cut off is not a unified address', () => {
  const content = contentOf(UNKNOWN_POOL)
  for (let length = 0; length < content.length; length += 1) {
    expect(readUnifiedAddress(content.subarray(0, length)), `${length} bytes`).toBeUndefined()
  }
})
