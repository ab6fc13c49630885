/** Clocks differ by at most this, in seconds: what is later than that, nobody has seen. */
export const MAX_AHEAD_S = 86_400
