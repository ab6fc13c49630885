/** Batches, limits, repeats and defers work: one implementation of each for the whole platform. No I/O, no state. */
export { BatcherRefusal, createBatcher, type Batcher, type BatcherOptions } from './batcher.js'
export { createDeadlineQueue, type DeadlineQueue } from './deadline-queue.js'
export { startLoop, type Loop, type LoopOptions } from './loop.js'
export { sleep } from './sleep.js'
export { createSlots, type Slots } from './slots.js'
export { standBack } from './stand-back.js'
export { createTimeLimit, LATE, withinMs, type TimeLimit } from './time-limit.js'
export { createWake, type Wake } from './wake.js'
