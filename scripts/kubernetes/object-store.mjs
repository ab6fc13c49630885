// A store with the S3 interface as a container, with a bucket, a key that writes and a key that only reads.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchS3Jars, s3Settings } from '@cupel/testkit'
import { standIn } from '../containers/base-images.mjs'
import { docker } from '../containers/docker.mjs'

const PORT = 9000
const DATA = '/data'

/** For containers of its network. */
export const endpointOf = (alias) => `http://${alias}:${PORT}`

/**
 * @param {{ name: string, network: string, alias: string, bucket: string, folder: string, writer: string, reader: string }} place
 *   `folder` keeps the settings of the store; `writer` and `reader` are the ids of the keys.
 * @returns {Promise<{ id: string, secrets: { writer: string, reader: string } }>}
 */
export async function startObjectStore({ name, network, alias, bucket, folder, writer, reader }) {
  const secrets = { writer: randomUUID(), reader: randomUUID() }
  mkdirSync(folder)
  const keyOf = (file, accessKeyId, secretAccessKey, readsOnly) =>
    writeFileSync(
      join(folder, file),
      s3Settings({ endpoint: `http://0.0.0.0:${PORT}`, data: DATA, accessKeyId, secretAccessKey, readsOnly }),
    )
  keyOf('writer', writer, secrets.writer, false)
  keyOf('reader', reader, secrets.reader, true)
  const program = `exec java -Xmx256m -cp '/jars/*' org.gaul.s3proxy.Main --properties /settings/writer --properties /settings/reader`
  const id = await docker(
    ...['run', '--detach', '--name', name, '--network', network, '--network-alias', alias],
    ...[
      '--volume',
      DATA,
      '--volume',
      `${await fetchS3Jars()}:/jars:ro`,
      '--volume',
      `${folder}:/settings:ro`,
    ],
    ...['--entrypoint', 'sh', await standIn('java', {}), '-c', `mkdir ${DATA}/${bucket} && ${program}`],
  )
  return { id: id.trim(), secrets }
}
