/** The members of a group share the partitions evenly. A partition changes hands when its reader has finished the batch in hand. */
import type { EventLog, LogStoppedError, Place, SubscribeOptions, Subscription } from '@cupel/event-log'
import { createSlots } from '@cupel/kit/concurrency'
import { PartitionReader } from './reader.js'
import type { MemoryStore, StoredPartition } from './store.js'

interface Member {
  readonly places: readonly Place[]
  readonly readers: Map<string, PartitionReader>
  open(place: Place): PartitionReader
}

interface Joined {
  readonly store: MemoryStore
  readonly topicPrefix: string
  readonly group: string
  readonly log: Pick<EventLog, 'identity'>
  readonly topicOf: (topic: string) => readonly StoredPartition[]
}

/** The members of each group, in the order in which they joined. */
const groups = new WeakMap<MemoryStore, Map<string, Member[]>>()

function membersOf(store: MemoryStore, group: string): Member[] {
  const ofStore = groups.get(store) ?? new Map<string, Member[]>()
  groups.set(store, ofStore)
  const members = ofStore.get(group) ?? []
  ofStore.set(group, members)
  return members
}

export function subscribeInMemory(
  options: SubscribeOptions,
  { store, topicPrefix, group, log, topicOf }: Joined,
): Subscription {
  const inTurn = createSlots(options.concurrency)
  const members = membersOf(store, group)
  let stopped: Promise<void> | null = null
  const places = options.topics
    .flatMap((topic) => topicOf(topic).map((_, partition) => ({ topic, partition })))
    .filter((place) => options.reads?.(place) ?? true)
  const member: Member = {
    places,
    readers: new Map(),
    open: (place) =>
      new PartitionReader(options, {
        ...{
          place,
          inTurn,
          identity: () => log.identity(),
          stored: topicOf(place.topic)[place.partition]!,
        },
        listen: (listener) => store.listen(topicPrefix + place.topic, listener),
        onStopped: (error) => fail(error),
      }),
  }
  members.push(member)
  settle(members)
  const readers = (): PartitionReader[] => [...member.readers.values()]

  function stop(): Promise<void> {
    stopped ??= leave()
    return stopped
  }

  async function leave(): Promise<void> {
    members.splice(members.indexOf(member), 1)
    await Promise.all(readers().map((reader) => reader.stop()))
    member.readers.clear()
    settle(members)
  }

  let hasFailed = false
  function fail(error: LogStoppedError): void {
    if (hasFailed) return
    hasFailed = true
    void stop().then(() => options.onStopped(error))
  }

  return {
    assigned: () => readers().map(({ place }) => place),
    lag: () => readers().reduce((sum, reader) => sum + reader.lag(), 0),
    restart({ topic, partition }) {
      for (const reader of readers())
        if (reader.place.topic === topic && reader.place.partition === partition) reader.restart()
    },
    nudge: () => readers().forEach((reader) => reader.nudge()),
    stop,
  }
}

const keyOf = ({ topic, partition }: Place): string => `${topic}/${partition}`

/** Gives each partition to its member; one that another member still reads follows when that one has finished. */
function settle(members: readonly Member[]): void {
  const places = new Map(members.flatMap((member) => member.places.map((place) => [keyOf(place), place])))
  ;[...places].forEach(([key, place], index) => {
    const takers = members.filter((member) => member.places.some((one) => keyOf(one) === key))
    const owner = takers[index % takers.length]!
    const holder = members.find(({ readers }) => readers.has(key))
    if (holder === undefined) owner.readers.set(key, owner.open(place))
    else if (holder !== owner)
      void holder.readers
        .get(key)!
        .stop()
        .then(() => {
          if (holder.readers.delete(key)) settle(members)
        })
  })
}
