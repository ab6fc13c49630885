/** Which keys call, as far as those need to know who make room for others. */
export interface Traffic {
  /** A call of this key was admitted. */
  note(keyId: string): void
  /** Whether a key other than this one called within the last `ms` milliseconds. */
  othersCalledWithin(keyId: string, ms: number): boolean
}

/** Two times are enough: those of the last call, and of the last one of any key but its own. */
export function createTraffic(now: () => number = () => performance.now()): Traffic {
  let lastKeyId = ''
  let lastMs = -Infinity
  let othersMs = -Infinity
  return {
    note(keyId) {
      if (keyId !== lastKeyId) othersMs = lastMs
      lastKeyId = keyId
      lastMs = now()
    },
    othersCalledWithin: (keyId, ms) => now() - (keyId === lastKeyId ? othersMs : lastMs) <= ms,
  }
}
