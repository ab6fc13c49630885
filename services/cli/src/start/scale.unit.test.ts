import { expect, test } from 'vitest'
import { parseScale } from './scale.js'

test('a service that is not named gets one process', () => {
  expect(parseScale(undefined)).toEqual({
    ...{
      api: 1,
      scorer: 1,
      'bulk-scorer': 1,
      'bulk-coordinator': 1,
      'webhook-dispatcher': 1,
      'label-refresher': 1,
      projector: 1,
      web: 1,
    },
  })
  expect(parseScale('api=2, scorer=3')).toEqual({
    ...{
      api: 2,
      scorer: 3,
      'bulk-scorer': 1,
      'bulk-coordinator': 1,
      'webhook-dispatcher': 1,
      'label-refresher': 1,
      projector: 1,
      web: 1,
    },
  })
})

test.each([
  ['api', /takes a number from 1 to 8, not ""/],
  ['api=0', /takes a number from 1 to 8, not "0"/],
  ['api=9', /takes a number from 1 to 8, not "9"/],
  ['api=1.5', /not "1.5"/],
  ['api=2=3', /"api=2=3" does not name a service/],
  [
    'mail=2',
    /"mail=2" does not name a service; those are api, scorer, bulk-scorer, bulk-coordinator, webhook-dispatcher, label-refresher, projector/,
  ],
  ['api=1,api=2', /api is given twice/],
  ['', /"" does not name a service/],
  ['toString=1', /"toString=1" does not name a service/],
])('--scale %s is refused with a sentence that says how it looks', (text, sentence) => {
  expect(() => parseScale(text)).toThrow(sentence)
  expect(() => parseScale(text)).toThrow(/^--scale looks like api=2,scorer=2: .*\.$/)
})
