/** Names this folder in every report it decides. A released folder never changes. */
export const SCORER_VERSION = '1.0.0'
