import { expect, test } from 'vitest'
import { webPortOf } from './web-port.js'

test.each([
  ['the port after the instances of the API', { CUPEL_PORT: 8080, CUPEL_WEB_PORT: undefined }, 2, 8082],
  ['any free one where the API takes any', { CUPEL_PORT: 0, CUPEL_WEB_PORT: undefined }, 2, 0],
  ['the configured one', { CUPEL_PORT: 0, CUPEL_WEB_PORT: 9000 }, 1, 9000],
])('the console listens on %s', (_, config, instances, port) => {
  expect(webPortOf(config, instances)).toBe(port)
})
