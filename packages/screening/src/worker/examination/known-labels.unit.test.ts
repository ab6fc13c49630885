/** Labels that were read are not read again in one state of labels, and never answer in another one. */
import type { LabelFacts } from '@cupel/domain'
import { expect, test } from 'vitest'
import { createKnownLabels } from './known-labels.js'

const label = (entity: string): LabelFacts => ({ entity }) as LabelFacts
const asked: string[][] = []
const reader = (entity: string) => (keys: readonly string[]) => {
  asked.push([...keys])
  return Promise.resolve(
    new Map(keys.filter((key) => key.startsWith('l')).map((key) => [key, [label(entity)]])),
  )
}

test('a key is asked for once in a state, with and without labels', async () => {
  asked.length = 0
  const known = createKnownLabels()
  const first = await known.of(1, ['l1', 'n1'], reader('a'))
  expect([...first]).toEqual([['l1', [label('a')]]])
  expect(await known.of(1, ['n1', 'l1'], reader('other'))).toEqual(first)
  await known.of(1, ['l1', 'l2'], reader('a'))
  expect(asked).toEqual([['l1', 'n1'], ['l2']])
})

test('a newer state knows nothing of the older one, and an older one is read each time', async () => {
  const known = createKnownLabels()
  await known.of(1, ['l1'], reader('a'))
  expect((await known.of(2, ['l1'], reader('b'))).get('l1')).toEqual([label('b')])
  expect((await known.of(1, ['l1'], reader('a'))).get('l1')).toEqual([label('a')])
  expect((await known.of(2, ['l1'], reader('wrong'))).get('l1')).toEqual([label('b')])
})

test('what is read while a newer state begins is not kept for it', async () => {
  const known = createKnownLabels()
  await known.of(1, ['l1'], async (keys) => {
    await known.of(2, ['n1'], reader('b'))
    return await reader('a')(keys)
  })
  expect((await known.of(2, ['l1'], reader('b'))).get('l1')).toEqual([label('b')])
})

test('of more keys than are kept the newest stay, and all answers are right', async () => {
  const known = createKnownLabels(4)
  for (let n = 0; n < 10; n += 1) await known.of(1, [`l${n}`], reader(`e${n}`))
  asked.length = 0
  expect((await known.of(1, ['l9'], reader('wrong'))).get('l9')).toEqual([label('e9')])
  expect((await known.of(1, ['l0'], reader('e0'))).get('l0')).toEqual([label('e0')])
  expect(asked).toEqual([['l0']])
})
