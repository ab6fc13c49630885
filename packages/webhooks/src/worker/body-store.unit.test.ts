import { expect, test } from 'vitest'
import { createBodyStore } from './body-store.js'

function loading(): { readonly asked: string[]; load: (id: string) => Promise<string | null> } {
  const asked: string[] = []
  return { asked, load: async (id) => (asked.push(id), id === 'gone' ? null : `body of ${id}`) }
}

test('a body is read once for all who hold it, and again only after it had to make room', async () => {
  const { asked, load } = loading()
  const store = createBodyStore({ load, budgetBytes: 100 })
  const [one, two] = await Promise.all([store.hold('a', 40), store.hold('a', 40)])
  expect(one).toBe(two)
  expect(one.toString()).toBe('body of a')
  store.release('a')
  store.release('a')
  await store.hold('a', 40)
  expect(asked).toEqual(['a'])
  store.release('a')
  await store.hold('b', 90)
  store.release('b')
  await store.hold('a', 40)
  expect(asked).toEqual(['a', 'b', 'a'])
})

test('whoever finds no room waits until somebody lets go', async () => {
  const { asked, load } = loading()
  const store = createBodyStore({ load, budgetBytes: 100 })
  await store.hold('a', 60)
  let held = false
  const waiting = store.hold('b', 60).then(() => (held = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect([held, asked]).toEqual([false, ['a']])
  store.release('a')
  await waiting
  expect(asked).toEqual(['a', 'b'])
})

test('a body larger than all the room is held by itself', async () => {
  const store = createBodyStore({ load: loading().load, budgetBytes: 100 })
  expect((await store.hold('a', 1_000)).toString()).toBe('body of a')
})

test('one that cannot be read fails its holder, takes no room and is asked for anew', async () => {
  const { asked, load } = loading()
  const store = createBodyStore({ load, budgetBytes: 100 })
  await expect(store.hold('gone', 100)).rejects.toThrow('Body gone is gone')
  await expect(store.hold('gone', 100)).rejects.toThrow()
  expect(asked).toEqual(['gone', 'gone'])
  expect((await store.hold('a', 100)).toString()).toBe('body of a')
})
