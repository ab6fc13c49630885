/** The functions in use of libraries without types. */
declare module 'lz4js' {
  /** Returns the number of bytes written. */
  export function decompressFrame(packed: Uint8Array, output: Uint8Array): number
  export function compress(bytes: Uint8Array): Uint8Array
  const lz4: { compress: typeof compress }
  export default lz4
}

declare module 'snappyjs' {
  /** Throws if the output would be larger than `largestBytes`. */
  export function uncompress(packed: Uint8Array, largestBytes: number): Uint8Array
  export function compress(bytes: Uint8Array): Uint8Array
  const snappy: { compress: typeof compress }
  export default snappy
}
