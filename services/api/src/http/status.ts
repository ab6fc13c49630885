/** HTTP statuses of the successes whose calls are recorded by the event they make: event and answer name the same one. */
export const statuses = { ok: 200, created: 201, accepted: 202, noContent: 204 } as const
