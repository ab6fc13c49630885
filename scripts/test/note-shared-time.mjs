/** Global set-up, the last one: before the servers that all files share are stopped, it notes the processor time that each has taken. */
import { appendFileSync } from 'node:fs'
import { runningChildren } from './processor-time.mjs'

const SERVERS = { postgres: /\/postgres /, kafka: /kafka\.Kafka /, registry: /registry/i }

export default function noteSharedTime() {
  return () => {
    const notes = process.env.CUPEL_TEST_PROCESSOR_NOTES
    if (notes === undefined) return
    for (const { command, ms } of runningChildren()) {
      const server = Object.keys(SERVERS).find((name) => SERVERS[name].test(command))
      if (server !== undefined) appendFileSync(notes, `${JSON.stringify({ server, ms })}\n`)
    }
  }
}
