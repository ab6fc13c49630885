/** A module of its own, so that it is loaded with the first call: services load the client of the registry, and never call one. */
export { Agent, fetch } from 'undici'
