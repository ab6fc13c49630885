/** HTTP statuses of successes whose calls are recorded by the event that they make. Event and answer name the same status. */
export const statuses = { ok: 200, created: 201, accepted: 202, noContent: 204 } as const
