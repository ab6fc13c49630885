/** A module of its own, so that it is loaded with the first call: most processes never call anybody. */
export { Pool } from 'undici'
