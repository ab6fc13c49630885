/** Whether too many screens of the last minute were answered without a report, for an operator: another instance would fail as much. */
import type { Check } from '@cupel/kit/service'

export interface FailureRate {
  note(isAnswered: boolean): void
  /** Null while most are answered; else what an operator should know. */
  detail(): string | null
}

const WINDOW_MS = 60_000
const SLOTS = 12
const SLOT_MS = WINDOW_MS / SLOTS
/** As the alert CupelScreensStopped. */
const MAX_RATE = 0.2
/** Fewer failures say nothing of a rate. */
const MIN_FAILURES = 5

interface Slot {
  number: number
  screens: number
  failures: number
}

export function createFailureRate(now: () => number = () => performance.now()): FailureRate {
  const slots: Slot[] = []
  const slotNumber = (): number => Math.floor(now() / SLOT_MS)
  return {
    note(isAnswered) {
      const number = slotNumber()
      let slot = slots.at(-1)
      if (slot?.number !== number) slots.push((slot = { number, screens: 0, failures: 0 }))
      slot.screens += 1
      if (!isAnswered) slot.failures += 1
      if (slots.length > SLOTS) slots.shift()
    },
    detail() {
      const recent = slots.filter(({ number }) => number > slotNumber() - SLOTS)
      const screens = recent.reduce((sum, slot) => sum + slot.screens, 0)
      const failures = recent.reduce((sum, slot) => sum + slot.failures, 0)
      if (failures < MIN_FAILURES || failures / screens <= MAX_RATE) return null
      return `${failures} of the ${screens} screens of the last minute were answered without a report`
    },
  }
}

/** It takes no calls away from the instance: what fails is behind every one. */
export const screensCheck = (detail: string | null): Check =>
  detail === null ? { name: 'screens', ok: true } : { name: 'screens', ok: false, isServing: true, detail }
