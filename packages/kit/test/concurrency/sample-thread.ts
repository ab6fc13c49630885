/** A program for the test of threads: waits as many milliseconds as it is told, and answers with them. */
import { parentPort, workerData } from 'node:worker_threads'
import { sleep } from '../../src/concurrency/sleep.js'

await sleep(Number(workerData), new AbortController().signal)
parentPort?.postMessage(workerData)
