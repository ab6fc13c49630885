import { expect, test } from 'vitest'
import { stopEach } from '../src/start-together.js'

test('a service that cannot be stopped keeps no other one running, and all failures are told', async () => {
  const stopped: string[] = []
  const service = (name: string, fails: boolean) => ({
    name,
    stop() {
      stopped.push(name)
      return fails ? Promise.reject(new Error(`${name} hangs`)) : Promise.resolve()
    },
  })
  const stopping = stopEach([service('web', true), service('api', false), service('scorer', true)])
  const failures: object[] = [{ cause: { message: 'web hangs' } }, { cause: { message: 'scorer hangs' } }]
  await expect(stopping).rejects.toMatchObject({
    message: 'The web could not be stopped. The scorer could not be stopped.',
    errors: failures,
  })
  expect(stopped).toEqual(['web', 'api', 'scorer'])
})
