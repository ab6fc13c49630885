/** The message of a start on a full volume: the data is whole, and the operator should not discard it. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startKafka } from './kafka.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-full-disk-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each(['that has data', 'that is formatted'])('a broker %s', async (which) => {
  // Kafka 4.3.1 ends like this on a full volume.
  const java = join(folder, 'java')
  writeFileSync(java, `#!/bin/sh\necho 'java.io.IOException: No space left on device' >&2\nexit 1\n`)
  chmodSync(java, 0o700)
  const home = join(folder, 'home')
  if (which === 'that has data') mkdirSync(join(home, 'data'), { recursive: true })

  const start = startKafka({
    jars: { java, kafkaLibs: folder, registryJar: '' },
    folder: home,
    logFile: join(folder, 'kafka.log'),
    recordFolder: join(folder, 'run'),
  })

  await expect(start).rejects.toMatchObject({
    code: 'disk-full',
    message: expect.stringMatching(/volume is full: make room there .* needs no repair/) as string,
  })
})
