/** Batches, limits, repeats and defers work, and finds the programs of threads and runs them: one implementation of each for the whole platform. No I/O. */
export { BatcherRefusal, createBatcher, type Batcher, type BatcherOptions } from './batcher.js'
export { createDeadlineQueue, type DeadlineQueue } from './deadline-queue.js'
export { startLoop, type Loop, type LoopOptions } from './loop.js'
export { createPauses, turnsOnly, type Pauses, type PausesOptions } from './pauses.js'
export { sleep } from './sleep.js'
export { createSlots, type Slots } from './slots.js'
export { standBack } from './stand-back.js'
export { threadProgram } from './thread-program.js'
export {
  createThreadPool,
  OrderEndedError,
  serveOrders,
  ThreadPoolBusyError,
  type ThreadPool,
  type ThreadPoolOptions,
} from './thread-pool.js'
export { createTimeLimit, LATE, withinMs, type TimeLimit } from './time-limit.js'
export { createWake, type Wake } from './wake.js'
