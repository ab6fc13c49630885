import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PINNED, pinnedFor } from './runtime.mjs'
import { root } from './setup.mjs'

const on = (version, platform = 'linux-x64', isMusl = false) => pinnedFor({ version, platform, isMusl })

test.each(['24.0.0', '26.12.1'])('the own Node %s runs the product', (version) => {
  expect(on(version)).toBeNull()
})

test.each(Object.keys(PINNED))('an older Node fetches Node 24 by its hash on %s', (platform) => {
  expect(on('20.19.0', platform)).toEqual({ name: `node-${platform}`, ...PINNED[platform] })
  expect(PINNED[platform].version).toMatch(/^24\./)
  expect(PINNED[platform].integrity).toMatch(/^sha512-/)
})

test.each([
  ['18.20.0', 'linux-x64', false],
  ['22.1.0', 'darwin-arm64', false],
  ['22.1.0', 'linux-x64', true],
])('Node %s on %s (musl: %s) is refused with what to install', (...present) => {
  expect(() => on(...present)).toThrow(`Cupel needs Node 24 or newer, and this is ${present[0]}: install`)
})

test('a command becomes the program under that Node, with the exit code and the name node', async () => {
  const script =
    'process.stdout.write(require("child_process").execFileSync("node", ["-v"])); process.exit(7)'
  const child = spawn('sh', [join(root, 'scripts/with-node.sh'), '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, major: Number(output.slice(1).split('.')[0]) >= 24 }).toEqual({ code: 7, major: true })
})
