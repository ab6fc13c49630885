// Prints the digest of each sample's PDF, one line each: the test compares processes.
import { createHash } from 'node:crypto'
import { samples } from './samples.js'

for (const [name, render] of Object.entries(samples))
  process.stdout.write(
    `${name} ${createHash('sha256')
      .update(await render())
      .digest('hex')}\n`,
  )
