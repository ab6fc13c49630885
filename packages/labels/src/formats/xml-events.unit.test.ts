import { expect, test } from 'vitest'
import { SetRefusedError } from './label-source.js'
import { MAX_DEPTH, readXml, type XmlEvent } from './xml-events.js'

const CHUNK = 65_536

async function* bytesOf(text: string) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}

async function eventsOf(text: string): Promise<XmlEvent[]> {
  const events: XmlEvent[] = []
  for await (const event of readXml(bytesOf(text), 'list')) events.push(event)
  return events
}

const nested = (depth: number): string =>
  `<list>${'<a>'.repeat(depth - 1)}x${'</a>'.repeat(depth - 1)}</list>`

test('elements lie within one another up to the limit', async () => {
  expect(await eventsOf(nested(MAX_DEPTH))).toHaveLength(2 * MAX_DEPTH)
  await expect(eventsOf(nested(MAX_DEPTH + 1))).rejects.toThrow(/within more than 64 others/)
})

test('a text of an element is read up to the limit, also in parts', async () => {
  const [limit, part] = ['x'.repeat(65_536), '<![CDATA[x]]>']
  expect(await eventsOf(`<list><a>${limit}</a></list>`)).toHaveLength(4)
  for (const longer of [`${limit}x`, `${limit}${part}`, `${part}${limit}`])
    await expect(eventsOf(`<list><a>${longer}</a></list>`)).rejects.toThrow('<a> holds too much text')
})

test('megabytes of nested elements are refused at the first element beyond the limit', async () => {
  let chunks = 0
  async function* counted() {
    for await (const chunk of bytesOf(nested(1_300_000))) {
      chunks += 1
      yield chunk
    }
  }
  const events = readXml(counted(), 'list')
  await expect(events.next()).rejects.toThrow(SetRefusedError)
  expect(chunks).toBe(1)
})

test.each([
  ['a text', '<list><a>'],
  ['a value', '<list><a b="'],
  ['a comment', '<list><!--'],
  ['a declaration', '<!DOCTYPE list ['],
])('%s without an end is left after megabytes, whatever its file has', async (_, begin) => {
  let chunks = 0
  async function* endless() {
    yield Buffer.from(begin)
    for (; chunks < 1_000; chunks += 1) yield Buffer.alloc(CHUNK, 'a')
  }
  const read = async (): Promise<void> => {
    for await (const event of readXml(endless(), 'list')) expect(event.type).toBe('start')
  }
  await expect(read()).rejects.toThrow(/nothing begins or ends in \d+ characters/)
  expect(chunks).toBeLessThan(50)
})
