import { expect, test } from 'vitest'
import { createPatience, MAX_WAITING, MAX_WAITING_OF_ACCOUNT } from './patience.js'

test('an account has its places and no more, and takes none of another one', () => {
  const patience = createPatience()
  const places = Array.from({ length: MAX_WAITING_OF_ACCOUNT }, () => patience.take('a')!)
  expect(patience.take('a')).toBeNull()
  expect(patience.take('b')).not.toBeNull()
  places[0]!()
  expect(patience.take('a')).not.toBeNull()
  expect(patience.take('a')).toBeNull()
})

test('eleven accounts that take all places that they may leave one to another', () => {
  const patience = createPatience()
  for (let account = 0; account < 11; account += 1)
    for (let place = 0; place < MAX_WAITING_OF_ACCOUNT; place += 1) patience.take(`account-${account}`)
  expect(patience.take('another')).not.toBeNull()
})

test('all accounts together have a limit', () => {
  const patience = createPatience()
  const places = Array.from({ length: MAX_WAITING }, (_, index) => patience.take(`account-${index}`))
  expect(places).not.toContain(null)
  expect(patience.take('another')).toBeNull()
})
