/** Values by key, so many at most: of more the newest half is kept whole, and the half before it. */
export interface NewestValues<Value> {
  get(key: string): Value | undefined
  put(key: string, value: Value): Value
}

export function createNewestValues<Value>(most: number): NewestValues<Value> {
  let recent = new Map<string, Value>()
  let before = new Map<string, Value>()
  return {
    get: (key) => recent.get(key) ?? before.get(key),
    put(key, value) {
      if (recent.size >= most / 2) {
        before = recent
        recent = new Map()
      }
      recent.set(key, value)
      return value
    },
  }
}
