/**
 * Arrays that many records carry, written once. Every report records the state of every list of labels: of what a report takes
 * in the log that is more than half, and it is the same array for all of a batch. Only a frozen array is remembered, by
 * identity, and the one of last time alone; whoever freezes it says that its members do not change either.
 */
import avro from 'avsc'

/** What is used of avsc's writing position. */
interface Tap {
  readonly buf: Buffer
  pos: number
  writeFixed(bytes: Buffer, length: number): void
}

interface WritingType {
  _write(tap: Tap, value: unknown): void
}

type ArrayConstructor = new (schema: avro.Schema, options: unknown) => avro.Type & WritingType

const ArrayType = avro.types.ArrayType as unknown as ArrayConstructor

/** For `typeHook`: array types that remember; undefined for every other schema. */
export function sharedArrays(schema: avro.Schema, options: unknown): avro.Type | undefined {
  const isArray = typeof schema === 'object' && 'type' in schema && schema.type === 'array'
  return isArray ? rememberingArray(schema, options) : undefined
}

function rememberingArray(schema: avro.Schema, options: unknown): avro.Type {
  // Beside the type, because avsc freezes its types.
  let last: unknown = null
  let written: Buffer | null = null
  class RememberingArrayType extends ArrayType {
    override _write(tap: Tap, value: unknown): void {
      if (value !== last || written === null) {
        const from = tap.pos
        super._write(tap, value)
        if (value !== last) forget(value)
        // The second time it comes it will come again. Beyond the end of its buffer a tap writes nothing.
        else if (tap.pos <= tap.buf.length) written = Buffer.from(tap.buf.subarray(from, tap.pos))
        return
      }
      tap.writeFixed(written, written.length)
    }
  }
  return new RememberingArrayType(schema, options)

  function forget(value: unknown): void {
    last = Object.isFrozen(value) ? value : null
    written = null
  }
}
