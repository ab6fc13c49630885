/** What an archive has of a log, for readers whose log was cut: each manifest is checked when it is opened, each segment when it is read. */
import type { LogCopy } from '@cupel/event-log'
import type { Verifier } from '@cupel/signing'
import { openArchiveLog } from './archive-log.js'
import { endOf, requireManifests } from './read-archive.js'
import type { ArchiveStore } from './store.js'

/** Null if it is an archive of another log. Throws an ArchiveError if it is damaged. */
export async function openCopy(
  store: ArchiveStore,
  verifier: Verifier,
  identity: string,
): Promise<LogCopy | null> {
  const contents = await requireManifests(store, verifier)
  if (contents.log !== identity) return null
  const log = openArchiveLog({ store, contents })
  return {
    async rangeOf({ topic, partition }) {
      const from = contents.topics.get(topic)?.starts[partition]
      return from === undefined ? null : { topic, partition, from, to: endOf(contents, topic, partition)! }
    },
    read: (range) => log.read(range),
  }
}
