/** Queries brokers for the bounds of partitions, in few requests. */
import { createBatcher, type Batcher } from '@cupel/kit/concurrency'
import { attempt, RefusedError, requireLeader } from './attempt.js'
import { requireTopic, sendTo, type Connection } from './connection.js'
import type { Cluster } from './kafkajs.js'
import { offsetsRequest, type OffsetAnswer, type OffsetPlace } from './wire-offsets.js'
import { wireErrors } from './wire.js'

interface Question extends OffsetPlace {
  readonly cluster: Cluster
  readonly nodeId: number
}

type Answers = ReadonlyMap<string, OffsetAnswer>

const placeOf = ({ topic, partition }: OffsetPlace): string => `${topic}/${partition}`

/**
 * One query per partition at a time, for all calls that came before it began. A call during a query waits for the next one: an answer from
 * before the call could be too old for the caller. Queries of one moment share a request to their leader. Requests do not wait for each
 * other, and a failing partition affects no other.
 */
export function offsetLookup(
  connection: Connection,
  which: 'start' | 'end',
): (wireTopic: string, partition: number) => Promise<number> {
  const lookups = new Map<string, Batcher<null, number>>()
  const questions = createBatcher<Question, OffsetAnswer | undefined>({
    maxConcurrentBatches: Infinity,
    run: async (asked) => {
      const answers = new Map<Question, Promise<Answers>>()
      for (const own of byLeader(asked)) {
        const answer = ask(own)
        for (const question of own) answers.set(question, answer)
      }
      return asked.map(async (question) => (await answers.get(question)!).get(placeOf(question)))
    },
  })

  async function ask(own: readonly Question[]): Promise<Answers> {
    const { cluster, nodeId } = own[0]!
    const answers = await sendTo(connection, { cluster, nodeId }, () => offsetsRequest(own, which))
    return new Map(answers.map((answer) => [placeOf(answer), answer]))
  }

  async function askOffset(topic: string, partition: number): Promise<number> {
    return await attempt(connection, topic, async (cluster) => {
      await requireTopic(cluster, topic)
      const nodeId = requireLeader(cluster, topic, partition)
      const answer = await questions.add({ cluster, nodeId, topic, partition })
      if (answer === undefined) throw new Error(`Kafka answered nothing for ${topic}/${partition}`)
      if (answer.error !== wireErrors.NONE) throw new RefusedError(answer.error, `${topic}/${partition}`)
      return answer.offset
    })
  }

  return (wireTopic, partition) => {
    const place = placeOf({ topic: wireTopic, partition })
    let lookup = lookups.get(place)
    if (lookup === undefined) {
      lookup = createBatcher<null, number>({
        run: async (asked) => {
          const offset = askOffset(wireTopic, partition)
          await offset.catch(() => undefined)
          return asked.map(() => offset)
        },
      })
      lookups.set(place, lookup)
    }
    return lookup.add(null)
  }
}

function byLeader(asked: readonly Question[]): Question[][] {
  const groups: Question[][] = []
  for (const question of asked) {
    const own = groups.find(
      ([first]) => first!.cluster === question.cluster && first!.nodeId === question.nodeId,
    )
    if (own === undefined) groups.push([question])
    else own.push(question)
  }
  return groups
}
