/** Parts of kafkajs that are not in its public types. The modules that import them say what they are. */
declare module 'kafkajs/src/*' {
  const part: unknown
  export default part
}
