/** Clocks differ by at most this, in seconds: a later time cannot have been observed. */
export const MAX_AHEAD_S = 86_400
