// Prints the digest of each sample's PDF, one line each, the last sample first: the test compares processes, and documents before a document
// must not change it.
import { createHash } from 'node:crypto'
import { samples } from './samples.js'

for (const [name, render] of Object.entries(samples).reverse())
  process.stdout.write(
    `${name} ${createHash('sha256')
      .update(await render())
      .digest('hex')}\n`,
  )
